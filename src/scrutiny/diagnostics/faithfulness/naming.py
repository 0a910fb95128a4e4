"""What the designs of all faithfulness diagnostics share."""

from collections.abc import Iterator, Sequence

from scrutiny.core.claim import Component
from scrutiny.core.diagnostic import ContrastSpec, Inputs

#: What a claim is checked against.
CHECKS = ("items", "seeds")


def untrained(names: Sequence[str], inputs: Inputs) -> Iterator[ContrastSpec]:
    """Estimates minus those of untrained networks, where the plan has such."""
    if "null" in inputs.controls:
        for name in names:
            yield ContrastSpec(f"untrained/{name}", name, name, minus="null")


def beyond_untrained(
    name: str, limit: float, inputs: Inputs, *, operator: str = ">"
) -> Iterator[Component]:
    """Component that an estimate differs from that of untrained networks, where there are such."""
    if "null" in inputs.controls:
        yield Component(f"untrained/{name}", limit, "control: untrained", operator)


def checks(*choices: str) -> tuple[str, ...]:
    """Checks of a claim, with the choices that it has to survive."""
    return (*CHECKS, *(f"choices:{choice}" for choice in choices), "datasets")
