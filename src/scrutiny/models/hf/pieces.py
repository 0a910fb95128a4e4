"""Pieces of a tokenizer: the words that they begin, and the spaces that they hold."""

from collections.abc import Sequence


def first_pieces(
    words: Sequence[tuple[int, int]], offsets: Sequence[tuple[int, int]]
) -> list[int | None]:
    """First piece of a tokenizer that overlaps with each word of a text, by index, or `None`.

    Pieces are those of a model's tokenizer; special ones have empty offsets. A piece may
    begin with the space in front of its word.

    Examples
    --------
    >>> first_pieces([(0, 4), (5, 7)], [(0, 0), (0, 2), (2, 4), (4, 7), (0, 0)])
    [1, 3]
    """
    firsts: list[int | None] = []
    place = 0
    for start, end in words:
        while place < len(offsets) and (
            offsets[place][1] <= start or offsets[place][0] == offsets[place][1]
        ):
            place += 1
        fits = place < len(offsets) and offsets[place][0] < end
        firsts.append(place if fits else None)
    return firsts


def without_space(text: str, offsets: tuple[int, int]) -> tuple[int, int]:
    """Borders of a piece of a text without the space before it, unless it is only spaces.

    Examples
    --------
    >>> without_space("a film", (1, 6)), without_space("a  b", (1, 3))
    ((2, 6), (1, 3))
    """
    start, end = offsets
    shown = text[start:end]
    blank = len(shown) - len(shown.lstrip())
    return start + (blank if blank < len(shown) else 0), end
