"""Shared part of the claims of all faithfulness diagnostics."""

from collections.abc import Iterator

from scrutiny.core.claim import Component
from scrutiny.core.design import Inputs


def beyond_untrained(
    name: str, limit: float, inputs: Inputs, *, operator: str = ">"
) -> Iterator[Component]:
    """Component for the difference from untrained networks, if there are any."""
    if "null" in inputs.controls:
        yield Component(f"untrained/{name}", limit, "control: untrained", operator)
