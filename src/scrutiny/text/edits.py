"""Applying edits: one function rewrites texts and carries every annotation.

Rules, for one span and one edit (offsets in code points of the original):

==============================  ==========================================================
edit strictly inside the span   the span grows or shrinks
edit equal to the span          the span covers the new text
edit outside                    the span moves
insertion at a border           outside, unless ``inside=True``
edit crosses a border           refused, unless the edit brings spans of its own
edit brings spans               they take the place of every span that it touches
==============================  ==========================================================
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example, Span

_BY_PLACE = attrgetter("start", "end")


def apply_to_text(text: str, edits: Sequence[Edit]) -> str:
    """Text after disjoint edits; what they do not cover stays byte-identical.

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
    pieces = []
    done = 0
    for edit in in_order(edits):
        if not 0 <= edit.start <= edit.end <= len(text):
            raise _out_of_bounds(edit, text)
        if edit.start < done:
            raise EditRefusedError("overlap", f"two edits change code point {edit.start}")
        pieces += [text[done : edit.start], edit.text]
        done = edit.end
    pieces.append(text[done:])
    return "".join(pieces)


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits from left to right; insertions at one place keep the order they were given in."""
    return sorted(edits, key=_BY_PLACE)


def apply_edits(example: Example, edits: Sequence[Edit]) -> Example:
    """Example after disjoint edits, with its gold spans, annotations and tokens carried.

    Raises
    ------
    EditRefusedError
        ``overlap``, ``bounds``, ``protected``, ``crosses_span`` or ``no_field``.
    """
    if not edits:
        return example
    by_field: dict[str, list[Edit]] = {}
    for edit in edits:
        if edit.field not in example.fields:
            raise EditRefusedError("no_field", f"there is no field {edit.field!r}")
        by_field.setdefault(edit.field, []).append(edit)
    ordered = {name: in_order(group) for name, group in by_field.items()}
    _refuse_protected(example.protected, ordered)
    fields = {
        name: apply_to_text(text, ordered[name]) if name in ordered else text
        for name, text in example.fields.items()
    }
    gold = example.gold
    return replace(
        example,
        fields=fields,
        gold=carry_spans(gold, ordered) if isinstance(gold, tuple) else gold,
        spans=carry_spans(example.spans, ordered),
        protected=carry_spans(example.protected, ordered),
        tokens=_carry_tokens(example.tokens, ordered, fields),
    )


def carry_spans(spans: Sequence[Span], edits: Mapping[str, Sequence[Edit]]) -> tuple[Span, ...]:
    """Spans after ordered edits by field, in their old order; new spans stand where they belong.

    Raises
    ------
    EditRefusedError
        ``crosses_span`` if an edit without spans of its own crosses a border.
    """
    carried: list[Span] = []
    for span in spans:
        moved = _carry_one(span, edits.get(span.field, ()))
        if moved is not None:
            carried.append(moved)
    brought = _brought(edits)
    if not brought:
        return tuple(carried)
    return tuple(sorted([*carried, *brought], key=lambda s: (s.field, s.start, s.end)))


def _carry_one(span: Span, edits: Sequence[Edit]) -> Span | None:
    """Where one span is afterwards; nothing if an edit replaces it by spans of its own."""
    shift = growth = 0
    for edit in edits:
        gain = len(edit.text) - (edit.end - edit.start)
        if is_before(edit, span):
            shift += gain
        elif is_after(edit, span):
            continue
        elif edit.spans:
            return None
        elif span.start <= edit.start and edit.end <= span.end:
            growth += gain
        else:
            raise EditRefusedError(
                "crosses_span", f"an edit crosses the border of {span.label or 'a span'}"
            )
    start = span.start + shift
    end = span.end + shift + growth
    if end <= start < span.end + shift:
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


def _brought(edits: Mapping[str, Sequence[Edit]]) -> list[Span]:
    """Spans that edits bring, at their place in the new texts."""
    spans = []
    for name, group in edits.items():
        shift = 0
        for edit in group:
            base = edit.start + shift
            spans += [Span(name, base + s.start, base + s.end, s.label) for s in edit.spans]
            shift += len(edit.text) - (edit.end - edit.start)
    return spans


def _refuse_protected(protected: Sequence[Span], edits: Mapping[str, Sequence[Edit]]) -> None:
    """Refuse edits that touch a protected stretch; insertions at its borders may stand."""
    for span in protected:
        for edit in edits.get(span.field, ()):
            if not (is_before(edit, span) or is_after(edit, span)):
                raise EditRefusedError("protected", "an edit touches a protected stretch")


def _carry_tokens(
    tokens: Mapping[str, tuple[tuple[int, int], ...]] | None,
    edits: Mapping[str, Sequence[Edit]],
    fields: Mapping[str, str],
) -> Mapping[str, tuple[tuple[int, int], ...]] | None:
    """Token borders afterwards: untouched tokens keep theirs, new text is segmented at spaces."""
    if tokens is None:
        return None
    carried = dict(tokens)
    for name, group in edits.items():
        if name in carried:
            carried[name] = _resegment(carried[name], group, fields[name])
    return carried


def _resegment(
    tokens: tuple[tuple[int, int], ...], edits: Sequence[Edit], text: str
) -> tuple[tuple[int, int], ...]:
    """Borders of untouched tokens, and of the runs of non-spaces in what edits touched."""
    kept: list[tuple[int, int]] = []
    for start, end in tokens:
        if not any(_touches(edit, start, end) for edit in edits):
            shift = sum(len(e.text) - (e.end - e.start) for e in edits if e.end <= start)
            kept.append((start + shift, end + shift))
    borders: list[tuple[int, int]] = []
    done = 0
    for start, end in [*kept, (len(text), len(text))]:
        borders += _runs(text, done, start)
        if end > start:
            borders.append((start, end))
        done = end
    return tuple(borders)


def _touches(edit: Edit, start: int, end: int) -> bool:
    """Whether an edit changes a token: overlaps it, or is glued to one of its borders."""
    if edit.start == edit.end:
        if start < edit.start < end:
            return True
        glued_left = edit.start == end and edit.text[:1].strip() != ""
        glued_right = edit.start == start and edit.text[-1:].strip() != ""
        return glued_left or glued_right
    return edit.start < end and edit.end > start


def _runs(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Borders of the runs of non-spaces between two places."""
    runs = []
    place = start
    while place < end:
        if text[place].isspace():
            place += 1
            continue
        stop = place
        while stop < end and not text[stop].isspace():
            stop += 1
        runs.append((place, stop))
        place = stop
    return runs


def compose(text: str, first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits of one field's text that do what ``first`` and then ``second`` do.

    ``second`` has offsets of the text that ``first`` makes. Edits that overlap or abut merge into
    one, with the spans that they brought carried; what neither touches stays out of the result.

    Raises
    ------
    EditRefusedError
        ``crosses_span`` if a second edit breaks a span that a first one brought.

    Examples
    --------
    >>> one = [Edit("text", 3, 8, "lvoes")]
    >>> compose("He loves NLP", one, [Edit("text", 0, 2, "She"), Edit("text", 3, 8, "LVOES")])
    (Edit(field='text', start=0, end=2, text='She', spans=(), inside=False), \
Edit(field='text', start=3, end=8, text='LVOES', spans=(), inside=False))
    """
    middle = apply_to_text(text, first)
    placed = _placed(in_order(first))
    later = in_order(second)
    apply_to_text(middle, later)  # refuses what overlaps or lies outside
    groups = _overlapping(
        [(start, end, (0, i)) for i, (start, end, _) in enumerate(placed)]
        + [(edit.start, edit.end, (1, i)) for i, edit in enumerate(later)]
    )
    composed = []
    for start, end, members in groups:
        earlier = [placed[i] for side, i in members if side == 0]
        inner = [later[i] for side, i in members if side == 1]
        merged = _merge(middle[start:end], (start, earlier), inner)
        base = (_to_base(start, placed, after=False), _to_base(end, placed, after=True))
        composed.append(merged._replace(start=base[0], end=base[1]))
    return tuple(e for e in composed if text[e.start : e.end] != e.text or e.spans)


def _placed(edits: Sequence[Edit]) -> list[tuple[int, int, Edit]]:
    """Where the new text of each edit stands afterwards: (start, end, edit)."""
    placed = []
    shift = 0
    for edit in edits:
        start = edit.start + shift
        placed.append((start, start + len(edit.text), edit))
        shift += len(edit.text) - (edit.end - edit.start)
    return placed


def _overlapping(
    intervals: Sequence[tuple[int, int, tuple[int, int]]],
) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Groups of intervals that overlap, or abut across the two sides, from left to right."""
    groups: list[tuple[int, int, list[tuple[int, int]]]] = []
    for start, end, member in sorted(intervals):
        low, high, members = groups[-1] if groups else (0, -1, [])
        abuts = start == high and any(side != member[0] for side, _ in members)
        if start < high or abuts:
            groups[-1] = (low, max(high, end), [*members, member])
        else:
            groups.append((start, end, [member]))
    return groups


def _to_base(place: int, placed: Sequence[tuple[int, int, Edit]], *, after: bool) -> int:
    """Offset of the base text for a border of a merged group in the text between."""
    shift = 0
    for start, end, edit in placed:
        if place < start or (place == start and not after):
            break
        shift = end - edit.end
    return place - shift


def _merge(
    text: str, earlier: tuple[int, Sequence[tuple[int, int, Edit]]], later: Sequence[Edit]
) -> Edit:
    """One edit that brings the text between two borders, with the spans of both sides."""
    base, first = earlier
    inner = [e._replace(start=e.start - base, end=e.end - base) for e in later]
    name = first[0][2].field if first else later[0].field
    spans = [
        s._replace(start=start - base + s.start, end=start - base + s.end)
        for start, _, edit in first
        for s in edit.spans
    ]
    inside = any(edit.inside for _, _, edit in first) or any(edit.inside for edit in later)
    carried = carry_spans(spans, {name: inner}) if spans else tuple(_brought({name: inner}))
    return Edit(name, 0, 0, apply_to_text(text, inner), carried, inside)


def _out_of_bounds(edit: Edit, text: str) -> EditRefusedError:
    """Error for an edit that does not lie within the text."""
    return EditRefusedError(
        "bounds", f"an edit of code points {edit.start} to {edit.end} in a text of {len(text)}"
    )
