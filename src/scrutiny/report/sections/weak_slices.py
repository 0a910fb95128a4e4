"""Where a model is worse: slices that one half of the items proposes and the other one shows."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import bracketed, number
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, Part, ReportPart, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.printable import percent
from scrutiny.core.randomness import generator
from scrutiny.data.item_values import Items
from scrutiny.data.slice_search import Candidates, slice_candidates
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.row_statistics import Additive, over_rows
from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.significance.weak_groups import Residuals, WeakSearch, weak_groups
from scrutiny.store.item_tables import examples_of

_LEAD: Final = (
    "An audit looks for slices in which the score is lower: by one condition or two on attributes "
    "of the texts, labels and columns. One half of the items proposes slices, the other half tests "
    "them, both ways; the chance that any is called worse where none is stays below 5 %. "
    "Differences are measured on items that did not propose the slice. A slice shows where a model "
    "is worse, not why."
)
_HEADER: Final = ("slice", "items", "inside", "elsewhere", "difference, 95 % interval")
#: Items that are searched, at most: of more, some are drawn by chance.
_MOST: Final = 10_000
#: Standard errors that a slice of two conditions has to be clearer than one of a single one.
_SECOND: Final = 1.0
_COUNTS: Final = ("tp", "fp", "fn")


#: Candidates by dataset and items; and the training set of which the run kept nothing.
_Known = dict[tuple[str, bytes], tuple[Candidates, str]]


class _Found(NamedTuple):
    """Search on the records of one model on one dataset; ``lacks`` is a training set not kept."""

    assigned: Assignment
    candidates: Candidates
    search: WeakSearch
    lacks: str


def part(view: RunView) -> Part | None:
    """Slices that were found for each model and dataset, or that none was."""
    charts = []
    for one in _searched(view):
        where = view.on_data(one.assigned.subject, one.assigned.dataset)
        said = _metric(one)
        rows = tuple(
            (
                one.candidates.written[found.place],
                f"{found.n:,}",
                number(found.score),
                number(found.rest),
                f"{number(found.score - found.rest, signed=True)} "
                f"{bracketed(found.low, found.high, signed=True)}",
            )
            for found in one.search.found
        )
        charts.append(
            Chart(
                anchor=f"weak-slices-{digest(where, said, size=4)}",
                title=f"{where}: where {said} is lower",
                caption=" ".join([*_sentences(one), *_left_out(one)]),
                table=ChartTable(_HEADER, rows),
                is_open=True,
            )
        )
    return part_of(
        "weak-slices", "Where it is worse", _LEAD, charts, "models and datasets", chapter=FINDINGS
    )


def first_sentences(view: RunView) -> Iterator[str]:
    """The clearest slices of each model and dataset beside chance, or that none was found."""
    several = _searched(view)
    for one in several:
        of = f"{view.on_data(one.assigned.subject, one.assigned.dataset)}: " * (len(several) > 1)
        said = [*_sentences(one)]
        yield of + " ".join([*said[:_SAID], said[-1]] if len(said) > _SAID + 1 else said)


_SAID: Final = 2


def _sentences(one: _Found) -> Iterator[str]:
    """A sentence for each slice that was found, and what was tried, beside chance."""
    search, written = one.search, one.candidates.written
    for found in search.found:
        yield (
            f"Worse where {written[found.place]}: {_metric(one)} {percent(found.score)} on "
            f"{found.n:,} items, {_points(found.rest - found.score)} points below elsewhere "
            f"[{_points(-found.high)}, {_points(-found.low)}]."
        )
    count = f"{search.n_tried:,} slice{'s' * (search.n_tried != 1)}"
    chance = _points(search.usual)
    most = f"in 95 of 100 draws at most {_points(search.most)}"
    if search.found:
        several = len(search.found) > 1
        those, lay = ("These", "they lie") if several else ("It", "it lies")
        were = "were" if several else "was"
        proposed = " and ".join(_points(one.proposed) for one in search.found)
        yield (
            f"{those} {were} proposed by other items, where {lay} {proposed} points below, as the "
            f"clearest of {count}: of as many equal ones, the clearest lies {chance} below by "
            f"chance, {most}."
        )
    else:
        side = "below" if search.below > 0 else "above"
        lies = f"{_points(abs(search.below))} points {side} on half"
        yield (
            f"No slice is shown to be worse than the rest: of {count}, the clearest "
            f"({written[search.worst]}) lies {lies} of the items"
            f"{', and the other half does not show it' * (search.below > 0)}; of as many equal "
            f"ones, it lies {chance} below by chance, {most}."
        )


def _left_out(one: _Found) -> Iterator[str]:
    """What was not looked at."""
    if one.lacks:
        yield (
            f"Not looked at: attributes that need the training set {one.lacks!r}, of which this "
            "run, of an earlier version, kept no values."
        )


def _points(share: float) -> str:
    """Difference of two shares in points."""
    return number(100.0 * share, 1)


def _metric(one: _Found) -> str:
    return metric_of(one.assigned.metric, one.assigned.measures).says


@lru_cache(maxsize=2)
def _searched(view: RunView) -> tuple[_Found, ...]:
    """Searches of an audit, one for the score of each model on each dataset."""
    if not view.facts.profile or view.records.folder is None:
        return ()
    scores = {identity(f.estimate.key) for f in view.findings if f.claim.is_headline and f.estimate}
    plain = [one for one in assignments_in(view.manifest) if identity(one.key) in scores]
    first: dict[tuple[str, str], Assignment] = {}
    for one in plain:
        first.setdefault((one.subject, one.dataset), one)
    known: _Known = {}
    found = (_search(view, one, known) for one in first.values())
    return tuple(one for one in found if one is not None)


def _search(view: RunView, assigned: Assignment, known: _Known) -> _Found | None:
    """Search for one model on one dataset; None where its score is no sum over items."""
    recorded = view.records.recorded(assigned)
    statistic = metric_of(assigned.metric, assigned.measures)
    if recorded is None or not isinstance(statistic, Additive) or statistic.cells:
        return None
    measures = [one.name for one in recorded.panel.measures]
    if not set(statistic.needs) <= set(measures) or statistic.higher_is != "better":
        return None
    side = recorded.select(assigned.sides[""], assigned.within)
    values = side.values[..., [measures.index(name) for name in statistic.needs]]
    scored = _scored(statistic, values)
    kept = np.flatnonzero(np.isfinite(values).all(axis=(0, 2)))
    if scored is None or not kept.size:
        return None
    rng = generator(view.facts.seed, "weak-slices", name=assigned.dataset, item="")
    if kept.size > _MOST:
        kept = np.sort(rng.choice(kept, _MOST, replace=False))
    scores = Residuals(scored.part[kept], scored.of[kept])
    name = assigned.dataset, kept.tobytes()
    if name not in known:
        known[name] = _candidates(
            view, assigned.dataset, [recorded.panel.items[int(i)] for i in kept]
        )
    candidates, lacks = known[name]
    units = recorded.panel.units
    search = weak_groups(
        scores,
        candidates.masks,
        rng,
        units=None if units is None else np.unique(units[kept], return_inverse=True)[1],
        handicap=_SECOND * (np.array(candidates.conditions) - 1.0),
    )
    return _Found(assigned, candidates, search, lacks) if search.n_tried else None


def _candidates(view: RunView, dataset: str, items: list[str]) -> tuple[Candidates, str]:
    """Slices of some items of a run, and the training set, where the run kept nothing of it."""
    folder = view.records.folder
    assert folder is not None  # as the caller has seen
    examples = examples_of(folder.items(), dataset)
    plans = {one["name"]: one for one in view.manifest.get("plan", {}).get("data", ())}
    asked = [examples[name] for name in items]
    is_kept = Items.of(asked).has_training
    return slice_candidates(asked), "" if is_kept else plans.get(dataset, {}).get("training") or ""


def _scored(statistic: Additive, values: FloatArray) -> Residuals | None:
    """Score of each item, the mean over replicates, as a part of what is scored."""
    means = values.mean(axis=0)
    if statistic.needs == _COUNTS:
        return Residuals(means[:, 0], means @ [1.0, 0.5, 0.5])
    if statistic.combine is not over_rows:
        return None
    components = statistic.components(means)
    return Residuals(components[:, 0], components[:, -1])


PART: Final = ReportPart(__doc__, part, first=first_sentences)
