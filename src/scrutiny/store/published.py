"""Printed figures beside the run's, as JSON and back."""

from collections.abc import Mapping
from typing import Any

from scrutiny.core.canonical import plain
from scrutiny.core.published import PublishedPlan, Reproduction


def reproduction_to_json(found: Reproduction) -> dict[str, Any]:
    """Plain JSON of a printed figure with ours."""
    return dict(plain(found))


def reproduction_from_json(data: Mapping[str, Any]) -> Reproduction:
    """Printed figure of `reproduction_to_json`."""
    return Reproduction(**{**data, "figure": PublishedPlan(**data["figure"])})
