"""Masked positions, and the shared tokens of two sequences.

The mask: one token, a word from here on, several tokens from here on, nowhere. What is shared: by
the published procedure, and without its accidents.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from scrutiny.core.queries.language import Cloze, Clozes, Encoded


class Alignment(NamedTuple):
    """Positions of corresponding tokens, the same number on both sides."""

    first: tuple[int, ...]
    second: tuple[int, ...]


def published_alignment(first: Sequence[int], second: Sequence[int]) -> Alignment:
    """Shared tokens of two sentences to score, special tokens included, as published.

    ``difflib``'s equal blocks, with its habit of ignoring frequent tokens in sequences of 200 or
    more. It depends on the order of the two.

    References
    ----------
    Nangia et al. (2020), CrowS-Pairs; the released ``get_span`` with operation "equal".

    Examples
    --------
    >>> published_alignment([1, 7, 8, 2], [1, 9, 8, 2])
    Alignment(first=(0, 2, 3), second=(0, 2, 3))
    """
    return _equal(first, second, autojunk=True)


def _equal(first: Sequence[int], second: Sequence[int], *, autojunk: bool) -> Alignment:
    """Equal blocks of two sequences; common prefixes and suffixes are matched first."""
    blocks = SequenceMatcher(None, first, second, autojunk=autojunk).get_matching_blocks()
    return Alignment(
        tuple(i for block in blocks for i in range(block.a, block.a + block.size)),
        tuple(i for block in blocks for i in range(block.b, block.b + block.size)),
    )


def agreed_alignment(first: Encoded, second: Encoded) -> Alignment:
    """Shared tokens of whole shared words, whichever sentence comes first.

    Those that ``difflib`` matches in both orders, frequent tokens too, and without special tokens.
    A token counts only if every piece of its word is shared on both sides: a piece of a changed
    word is part of the change.

    Examples
    --------
    >>> from scrutiny.core.queries.language import Encoded
    >>> def of(ids, words):
    ...     special = tuple(w is None for w in words)
    ...     return Encoded(ids, special, ((0, 0),) * len(ids), words, (0,) * len(ids))
    >>> one = of((1, 5, 6, 8, 2), (None, 0, 0, 1, None))
    >>> other = of((1, 7, 6, 8, 2), (None, 0, 0, 1, None))
    >>> agreed_alignment(one, other)  # 6 ends two different words
    Alignment(first=(3,), second=(3,))
    """
    there = _equal(first.ids, second.ids, autojunk=False)
    back = _equal(second.ids, first.ids, autojunk=False)
    both = set(zip(*there, strict=True)) & set(zip(back.second, back.first, strict=True))
    pairs = sorted(p for p in both if not first.is_special[p[0]] and not second.is_special[p[1]])
    while True:
        broken_first = _broken_words(first, {i for i, _ in pairs})
        broken_second = _broken_words(second, {j for _, j in pairs})
        kept = [
            (i, j)
            for i, j in pairs
            if first.words[i] not in broken_first and second.words[j] not in broken_second
        ]
        if len(kept) == len(pairs):
            return Alignment(tuple(i for i, _ in kept), tuple(j for _, j in kept))
        pairs = kept


def _broken_words(sentence: Encoded, shared: set[int]) -> set[int]:
    """Words with a token that is not shared."""
    return {
        word
        for position, word in enumerate(sentence.words)
        if word is not None and position not in shared
    }


def rest(sentence: Encoded, shared: Sequence[int]) -> tuple[int, ...]:
    """Positions of the other tokens, except special ones."""
    taken = set(shared)
    return tuple(i for i in text_positions(sentence) if i not in taken)


def text_positions(sentence: Encoded) -> tuple[int, ...]:
    """Positions of the tokens that the tokenizer did not add."""
    return tuple(i for i, special in enumerate(sentence.is_special) if not special)


def masked_singly(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """One cloze for each position, in which this token alone is masked.

    Examples
    --------
    >>> from scrutiny.core.queries.language import Encoded
    >>> text = Encoded((1, 5, 6, 2), (True, False, False, True), (), (None, 0, 1, None), (0,) * 4)
    >>> [cloze.ids for cloze in masked_singly(text, [1, 2], mask_id=0)]
    [(1, 0, 6, 2), (1, 5, 0, 2)]
    """
    return tuple(_cloze(sentence, (i,), read=i, mask_id=mask_id) for i in positions)


def masked_within_word(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """One cloze for each position, in which it and the later tokens of its word are masked.

    References
    ----------
    Kauf & Ivanova (2023), A better way to do masked language model scoring.
    """
    return tuple(
        _cloze(sentence, _from_here_in_word(sentence, i), read=i, mask_id=mask_id)
        for i in positions
    )


def masked_from_here(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """Clozes that score from left to right: one a position, it and the later ones are masked."""
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
