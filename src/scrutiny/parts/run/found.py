"""Adversarial texts, in the form in which every family gives them to the report."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Found(NamedTuple):
    """Final text of a search for one replicate of a model.

    ``before`` and ``after`` are the answers to the item and to the text; ``is_success`` says
    whether the search reached its goal.
    """

    model: str
    replicate: str | None
    dataset: str
    item: str
    change: str
    draw: int
    edits: Sequence[Sequence[Any]]
    before: str | None
    after: str | None
    is_success: bool = True
