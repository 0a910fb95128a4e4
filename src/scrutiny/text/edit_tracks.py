"""Tracks of edits: in order of place, and where the spans and words of a text are afterwards.

A word that edits leave, or change within, continues itself; pieces that an edit states are the new
words in place of those that it covers. Between two words that continue, a stretch of ``k`` old ones
whose borders edits cross becomes ``n`` new ones:

=============  =================================================================
k, n           what is known
=============  =================================================================
any, 0         the words are gone
1 or more, 1   the new word continues all of them
0, any         nothing (``new_word``)
1, several     nothing (``split_word``)
several each   nothing (``regrouped_words``)
=============  =================================================================

What an edit repeats (`scrutiny.core.edit.Copy`) are the words and spans of the original that stand
there; of a word that then stands twice, the second one is lost (``repeated_word``).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter, itemgetter

from scrutiny.core.edit import CarriedWord, Copy, Edit, EditRefusedError
from scrutiny.core.example import EVIDENCE, Span
from scrutiny.text.tokens import token_spans

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


Borders = tuple[tuple[int, int], ...]
_new = tuple.__new__  # a named tuple without the call of its own constructor
_Place = tuple[str, int]  # of an edit: its field, and its number in order


class EditTrack:
    """Track of the edits of one example.

    Parameters
    ----------
    edits
        By field.
    before, texts
        Texts by field, before and after.
    annotations
        Spans of the example besides its answer.
    """

    def __init__(
        self,
        edits: Mapping[str, OrderedEdits],
        before: Mapping[str, str],
        texts: Mapping[str, str],
        annotations: Sequence[Span] = (),
    ) -> None:
        self.edits = edits
        self._before = before
        self.texts = texts
        self._annotations = annotations
        self._annotated = _replacing(annotations, edits) if _brings(edits) else set()
        self._taken: set[_Place] = set()
        self._words: dict[tuple[str, Borders], list[CarriedWord]] = {}

    def spans(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Spans of an answer, with those that edits bring for it."""
        carried = carry_untouched(spans, self.edits)
        if not _brings(self.edits):
            return carried
        replaced = _replacing(spans, self.edits)
        brought = _brought(self.edits)
        mine = [(at, s) for at, s in brought if at in replaced or at not in self._annotated]
        self._taken.update(at for at, _ in mine)
        return _with_brought(carried, [span for _, span in mine])

    def replaces(self, spans: Sequence[Span]) -> bool:
        """Whether an edit puts spans of its own in the place of one of these."""
        places = _replacing(spans, self.edits) if _brings(self.edits) else ()
        return any(self.edits[name].edits[at].spans for name, at in places)

    def annotations(self) -> tuple[Span, ...]:
        """Annotations, with the brought spans that replace them or that no answer has taken."""
        carried = carry_untouched(self._annotations, self.edits)
        if not _brings(self.edits):
            return carried
        brought = _brought(self.edits)
        mine = [s for at, s in brought if at in self._annotated or at not in self._taken]
        return _with_brought(carried, mine)

    def words(self, field: str, borders: Sequence[tuple[int, int]]) -> list[CarriedWord]:
        """Words of the new text, each with the old words that it continues."""
        if field not in self.edits:
            return [CarriedWord(start, end, (i,)) for i, (start, end) in enumerate(borders)]
        key = field, tuple(borders)  # an answer of words has the borders of the tokens
        if key not in self._words:
            made = _Words(borders, self.edits[field], self._before[field], self.texts[field])
            self._words[key] = made.all()
        return self._words[key]

    def borders(self, field: str, borders: Borders) -> Borders:
        """Borders of the words of the new text."""
        if field not in self.edits:
            return borders
        return tuple([(word.start, word.end) for word in self.words(field, borders)])


class _Words:
    """Words of one field, found from left to right."""

    def __init__(
        self, borders: Sequence[tuple[int, int]], edits: OrderedEdits, old: str, new: str
    ) -> None:
        self._borders = borders
        self._edits = edits
        self._old = old
        self._new = new
        self._numbers = {start: number for number, (start, _) in enumerate(borders)}
        self._ends = {end for _, end in borders}
        self._found: list[CarriedWord] = []
        self._open: list[int] = []  # words in front of here whose borders are crossed
        self._done = 0  # in the new text

    def all(self) -> list[CarriedWord]:
        """Words of the new text."""
        edits = self._edits
        starts, ends, gains = edits.starts, edits.ends, edits.gains
        stated = [number for number, edit in enumerate(edits.edits) if edit.states_words]
        passed = covered = 0  # number of edits in front of a word; end of what pieces cover
        for number, (start, end) in enumerate(self._borders):
            while stated and starts[stated[0]] <= start:
                covered = ends[stated[0]]
                self._state(stated.pop(0))
            while passed < len(ends) and ends[passed] < start:
                passed += 1
            if passed == len(ends) or starts[passed] > end:  # nearly always
                self._keep(number, start + gains[passed], end + gains[passed])
            elif end > covered:
                self._change(number, start, end)
        for number in stated:
            self._state(number)
        self._close(len(self._new))
        if any(edit.copies for edit in edits.edits):
            self._lose_repeated()
        return self._found

    def _change(self, number: int, start: int, end: int) -> None:
        """Word that edits touch, if they do: within it, or across its borders."""
        edits = self._edits
        first, last = edits.touching(start, end, lambda edit: self._is_glued(edit, start, end))
        touching = edits.edits[first:last]
        low, high = start + edits.gains[first], end + edits.gains[last]
        if not touching:
            self._keep(number, low, high)
        elif (
            touching[0].start < start
            or touching[-1].end > end
            or any([edit.states_words for edit in touching])
        ):
            self._open.append(number)
        else:
            self._close(low)
            self._add(_runs(self._new, low, high), (number,))
            self._done = high

    def _keep(self, number: int, low: int, high: int) -> None:
        """Untouched word at its new place."""
        if self._open or self._new[self._done : low].strip():
            self._close(low)
        self._found.append(_new(CarriedWord, (low, high, (number,), None, None, "")))
        self._done = high

    def _is_glued(self, edit: Edit, start: int, end: int) -> bool:
        """Whether letters inserted at a border of a word belong to it: they touch it alone."""
        if edit.states_words:
            return False
        is_first = edit.start == start
        if (edit.start in self._ends) if is_first else (edit.start in self._numbers):
            return False  # between two words without a space
        old = self._old
        inner, outer = (old[start], edit.text[-1:]) if is_first else (old[end - 1], edit.text[:1])
        return inner.isalnum() and outer.isalnum()

    def _state(self, number: int) -> None:
        """Words that an edit states."""
        edit = self._edits.edits[number]
        start = edit.start + self._edits.gains[number]
        self._close(start)
        if edit.copies is not None:
            self._repeat(edit.copies, start)
            self._close(start + len(edit.text))
        before = len(self._found)
        for piece in edit.pieces:
            low, high = start + piece.start, start + piece.end
            named = piece.of if piece.head is None else (*piece.of, piece.head)
            if not self._numbers.keys() >= set(named):  # words of another tokenization
                self._found.append(CarriedWord(low, high, lost="regrouped_words"))
                continue
            of = tuple([self._numbers[place] for place in piece.of])
            head = None if piece.head is None else self._numbers[piece.head]
            if piece.sibling is not None:
                head = -1 - before - piece.sibling
            self._found.append(CarriedWord(low, high, of, None if of else piece, head))
        self._done = start + len(edit.text)

    def _repeat(self, copies: Sequence[Copy], start: int) -> None:
        """Words of the original that an edit repeats, and new ones between."""
        borders = self._borders
        for at, low, high in copies:
            self._close(start + at)
            gain = start + at - low
            number = bisect_left(borders, (low, low))
            while number < len(borders) and borders[number][1] <= high:
                a, b = borders[number]
                self._close(a + gain)
                self._found.append(CarriedWord(a + gain, b + gain, (number,)))
                self._done = b + gain
                number += 1

    def _lose_repeated(self) -> None:
        """Forget what a word continues if one before it continues the same."""
        seen: set[int] = set()
        for k, word in enumerate(self._found):
            if not seen.isdisjoint(word.of):
                self._found[k] = CarriedWord(word.start, word.end, lost="repeated_word")
            seen.update(word.of)

    def _close(self, place: int) -> None:
        """Words of the new text up to a place, which continue the words that are open."""
        start, between = self._done, self._new[self._done : place]
        if between and not between.isspace():
            tokens = [(start + a, start + b) for a, b in token_spans(between)]
            self._add(tokens, tuple(self._open))
        self._open.clear()

    def _add(self, borders: Sequence[tuple[int, int]], of: tuple[int, ...]) -> None:
        """New words in the place of old ones."""
        lost = "" if of else "new_word"
        if of and len(borders) > 1:
            lost = "split_word" if len(of) == 1 else "regrouped_words"
        self._found += [CarriedWord(a, b, () if lost else of, lost=lost) for a, b in borders]


def carry_spans(spans: Sequence[Span], edits: Mapping[str, Sequence[Edit]]) -> tuple[Span, ...]:
    """Spans after edits by field, in their old order, with spans that edits bring inserted.

    Raises
    ------
    EditRefusedError
        ``crosses_span`` if an edit without spans of its own crosses a border, ``empties_span`` if
        nothing is left of a span.
    """
    ordered = {name: OrderedEdits.of(group) for name, group in edits.items()}
    return _with_brought(carry_untouched(spans, ordered), [span for _, span in _brought(ordered)])


def carry_untouched(spans: Sequence[Span], edits: Mapping[str, OrderedEdits]) -> tuple[Span, ...]:
    """Spans that edits do not replace, at their new positions; in order if edits repeat some."""
    moved = (_carry_one(s, edits[s.field]) if s.field in edits else s for s in spans)
    kept = tuple([span for span in moved if span is not None])
    return _with_brought(kept, [*_repeated(spans, edits)])


def _carry_one(span: Span, edits: OrderedEdits) -> Span | None:
    """One span at its new position.

    ``None`` if an edit replaces it by spans of its own, or loses one that an answer rests on.
    """
    first, last = edits.touching(span.start, span.end)
    touching = edits.edits[first:last]
    if any(e.spans or (e.clears and e.start <= span.start <= span.end <= e.end) for e in touching):
        return None
    start, end = span.start + edits.gains[first], span.end + edits.gains[last]
    lost, named = None, span.label or "a span"
    if touching and (touching[0].start < span.start or touching[-1].end > span.end):
        lost = EditRefusedError("crosses_span", f"an edit crosses the border of {named}")
    elif end <= start and span.start < span.end:
        lost = EditRefusedError("empties_span", f"an edit leaves {named} empty")
    if lost is not None and not span.label.startswith(EVIDENCE):
        raise lost
    return span._replace(start=start, end=end) if lost is None else None


def _repeated(spans: Sequence[Span], edits: Mapping[str, OrderedEdits]) -> Iterator[Span]:
    """Spans that stand in what edits repeat, at their positions in the new texts."""
    for name, group in edits.items():
        if not any([edit.copies for edit in group.edits]):
            continue
        own = sorted([span for span in spans if span.field == name], key=attrgetter("start"))
        starts = [span.start for span in own]
        for edit, gain in zip(group.edits, group.gains, strict=False):
            for at, low, high in edit.copies or ():
                moved = edit.start + gain + at - low
                for span in own[bisect_left(starts, low) : bisect_left(starts, high)]:
                    if span.end <= high:
                        yield span._replace(start=span.start + moved, end=span.end + moved)


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


def _with_brought(carried: tuple[Span, ...], brought: Sequence[Span]) -> tuple[Span, ...]:
    """Spans in order of place, if any are brought."""
    if not brought:
        return carried
    return tuple(sorted([*carried, *brought], key=lambda s: (s.field, s.start, s.end)))


def _brings(edits: Mapping[str, OrderedEdits]) -> bool:
    """Whether any edit brings spans."""
    return any([edit.spans for group in edits.values() for edit in group.edits])


_RUN = re.compile(r"\S+")


def _runs(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Borders of the runs of non-space characters between two offsets."""
    return [match.span() for match in _RUN.finditer(text, start, end)]
