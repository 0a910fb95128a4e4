"""Shared parts of the designs of all faithfulness diagnostics."""

from collections.abc import Iterator, Sequence

from scrutiny.core.claim import Component
from scrutiny.core.diagnostic import ContrastSpec, Inputs

#: What a claim is checked against.
CHECKS = ("items", "seeds")


def untrained(names: Sequence[str], inputs: Inputs) -> Iterator[ContrastSpec]:
    """Differences from untrained networks, if the plan has any."""
    if "null" in inputs.controls:
        for name in names:
            yield ContrastSpec(f"untrained/{name}", name, name, minus="null")


def beyond_untrained(
    name: str, limit: float, inputs: Inputs, *, operator: str = ">"
) -> Iterator[Component]:
    """Component for the difference from untrained networks, if there are any."""
    if "null" in inputs.controls:
        yield Component(f"untrained/{name}", limit, "control: untrained", operator)


def checks(*choices: str) -> tuple[str, ...]:
    """Checks of a claim, with the choices that must agree."""
    return (*CHECKS, *(f"choices:{choice}" for choice in choices), "datasets")
