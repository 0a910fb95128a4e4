"""Edits applied: one function rewrites texts and moves every annotation.

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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from scrutiny.core.answers.answer import has_places, type_of
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example, Span
from scrutiny.text.edits.ordered import OrderedEdits, in_order
from scrutiny.text.edits.track import EditTrack, carry_untouched
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
    for _, start, end, new, _, _, _ in edits:
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
    if _is_plain(example) and not any([edit.spans for edit in edits]):
        return example.with_fields(_texts(example, _by_field(example, edits)))
    track = track_of(example, edits)
    gold, tokens = example.gold, example.tokens
    if has_places(gold):
        gold = type_of(gold).carry(gold, track)
    return replace(
        example,
        fields=track.texts,
        gold=gold,
        spans=track.annotations(),
        protected=_carry_protected(example.protected, track.edits),
        tokens=tokens and {name: track.borders(name, old) for name, old in tokens.items()},
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


def _is_plain(example: Example) -> bool:
    """Whether an example has texts only, and no annotations to move."""
    if example.spans or example.protected or example.tokens is not None:
        return False
    return not has_places(example.gold)


def _texts(example: Example, edits: Mapping[str, Sequence[Edit]]) -> dict[str, str]:
    """Texts of an example after edits by field."""
    return {
        name: apply_to_text(text, edits[name]) if name in edits else text
        for name, text in example.fields.items()
    }


def _carry_protected(
    protected: tuple[Span, ...], edits: Mapping[str, OrderedEdits]
) -> tuple[Span, ...]:
    """Protected spans after edits; only insertions at their borders are allowed."""
    for span in protected:
        if span.field in edits:
            first, last = edits[span.field].touching(span.start, span.end)
            if first < last:
                raise EditRefusedError("protected", "an edit touches a protected stretch")
    return carry_untouched(protected, edits)


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


def _borders(text: str) -> list[int]:
    """Offsets at which a token, or the text between two, begins; and the end."""
    return sorted({0, len(text), *(place for span in token_spans(text) for place in span)})
