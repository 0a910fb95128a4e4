"""Parameters of the faithfulness diagnostics."""

from dataclasses import dataclass
from typing import Final

from scrutiny.core.boundary.limits import above_zero, at_least, shares
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.attention import Change

#: Procedures: ours, and where the released code differs, what it does.
PROCEDURES: Final = ("default", "as_released")
#: Negation cues: words that a decision may hang on.
CUES: Final = ("not", "no", "never", "n't", "nothing", "nobody", "none", "neither", "nor")
#: What a head's change is called in the conditions of the records.
CHANGES: Final[tuple[Change, ...]] = ("mask", "uniform", "erase")


@dataclass(frozen=True, slots=True)
class ErasureParams:
    """Settings of erasure.

    Parameters
    ----------
    draws
        Random orders of each text, five as published.
    procedures
        ``default``, and ``as_released``: the released code takes a random rank for a position, and
        orders by reversed attention where it means signed attention.
    margin
        Smallest difference of flip rates worth a claim.
    share_margin
        Smallest difference of the share of tokens that is erased until the decision flips.
    """

    draws: int = 5
    procedures: tuple[str, ...] = PROCEDURES
    margin: float = 0.02
    share_margin: float = 0.05

    def __post_init__(self) -> None:
        at_least(self, draws=1)
        if "default" not in self.procedures or set(self.procedures) - set(PROCEDURES):
            raise PlanError(
                f"procedures are {', '.join(PROCEDURES)}, the first always among them; not "
                f"{', '.join(self.procedures) or 'none'}."
            )


@dataclass(frozen=True, slots=True)
class PermutationParams:
    """Settings of permutation.

    Parameters
    ----------
    permutations
        Of each text, 100 as published.
    margin
        Smallest change of the output worth a claim, as total variation distance.
    """

    permutations: int = 100
    margin: float = 0.05

    def __post_init__(self) -> None:
        at_least(self, permutations=1)


@dataclass(frozen=True, slots=True)
class AdversarialParams:
    """Settings of the search for other attention with the same output.

    Parameters
    ----------
    copies, steps, lr, spread
        As published: five copies, 500 steps of Adam with amsgrad at .01, from logits of the uniform
        distribution plus normal noise of standard deviation 3.
    slack
        Change of the output that costs nothing during the search, as total variation distance.
    penalty
        What more of it costs.
    epsilons
        Changes of the output up to which an attention counts as one with the same output. The
        first is that of the claims; .01 is the paper's for text classification, .05 is what the
        released plots take.
    limit
        Mean divergence below which attention is said to be pinned down, in nats.
    """

    copies: int = 5
    steps: int = 500
    lr: float = 0.01
    spread: float = 3.0
    slack: float = 0.01
    penalty: float = 500.0
    epsilons: tuple[float, ...] = (0.01, 0.05)
    limit: float = 0.35

    def __post_init__(self) -> None:
        at_least(self, copies=1, steps=0, spread=0, slack=0, penalty=0)
        above_zero(self, "lr")
        if not self.epsilons or min(self.epsilons) <= 0 or max(self.epsilons) > 1:
            raise PlanError(f"epsilons lie between 0 and 1, at least one; not {self.epsilons}.")


@dataclass(frozen=True, slots=True)
class AgreementParams:
    """Limits of the claims about agreement.

    Parameters
    ----------
    margin
        Smallest mean tau, and smallest difference of two.
    """

    margin: float = 0.10


@dataclass(frozen=True, slots=True)
class HeadChangeParams:
    """Changes of heads, and the texts to use.

    Parameters
    ----------
    changes
        ``mask`` (the head's output is zero), ``uniform`` (it attends alike to everything),
        ``erase`` (it attends to anchor words no more, the rest sums to 1 again).
    anchors
        Words in lower case whose weight is erased; a token that ends with an anchor that begins
        with ``n'`` counts, as in "isn't".
    share
        Share of the texts that are measured, drawn at random; the others are skipped. A head costs
        as many answers as there are texts.
    budget
        Most answers that all heads together may cost, for each text of the data, measured or not:
        of a network with many heads a smaller share is measured. No bound unless given.
    margin
        Smallest drop of accuracy worth a claim.
    """

    changes: tuple[Change, ...] = CHANGES
    anchors: tuple[str, ...] = CUES
    share: float = 1.0
    budget: float | None = None
    margin: float = 0.01

    def __post_init__(self) -> None:
        if not self.changes or set(self.changes) - set(CHANGES):
            raise PlanError(
                f"changes are {', '.join(CHANGES)}, at least one; not "
                f"{', '.join(self.changes) or 'none'}."
            )
        if "erase" in self.changes and not self.anchors:
            raise PlanError("anchors is empty: say whose weight is erased, or leave out 'erase'.")
        shares(self, "share", zero=False, one=True)
        above_zero(self, "budget")

    def answers(self, heads: int) -> int:
        """Additional answers that a measured text needs, for this number of heads."""
        return heads * (len(self.changes) + ("erase" in self.changes))

    def share_of(self, heads: int) -> float:
        """Share of the texts to measure for a network with this number of heads."""
        if self.budget is None:
            return self.share
        return min(self.share, self.budget / max(1, self.answers(heads)))
