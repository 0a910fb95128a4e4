"""Whole comparison of two runs: noise, flips, changed inputs, and regressions."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scrutiny.blocks.scores import no_skill_in
from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.slice_syntax import joined
from scrutiny.data.attribute import load_training
from scrutiny.data.slices import Slice, slices_for
from scrutiny.diagnostics.similarity.side_by_side.sides import Answers, Sides, flips_of
from scrutiny.diagnostics.similarity.side_by_side.sides_agreement import (
    agreement_of,
    find_disagreements,
)
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import marked
from scrutiny.reliability.assignment import Assignment
from scrutiny.reliability.contrasts import contrast
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.intervals import SHARE_RANGE
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.run.comparing.certificate import certificates, rule_of
from scrutiny.run.comparing.changed_slices import LevelChange, changes, independent, shown
from scrutiny.run.comparing.comparison_results import (
    CompareOptions,
    Level,
    Outcome,
    ShownChange,
    SideBySide,
)
from scrutiny.run.comparing.many_comparisons import ComparisonRule
from scrutiny.run.comparing.paired_levels import PairedLevel, read_levels
from scrutiny.run.comparing.paired_numbers import compare_runs
from scrutiny.run.comparing.planned_power import needed
from scrutiny.run.estimating.estimator import estimator_of
from scrutiny.stats.intervals.families import tail_of
from scrutiny.stats.intervals.simultaneous import detectable_by
from scrutiny.store.run_folder import RunFolder


def compare_side_by_side(
    first: RunFolder, second: RunFolder, options: CompareOptions | None = None
) -> SideBySide:
    """Compare two runs.

    Parameters
    ----------
    first, second
        Finished runs; the first is the reference.
    options
        How.

    Raises
    ------
    PlanError
        If they share no items or no estimates; or if a margin is given and they share no level of
        single items to judge by.
    """
    options = options or CompareOptions()
    both = estimator_of(first), estimator_of(second)  # each reads the records of its run
    comparison = compare_runs(first, second, paired=options.paired, estimators=both)
    found = list(read_levels(first, second, options, both))
    if options.margin is not None and not found:
        raise PlanError(
            "--margin judges the accuracy or mean score of single items, and these runs share "
            "none; use `scrutiny gate` on a plan that measures both models."
        )
    known = {_identity(f.estimate.key): f for f in comparison.findings if f.estimate is not None}
    are_hits = [one.sides.is_hit for one in found]  # judged, or else all: as `SideBySide.judged`
    levels = tuple(
        _level(one, options, known, n_levels=len(found), is_judged=is_hit or not any(are_hits))
        for one, is_hit in zip(found, are_hits, strict=True)
    )
    return SideBySide(comparison, levels, without_skill=tuple(_without_skill(first, second)))


def _without_skill(first: RunFolder, second: RunFolder) -> Iterator[str]:
    """Runs whose score is not shown to exceed that of no skill: whatever differs says little."""
    for which, folder in (("first", first), ("second", second)):
        found = folder.findings() if folder.has_verdicts_of_today else []
        scores = [finding for finding in found if finding.claim.is_headline]
        lacking = no_skill_in(scores)
        if lacking is not None:
            yield f"The {which}: {lacking.says[0].lower()}{lacking.says[1:]}"


def _identity(key: EstimateKey) -> Hashable:
    """What a difference is of, whichever of the two runs it is subtracted from."""
    condition = {name: v for name, v in key.condition.items() if name != "reference"}
    models = frozenset((key.subject, key.reference))
    return key.diagnostic, key.metric, models, key.dataset, key.group, canonical_json(condition)


def _level(
    read: PairedLevel,
    options: CompareOptions,
    known: Mapping[Hashable, Finding],
    *,
    n_levels: int,
    is_judged: bool,
) -> Level:
    """Comparison of one level, with the limits that the table of numbers has of it."""
    sides, (one, other) = read.sides, read.pair
    slices, marks = slices_of(sides, options), marked(sides)
    members = {found.name: inside for found, inside in slices}
    # other levels are tested beside this one: with about as many slices each
    family = (n_levels - 1) * (1 + len(slices))
    found = changes(sides, slices, margin=options.margin, family=family)
    ranked = list(independent(sides, slices, shown(found)))
    leading = {change.name: members[change.name] for change, cause in ranked if not cause}
    statistic = metric_of(sides.metric)
    if sides.is_share and statistic.row_range is None:
        statistic = replace(statistic, row_range=SHARE_RANGE)
    estimated = contrast(
        read.meeting,
        statistic,
        key=replace(one.key, role="contrast", reference=other.subject, dataset=read.dataset),
        paired=sides.is_paired,
        resampling=sides.resampling,
        seed=sides.seed,
    )
    printed = known.get(_identity(estimated.estimate.key))
    if printed is None or not metric_of(one.metric).is_mean:
        whole = decided(estimated)
        difference = whole.estimate or estimated.estimate
    else:
        whole, difference = printed, _turned(printed.estimate or estimated.estimate)
    level = Level(
        subject=one.subject,
        reference=other.subject,
        dataset=read.dataset,
        metric=one.metric,
        condition=_condition(one),
        difference=difference,
        changes=tuple(found),
        shown=tuple(
            ShownChange(change, cause, commonest_turn(sides.answers, members[change.name]))
            for change, cause in ranked
        ),
        noise=read.noise,
        flips=flips_of(sides) if sides.is_hit or sides.is_share else None,
        disagreements=tuple(find_disagreements(sides, marks, shown=leading, noise=read.noise)),
        detectable=detectable_of(whole),
        outcome=_outcome(found, difference, margin=options.margin, sign=sides.sign),
        lower_is_better=sides.sign < 0,
        agreement=agreement_of(sides, marks, read.noise, read.itself),
        asked=tuple(map(joined, options.where)),
    )
    if options.margin is None or not is_judged:
        return level
    n_rows = next((limits.n_rows for limits in whole.limits if limits is not None), 1)
    rule = rule_of(sides, slices, margin=options.margin, family=family, n_rows=n_rows)
    return _certified(level, sides, rule)


def _certified(level: Level, sides: Sides, rule: ComparisonRule) -> Level:
    """A level with what its rule says of pairs without a change, and what would decide it."""
    return replace(
        level,
        certificates=certificates(sides, rule, level.noise),
        needed=needed(sides, rule, level.noise) if level.outcome == "undecided" else None,
    )


def _condition(one: Assignment) -> str:
    """Condition of the level, in words."""
    found = [str(value) for value in one.whole_condition.values()]
    return " ".join(found + ["mean of items"] * (not metric_of(one.metric).is_mean))


def slices_of(sides: Sides, options: CompareOptions) -> list[tuple[Slice, NDArray[np.bool_]]]:
    """Declared slices of the items, and one for each pooled dataset, with masks ``(item,)``."""
    training = partial(load_training, options.training, "") if options.training else None
    found = slices_for(
        sides.examples, asked=options.where, training=training, fewest=options.fewest
    )
    for name, inside in sides.parts.items():
        if inside.sum() >= options.fewest <= (~inside).sum():
            one = Slice(f"dataset {name}", f"of dataset {name!r}")
            found.append((one, inside))
    return found


def _outcome(
    found: Sequence[LevelChange], whole: Estimate, *, margin: float | None, sign: int
) -> Outcome | None:
    """Whether there is a regression beyond the margin, as an outcome.

    It is one where the loss of all items, or of a slice whose change is shown, is beyond the
    margin with the correction for all of them; it is none where the loss of all items is within.
    """
    if margin is None:
        return None
    beyond = [one for one in found if one.loses(margin, sign)]
    if any(one.name == "all" or one.is_shown for one in beyond):
        return "regression"
    if whole.low is None or whole.high is None:
        return "undecided"
    loss = whole.high if sign > 0 else -whole.low
    return "no regression" if loss < margin else "undecided"


def _turned(found: Estimate) -> Estimate:
    """Difference the other way round: that of a level is first minus second."""
    if found.value is None:
        return found
    low, high = (None if end is None else -end for end in (found.high, found.low))
    return replace(found, value=-found.value, low=low, high=high)


def decided(found: Estimated) -> Finding:
    """Difference of a level with the limits that every table prints of it: a family of one."""
    parts, checks = (Component("level", 0.0),), ("items", "seeds")
    claim = Claim("level", "", "compare", parts, checks=checks, post_hoc=True)
    (finding,) = decide([claim], {"level": found})
    return finding


def detectable_of(found: Finding) -> float | None:
    """Smallest difference that would be shown, by the limits that are printed.

    A difference that is shown of these checkpoints alone has their limits, which are narrower than
    those for other seeds.
    """
    own = found.estimate
    limits = next((one for one in found.limits if one is not None), None)
    if own is not None and limits is not None and limits.recipe not in (None, limits.checkpoints):
        here = limits.checkpoints
        if (own.low, own.high) == here:
            return detectable_by(here, tail_of(limits.n_rows, own.level))
    return found.minimum_detectable_effect


def commonest_turn(
    answers: tuple[Answers, Answers] | None, members: NDArray[np.bool_]
) -> tuple[str, str, int, int] | None:
    """Most frequent change of answers: before, after, how many items, of how many.

    Nothing where answers are not kept, are spans, or none changes.
    """
    if answers is None or answers[0].kind is not LABEL:
        return None
    both = (found.commonest() for found in answers)
    turns: Counter[tuple[str, str]] = Counter(
        (before, after)
        for before, after, is_in in zip(*both, members.tolist(), strict=True)
        if is_in and before is not None and after is not None and before != after
    )
    if not turns:
        return None
    (before, after), count = turns.most_common(1)[0]
    return before, after, count, turns.total()
