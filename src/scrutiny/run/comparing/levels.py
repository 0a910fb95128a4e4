"""Results of a comparison, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrutiny.core.estimate import Estimate
from scrutiny.diagnostics.similarity.side_by_side.agreement import SidesAgreement
from scrutiny.diagnostics.similarity.side_by_side.flips import FlippedItems, Noise
from scrutiny.diagnostics.similarity.side_by_side.inputs import DifferingInput
from scrutiny.run.comparing.numbers import RunComparison
from scrutiny.run.comparing.shared import Outcome, SharedInvariances, worst_of
from scrutiny.run.comparing.slices import Change
from scrutiny.store.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Options of a comparison of two runs.

    Parameters
    ----------
    paired
        Whether replicate k of one belongs to replicate k of the other; None: decided by their
        model strings.
    margin
        Largest tolerable loss; None: regressions are not judged.
    where
        Slices requested by the user, in addition to the declared ones.
    training
        Data string of the training set, for slices that look into it.
    noise
        Known noise of the first model against itself, by dataset.
    baseline_rerun
        Rerun of the first model.
    asked_again
        The first model asked again in other batches, about the items as they are.
    fewest
        Items of a slice, at least.
    """

    paired: bool | None = None
    margin: float | None = None
    where: tuple[str, ...] = ()
    training: str = ""
    noise: Mapping[str, Noise] = field(default_factory=dict)
    baseline_rerun: RunFolder | None = None
    asked_again: RunFolder | None = None
    fewest: int = 20


@dataclass(frozen=True, slots=True)
class ShownChange:
    """Slice with a detected change.

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
    """Comparison of one score (accuracy, a mean) of a model pair on one dataset.

    Parameters
    ----------
    subject, reference
        The model of the first run and of the second.
    dataset, metric, condition
        Compared assignment.
    difference
        First minus second, with its interval.
    changes
        Of all items, then of every slice, with one correction over all.
    shown
        Slices whose change is shown, the clearest first.
    noise
        The first model against itself.
    flips
        Right to wrong and back; of scores from 0 to 1 worse and better; None for other scores.
    disagreements
        Inputs with different answers; largest differences beyond noise first.
    detectable
        Smallest difference that these items and replicates show with 80 % power.
    outcome
        Whether it is a regression beyond the margin; None without a margin.
    lower_is_better
        Whether less is better.
    agreement
        Agreement beyond chance, and distance of the probabilities.
    asked
        Names of the requested slices.
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
    flips: FlippedItems | None
    disagreements: tuple[DifferingInput, ...]
    detectable: float | None
    outcome: Outcome | None
    lower_is_better: bool = False
    agreement: SidesAgreement = field(default_factory=SidesAgreement)
    asked: tuple[str, ...] = ()

    @property
    def overall(self) -> Change:
        """Change of all items."""
        return self.changes[0]

    @property
    def is_hit(self) -> bool:
        """Whether the score of an item is 0 or 1 (right or wrong)."""
        return self.metric == "accuracy@1"


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Result of a comparison of two runs.

    Parameters
    ----------
    comparison
        Differences of all estimates that both runs share.
    levels
        One for each model pair and dataset that has a level of single items; one for all datasets
        together where there are many.
    shared
        Shared invariances of two live models, if requested.
    without_skill
        A sentence for each run of a model that is not shown to be better than no skill.
    """

    comparison: RunComparison
    levels: tuple[Level, ...]
    shared: SharedInvariances | None = None
    without_skill: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[Level, ...]:
        """All accuracies, or all mean scores if there are none: a margin is in their unit."""
        return tuple(level for level in self.levels if level.is_hit) or self.levels

    @property
    def outcome_of_levels(self) -> Outcome | None:
        """Worst outcome of the judged levels; None without a margin."""
        return worst_of({level.outcome for level in self.judged})

    @property
    def outcome(self) -> Outcome | None:
        """Worst outcome of the levels and of shared invariances; ``None`` without a margin."""
        own = self.outcome_of_levels
        if own is None or self.shared is None:
            return own
        return worst_of({own, self.shared.outcome})


def is_gain(change: Change, level: Level) -> bool:
    """Whether a change is for the better."""
    return (change.value > 0) != level.lower_is_better
