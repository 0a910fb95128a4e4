"""Conditions that are analysis choices, and those that change the question."""

from collections.abc import Iterable

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.run.assigned import restrictions
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.view import RunView


class Questions:
    """Question that each estimate of a run answers, whatever the analysis choices.

    Two estimates answer the same question if they differ in choices alone: in conditions other
    than those that say what is measured, over the same items. Items of another kind (a gap to
    fill, a text to continue) are another question, even where the group has the same name.
    """

    def __init__(self, view: RunView) -> None:
        self._items = {identity(key): where for key, where in restrictions(view.manifest)}

    def of(self, estimate: Estimate, *, without: Iterable[str] = ()) -> str:
        """Name of the question; ``without`` are additional fields to ignore.

        Without the group, the items say nothing either: each group has its own.
        """
        left_out = ("condition", *without)
        key = estimate.key
        items = "" if "group" in left_out else self._items.get(identity(key), "")
        return f"{identity(key, without=left_out)} {canonical_json(key.measured_condition)} {items}"

    def grouped(
        self, estimates: Iterable[Estimate], *, without: Iterable[str] = ()
    ) -> dict[str, list[Estimate]]:
        """Estimates by question, both in order of appearance."""
        left_out = tuple(without)
        return grouped((self.of(e, without=left_out), e) for e in estimates)
