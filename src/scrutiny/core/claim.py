"""Claims, fixed before the run, and the findings made from them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from scrutiny.core.estimate import Estimate, EstimateKey, Limits
from scrutiny.core.plugin_base import family_name

#: States of a risk.
State = Literal["hurts", "holds", "can't tell", "not tested", "not asked"]
#: Scopes in which other seeds are not spoken of.
HERE: Final = ("this checkpoint", "these checkpoints")
#: Reason where a model gives labels alone, and what can be done.
NO_PROBABILITIES: Final = (
    "no probabilities: the model answers with labels alone; let it give a probability for each "
    "label, or ask it several times (#samples=20)"
)
#: The same of answers that are no labels.
NO_CONFIDENCES: Final = (
    "no probabilities: the model does not say how sure it is of the parts of its answers (spans, "
    "words, an extract, an option); let it give a score for each"
)
#: Verdicts and states that are not decided.
OPEN: Final = ("undecided", "can't tell", "refused", "not tested", "not asked")
#: What a change did to the texts that it touched.
CHANGED: Final = "changed"
#: How a reason begins where a model is not shown to be better than no skill.
NO_SKILL: Final = "no skill"
#: How the alternative of a component begins that is compared with a limit of its own alone.
OF_ITSELF: Final = "of "
#: End of the family of claims on the slices of one number.
IN_SLICES: Final = " in slices"
COMPARISONS: Final = (">", "<", ">=", "<=")


@dataclass(frozen=True, slots=True)
class Component:
    """One condition of a claim: an estimate compared with a limit.

    Parameters
    ----------
    estimate
        Identifier of the estimate specification.
    limit
        Limit of the comparison: reference plus margin.
    against
        Alternative that the comparison guards against ("reference", "control: random change",
        "choice: draw 1", "dataset: b"), printed with the verdict.
    operator
        ``>`` or ``<``.
    """

    estimate: str
    limit: float
    against: str = "reference"
    operator: str = ">"

    @classmethod
    def beside_untrained(
        cls, what: str, estimates: Mapping[str, str], limit: float
    ) -> Iterator["Component"]:
        """Conditions of a claim: each choice by itself, and beyond untrained networks.

        Parameters
        ----------
        what
            What is chosen: "distance".
        estimates
            Estimate of each choice, by its name; the first is the reference.
        limit
            Of all of them.
        """
        for position, (name, estimate) in enumerate(estimates.items()):
            choice = f"choice: {what} {name}" if position else ""
            yield cls(estimate, limit, choice or "reference")
            against = f"{choice}, untrained" if choice else "control: untrained"
            yield cls(f"untrained/{estimate}", limit, against)


@dataclass(frozen=True, slots=True)
class Risk:
    """Cost that should be zero: a loss of accuracy, texts that fool a model.

    Parameters
    ----------
    what
        Name of the risk in a few words: "typos", "pwws attack".
    tolerance
        Cost that can be lived with, from no effect on: .02 is two points, or two percent.
    costs
        Sentence about the cost, "{}" for a hundred times the number: "costs {} points".
    settled_by
        Where the number is only the most that it can cost: what would tell the cost itself. Such a
        risk can hold, and never hurts. Empty where the number is the cost.
    negligible
        Cost that is as good as none. A share is above nothing by a single case: the verdict sets
        the same part of the tolerance for all of them (`scrutiny.reliability.verdicts.risks`).
    without_scores
        Reason for refusing it where answers without probabilities leave the number undefined; empty
        if it reads none.
    touches
        What was done to the texts that `Claim.coverage` counts: "changed 9 of 900 texts".
    read, fit
        How many such texts were read by somebody who did not know what was done, and how many of
        them kept their right answer; 0 where none was.
    """

    what: str
    tolerance: float
    costs: str
    settled_by: str = ""
    negligible: float = 0.0
    without_scores: str = ""
    touches: str = CHANGED
    read: int = 0
    fit: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim: a sentence with the comparisons that decide it.

    Parameters
    ----------
    id
        Short stable name within the plan.
    says
        The sentence, as the audit page prints it.
    diagnostic
        Name of the diagnostic whose rows it belongs to; in a design its own, unless stated.
    components
        All must hold (intersection-union).
    family
        Group of claims that a report summarizes in one sentence.
    level
        Confidence level of all limits of a family of numbers; default .95.
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
        Reason to refuse it regardless of the numbers (a checkpoint whose competence record is below
        the gates); empty for none.
    needs_control
        Whether it needs a comparison with a control to be trusted. False if the reference is itself
        the score without skill, or if no model is queried.
    post_hoc
        Whether it was written after the first query.
    risk
        Where its first component is a risk: it *hurts* where the limits lie above the component's
        limit, which is no effect, and reach beyond what is tolerable; and *holds* where they stay
        within that. The other components say whether it is more than what they guard against, and
        take nothing from it. None for a statement, all of whose components must hold.
    is_headline
        Whether its number is the main score, in the first line of a report.
    no_skill
        Who gets the score that has to be exceeded: "always answering 'spam'"; empty where the task
        has no words for it.
    coverage
        Identifiers of the estimates of the share of items that the change or attack touched, one a
        draw: a risk of a change that touched too few of them is not tested. Empty where the risk is
        of the items as they are.
    """

    id: str
    says: str
    diagnostic: str = ""
    components: tuple[Component, ...] = ()
    family: str = ""
    level: float = 0.95
    checks: tuple[str, ...] = ("items", "seeds")
    competence: tuple[tuple[str, float], ...] = ()
    gates: tuple[str, ...] = ()
    refused: str = ""
    needs_control: bool = True
    post_hoc: bool = False
    risk: Risk | None = None
    is_headline: bool = False
    no_skill: str = ""
    coverage: tuple[str, ...] = ()

    @staticmethod
    def checks_with(**choices: Collection[object]) -> tuple[str, ...]:
        """Value of ``checks`` for a claim that has to hold for each of several choices.

        Examples
        --------
        >>> Claim.checks_with(draw=range(3), layer=[8])
        ('items', 'seeds', 'choices:draw', 'datasets')
        """
        several = (f"choices:{name}" for name, made in choices.items() if len(made) > 1)
        return ("items", "seeds", *several, "datasets")

    @property
    def diagnostic_name(self) -> str:
        """Name of the diagnostic without version and digest."""
        return family_name(self.diagnostic)

    @property
    def is_front(self) -> bool:
        """Whether it is on the first screen: a risk, or the main score."""
        return self.is_headline or self.risk is not None


@dataclass(frozen=True, slots=True)
class Check:
    """Outcome of a robustness check of a finding: items, seeds, choices or datasets.

    ``outcome`` is "yes", "no", "undecided" or "not run"; ``detail`` says why in a few words.
    """

    name: str
    outcome: str
    detail: str = ""


class Touched(NamedTuple):
    """Number of items that a change altered, or an attack had candidates for, of so many."""

    items: int
    of: int

    @property
    def share(self) -> float:
        """Share of the items; 0 where there are none."""
        return self.items / self.of if self.of else 0.0

    def says(self, touches: str) -> str:
        """Count in words.

        Examples
        --------
        >>> Touched(0, 900).says("changed"), Touched(1, 1).says("changed")
        ('changed 0 of 900 texts', 'changed 1 of 1 text')
        """
        return f"{touches} {self.items:,} of {self.of:,} text{'s' * (self.of != 1)}"


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """Verdict on a claim, with its scope and the reason.

    Parameters
    ----------
    claim
        The claim.
    estimate
        The main component's estimate, with the limits that decide: those of its family.
    control
        The estimate against the control, where there is one, with its limits.
    verdict, scope
        Verdict or state, and the scope in which it holds.
    reason
        One sentence: which rule decided.
    checks
        Outcome of every check.
    p_supported, p_not_supported
        Intersection-union p-values of this claim alone; None if refused.
    minimum_detectable_effect
        Smallest difference that this design would have shown with 80 % power.
    evidence
        Identity of every number that was compared, by the alternative of its component.
    limits
        Limits of every component's number, in their order; None where it has none.
    touched
        On how many of the items a change or attack had anything to do; None of other risks.
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
    limits: tuple[Limits | None, ...] = ()
    touched: Touched | None = None

    @property
    def lacks_skill(self) -> bool:
        """Whether the model is not shown to be better than no skill, by its score's limits."""
        return self.verdict != "supported" and self.reason.startswith(NO_SKILL)

    @property
    def is_stopped(self) -> bool:
        """Whether a gate decided it, so that nothing was tested."""
        return self.p_supported is None

    @property
    def change(self) -> str:
        """Name of the change or attack that it is about; empty where it is about none."""
        named = self.estimate.key.condition if self.estimate else {}
        words = (value for value in named.values() if isinstance(value, str))
        return str(named.get("test") or next(words, ""))

    @property
    def comparisons(self) -> list[tuple[Component, EstimateKey]]:
        """Comparisons of the claim, each with the estimate that it holds against a limit."""
        found = [
            (c, self.evidence[c.against])
            for c in self.claim.components
            if c.against in self.evidence
        ]
        known = {c.against for c, _ in found}
        main = self.claim.components[:1]
        if main and self.estimate is not None and main[0].against not in known:
            found.insert(0, (main[0], self.estimate.key))
        return found

    def __repr__(self) -> str:
        """Verdict, scope and claim."""
        return f"<{self.verdict} for {self.scope}: {self.claim.says}>"
