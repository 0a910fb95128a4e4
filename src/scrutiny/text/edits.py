"""Edits applied and composed: one function rewrites texts and moves every annotation.

Rules, for one span and one edit (offsets in code points of the original):

==============================  ==========================================================
edit strictly inside the span   the span grows or shrinks
edit equal to the span          the span covers the new text
edit outside                    the span moves
insertion at a border           outside, unless ``inside=True``
edit crosses a border           refused, unless the edit brings spans of its own
edit brings spans               they take the place of every span that it touches
==============================  ==========================================================

Of several insertions at one border of a span, those between one that belongs inside and the span
belong inside as well. Brought spans join the layers (gold, annotations) whose spans they replace;
where there are none, the gold answer if it consists of spans.

Everything takes time n log n in edits and annotations together. Two sets of edits in sequence
become one set of edits of the base text.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from scrutiny.core.answers.answer import has_places, type_of
from scrutiny.core.edit import Copy, Edit, EditRefusedError
from scrutiny.core.example import MARKED, Example, Span, new_example
from scrutiny.text.edit_tracks import (
    EditTrack,
    OrderedEdits,
    carry_spans,
    carry_untouched,
    in_order,
)
from scrutiny.text.tokens import token_spans


def apply_to_text(text: str, edits: Sequence[Edit]) -> str:
    """Text after disjoint edits; text outside of them stays byte-identical.

    Raises
    ------
    EditRefusedError
        If edits overlap (``overlap``) or lie outside the text (``bounds``).

    Examples
    --------
    >>> apply_to_text("He loves NLP", [Edit("text", 3, 8, "likes")])
    'He likes NLP'
    """
    if len(edits) == 1:
        edit = edits[0]
        if not 0 <= edit.start <= edit.end <= len(text):
            raise _out_of_bounds(edit, text)
        return f"{text[: edit.start]}{edit.text}{text[edit.end :]}"
    made = done = 0
    pieces: list[str] = []
    for _, start, end, new, *_ in edits:
        if not done <= start <= end <= len(text):
            break  # out of order, or out of the question
        pieces += (text[done:start], new)
        done = end
        made += 1
    if made < len(edits):
        ordered = in_order(edits)
        if ordered != list(edits):
            return apply_to_text(text, ordered)
        edit = ordered[made]
        if 0 <= edit.start <= edit.end <= len(text):
            said = f"two edits change code point {min(edit.start, done)}"
            raise EditRefusedError("overlap", said)
        raise _out_of_bounds(edit, text)
    pieces.append(text[done:])
    return "".join(pieces)


def apply_edits(example: Example, edits: Sequence[Edit]) -> Example:
    """Example after disjoint edits, with its gold answer, annotations and tokens moved.

    Raises
    ------
    EditRefusedError
        ``overlap``, ``bounds``, ``protected``, ``crosses_span``, ``empties_span`` or ``no_field``,
        or what the answer's type calls it if its gold answer is lost.
    """
    if not edits:
        return example
    is_annotated = bool(example.spans or example.protected or example.tokens is not None)
    is_plain = not is_annotated and not has_places(example.gold)
    if is_plain and not any([edit.spans for edit in edits]):
        return example.with_fields(_texts(example, _by_field(example, edits)))
    track = track_of(example, edits)
    gold, tokens = example.gold, example.tokens
    if has_places(gold):
        gold = type_of(gold).carry(gold, track)
    texts, spans = track.texts, track.annotations()
    # of protected spans, only insertions at their borders are allowed; and changes of marked parts
    for span in example.protected:
        if span.field in track.edits:
            first, last = track.edits[span.field].touching(span.start, span.end)
            own = track.edits[span.field].edits[first:last]
            if any(not _is_in_marked(edit, span, example.spans) for edit in own):
                raise EditRefusedError("protected", "an edit touches a protected stretch")
    return new_example(
        example.id,
        texts,
        gold,
        spans,
        tokens and {name: track.borders(name, old) for name, old in tokens.items()},
        carry_untouched(example.protected, track.edits),
        example.source,
        example.attributes,
        example.language,
        example.case,
    )


def _is_in_marked(edit: Edit, span: Span, parts: Sequence[Span]) -> bool:
    """Whether an edit replaces something of the part that a protected stretch marks."""
    return span.label == MARKED and any(
        part.field == span.field
        and span.start < part.start <= edit.start < edit.end <= part.end < span.end
        for part in parts
    )


def apply_to_answer(answer: Any, example: Example, edits: Sequence[Edit]) -> Any:
    """Answer that edits of its text are applied to: its parts at their new places.

    Raises
    ------
    EditRefusedError
        If the edits do not say what it is; the reason names what is lost.
    """
    if not has_places(answer):
        return answer
    return type_of(answer).carry(answer, track_of(example, edits))


def track_of(example: Example, edits: Sequence[Edit]) -> EditTrack:
    """Track of disjoint edits of an example: where its spans and words are afterwards."""
    by_field = _by_field(example, edits)
    ordered = {name: OrderedEdits.of(group) for name, group in by_field.items()}
    texts = _texts(example, {name: group.edits for name, group in ordered.items()})
    return EditTrack(ordered, example.fields, texts, example.spans)


def _by_field(example: Example, edits: Sequence[Edit]) -> dict[str, list[Edit]]:
    """Edits of each field that they change."""
    names = dict.fromkeys([edit.field for edit in edits])
    for name in names:
        if name not in example.fields:
            raise EditRefusedError("no_field", f"there is no field {name!r}")
    return {name: [e for e in edits if e.field == name] for name in names}


def _texts(example: Example, edits: Mapping[str, Sequence[Edit]]) -> dict[str, str]:
    """Texts of an example after edits by field."""
    return {
        name: apply_to_text(text, edits[name]) if name in edits else text
        for name, text in example.fields.items()
    }


def _out_of_bounds(edit: Edit, text: str) -> EditRefusedError:
    """Error for an edit that does not lie within the text."""
    return EditRefusedError(
        "bounds", f"an edit of code points {edit.start} to {edit.end} in a text of {len(text)}"
    )


def edits_between(field: str, old: str, new: str) -> Iterator[Edit]:
    """Edits of whole tokens, and of the text between them, that turn one text into another.

    Examples
    --------
    >>> [edit[1:4] for edit in edits_between("text", "a fine  film", "a Fine film!")]
    [(2, 8, 'Fine '), (12, 12, '!')]
    """
    from rapidfuzz.distance import Levenshtein

    borders, others = _borders(old), _borders(new)
    before = [old[a:b] for a, b in pairwise(borders)]
    for op in Levenshtein.opcodes(before, [new[a:b] for a, b in pairwise(others)]):
        if op.tag != "equal":
            low, high = borders[op.src_start], borders[op.src_end]
            yield Edit(field, low, high, new[others[op.dest_start] : others[op.dest_end]])


def edits_of_fields(old: Example, new: Example) -> tuple[Edit, ...]:
    """Edits that turn the texts of an item into those of another one with the same fields."""
    pairs = ((name, text, new.fields.get(name, "")) for name, text in old.fields.items())
    return tuple(edit for pair in pairs for edit in edits_between(*pair))


def _borders(text: str) -> list[int]:
    """Offsets at which a token, or the text between two, begins; and the end."""
    return sorted({0, len(text), *(place for span in token_spans(text) for place in span)})


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
        ``crosses_span`` if a second edit breaks a span that a first one brought; ``moved_text`` if
        one set changes within what the other repeats.

    Examples
    --------
    >>> one = [Edit("text", 3, 8, "lvoes")]
    >>> compose("He loves NLP", one, [Edit("text", 0, 2, "She"), Edit("text", 3, 8, "LVOES")])
    (Edit(field='text', start=0, end=2, text='She', spans=(), inside=False, pieces=(), \
copies=None), Edit(field='text', start=3, end=8, text='LVOES', spans=(), inside=False, pieces=(), \
copies=None))
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
        if any(one.copies is not None for one in (*merged, *inner)):
            if merged:
                raise EditRefusedError("moved_text", "two steps change and move the same text")
            edit = edit._replace(copies=earlier.copies(inner[0]))
        composed.append(edit._replace(start=low, end=high))
    changing = (e for e in composed if text[e.start : e.end] != e.text or e.spans)
    return tuple(in_order(changing))  # what is inserted before a deletion came behind it


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
        low, high = self._after(start), self._before(end)
        if own and self.starts[own[0]] == start:
            low = self.edits[own[0]].start
        if own and self.ends[own[-1]] == end:
            high = self.edits[own[-1]].end
        return low, high

    def copies(self, edit: Edit) -> tuple[Copy, ...] | None:
        """Stretches of the base text that a later edit repeats; refused if one of these changed."""
        if edit.copies is None:
            return None
        found = []
        for at, start, end in edit.copies:
            borders = zip(self.starts, self.ends, strict=True)
            if any(low < end and start < high for low, high in borders):
                raise EditRefusedError("moved_text", "a step moves what another one has changed")
            low = self._after(start)
            found.append(Copy(at, low, low + end - start))
        return tuple(found)

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
    text: str, base: int, earlier: _Placed, members: Sequence[_Member], later: Sequence[Edit]
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
