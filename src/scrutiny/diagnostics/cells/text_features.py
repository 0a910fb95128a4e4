"""Features of each piece of a text that a cell may follow: quotes, brackets, place, negation."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats

#: Code points of a piece of a text, end excluded.
Places = Sequence[tuple[int, int]]
_OPEN, _SHUT = "([{", ")]}"
_NEGATIONS: Final = frozenset(
    "no not never none nobody nothing nowhere neither nor cannot without n't".split()
)
_ENDS: Final = frozenset(".,;:!?")


def quotes(text: str, places: Places) -> Floats:
    """Whether a piece stands inside double quotes, the first of them with it.

    Examples
    --------
    >>> quotes('a "b" c', [(0, 1), (2, 3), (3, 4), (4, 5), (6, 7)]).tolist()
    [0.0, 1.0, 1.0, 0.0, 0.0]
    """
    found, is_inside = [], False
    for start, end in places:
        for letter in text[start:end]:
            is_inside = {"\u201c": True, "\u201d": False, '"': not is_inside}.get(letter, is_inside)
        found.append(float(is_inside))
    return np.array(found)


def brackets(text: str, places: Places) -> Floats:
    """How many brackets are open behind a piece.

    Examples
    --------
    >>> brackets("a(b)", [(0, 1), (1, 2), (2, 3), (3, 4)]).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    found, depth = [], 0
    for start, end in places:
        for letter in text[start:end]:
            depth = max(0, depth + (letter in _OPEN) - (letter in _SHUT))
        found.append(float(depth))
    return np.array(found)


def position(text: str, places: Places) -> Floats:
    """Number of pieces since the line began.

    Examples
    --------
    >>> position("a b", [(0, 1), (2, 3)]).tolist()
    [0.0, 1.0]
    """
    found: list[float] = []
    before = 0
    for start, _ in places:
        is_new = not found or "\n" in text[before:start]
        found.append(0.0 if is_new else found[-1] + 1.0)
        before = start
    return np.array(found)


def negation(text: str, places: Places) -> Floats:
    """Whether a negation stands before a piece in the same clause: its scope, roughly.

    A piece is a word here; pieces of letters have no negations.

    Examples
    --------
    >>> negation("not bad, good", [(0, 3), (4, 7), (7, 8), (9, 13)]).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    found, is_inside = [], False
    for start, end in places:
        word = text[start:end].lower().replace("\u2019", "'")
        is_inside = word not in _ENDS and (is_inside or word in _NEGATIONS or word.endswith("n't"))
        found.append(float(is_inside))
    return np.array(found)


FEATURES: Final[dict[str, Callable[[str, Places], Floats]]] = {
    "quotes": quotes,
    "brackets": brackets,
    "position": position,
    "negation": negation,
}
