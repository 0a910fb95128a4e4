"""Two runs side by side: noise, flips, which inputs changed, and whether it is a regression."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from scrutiny.core.claim import Claim, Component
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.data.slices import slices_for
from scrutiny.reliability.claims import decide
from scrutiny.reliability.estimate import Estimated
from scrutiny.run.assignment import Assignment
from scrutiny.run.comparing import (
    Comparison,
    compare_runs,
    difference,
    paired_assignments,
    same_models,
)
from scrutiny.run.comparing_flips import (
    UNKNOWN,
    Flips,
    Noise,
    flips_of,
    noise_of_replicates,
    noise_of_runs,
)
from scrutiny.run.comparing_items import Disagreement, commonest_turn, find_disagreements
from scrutiny.run.comparing_sides import LEVELS, Answers, Sides, answers_of, sides_of
from scrutiny.run.comparing_slices import ALPHA, Change, changes, independent, shown
from scrutiny.run.judging import estimator_of
from scrutiny.store.run_folder import RunFolder

Outcome = Literal["no regression", "regression", "undecided"]
_ROLES: Final = ("measured", "baseline")


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How two runs are compared.

    Parameters
    ----------
    paired
        Whether replicate k of one belongs to replicate k of the other; nothing decides by their
        model strings.
    margin
        Largest loss that does not matter; nothing judges no regression.
    words
        Words that make slices of their own.
    noise
        What is known of the first model against itself from elsewhere.
    again
        Another run of the first model.
    fewest
        Items of a slice, at least.
    """

    paired: bool | None = None
    margin: float | None = None
    words: tuple[str, ...] = ()
    noise: Noise = UNKNOWN
    again: RunFolder | None = None
    fewest: int = 20


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A slice whose change is shown.

    Parameters
    ----------
    change
        The change.
    goes_back_to
        Clearer slice outside of which nothing is shown of this one; empty if it stands by itself.
    turn
        Answer before and after that its items change between most often, how many, of how many.
    """

    change: Change
    goes_back_to: str
    turn: tuple[str, str, int, int] | None


@dataclass(frozen=True, slots=True)
class Level:
    """One level (accuracy, a mean score) of one model pair on one dataset.

    Parameters
    ----------
    subject, reference
        The model of the first run and of the second.
    dataset, metric, condition
        What is compared.
    difference
        First minus second, with its interval.
    changes
        Of all items, then of every slice, with one correction over all.
    shown
        Slices whose change is shown, the clearest first.
    noise
        The first model against itself.
    flips
        Right to wrong and back; nothing for scores that are no hits.
    disagreements
        Inputs that differ, those first that differ most beyond noise.
    detectable
        Smallest difference that these items and replicates show with 80 % power.
    outcome
        Whether it is a regression beyond the margin; nothing without a margin.
    """

    subject: str
    reference: str
    dataset: str
    metric: str
    condition: str
    difference: Estimate
    changes: tuple[Change, ...]
    shown: tuple[ShownChange, ...]
    noise: Noise
    flips: Flips | None
    disagreements: tuple[Disagreement, ...]
    detectable: float | None
    outcome: Outcome | None
    lower_is_better: bool = False

    @property
    def overall(self) -> Change:
        """Change of all items."""
        return self.changes[0]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Everything that is said of two runs.

    Parameters
    ----------
    comparison
        Differences of all estimates that both runs share.
    levels
        One for each model pair and dataset that has a level of single items.
    """

    comparison: Comparison
    levels: tuple[Level, ...]

    @property
    def outcome(self) -> Outcome | None:
        """Worst outcome of all accuracies, or of all mean scores where there are none.

        Nothing without a margin, which is meant in the unit of what it judges.
        """
        hits = [level for level in self.levels if level.flips is not None]
        found = {level.outcome for level in hits or self.levels}
        worst: tuple[Outcome, ...] = ("regression", "undecided", "no regression")
        return next((outcome for outcome in worst if outcome in found), None)


def compare_side_by_side(
    first: RunFolder, second: RunFolder, options: CompareOptions | None = None
) -> SideBySide:
    """Two runs side by side.

    Parameters
    ----------
    first, second
        Finished runs; the first is what the second is held against.
    options
        How.

    Raises
    ------
    PlanError
        If they share no items or no estimates; or if a margin is given and they share no level of
        single items to judge by.
    """
    options = options or CompareOptions()
    comparison = compare_runs(first, second, paired=options.paired)
    levels = tuple(_levels(first, second, options))
    if options.margin is not None and not levels:
        raise PlanError(
            "--margin judges the accuracy or mean score of single items, and these runs share "
            "none; use `scrutiny gate` on a plan that measures both models."
        )
    return SideBySide(comparison, levels)


def _levels(first: RunFolder, second: RunFolder, options: CompareOptions) -> Iterator[Level]:
    """Levels of all model pairs and datasets."""
    pairs = list(_level_pairs(first, second))
    estimators = estimator_of(first), estimator_of(second)
    for pair in pairs:
        found = _Found(first, second, pair, options)
        sides = sides_of(
            estimators,
            pair,
            items=first.items(),
            is_paired=found.is_paired,
            sign=found.sign,
        )
        whole = difference(estimators, pair, paired=found.is_paired)
        yield found.level(sides, whole, n_levels=len(pairs))


def _level_pairs(first: RunFolder, second: RunFolder) -> Iterator[tuple[Assignment, Assignment]]:
    """The first level of each model pair and dataset: accuracies before means."""
    candidates = [
        (one, other)
        for one, other in paired_assignments(first, second)
        if one.spec.metric in LEVELS
        and one.spec.role in _ROLES
        and one.spec.group == "all"
        and not (one.spec.where or one.spec.at or one.spec.along or one.spec.beside)
        and not (one.spec.metric == "mean@1" and one.measures[0].name != "hit")
    ]
    seen: set[tuple[str, str]] = set()
    for one, other in sorted(candidates, key=lambda pair: LEVELS.index(pair[0].spec.metric)):
        if (one.subject, one.dataset) not in seen:
            seen.add((one.subject, one.dataset))
            yield one, other


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A level that two runs share."""

    first: RunFolder
    second: RunFolder
    pair: tuple[Assignment, Assignment]
    options: CompareOptions

    @property
    def is_paired(self) -> bool:
        """Whether replicates belong together."""
        if self.options.paired is not None:
            return self.options.paired
        return same_models(self.first, self.second, self.pair)

    @property
    def sign(self) -> int:
        """-1 where less is better, as the log says."""
        data = self.first.manifest["data"].get(self.pair[0].dataset, {})
        metric = self.pair[0].spec.condition.get("metric")
        return -1 if metric in data.get("lower_is_better", ()) else 1

    def level(self, sides: Sides, whole: Estimated, *, n_levels: int) -> Level:
        """What is said of the level."""
        options, one = self.options, self.pair[0]
        slices = slices_for(sides.examples, words=options.words, fewest=options.fewest)
        members = {found.name: inside for found, inside in slices}
        # levels of other datasets are tested beside these: about as many slices each
        family = (n_levels - 1) * (1 + len(slices))
        found = changes(sides, slices, margin=options.margin, family=family)
        ranked = list(independent(sides, slices, shown(found)))
        answers, noise = self._answers(sides), self._noise(sides)
        causes = [(change, members[change.name]) for change, cause in ranked if not cause]
        return Level(
            subject=one.subject,
            reference=self.pair[1].subject,
            dataset=one.dataset,
            metric=one.spec.metric,
            condition=" ".join(str(v) for v in one.condition.values()),
            difference=whole.estimate,
            changes=tuple(found),
            shown=tuple(
                ShownChange(change, cause, commonest_turn(answers, np.array(members[change.name])))
                for change, cause in ranked
            ),
            noise=noise,
            flips=flips_of(sides, answers) if sides.is_hit else None,
            disagreements=tuple(
                find_disagreements(
                    sides,
                    answers=answers,
                    shown=causes,
                    noise=noise,
                    own_choices="imported" in self.first.manifest,
                )
            ),
            detectable=_detectable(whole),
            outcome=self._outcome(found, whole),
            lower_is_better=self.sign < 0,
        )

    def _answers(self, sides: Sides) -> tuple[Answers, Answers] | None:
        """Answers of both runs, in the order of the sides."""
        items = [one.id for one in sides.examples]
        found = [
            answers_of(folder, one, items=items, replicates=names)
            for folder, one, names in zip(
                (self.first, self.second), self.pair, sides.meeting.names, strict=True
            )
        ]
        if any((one.labels == None).all() for one in found):  # noqa: E711 - elementwise
            return None
        return found[0], found[1]

    def _noise(self, sides: Sides) -> Noise:
        """The first model against itself, as well as it is known."""
        if not sides.is_hit:
            return UNKNOWN
        if len(sides.first) > 1:
            return noise_of_replicates(sides)
        if self.options.again is not None:
            return _noise_of(self.first, self.options.again, self.pair[0])
        return self.options.noise

    def _outcome(self, found: Sequence[Change], whole: Estimated) -> Outcome | None:
        """Whether it is a regression beyond the margin.

        It is one where the loss of all items, or of a slice whose change is shown, is beyond the
        margin with the correction for all of them; it is none where the loss of all items is
        within.
        """
        margin = self.options.margin
        if margin is None:
            return None
        beyond = [one for one in found if one.p_beyond is not None and one.p_beyond < ALPHA / 2.0]
        if any(one.name == "all" or one.is_shown for one in beyond):
            return "regression"
        if whole.interval is None:
            return "undecided"
        limit = self.sign * margin
        p = whole.interval.p_value(limit, direction="less" if self.sign > 0 else "greater")
        return "no regression" if p < ALPHA / 2.0 else "undecided"


def _noise_of(first: RunFolder, again: RunFolder, one: Assignment) -> Noise:
    """Flips between the first run and another one of its model."""
    pair = next((p for p in paired_assignments(first, again) if p[0].spec.id == one.spec.id), None)
    if pair is None:
        raise PlanError(f"{again.path} shares no {one.spec.metric} with {first.path}.")
    estimators = estimator_of(first), estimator_of(again)
    return noise_of_runs(sides_of(estimators, pair, items=first.items(), is_paired=False))


def _detectable(whole: Estimated) -> float | None:
    """Smallest difference that this design shows with 80 % power."""
    claim = Claim("level", "", "compare", (Component("level", 0.0),), post_hoc=True)
    (finding,) = decide([claim], {"level": whole})
    return finding.minimum_detectable_effect
