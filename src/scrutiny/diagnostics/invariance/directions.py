"""Asymmetry of two models: both directions of shared invariances as one claim.

Of b beside the reference a, and of a beside the reference b, the same items are measured. What the
second direction has beyond the first is one number with one interval: Hard-SCoPE, and its lift over
random changes, without which a model that is invariant to anything would seem to share more.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Inputs
from scrutiny.core.shares import points
from scrutiny.diagnostics.invariance.capabilities import Generation

#: Family of the claims that one direction shares less, and how their identifiers begin.
LESS: Final = "less"


def differences(made: Sequence[Generation]) -> Iterator[ContrastSpec]:
    """Hard-SCoPE and lift of this direction minus those of the other one."""
    for generation in made:
        for name in ("hard", "lift"):
            one = f"{name}/{generation.label}"
            yield ContrastSpec(f"{LESS}/{one}", one, one, minus="exchanged", is_paired=True)


def less_shared(
    generation: Generation,
    inputs: Inputs,
    *,
    margin: float,
    where: str,
    competence: tuple[tuple[str, float], ...],
) -> Claim:
    """Claim that the target shares less of the reference's invariances than the reverse.

    Parameters
    ----------
    generation
        What is changed.
    inputs
        The target and its reference.
    margin
        Smallest difference worth a claim, as a share of the changed texts.
    where
        The amount of change, in words.
    competence
        Skills that both directions presuppose.
    """
    target, reference = inputs.subject.name, inputs.second.name
    label = generation.label
    return Claim(
        id=f"{LESS}/{label}",
        says=f"{generation.capability} in {where}: {target} shares less of the invariances of "
        f"{reference} than the other way round, by {points(margin)}",
        components=(
            Component(f"{LESS}/hard/{label}", -margin, operator="<"),
            Component(f"{LESS}/lift/{label}", -margin, "control: random change", "<"),
        ),
        family=LESS,
        checks=("items", "seeds", "datasets"),
        competence=competence,
    )
