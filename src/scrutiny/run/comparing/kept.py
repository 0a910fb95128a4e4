"""What is said of the invariances that two models share, as values."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate

Outcome = Literal["no regression", "regression", "undecided"]
#: From the worst on.
WORST: Final[tuple[Outcome, ...]] = ("regression", "undecided", "no regression")
_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "supported": "no regression",
    "not supported": "regression",
}
Ceiling = Literal["another run", "itself"]


def worst_of(outcomes: Collection[Outcome | None]) -> Outcome | None:
    """Worst of several outcomes; nothing where there is none."""
    return next((outcome for outcome in WORST if outcome in outcomes), None)


@dataclass(frozen=True, slots=True)
class Kept:
    """How often a target keeps its answer over changes that keep the reference's.

    Parameters
    ----------
    capability, amount
        What was changed, and in how many places.
    reference, target, dataset
        Whose answer the changes keep, who is asked about them, and on what.
    is_forward
        Whether the reference is the first model: the direction that is judged.
    hard
        Hard-SCoPE: changes over which the target keeps its answer, too.
    random
        The same over random changes of as many words.
    ceiling, how
        Hard-SCoPE of the reference's other runs on the same texts; of the reference itself where
        there is one run of it.
    further
        Lift, kappa, Soft-SCoPE, the ceiling's lift, pairs found, by the name of the statistic.
    finding
        That the target keeps its answer as often as the ceiling, less a margin.
    """

    capability: str
    amount: str
    reference: str
    target: str
    dataset: str
    is_forward: bool
    hard: Estimate
    random: Estimate
    ceiling: Estimate
    how: Ceiling
    further: Mapping[str, Estimate]
    finding: Finding

    @property
    def outcome(self) -> Outcome:
        """Whether an invariance is lost."""
        return _OUTCOMES.get(self.finding.verdict, "undecided")


@dataclass(frozen=True, slots=True)
class Likened:
    """One measure of how alike the vectors of the last layers are.

    Parameters
    ----------
    measure, pooling, dataset
        What is compared, and on what.
    value
        The second model beside the first.
    own
        Another run of the first beside the first; the first beside itself where there is one run.
    untrained
        Untrained networks of the second's kind beside the first, where there are any.
    """

    measure: str
    pooling: str
    dataset: str
    value: Estimate
    own: Estimate | None
    untrained: Estimate | None


@dataclass(frozen=True, slots=True)
class VectorLikeness:
    """How alike the vectors of two models are, by several measures.

    Parameters
    ----------
    rows
        Of the last layers.
    findings
        What is claimed of them.
    """

    rows: tuple[Likened, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class SharedInvariances:
    """Invariances that two models share, both ways; and how alike their vectors are.

    Parameters
    ----------
    kept
        Each capability: first the direction that is judged, then the other.
    margin
        Largest loss that does not matter, as a share of the changed texts.
    likeness
        Of their vectors, where that was asked for.
    """

    kept: tuple[Kept, ...]
    margin: float
    likeness: VectorLikeness | None = None

    @property
    def outcome(self) -> Outcome | None:
        """Worst outcome of what the second model keeps of the first; nothing where none is told.

        What the first keeps of the second is told and not judged: a second model that is more
        robust has invariances that the first never had.
        """
        return worst_of({one.outcome for one in self.kept if one.is_forward})
