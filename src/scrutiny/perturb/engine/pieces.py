"""Pieces of composed edits: what two steps say of the words, said of the original."""

from collections.abc import Mapping, Sequence

from scrutiny.core.answers.track import CarriedWord
from scrutiny.core.edit import Edit, EditRefusedError, Piece
from scrutiny.text.edits.ordered import OrderedEdits


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


def restated(
    edits: Sequence[Edit], words: Sequence[CarriedWord], borders: Sequence[tuple[int, int]]
) -> list[Edit]:
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
            edit = edit._replace(pieces=tuple([_piece(words, k, own, low, borders) for k in own]))
        stated.append(edit)
    return stated


def _is_cut(borders: Sequence[tuple[int, int]], low: int, high: int) -> bool:
    """Whether a stretch holds a part of a word."""
    return any(a < high and low < b and not low <= a < b <= high for a, b in borders)


def _piece(
    words: Sequence[CarriedWord],
    number: int,
    own: Sequence[int],
    low: int,
    borders: Sequence[tuple[int, int]],
) -> Piece:
    """Statement of one of an edit's own words."""
    start, end, of, new, head, lost = words[number]
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
