"""F1 of groups of parts: the weakest group beside its null, and two models group by group."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.forest import Line, forest_or_table
from scrutiny.blocks.labels import short_names
from scrutiny.blocks.numbers import NO_VALUE, bracketed, denominator, interval, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, Part, ReportPart, SentenceBlock, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin_base import family_name
from scrutiny.core.randomness import generator
from scrutiny.core.record import grouped
from scrutiny.data.item_values import FEWEST
from scrutiny.data.parts.part_attribute import load_part_attribute
from scrutiny.diagnostics.classes.parts import PART_F1, PART_PRECISION, PART_RECALL, Parts
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.significance.over_buckets import (
    BucketScores,
    OverBuckets,
    f1_of_buckets,
    over_buckets,
)

_LEAD: Final = (
    "Gold parts are found or missed in their group; wrong parts of the model count in the group "
    "that they are in themselves. The best and the worst of several groups differ by chance alone: "
    "what equal groups would differ by stands beside the gap. Groups go together (long names are "
    "seldom seen in training), so a low score has more than one cause."
)
_HEADER: Final = (
    "group",
    "gold parts",
    "recall",
    "given parts",
    "precision",
    "F1",
    "limits at once",
)
_PAIR: Final = ("group", "F1 of A", "F1 of B", "A \N{MINUS SIGN} B", "limits at once", "of B's F1")


class _Grouped(NamedTuple):
    """Counts ``(replicate, item, group, 3)`` of a model, on items without gaps."""

    names: tuple[str, ...]
    items: tuple[str, ...]
    counts: FloatArray
    units: Any


def part(view: RunView) -> Part | None:
    """Groups of each model and dataset, then each two models on the same groups."""
    charts: list[Chart] = []
    for models in grouped(((a[0].kind, a[0].dataset), a) for a in _assigned(view)).values():
        charts += [_self_chart(view, assigned) for assigned in models]
        charts += _pair_charts(view, models)
    return part_of(
        "parts",
        "Scores by kind of part",
        _LEAD,
        charts,
        "models, datasets and attributes",
        chapter=FINDINGS,
    )


def lines(view: RunView) -> Iterator[SentenceBlock]:
    """The gap of each model and attribute beside its null."""
    found = [_said(view, assigned) for assigned in _assigned(view)]
    if any(found):
        yield from (SentenceBlock(""), SentenceBlock("Scores by kind of part", "bold"))
    yield from (SentenceBlock(said, hanging=2) for said in found if said)


def _assigned(view: RunView) -> list[list[Assignment]]:
    """F1 of the groups of each measurement, model and dataset."""
    name = family_name(Parts.id)
    own = (
        ((one.kind, one.subject, one.dataset, str(one.condition["by"])), one)
        for one in assignments_in(view.manifest)
        if (family_name(one.kind), one.metric, one.role) == (name, PART_F1.id, "measured")
        and not one.where
    )
    return list(grouped(own).values())


def _grouped(view: RunView, assigned: Sequence[Assignment]) -> _Grouped | None:
    """Counts of groups with parts enough for a comparison."""
    values, names = [], []
    recorded = None
    for one in assigned:
        recorded = view.records.recorded(one)
        if recorded is None:
            return None
        values.append(recorded.select(one.sides[""], one.within).values)
        names.append(str(one.condition["bucket"]))
    assert recorded is not None  # a measurement has a group at least
    counts = np.stack(values, axis=2)
    kept = np.isfinite(counts).all(axis=(0, 2, 3))
    counts = counts[:, kept]
    # found parts count once, and a wrong or a missed one half: as many as F1 is a share of
    sizes = (counts @ [1.0, 0.5, 0.5]).sum(axis=1).min(axis=0, initial=np.inf)
    there = sizes >= FEWEST if kept.any() else np.zeros(len(names), np.bool_)
    items = tuple(np.array(recorded.panel.items)[kept].tolist())
    units = recorded.panel.units
    return _Grouped(
        tuple(name for name, is_there in zip(names, there, strict=True) if is_there),
        items,
        counts[:, :, there],
        None if units is None else np.unique(units[kept], return_inverse=True)[1],
    )


def _scores(found: _Grouped) -> tuple[BucketScores, FloatArray]:
    """Scores of groups, and those of each replicate."""
    each = np.stack([f1_of_buckets(one, found.units).values for one in found.counts])
    return f1_of_buckets(found.counts.mean(axis=0), found.units), each


def _study(view: RunView, found: _Grouped | None, name: str) -> OverBuckets | None:
    if found is None or len(found.names) < 2:
        return None
    scores, each = _scores(found)
    rng = generator(view.facts.seed, "parts", name=name, item="")
    return over_buckets(scores, rng, replicates=each)


def _said(view: RunView, assigned: Sequence[Assignment]) -> str:
    """Sentence on the gap of one attribute, beside what chance alone would give."""
    one = assigned[0]
    found = _grouped(view, assigned)
    study = _study(view, found, one.dataset)
    if study is None or found is None:
        return ""
    by = str(one.condition["by"]).replace("_", " ")
    weak, best = found.names[study.weakest], found.names[study.best]
    verdict = "not shown to be more than chance" if study.is_within_chance else "more than chance"
    order = f" Their standard deviation is {number(study.spread)}"
    if study.rho is not None and _is_ordered(assigned):
        order += f", Spearman's rho of their order and F1 {number(study.rho, 2)}"
    order += "."
    return (
        f"{view.on_data(one.subject, one.dataset)}, by {by}: F1 {number(study.values[study.best])} "
        f"({best}) falls to {number(study.values[study.weakest])} ({weak}), a gap of "
        f"{number(study.gap)}, {verdict}: {len(found.names)} equal groups differ by "
        f"{number(study.usual)} by chance, and in 95 of 100 draws by at most {number(study.most)}."
        f"{order}"
    )


def _is_ordered(assigned: Sequence[Assignment]) -> bool:
    """Whether groups are ranges of numbers: words have no order that a correlation could be of."""
    attribute = load_part_attribute(str(assigned[0].condition["by"]))
    last = str(assigned[-1].condition["bucket"])  # of numbers it is open, and of words "others"
    return not attribute.groups and (last.startswith("over ") or last.endswith(" or more"))


def _self_chart(view: RunView, assigned: Sequence[Assignment]) -> Chart:
    """Groups of one model on one dataset by one attribute."""
    one, found = assigned[0], _grouped(view, assigned)
    by = str(one.condition["by"])
    own = {
        (e.key.metric, str(e.key.condition["bucket"])): e
        for e in view.estimates
        if (e.key.diagnostic, e.key.subject, e.key.dataset) == (one.kind, one.subject, one.dataset)
        and e.key.condition.get("by") == by
        and (e.key.role, e.key.group, e.key.replicate) == ("measured", "all", None)
    }
    names = [str(a.condition["bucket"]) for a in assigned]
    study = _study(view, found, one.dataset)
    limits: Mapping[str, str] = {}
    if study is not None and found is not None:
        bounds = zip(found.names, study.low.clip(0), study.high.clip(None, 1), strict=True)
        limits = {name: bracketed(float(low), float(high)) for name, low, high in bounds}
    rows = tuple(_row(name, own, limits.get(name, NO_VALUE)) for name in names)
    where = f"{view.on_data(one.subject, one.dataset)}: F1 by {by.replace('_', ' ')}"
    shown = [
        Line(name, {"F1": own[PART_F1.id, name]}) for name in names if (PART_F1.id, name) in own
    ]
    (chart,) = forest_or_table(
        f"parts-{digest(where, size=4)}",
        where,
        _said(view, assigned)
        or f"Fewer than two groups have {FEWEST} parts, too few for a comparison.",
        shown,
        metric=PART_F1.id,
        table=ChartTable(_HEADER, rows),
    )
    return chart


def _row(name: str, own: Mapping[tuple[str, str], Estimate], limits: str) -> tuple[str, ...]:
    f1, recall, precision = (own.get((m.id, name)) for m in (PART_F1, PART_RECALL, PART_PRECISION))
    counts = ["0" if e is None or e.value is None else denominator(e) for e in (recall, precision)]
    return name, counts[0], interval(recall), counts[1], interval(precision), interval(f1), limits


def _pair_charts(view: RunView, models: Sequence[Sequence[Assignment]]) -> Iterator[Chart]:
    """Each two models on the same groups of one dataset: where one is ahead of the other."""
    for first, second in combinations(models, 2):
        own, other = _grouped(view, first), _grouped(view, second)
        if own is None or other is None:
            continue
        a, b = _shared(own, other)
        if len(a.names) < 2 or not a.items:
            continue
        scores = [_scores(one)[0] for one in (a, b)]
        apart = scores[0].minus(scores[1])
        rng = generator(view.facts.seed, "parts", name=first[0].dataset, item="pair")
        study = over_buckets(apart, rng, seeds=_seeds(a, b))
        if study is not None:
            said = _limits_of(a, b, max(len(own.items), len(other.items)))
            yield _pair_chart(view, first[0], second[0], a.names, scores, study, said)


def _shared(a: _Grouped, b: _Grouped) -> tuple[_Grouped, _Grouped]:
    """Both on the items and the groups that both have: a failed answer of one leaves the rest."""
    items, names = set(a.items) & set(b.items), set(a.names) & set(b.names)
    found = []
    for one in (a, b):
        rows = np.array([item in items for item in one.items], dtype=np.bool_)
        columns = np.array([name in names for name in one.names], dtype=np.bool_)
        counts = one.counts[:, rows][:, :, columns]
        # without an item a group may have no part left
        there = (counts.sum(axis=(1, 3)) > 0).all(axis=0) if counts.size else columns[columns]
        found.append((one, rows, columns, there))
    both = found[0][3] & found[1][3]
    made = []
    for one, rows, columns, _ in found:
        own = np.flatnonzero(columns)[both]
        units = None if one.units is None else np.unique(one.units[rows], return_inverse=True)[1]
        made.append(
            _Grouped(
                tuple(one.names[i] for i in own),
                tuple(np.array(one.items)[rows].tolist()),
                one.counts[:, rows][:, :, own],
                units,
            )
        )
    return made[0], made[1]


def _seeds(a: _Grouped, b: _Grouped) -> FloatArray | None:
    """Covariance of the difference over seeds: that of pairs, or the sum of those of either side.

    A side with one seed adds nothing, for its spread is not known.
    """
    first, second = _scores(a)[1], _scores(b)[1]
    if len(first) == len(second):
        return np.cov((first - second).T) / len(first) if len(first) > 1 else None
    several = [np.cov(one.T) / len(one) for one in (first, second) if len(one) > 1]
    return np.sum(several, axis=0) if several else None


def _limits_of(a: _Grouped, b: _Grouped, most: int) -> str:
    """What the limits of a comparison do not hold: items that one lacks, seeds that are one."""
    said = ""
    if len(a.items) < most:
        said += f" Of {most:,} items, {len(a.items):,} have an answer of both."
    if 1 in (len(a.counts), len(b.counts)) and len(a.counts) != len(b.counts):
        said += " One of the two has a single seed, so how much it varies over seeds is unknown."
    return said


def _pair_chart(
    view: RunView,
    first: Assignment,
    second: Assignment,
    names: Sequence[str],
    scores: Sequence[BucketScores],
    study: OverBuckets,
    limits: str,
) -> Chart:
    """Difference of two models in each group, with limits that hold for all groups at once."""
    shown = short_names([first.subject, second.subject])
    a, b = shown[first.subject], shown[second.subject]
    by = str(first.condition["by"]).replace("_", " ")
    rows = []
    for i, name in enumerate(names):
        one, other = (float(s.values[i]) for s in scores)
        share = number((one - other) / other, signed=True) if other else NO_VALUE
        bounds = bracketed(float(study.low[i]), float(study.high[i]), signed=True)
        rows.append(
            (name, number(one), number(other), number(one - other, signed=True), bounds, share)
        )
    ahead = [n for n, low in zip(names, study.low, strict=True) if low > 0]
    behind = [n for n, high in zip(names, study.high, strict=True) if high < 0]
    said = [f"{a} is ahead in {', '.join(ahead)}."] if ahead else []
    said += [f"{b} is ahead in {', '.join(behind)}."] if behind else []
    said = said or ["No group shows which of the two is ahead."]
    verdict = "not shown to be more than chance" if study.is_within_chance else "more than chance"
    said.append(
        f"The difference varies over groups by {number(study.gap)}, {verdict}: by chance alone "
        f"{number(study.usual)}, and in 95 of 100 draws at most {number(study.most)}."
    )
    where = f"A: {a}, B: {b} on {short_names([first.dataset])[first.dataset]}: F1 by {by}"
    return Chart(
        anchor=f"parts-{digest(where, size=4)}",
        title=where,
        caption=" ".join(said) + limits,
        table=ChartTable(_PAIR, tuple(rows)),
        is_open=True,
    )


PART: Final = ReportPart(__doc__, part, lines)
