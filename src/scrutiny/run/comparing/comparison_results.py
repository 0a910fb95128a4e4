"""Results of a comparison, as values: levels, changed slices, shared invariances of live models."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.diagnostics.similarity.side_by_side.sides import FlippedItems, Noise
from scrutiny.diagnostics.similarity.side_by_side.sides_agreement import (
    DifferingInput,
    SidesAgreement,
)
from scrutiny.run.comparing.certificate import Certificate
from scrutiny.run.comparing.changed_slices import LevelChange
from scrutiny.run.comparing.paired_numbers import RunComparison
from scrutiny.run.comparing.planned_power import DecidingSize
from scrutiny.store.run_folder import RunFolder

if TYPE_CHECKING:  # what asks models again is imported where models are asked
    from scrutiny.diagnostics.invariance.kept_answers import KeptAnswers
    from scrutiny.diagnostics.similarity.likeness_chart import Likened


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

    change: LevelChange
    goes_back_to: str
    turn: tuple[str, str, int, int] | None


Outcome = Literal["no regression", "regression", "undecided"]


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
    certificates
        What the rule says of unchanged pairs, by the known noise floor or two that are supposed;
        none without a margin, or where the level is not judged.
    needed
        What would decide it, where it is undecided.
    """

    subject: str
    reference: str
    dataset: str
    metric: str
    condition: str
    difference: Estimate
    changes: tuple[LevelChange, ...]
    shown: tuple[ShownChange, ...]
    noise: Noise
    flips: FlippedItems | None
    disagreements: tuple[DifferingInput, ...]
    detectable: float | None
    outcome: Outcome | None
    lower_is_better: bool = False
    agreement: SidesAgreement = field(default_factory=SidesAgreement)
    asked: tuple[str, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    needed: DecidingSize | None = None

    @property
    def overall(self) -> LevelChange:
        """Change of all items."""
        return self.changes[0]

    @property
    def is_hit(self) -> bool:
        """Whether the score of an item is 0 or 1 (right or wrong)."""
        return self.metric == "accuracy@1"


#: From the worst on.
WORST: Final[tuple[Outcome, ...]] = ("regression", "undecided", "no regression")
_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "supported": "no regression",
    "not supported": "regression",
}


def worst_of(outcomes: Collection[Outcome | None]) -> Outcome | None:
    """Worst outcome of comparing two models in several ways; ``None`` if there are none."""
    return next((outcome for outcome in WORST if outcome in outcomes), None)


@dataclass(frozen=True, slots=True)
class SharedInvariances:
    """Shared invariances of two models, both ways, and similarity of their representations.

    Parameters
    ----------
    first
        Name of the first model. What the second keeps of it is judged. What the first keeps of the
        second is told and not judged: a second model that is more robust has invariances that the
        first never had.
    kept
        Each capability: first the direction that is judged, then the other.
    likened, findings
        Measures of how alike their vectors are, and what is claimed of them.
    """

    first: str
    kept: "tuple[KeptAnswers, ...]"
    likened: "tuple[Likened, ...]" = ()
    findings: tuple[Finding, ...] = ()

    @property
    def judged(self) -> "tuple[KeptAnswers, ...]":
        """Results on what the second model keeps of the first."""
        return tuple(one for one in self.kept if one.reference == self.first)

    @property
    def outcome(self) -> Outcome | None:
        """Worst outcome of the judged results; ``None`` if there are none."""
        return worst_of(set(map(self.outcome_of, self.judged)))

    @staticmethod
    def outcome_of(one: "KeptAnswers") -> Outcome:
        """Whether an invariance is lost, as an outcome."""
        return _OUTCOMES.get(one.finding.verdict, "undecided")


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


def is_gain(change: LevelChange, level: Level) -> bool:
    """Whether a change is for the better."""
    return (change.value > 0) != level.lower_is_better


#: Default tolerance of a loss of shared invariances, in points.
MARGIN: Final = 0.02


@dataclass(frozen=True, slots=True)
class Wanted:
    """Requested measurements of two live models beyond their answers.

    Parameters
    ----------
    capabilities
        Changes whose invariances are compared (``synonym``, ``typo``, recipes).
    margin
        Largest loss that does not matter, as a share of the changed texts.
    representations
        Whether vectors of the last layers are compared, too.
    """

    capabilities: tuple[str, ...] = ()
    margin: float = MARGIN
    representations: bool = False

    @property
    def is_any(self) -> bool:
        """Whether any is requested."""
        return bool(self.capabilities) or self.representations
