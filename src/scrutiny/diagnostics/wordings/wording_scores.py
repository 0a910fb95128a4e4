"""Scores in each wording, the worst one beside its null, and the variance budget of the score."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.forest import Line, forest_or_table
from scrutiny.blocks.numbers import interval, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, Part, ReportPart, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.estimate import Estimate
from scrutiny.core.expressions import metric_of_metric
from scrutiny.core.plugin_base import family_name
from scrutiny.core.randomness import generator
from scrutiny.diagnostics.wordings.wordings import EDITS, PromptWordings
from scrutiny.models.prompting.wordings import OWN_WORDING
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.variance_budget import (
    BY,
    FACTORS,
    REPEATS,
    VarianceBudget,
    budget_ranges,
    variance_budget,
)
from scrutiny.stats.significance.worst_of_several import WorstOf, worst_of_several

_LEAD: Final = (
    "The same items, asked in other words. A score that depends on the wording is one of the "
    "prompt as much as of the model. What a wording costs stands beside edits that mean nothing."
)
_HIT: Final = "hit"
_OWN: Final = {"wording": OWN_WORDING}
_BEYOND: Final = f" - {EDITS}"
_NAME: Final = family_name(PromptWordings.id)
_DRAWS, _MOST_ANSWERS, _FEWEST_DRAWS = 400, 40_000_000, 60


class _Asked(NamedTuple):
    """Right answers ``(seed, item, wording, repeat)`` to items without gaps, of so many planned."""

    hits: FloatArray
    wordings: tuple[str, ...]
    planned: int

    @property
    def said(self) -> str:
        """Sentence on items that have no answer in one of the wordings; empty if all have."""
        items = self.hits.shape[1]
        if items == self.planned:
            return ""
        return f"{items:,} of {self.planned:,} items have an answer in each of these wordings."


def part(view: RunView) -> Part | None:
    """Scores, the worst wording and the budget of each model and dataset."""
    charts = [
        chart
        for assigned in assignments_in(view.manifest)
        if family_name(assigned.kind) == _NAME and assigned.condition == _OWN
        for chart in _charts(view, assigned)
    ]
    return part_of("wordings", "Wordings", _LEAD, charts, "models and datasets", chapter=FINDINGS)


def _charts(view: RunView, assigned: Assignment) -> Iterator[Chart]:
    """Charts of one model on one dataset."""
    key = assigned.key
    where = view.on_data(key.subject, key.dataset)
    name = digest(where, size=4)
    own = [
        e
        for e in view.estimates
        if family_name(e.key.diagnostic) == _NAME
        and (e.key.subject, e.key.dataset) == (key.subject, key.dataset)
    ]
    asked = _asked(view, assigned)
    rng = generator(view.facts.seed, "wordings", name=key.dataset, item="")
    worst = None if asked is None else worst_of_several(asked.hits.mean(axis=(0, 3)), rng)
    said = "" if asked is None or worst is None else _worst(asked, worst)
    yield from _scores(f"wordings-{name}", where, own, assigned.metric, said)
    if asked is not None and worst is not None:
        draws = max(_FEWEST_DRAWS, min(_DRAWS, _MOST_ANSWERS // asked.hits.size))
        ranges = budget_ranges(asked.hits, rng, draws=draws)
        budget = variance_budget(asked.hits)
        yield _budget_chart(f"budget-{name}", where, budget, ranges, asked.hits.shape[1])


def _scores(
    anchor: str, where: str, own: Sequence[Estimate], level: str, said: str
) -> Iterator[Chart]:
    """Scores by wording, with what each costs, how many answers it changes, and the edits."""
    drop = metric_of_metric("drop", level)
    found: dict[tuple[str, str], Estimate] = {}
    for e in own:
        wording = str(e.key.condition.get("wording", OWN_WORDING))
        of = "beyond" if e.key.role == "contrast" else e.key.metric
        found.setdefault((of, wording.removesuffix(_BEYOND)), e)
    asked = [name for metric, name in found if metric == level]
    same = [name for name in asked if _is_same(found.get(("coverage@1", name)))]
    names = [name for name in asked if name not in same]
    silent = [name for name in names if found[level, name].value is None]
    lines = [Line(name, {"score": found[level, name]}) for name in names]
    rows = [
        (name, *(interval(found.get((of, name))) for of in (level, drop, "beyond", "flip_rate@1")))
        for name in [*names, EDITS]
        if name != EDITS or (drop, EDITS) in found
    ]
    header = ("wording", "score", "costs", "more than meaningless edits", "other answers")
    floor = found.get(("flip_rate@1", OWN_WORDING))
    noise = f" Asked again in its own words, {interval(floor)} of the answers differ." * bool(floor)
    unread = f" Without a single answer: {', '.join(silent)}." * bool(silent)
    unasked = f" The same prompt as its own, and not asked: {', '.join(same)}." * bool(same)
    yield from forest_or_table(
        anchor,
        f"{where}: scores by wording",
        f"{said}{noise}{unread}{unasked} Each interval is for its own number only.".strip(),
        lines,
        metric=level,
        table=ChartTable(header, tuple(rows)).told(),
    )


def _is_same(coverage: Estimate | None) -> bool:
    """Whether a wording changes nothing of the prompt."""
    return coverage is not None and coverage.value == 0


def _asked(view: RunView, assigned: Assignment) -> _Asked | None:
    """Answers in the model's own words and in every wording that means something."""
    recorded = view.records.recorded(assigned)
    names = [] if recorded is None else [one.name for one in recorded.panel.measures]
    if recorded is None or _HIT not in names:
        return None
    sides: dict[str, list[Any]] = {}
    for (condition, role), side in recorded.sides.items():
        stated = recorded.conditions[condition]
        is_here = assigned.within.items() <= stated.items()
        if is_here and role == "measured" and not stated.get("edit"):
            sides.setdefault(str(stated["wording"]), []).append(side.values[..., names.index(_HIT)])
    asked = {name: many for name, many in sides.items() if np.isfinite(many).any()}
    if len(asked) < 2:
        return None
    stacked = np.stack([np.stack(many, axis=-1) for many in asked.values()], axis=2)
    whole = np.isfinite(stacked).all(axis=(0, 2, 3))
    if np.count_nonzero(whole) < 2:
        return None
    return _Asked(stacked[:, whole], tuple(asked), stacked.shape[1])


def _worst(asked: _Asked, worst: WorstOf) -> str:
    """Sentence on the worst of the wordings, beside what chance alone makes of equal ones."""
    count = len(asked.wordings)
    found = (
        f"The worst of {count} wordings ({asked.wordings[worst.place]}) lies "
        f"{_points(worst.below)} below their mean"
    )
    null = (
        f"the worst of {count} equal ones lies {_points(worst.usual)} below by chance, and in 99 "
        f"of 100 draws at most {_points(worst.most)}"
    )
    meant = "no more than chance explains" if worst.is_within_chance else "more than chance"
    return f"{found}, {meant}: {null}. {asked.said}".rstrip()


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def _budget_chart(
    anchor: str,
    where: str,
    budget: VarianceBudget,
    ranges: Mapping[str, tuple[float, float]],
    items: int,
) -> Chart:
    """Table of what each source adds to the error of the score, and what halves it."""
    rows = []
    for name, of_one in budget.of_one.items():
        low, high = ranges[name]
        levels = budget.sizes.get(name)
        more = budget.halved_by(name) if levels else None
        rows.append(
            (
                name,
                f"{levels:,}" if levels else "",
                number(np.sqrt(of_one)),
                whole_percent(budget.shares.get(name, 0.0)),
                f"{whole_percent(low)} to {whole_percent(high)}",
                ("no number" if more is None else f"{more:,}") if levels else "",
            )
        )
    return Chart(
        anchor=anchor,
        title=f"{where}: variance budget of the score",
        caption=budget_in_words(budget, items),
        table=ChartTable(_HEADER, tuple(rows)),
        is_open=True,
    )


_HEADER: Final = (
    *("source", "asked", "sd of one answer", "share of the squared error"),
    *("range of the share (95 %)", "would halve the error"),
)


def budget_in_words(budget: VarianceBudget, items: int) -> str:
    """Sentences on the error of the mean score over wordings, its largest source, and what to buy.

    Examples
    --------
    >>> hits = np.ones((1, 10, 4, 1)) * np.array([0.0, 1, 0, 1]).reshape(1, 1, 4, 1)
    >>> budget_in_words(variance_budget(hits), 10).split(". ")[1]
    'Largest share: wordings, 100 %'
    """
    start = (
        f"The mean score over {budget.sizes['wordings']} wordings and {items:,} items has a "
        f"standard error of {_points(budget.error)}, for other wordings and items of the same kind."
    )
    if not budget.largest:
        return f"{start} Nothing varied."
    largest = budget.largest.replace(BY, " by ")
    share = whole_percent(budget.shares[budget.largest])
    options = {
        name: more / budget.sizes[name]
        for name in (*FACTORS, REPEATS)
        if (more := budget.halved_by(name)) is not None
    }
    if options:
        best = min(options, key=lambda name: options[name])
        buy = (
            f"Halving the error costs least by more {best}: {budget.halved_by(best):,} instead of "
            f"{budget.sizes[best]:,}, {options[best]:.1f} times the requests."
        )
    else:
        varied = [name for name in (*FACTORS, REPEATS) if name in budget.of_mean]
        best = min(varied, key=lambda name: budget.error_with(name, 2))
        buy = (
            f"Halving the error takes more of several sources; twice the {best} would gain most: "
            f"{_points(budget.error_with(best, 2))}."
        )
    return f"{start} Largest share: {largest}, {share}. {buy}"


PART: Final = ReportPart(__doc__, part)
