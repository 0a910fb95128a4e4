"""Claims fixed before the run, and the findings that become of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from scrutiny.core.estimate import Estimate, EstimateKey

Verdict = Literal["supported", "not supported", "undecided", "refused"]
Scope = Literal["this checkpoint", "this recipe", "beyond this dataset"]

#: End of the family of claims on the slices of one number: they share a correction.
IN_SLICES: Final = " in slices"
OPERATORS: Final = (">", "<", ">=", "<=")


@dataclass(frozen=True, slots=True)
class Component:
    """One thing that must hold for a claim: an estimate compared with a limit.

    Parameters
    ----------
    estimate
        Identifier of the estimate specification.
    limit
        What it is compared with: reference plus margin.
    against
        What the comparison guards against ("reference", "control: random change",
        "choice: draw 1", "dataset: b"), printed with the verdict.
    operator
        ``>`` or ``<``.
    """

    estimate: str
    limit: float
    against: str = "reference"
    operator: str = ">"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence with the comparisons that decide it.

    Parameters
    ----------
    id
        Short stable name within the plan.
    says
        The sentence, as the audit page prints it.
    diagnostic
        Name of the diagnostic whose rows it belongs to.
    components
        All must hold (intersection-union).
    family
        Claims of one family share a Holm correction.
    level
        Confidence level of the whole family; .95 unless told.
    checks
        What the verdict has to survive: "items", "seeds", "choices:NAME", "datasets".
    competence
        Identifiers of the estimates that show skill, each with the limit that it must exceed. One
        that begins with a diagnostic and a colon ("competence:agreement") is that diagnostic's, of
        the same family.
    gates
        Gates of a checkpoint's own competence record ("fivegram", "agreement", "next_sentence")
        below which it is refused; in a finding, those that every replicate's record speaks of.
    refused
        Why it is refused whatever the numbers say (a checkpoint whose competence record is below
        the gates), or nothing.
    needs_control
        Whether it has to be held against a control before it may be trusted. False where the
        reference is itself what no skill gets, or where no model is asked: nothing is left to
        control for.
    post_hoc
        Whether it was written after the first query.
    """

    id: str
    says: str
    diagnostic: str
    components: tuple[Component, ...]
    family: str = ""
    level: float = 0.95
    checks: tuple[str, ...] = ("items", "seeds")
    competence: tuple[tuple[str, float], ...] = ()
    gates: tuple[str, ...] = ()
    refused: str = ""
    needs_control: bool = True
    post_hoc: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """How a finding fared against one thing it had to survive.

    ``outcome`` is "yes", "no", "undecided" or "not run"; ``detail`` says why in a few words.
    """

    name: str
    outcome: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What may be stated, of what, and why.

    Parameters
    ----------
    claim
        The claim.
    estimate
        The main component's estimate.
    control
        The estimate against the control, where there is one.
    verdict, scope
        What may be said, and of what it may be said.
    reason
        One sentence: which rule decided.
    checks
        Outcome of every check.
    p_supported, p_not_supported
        Intersection-union p-values before Holm; nothing where refused.
    minimum_detectable_effect
        Smallest difference that this design would have shown with 80 % power.
    """

    claim: Claim
    estimate: Estimate | None
    verdict: str
    scope: str
    reason: str
    checks: tuple[Check, ...] = ()
    control: Estimate | None = None
    p_supported: float | None = None
    p_not_supported: float | None = None
    minimum_detectable_effect: float | None = None
    evidence: Mapping[str, EstimateKey] = field(default_factory=dict)
