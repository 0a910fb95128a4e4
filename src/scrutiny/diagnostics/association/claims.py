"""Claims of association tests: in every representation, and beyond untrained networks."""

from collections.abc import Callable, Sequence

from scrutiny.core.claim import Claim, Component
from scrutiny.diagnostics.association.params import Kind
from scrutiny.models.strings.competence import LANGUAGE_GATES


def claim_of_every_kind(
    test: str,
    kinds: Sequence[Kind],
    *,
    name: Callable[[Kind], str],
    margin: float,
    says: str,
    family: str,
) -> Claim:
    """Claim that a test finds an association, in every representation.

    Parameters
    ----------
    test
        Name of the test, and of the claim.
    kinds
        What has to hold, the declared one first; the others are choices.
    name
        Name of the estimate of a kind.
    margin
        What it has to exceed, and exceed that of untrained networks by.
    says, diagnostic, family
        Of the claim.
    """
    return Claim(
        id=test,
        says=says,
        components=tuple(
            Component.beside_untrained(
                "representation", {kind.name: name(kind) for kind in kinds}, margin
            )
        ),
        family=family,
        checks=Claim.checks_with(representation=kinds),
        gates=LANGUAGE_GATES,
    )
