"""Edits and the words of a text: two steps composed into one, words changed, windows around them.

What two steps say of the words is said of the original. Constraints compare words, edits address
code points: every edit is widened to the tokens that it touches, the new stretch is segmented
anew, and words that stay at its ends are taken off again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from scrutiny.core.answers.answer import fences_of, segments_of
from scrutiny.core.edit import Borders, CarriedWord, Edit, EditRefusedError, Piece
from scrutiny.core.example import Example
from scrutiny.core.transformation import Document
from scrutiny.text.edit_tracks import OrderedEdits, in_order
from scrutiny.text.edits import apply_edits, apply_to_text, compose, track_of
from scrutiny.text.tokens import is_lexical, token_texts


def rebase(
    base: Example, middle: Example, first: Sequence[Edit], second: Sequence[Edit]
) -> tuple[Edit, ...]:
    """Edits of ``base`` with the effect of ``first`` followed by ``second``.

    Parameters
    ----------
    base, middle
        The example before both, and after ``first``.
    first, second
        Edits of ``base``, and of ``middle``.

    Raises
    ------
    EditRefusedError
        ``not_rebased`` if an annotation would end elsewhere than after the two steps: the steps
        touch at the border of a span in a way that one edit cannot say.
    """
    annotations = (*fences_of(base.gold), *base.spans, *base.protected)
    words = segments_of(base.gold)
    composed: list[Edit] = []
    for name, text in base.fields.items():
        earlier = [edit for edit in first if edit.field == name]
        later = [edit for edit in second if edit.field == name]
        spans = [span for span in annotations if span.field == name]
        own = compose(text, earlier, later, spans=spans) if later else earlier
        if name in words and later and any(edit.pieces for edit in (*earlier, *later)):
            before = track_of(base, first).words(name, words[name])
            after = track_of(middle, second).words(name, [word[:2] for word in before])
            own = restated(own, in_turn(before, after), words[name])
        composed += own
    if annotations or words or any(edit.spans for edit in composed):
        at_once, in_steps = apply_edits(base, composed), apply_edits(middle, second)
        if replace(at_once, tokens=None) != replace(in_steps, tokens=None):
            raise EditRefusedError("not_rebased", "two steps touch at the border of a span")
    return tuple(composed)


def in_turn(first: Sequence[CarriedWord], second: Sequence[CarriedWord]) -> list[CarriedWord]:
    """Words after two steps of a composition, each with what it continues of the original text.

    Parameters
    ----------
    first
        Words after the first step.
    second
        Words after the second step, with what they continue of those.
    """
    place = {old: k for k, word in enumerate(second) for old in word.of}
    return [_of_both(word, first, place) for word in second]


def _of_both(
    word: CarriedWord, first: Sequence[CarriedWord], place: Mapping[int, int]
) -> CarriedWord:
    """Word after the second step; it takes over what the first said of the words it continues."""
    merged = [first[i] for i in word.of]
    if lost := next((one.lost for one in (word, *merged) if one.lost), ""):
        return CarriedWord(word.start, word.end, lost=lost)
    if of := tuple([i for one in merged for i in one.of]):
        return CarriedWord(word.start, word.end, of)
    if not merged:
        new, above = word.new, word.head
        if above is None or above < 0:
            return word
    else:  # of several new ones, the one that depends on none of the others
        one = next(w for w in merged if w.head is None or -1 - w.head not in word.of)
        new, above = one.new, one.head
        if above is None or above >= 0:
            return CarriedWord(word.start, word.end, (), new, above)
        above = -1 - above
    if old := first[above].of:
        return CarriedWord(word.start, word.end, (), new, old[0])
    if above not in place:
        return CarriedWord(word.start, word.end, lost="lost_head")
    return CarriedWord(word.start, word.end, (), new, -1 - place[above])


def restated(edits: Sequence[Edit], words: Sequence[CarriedWord], borders: Borders) -> list[Edit]:
    """Edits of a composition that state what becomes of their words, except those that cut one.

    Parameters
    ----------
    edits
        Edits of one field.
    words
        Words of the text after them.
    borders
        Words of the original.

    Raises
    ------
    EditRefusedError
        ``not_rebased`` if a new word depends on one that another edit brings.
    """
    ordered = OrderedEdits.of(edits)
    after = [(word.start, word.end) for word in words]
    stated = []
    for edit, gain in zip(ordered.edits, ordered.gains, strict=False):
        low, high = edit.start + gain, edit.start + gain + len(edit.text)
        if not (_is_cut(borders, edit.start, edit.end) or _is_cut(after, low, high)):
            own = [k for k, (start, end) in enumerate(after) if low <= start and end <= high]
            edit = edit._replace(pieces=tuple([_piece(words[k], own, low, borders) for k in own]))
        stated.append(edit)
    return stated


def _is_cut(borders: Borders, low: int, high: int) -> bool:
    """Whether a stretch holds a part of a word."""
    return any(a < high and low < b and not low <= a < b <= high for a, b in borders)


def _piece(word: CarriedWord, own: Sequence[int], low: int, borders: Borders) -> Piece:
    """Statement of one of an edit's own words."""
    start, end, of, new, head, lost = word
    if lost:
        raise EditRefusedError(lost, "the edits do not say what a word continues")
    place = start - low, end - low
    if new is None:
        return Piece(*place, tuple([borders[i][0] for i in of]))
    labels = new.relation, new.upos, new.xpos
    if head is None or head >= 0:
        return Piece(*place, (), None if head is None else borders[head][0], None, *labels)
    if -1 - head not in own:
        raise EditRefusedError("not_rebased", "a new word depends on one of another edit")
    return Piece(*place, (), None, own.index(-1 - head), *labels)


class WordChange(NamedTuple):
    """A run of words replaced by another; one of the two may be empty.

    Parameters
    ----------
    start, end
        Tokens of the document, half open.
    new_start, new_end
        Tokens of the text afterwards, half open.
    """

    start: int
    end: int
    new_start: int
    new_end: int


class WordChanges(NamedTuple):
    """Words of a text after edits, and the differences to those before.

    Parameters
    ----------
    words
        All tokens of the text afterwards.
    changes
        In the order of the text.
    """

    words: list[str]
    changes: tuple[WordChange, ...]


def word_changes(document: Document, edits: Sequence[Edit]) -> WordChanges:
    """Words after the edits of a document, aligned with those before.

    Parameters
    ----------
    document
        The text before.
    edits
        Disjoint edits of its field.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> changes = word_changes(document_of("A good film."), [Edit("text", 2, 6, "very bad")])
    >>> changes.words, changes.changes
    (['A', 'very', 'bad', 'film', '.'], (WordChange(start=1, end=2, new_start=1, new_end=3),))
    """
    before, tokens = document.words, document.tokens
    after: list[str] = []
    changes: list[WordChange] = []
    done = 0
    for first, last, held in _regions(document, edits):
        after += before[done:first]
        left = min([held[0].start, *(start for start, _ in tokens[first : min(first + 1, last)])])
        right = max([held[-1].end, *(end for _, end in tokens[max(first, last - 1) : last])])
        moved = [e._replace(start=e.start - left, end=e.end - left) for e in held]
        new = token_texts(apply_to_text(document.text[left:right], moved))
        changes += _differences(before[first:last], new, first, len(after))
        after += new
        done = last
    after += before[done:]
    return WordChanges(after, tuple(changes))


def _regions(document: Document, edits: Sequence[Edit]) -> list[tuple[int, int, list[Edit]]]:
    """Runs of tokens that edits touch or adjoin, and their edits."""
    starts = [start for start, _ in document.tokens]
    ends = [end for _, end in document.tokens]
    found: list[tuple[int, int, list[Edit]]] = []
    for edit in in_order(edits):
        first, last = bisect_left(ends, edit.start), bisect_right(starts, edit.end)
        if found and first < found[-1][1]:
            before = found.pop()
            found.append((before[0], max(last, before[1]), [*before[2], edit]))
        else:
            found.append((first, max(first, last), [edit]))
    return found


def _differences(
    old: Sequence[str], new: Sequence[str], first: int, new_first: int
) -> list[WordChange]:
    """Changes between two runs of tokens: word by word if they have the same length."""
    if len(old) == len(new):
        places = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
        return [
            WordChange(first + i, first + i + 1, new_first + i, new_first + i + 1) for i in places
        ]
    from rapidfuzz.distance import Postfix, Prefix

    head = Prefix.similarity(old, new)
    tail = Postfix.similarity(old[head:], new[head:])
    start, end = first + head, first + len(old) - tail
    return [WordChange(start, end, new_first + head, new_first + len(new) - tail)]


def windows(document: Document, edits: Sequence[Edit], size: int | None) -> list[tuple[str, str]]:
    """Text before and after, cut to a window of words around each edit; windows are merged.

    Punctuation does not count; a word that is put in does. At either end of the text the window
    reaches farther to the other side; without a size it is the whole text.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> windows(document_of("It was a very good film."), [Edit("text", 14, 18, "bad")], 3)
    [('very good film', 'very bad film')]
    """
    if size is None:
        return [(document.text, apply_to_text(document.text, edits))]
    words = [t for t, w in zip(document.tokens, document.words, strict=True) if is_lexical(w)]
    stretches = {_stretch(edit, edits, words, size): None for edit in edits}
    found = []
    for low, high in stretches:
        held = [e for e in edits if low <= e.start and e.end <= high]
        moved = [e._replace(start=e.start - low, end=e.end - low) for e in held]
        text = document.text[low:high]
        found.append((text, apply_to_text(text, moved)))
    return found


def _stretch(edit: Edit, edits: Sequence[Edit], words: Borders, size: int) -> tuple[int, int]:
    """Code points of the window around an edit, extended to the edits at its ends."""
    first = bisect_right([end for _, end in words], edit.start)
    last = max(first, bisect_left([start for start, _ in words], edit.end))
    room = max(0, size - max(1, last - first))
    low, high = first - room // 2, last + room - room // 2
    if low < 0:
        low, high = 0, high - low
    if high > len(words):
        low, high = max(0, low - high + len(words)), len(words)
    start = min([edit.start, *(word[0] for word in words[low : low + 1])])
    end = max([edit.end, *(word[1] for word in words[max(low, high - 1) : high])])
    for other in edits:
        if other.start < end and other.end > start:
            start, end = min(start, other.start), max(end, other.end)
    return start, end
