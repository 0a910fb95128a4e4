"""Scores in each wording, the worst one beside its null, and the variance budget of the score."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.forest import Line, forest_or_table
from scrutiny.blocks.numbers import interval, percent_of
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, Part, ReportPart, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.estimate import Estimate
from scrutiny.core.expressions import metric_of_metric, name_and_arguments
from scrutiny.core.plugin_base import family_name
from scrutiny.core.randomness import Rng, generator
from scrutiny.diagnostics.wordings.budget_table import budget_chart, budget_in_words, in_points
from scrutiny.diagnostics.wordings.wordings import EDITS, PromptWordings
from scrutiny.models.prompting.wordings import OWN_WORDING
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.variance_budget import budget_ranges, variance_budget
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
    charts = [chart for assigned in _assigned(view) for chart in _charts(view, assigned)]
    return part_of("wordings", "Wordings", _LEAD, charts, "models and datasets", chapter=FINDINGS)


def first_sentences(view: RunView) -> Iterator[str]:
    """The worst wording beside its null, the noise floor, and what a smaller error takes."""
    several = [*_assigned(view)]
    for assigned in several:
        asked = _asked(view, assigned)
        worst = (
            None if asked is None else worst_of_several(_over_items(asked), _rng(view, assigned))
        )
        if asked is not None and worst is not None:
            of = f"{view.on_data(assigned.key.subject, assigned.key.dataset)}: "
            of *= len(several) > 1
            yield f"{of}{_worst(asked, worst)}{_noise(_own(view, assigned))}"
            yield f"{of}{budget_in_words(variance_budget(asked.hits), asked.hits.shape[1])}"


def _assigned(view: RunView) -> Iterator[Assignment]:
    """Models on datasets, each by its scores in its own words."""
    for one in assignments_in(view.manifest):
        if family_name(one.kind) == _NAME and one.condition == _OWN:
            yield one


def _own(view: RunView, assigned: Assignment) -> list[Estimate]:
    """Numbers of one model on one dataset."""
    of = (assigned.key.subject, assigned.key.dataset)
    return [
        e
        for e in view.estimates
        if family_name(e.key.diagnostic) == _NAME and (e.key.subject, e.key.dataset) == of
    ]


def _over_items(asked: _Asked) -> FloatArray:
    """Right answers ``(item, wording)``: means over seeds and repeats."""
    found: FloatArray = asked.hits.mean(axis=(0, 3))
    return found


def _rng(view: RunView, assigned: Assignment) -> Rng:
    return generator(view.facts.seed, "wordings", name=assigned.key.dataset, item="")


def _charts(view: RunView, assigned: Assignment) -> Iterator[Chart]:
    """Charts of one model on one dataset."""
    where = view.on_data(assigned.key.subject, assigned.key.dataset)
    name = digest(where, size=4)
    asked, rng = _asked(view, assigned), _rng(view, assigned)
    worst = None if asked is None else worst_of_several(_over_items(asked), rng)
    said = "" if asked is None or worst is None else _worst(asked, worst)
    own = _own(view, assigned)
    yield from _scores(f"wordings-{name}", where, own, assigned.metric, said)
    if asked is not None and worst is not None:
        draws = max(_FEWEST_DRAWS, min(_DRAWS, _MOST_ANSWERS // asked.hits.size))
        ranges = budget_ranges(asked.hits, rng, draws=draws)
        budget = variance_budget(asked.hits)
        yield budget_chart(f"budget-{name}", where, budget, ranges, asked.hits.shape[1])


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
    unread = f" Without a single answer: {', '.join(silent)}." * bool(silent)
    unasked = f" The same prompt as its own, and not asked: {', '.join(same)}." * bool(same)
    yield from forest_or_table(
        anchor,
        f"{where}: scores by wording",
        f"{said}{_noise(own)}{unread}{unasked} Each interval is for its own number only.".strip(),
        lines,
        metric=level,
        table=ChartTable(header, tuple(rows)).told(),
    )


def _noise(own: Sequence[Estimate]) -> str:
    """Sentence on the noise floor, with a space before it; empty where nothing was asked twice."""
    for e in own:
        is_floor = name_and_arguments(e.key.metric)[0] == "flip_rate"
        if is_floor and e.key.condition.get("wording") == OWN_WORDING:
            return f" Asked again in its own words, {percent_of(e)} of the answers differ."
    return ""


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
        f"{in_points(worst.below)} below their mean"
    )
    null = (
        f"the worst of {count} equal ones lies {in_points(worst.usual)} below by chance, and in 99 "
        f"of 100 draws at most {in_points(worst.most)}"
    )
    meant = "no more than chance explains" if worst.is_within_chance else "more than chance"
    return f"{found}, {meant}: {null}. {asked.said}".rstrip()


PART: Final = ReportPart(__doc__, part, first=first_sentences)
