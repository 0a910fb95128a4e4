"""Conditions that are analysis choices, and those that change the question."""

from collections.abc import Iterable
from typing import Final

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.grouping import grouped
from scrutiny.parts.run.assigned import restrictions
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.view import RunView

#: Conditions that say what is measured: another value of them is another quantity, no choice.
WHAT_IS_MEASURED: Final = frozenset({"property", "part"})


def measured_condition(key: EstimateKey) -> dict[str, str]:
    """Part of a condition that defines what is measured.

    Examples
    --------
    >>> measured_condition(EstimateKey("d@1", "m@1", "s", "x", condition={"part": "a", "layer": 1}))
    {'part': 'a'}
    """
    return {n: str(v) for n, v in sorted(key.condition.items()) if n in WHAT_IS_MEASURED}


class Questions:
    """Question that each estimate of a run answers, whatever the analysis choices.

    Two estimates answer the same question if they differ in choices alone: in conditions other
    than `WHAT_IS_MEASURED`, over the same items. Items of another kind (a gap to fill, a text to
    continue) are another question, even where the group has the same name.
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
        return (
            f"{identity(key, without=left_out)} {canonical_json(measured_condition(key))} {items}"
        )

    def grouped(
        self, estimates: Iterable[Estimate], *, without: Iterable[str] = ()
    ) -> dict[str, list[Estimate]]:
        """Estimates by question, both in order of appearance."""
        left_out = tuple(without)
        return grouped((self.of(e, without=left_out), e) for e in estimates)
