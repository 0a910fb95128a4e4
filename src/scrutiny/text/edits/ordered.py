"""Edits in order of place, and what they touch."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter, itemgetter

from scrutiny.core.edit import Edit
from scrutiny.core.example import Span

_BY_PLACE = itemgetter(1, 2)  # start and end


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits from left to right; insertions at one place keep the order they were given in."""
    return sorted(edits, key=_BY_PLACE)


@dataclass(frozen=True, slots=True)
class OrderedEdits:
    """Disjoint edits of one field from left to right, for look-up by position.

    ``gains[k]`` is how much longer the first k edits make the text.
    """

    edits: Sequence[Edit]
    starts: Sequence[int]
    ends: Sequence[int]
    gains: Sequence[int]

    @classmethod
    def of(cls, edits: Iterable[Edit]) -> "OrderedEdits":
        """Return these edits in order of place."""
        ordered = in_order(edits)
        return cls(
            ordered,
            [e.start for e in ordered],
            [e.end for e in ordered],
            [0, *accumulate([len(e.text) - (e.end - e.start) for e in ordered])],
        )

    def touching(
        self, start: int, end: int, is_inside: Callable[[Edit], bool] = attrgetter("inside")
    ) -> tuple[int, int]:
        """Range of indices of the edits that touch a range of the text."""
        edits = self.edits
        first = at = bisect_right(self.ends, start)
        while at > 0 and edits[at - 1].start == edits[at - 1].end == start:
            at -= 1
            if is_inside(edits[at]):
                first = at
        last = at = bisect_left(self.starts, end)
        while at < len(edits) and edits[at].start == edits[at].end == end:
            at += 1
            if is_inside(edits[at - 1]):
                last = at
        return first, max(first, last)


def is_before(edit: Edit, span: Span) -> bool:
    """Whether an edit lies wholly in front of a span."""
    if edit.start == edit.end == span.start:
        return not edit.inside
    return edit.end <= span.start


def is_after(edit: Edit, span: Span) -> bool:
    """Whether an edit lies wholly behind a span."""
    if edit.start == edit.end == span.end:
        return not edit.inside
    return edit.start >= span.end
