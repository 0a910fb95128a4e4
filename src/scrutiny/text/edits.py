"""Applying edits: one function rewrites texts and moves every annotation.

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

Everything takes time n log n in edits and annotations together.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import attrgetter, itemgetter

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example, Span
from scrutiny.text.tokens import token_spans

_BY_PLACE = itemgetter(1, 2)  # start and end


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
    for _, start, end, new, _, _ in edits:
        if not done <= start <= end <= len(text):
            break  # out of order, or out of the question
        pieces += (text[done:start], new)
        done = end
        made += 1
    if made < len(edits):
        ordered = in_order(edits)
        if ordered != list(edits):
            return apply_to_text(text, ordered)
        raise _refused(text, ordered[made], done)
    pieces.append(text[done:])
    return "".join(pieces)


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits from left to right; insertions at one place keep the order they were given in."""
    return sorted(edits, key=_BY_PLACE)


def apply_edits(example: Example, edits: Sequence[Edit]) -> Example:
    """Example after disjoint edits, with its gold spans, annotations and tokens moved.

    Raises
    ------
    EditRefusedError
        ``overlap``, ``bounds``, ``protected``, ``crosses_span``, ``empties_span`` or ``no_field``.
    """
    if not edits:
        return example
    names = dict.fromkeys([edit.field for edit in edits])
    for name in names:
        if name not in example.fields:
            raise EditRefusedError("no_field", f"there is no field {name!r}")
    by_field = {name: [e for e in edits if e.field == name] for name in names}
    if _is_plain(example) and not any([edit.spans for edit in edits]):
        return _with_texts(example, by_field)
    ordered = {name: OrderedEdits.of(group) for name, group in by_field.items()}
    fields = {
        name: apply_to_text(text, ordered[name].edits) if name in ordered else text
        for name, text in example.fields.items()
    }
    gold, spans = _carry_layers(example, ordered)
    return replace(
        example,
        fields=fields,
        gold=gold,
        spans=spans,
        protected=_carry_protected(example.protected, ordered),
        tokens=_carry_tokens(example, ordered, fields),
    )


def _is_plain(example: Example) -> bool:
    """Whether an example has texts only, and no annotations to move."""
    if example.spans or example.protected or example.tokens is not None:
        return False
    return not isinstance(example.gold, tuple)


def _with_texts(example: Example, edits: Mapping[str, Sequence[Edit]]) -> Example:
    """Plain example after edits by field."""
    return example.with_fields(
        {
            name: apply_to_text(text, edits[name]) if name in edits else text
            for name, text in example.fields.items()
        }
    )


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
        gains = [len(e.text) - (e.end - e.start) for e in ordered]
        return cls(
            ordered,
            [e.start for e in ordered],
            [e.end for e in ordered],
            [0, *accumulate(gains)],
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


def carry_spans(spans: Sequence[Span], edits: Mapping[str, Sequence[Edit]]) -> tuple[Span, ...]:
    """Spans after edits by field, in their old order, with spans that edits bring inserted.

    Raises
    ------
    EditRefusedError
        ``crosses_span`` if an edit without spans of its own crosses a border, ``empties_span`` if
        nothing is left of a span.
    """
    ordered = {name: OrderedEdits.of(group) for name, group in edits.items()}
    return _with_brought(_carried(spans, ordered), _brought(ordered))


def _carry_layers(
    example: Example, edits: Mapping[str, OrderedEdits]
) -> tuple[str | tuple[Span, ...] | None, tuple[Span, ...]]:
    """Gold answer and annotations after edits; brought spans join the layer they replace."""
    gold, spans = example.gold, example.spans
    gold_spans = gold if isinstance(gold, tuple) else ()
    carried_gold = _carried(gold_spans, edits)
    carried = _carried(spans, edits)
    if any(edit.spans for group in edits.values() for edit in group.edits):
        in_gold = _replacing(gold_spans, edits)
        in_spans = _replacing(spans, edits)
        is_tagged = isinstance(gold, tuple)
        brought = _brought(edits)
        carried_gold = _with_brought(
            carried_gold,
            [(at, s) for at, s in brought if is_tagged and (at in in_gold or at not in in_spans)],
        )
        carried = _with_brought(
            carried, [(at, s) for at, s in brought if at in in_spans or not is_tagged]
        )
    return (carried_gold if isinstance(gold, tuple) else gold), carried


def _carried(spans: Sequence[Span], edits: Mapping[str, OrderedEdits]) -> tuple[Span, ...]:
    """Spans that edits do not replace, at their new positions."""
    moved = (_carry_one(s, edits[s.field]) if s.field in edits else s for s in spans)
    return tuple(span for span in moved if span is not None)


def _carry_one(span: Span, edits: OrderedEdits) -> Span | None:
    """One span at its new position; ``None`` if an edit replaces it by spans of its own."""
    first, last = edits.touching(span.start, span.end)
    touching = edits.edits[first:last]
    if touching:
        if any(edit.spans for edit in touching):
            return None
        if touching[0].start < span.start or touching[-1].end > span.end:
            raise EditRefusedError(
                "crosses_span", f"an edit crosses the border of {span.label or 'a span'}"
            )
    start, end = span.start + edits.gains[first], span.end + edits.gains[last]
    if end <= start and span.start < span.end:
        raise EditRefusedError("empties_span", f"an edit leaves {span.label or 'a span'} empty")
    return span._replace(start=start, end=end)


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


_Place = tuple[str, int]  # of an edit: its field, and its number in order


def _brought(edits: Mapping[str, OrderedEdits]) -> list[tuple[_Place, Span]]:
    """Spans that edits bring, at their positions in the new texts."""
    return [
        ((name, at), Span(name, start + s.start, start + s.end, s.label))
        for name, group in edits.items()
        for at, edit in enumerate(group.edits)
        for start in (edit.start + group.gains[at],)
        for s in edit.spans
    ]


def _replacing(spans: Sequence[Span], edits: Mapping[str, OrderedEdits]) -> set[_Place]:
    """Edits that touch one of these spans."""
    found: set[_Place] = set()
    for span in spans:
        if span.field in edits:
            touching = edits[span.field].touching(span.start, span.end)
            found.update((span.field, at) for at in range(*touching))
    return found


def _with_brought(
    carried: tuple[Span, ...], brought: Sequence[tuple[_Place, Span]]
) -> tuple[Span, ...]:
    if not brought:
        return carried
    spans = [*carried, *(span for _, span in brought)]
    return tuple(sorted(spans, key=lambda s: (s.field, s.start, s.end)))


def _carry_protected(
    protected: tuple[Span, ...], edits: Mapping[str, OrderedEdits]
) -> tuple[Span, ...]:
    """Protected spans after edits; only insertions at their borders are allowed."""
    for span in protected:
        if span.field in edits:
            first, last = edits[span.field].touching(span.start, span.end)
            if first < last:
                raise EditRefusedError("protected", "an edit touches a protected stretch")
    return _carried(protected, edits)


def _carry_tokens(
    example: Example, edits: Mapping[str, OrderedEdits], fields: Mapping[str, str]
) -> Mapping[str, tuple[tuple[int, int], ...]] | None:
    """Token borders after edits, in the fields that have them."""
    if example.tokens is None:
        return None
    carried = dict(example.tokens)
    for name, group in edits.items():
        if name in carried:
            carried[name] = _resegment(carried[name], group, (example.fields[name], fields[name]))
    return carried


def _resegment(
    tokens: tuple[tuple[int, int], ...], edits: OrderedEdits, texts: tuple[str, str]
) -> tuple[tuple[int, int], ...]:
    """Borders of the tokens that are left, and of new tokens in other text.

    A token that is changed within keeps its borders; one whose border is crossed is dissolved.
    Inserted letters that touch a word on one side belong to it; everything else that comes is
    segmented by `token_spans`.
    """
    old, new = texts
    ends = {end for _, end in tokens}
    starts = {start for start, _ in tokens}
    borders: list[tuple[int, int]] = []
    done = 0
    for start, end in tokens:

        def is_glued(edit: Edit, start: int = start, end: int = end) -> bool:
            is_first = edit.start == start
            if (edit.start in ends) if is_first else (edit.start in starts):
                return False  # between two tokens without a space
            inner, outer = (
                (old[start], edit.text[-1:]) if is_first else (old[end - 1], edit.text[:1])
            )
            return inner.isalnum() and outer.isalnum()

        first, last = edits.touching(start, end, is_glued)
        touching = edits.edits[first:last]
        if touching and (touching[0].start < start or touching[-1].end > end):
            continue
        low, high = start + edits.gains[first], end + edits.gains[last]
        borders += _segments(new, done, low)
        borders += _runs(new, low, high) if touching else [(low, high)]
        done = high
    return (*borders, *_segments(new, done, len(new)))


def _segments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Tokens between two offsets."""
    if start >= end or text[start:end].isspace():
        return []
    return [(start + a, start + b) for a, b in token_spans(text[start:end])]


def _runs(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Borders of the runs of non-space characters between two offsets."""
    runs: list[tuple[int, int]] = []
    for piece in text[start:end].split():
        begin = text.index(piece, runs[-1][1] if runs else start)
        runs.append((begin, begin + len(piece)))
    return runs


def _refused(text: str, edit: Edit, done: int) -> EditRefusedError:
    """Error for an edit that overlaps an earlier one, which ends at ``done``."""
    if 0 <= edit.start <= edit.end <= len(text):
        return EditRefusedError("overlap", f"two edits change code point {min(edit.start, done)}")
    return _out_of_bounds(edit, text)


def _out_of_bounds(edit: Edit, text: str) -> EditRefusedError:
    """Error for an edit that does not lie within the text."""
    return EditRefusedError(
        "bounds", f"an edit of code points {edit.start} to {edit.end} in a text of {len(text)}"
    )
