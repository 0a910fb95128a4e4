"""Where the mask stands: one token, a word from here on, several tokens from here on, nowhere."""

from collections.abc import Sequence

from scrutiny.core.language import Cloze, Clozes, Encoded
from scrutiny.models.scoring.alignment import text_positions


def masked_singly(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """One cloze for each position, in which this token alone is masked.

    Examples
    --------
    >>> from scrutiny.core.language import Encoded
    >>> text = Encoded((1, 5, 6, 2), (True, False, False, True), (), (None, 0, 1, None), (0,) * 4)
    >>> [cloze.ids for cloze in masked_singly(text, [1, 2], mask_id=0)]
    [(1, 0, 6, 2), (1, 5, 0, 2)]
    """
    return tuple(_cloze(sentence, (i,), read=i, mask_id=mask_id) for i in positions)


def masked_within_word(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """One cloze for each position, in which it and the later pieces of its word are masked.

    References
    ----------
    Kauf & Ivanova (2023), A better way to do masked language model scoring.
    """
    return tuple(
        _cloze(sentence, _from_here_in_word(sentence, i), read=i, mask_id=mask_id)
        for i in positions
    )


def masked_from_here(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """One cloze for each position, in which it and the later ones of these are masked."""
    return tuple(
        _cloze(sentence, tuple(positions[k:]), read=i, mask_id=mask_id)
        for k, i in enumerate(positions)
    )


def unmasked(sentence: Encoded) -> Clozes:
    """One cloze in which nothing is masked and every token of the text is read."""
    positions = text_positions(sentence)
    targets = tuple(sentence.ids[i] for i in positions)
    return (Cloze(sentence.ids, positions, targets, _segments(sentence)),)


def _from_here_in_word(sentence: Encoded, position: int) -> tuple[int, ...]:
    """Position itself and the later ones of the same word."""
    word = sentence.words[position]
    if word is None:
        return (position,)
    later = range(position + 1, len(sentence.ids))
    return (position, *(i for i in later if sentence.words[i] == word))


def _cloze(sentence: Encoded, masked: Sequence[int], *, read: int, mask_id: int) -> Cloze:
    ids = list(sentence.ids)
    for i in masked:
        ids[i] = mask_id
    return Cloze(tuple(ids), (read,), (sentence.ids[read],), _segments(sentence))


def _segments(sentence: Encoded) -> tuple[int, ...]:
    """Segments, where there are two."""
    return sentence.segments if any(sentence.segments) else ()
