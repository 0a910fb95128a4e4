"""Composition: two sets of edits in sequence become one set of edits of the base text."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.edit import Edit
from scrutiny.core.example import Span
from scrutiny.text.edits.apply import apply_to_text
from scrutiny.text.edits.ordered import OrderedEdits, in_order
from scrutiny.text.edits.track import carry_spans


def compose(
    text: str, first: Sequence[Edit], second: Sequence[Edit], *, spans: Sequence[Span] = ()
) -> tuple[Edit, ...]:
    """Edits of one field's text equivalent to ``first`` followed by ``second``.

    Edits that overlap merge into one, with the spans that they brought carried; text that
    neither touches is in no edit.

    Parameters
    ----------
    text
        The base text.
    first
        Edits of it.
    second
        Edits of the text that ``first`` makes, with offsets of that text.
    spans
        Annotations of the base text. They decide where an insertion at the place of a deletion
        belongs: behind the deletion if a span ends there, else in front of it.

    Raises
    ------
    EditRefusedError
        ``crosses_span`` if a second edit breaks a span that a first one brought.

    Examples
    --------
    >>> one = [Edit("text", 3, 8, "lvoes")]
    >>> compose("He loves NLP", one, [Edit("text", 0, 2, "She"), Edit("text", 3, 8, "LVOES")])
    (Edit(field='text', start=0, end=2, text='She', spans=(), inside=False, pieces=()), \
Edit(field='text', start=3, end=8, text='LVOES', spans=(), inside=False, pieces=()))
    """
    middle = apply_to_text(text, first)
    earlier = _Placed.of(first)
    later = in_order(second)
    apply_to_text(middle, later)  # refuses what overlaps or lies outside
    tails = {span.end for span in spans}
    composed = []
    for start, end, members in _overlapping(earlier, later):
        merged = [earlier.edits[i] for side, i in members if side == 0]
        inner = [later[i] for side, i in members if side == 1]
        low, high = earlier.base(start, end, members, tails)
        if not inner:
            composed.append(merged[0])
            continue
        edit = _merge(middle[start:end], start, earlier, members, inner)
        composed.append(edit._replace(start=low, end=high))
    return tuple(e for e in composed if text[e.start : e.end] != e.text or e.spans)


_Member = tuple[int, int]  # side (0: first, 1: second) and number of an edit


@dataclass(frozen=True, slots=True)
class _Placed:
    """Edits with the positions of their new texts afterwards."""

    edits: Sequence[Edit]
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, edits: Sequence[Edit]) -> "_Placed":
        ordered = OrderedEdits.of(edits)
        starts = [s + g for s, g in zip(ordered.starts, ordered.gains, strict=False)]
        ends = [s + len(e.text) for s, e in zip(starts, ordered.edits, strict=True)]
        return cls(ordered.edits, starts, ends)

    def base(
        self, start: int, end: int, members: Sequence[_Member], tails: set[int]
    ) -> tuple[int, int]:
        """Range of the base text that a group of edits covers."""
        own = [i for side, i in members if side == 0]
        if start == end:
            place = self._before(start)
            behind = self._after(start)
            return (behind, behind) if behind in tails else (place, place)
        low = self.edits[own[0]].start if own and self.starts[own[0]] == start else None
        high = self.edits[own[-1]].end if own and self.ends[own[-1]] == end else None
        return (
            self._after(start) if low is None else low,
            self._before(end) if high is None else high,
        )

    def _after(self, place: int) -> int:
        """Base offset of text that begins at a position: behind anything deleted there."""
        at = bisect_right(self.ends, place)
        return place + (self.edits[at - 1].end - self.ends[at - 1] if at else 0)

    def _before(self, place: int) -> int:
        """Base offset of text that ends at a position: in front of anything deleted there."""
        at = bisect_left(self.starts, place)
        return place + (self.edits[at - 1].end - self.ends[at - 1] if at else 0)


def _overlapping(earlier: _Placed, later: Sequence[Edit]) -> list[tuple[int, int, list[_Member]]]:
    """Groups of edits that overlap in the text between, from left to right."""
    intervals = [
        (start, end, (0, i))
        for i, (start, end) in enumerate(zip(earlier.starts, earlier.ends, strict=True))
    ]
    intervals += [(edit.start, edit.end, (1, i)) for i, edit in enumerate(later)]
    groups: list[tuple[int, int, list[_Member]]] = []
    for start, end, member in sorted(intervals):
        low, high, members = groups[-1] if groups else (0, -1, [])
        if start < high:
            members.append(member)
            groups[-1] = (low, max(high, end), members)
        else:
            groups.append((start, end, [member]))
    return groups


def _merge(
    text: str,
    base: int,
    earlier: _Placed,
    members: Sequence[_Member],
    later: Sequence[Edit],
) -> Edit:
    """One edit of a range of the base text, with the spans of both sets of edits."""
    inner = [e._replace(start=e.start - base, end=e.end - base) for e in later]
    name = later[0].field
    own = [i for side, i in members if side == 0]
    spans = [
        s._replace(field=name, start=at + s.start, end=at + s.end)
        for i in own
        for at in (earlier.starts[i] - base,)
        for s in earlier.edits[i].spans
    ]
    flags = [earlier.edits[i].inside for i in own] or [edit.inside for edit in later]
    return Edit(
        name, 0, 0, apply_to_text(text, inner), carry_spans(spans, {name: inner}), any(flags)
    )
