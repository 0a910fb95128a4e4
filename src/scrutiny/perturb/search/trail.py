"""Origin of the words of a changed text."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from scrutiny.core.edit import Edit

Borders = Sequence[tuple[int, int]]


class Source(NamedTuple):
    """Origin of a part of a changed text.

    Parameters
    ----------
    start, end
        Code points of the base: those of the word that it is, or was before it was changed.
    token
        That token of the base; -1 for what was inserted, and where no token was asked about.
    is_touched
        Whether an edit has changed it or brought it.
    """

    start: int
    end: int
    token: int
    is_touched: bool


class Trail:
    """Edits of one field of the base, and the positions of their texts afterwards.

    Examples
    --------
    >>> borders = [(0, 1), (2, 6), (7, 11)]  # a good film
    >>> trail = Trail([Edit("text", 2, 6, "bad")], borders)  # a bad film
    >>> trail.of_token(2, 5)
    Source(start=2, end=6, token=1, is_touched=True)
    >>> trail.of_token(6, 10)
    Source(start=7, end=11, token=2, is_touched=False)
    """

    __slots__ = ("_edits", "_gains", "_highs", "_lows", "_tokens")

    def __init__(self, edits: Sequence[Edit], tokens: Borders) -> None:
        self._edits = edits
        self._tokens = tokens
        self._lows: list[int] = []
        self._highs: list[int] = []
        self._gains = [0]
        for edit in edits:
            low = edit.start + self._gains[-1]
            self._lows.append(low)
            self._highs.append(low + len(edit.text))
            self._gains.append(self._gains[-1] + len(edit.text) - edit.end + edit.start)

    def of_token(self, start: int, end: int) -> Source:
        """Origin of a token of the changed text."""
        first = bisect_right(self._highs, start)
        if first < bisect_left(self._lows, end):  # edits reach into it
            return self._of_touched(self._edits[first], first, start=start, end=end)
        low, high = start - self._gains[first], end - self._gains[first]
        token = self._token_at(low)
        if self._is_inside(low) or self._is_inside(high):
            return Source(*self._tokens[token], token, is_touched=True)
        return Source(low, high, token, is_touched=False)

    def of_stretch(self, start: int, end: int) -> Source:
        """Origin of a part of the changed text that is not a token, possibly empty."""
        low, high = self.place(start), self.place(end)
        is_touched = any(
            (a < end and b > start) or (e.start == e.end == low == high)
            for e, a, b in zip(self._edits, self._lows, self._highs, strict=True)
        )
        return Source(low, high, -1, is_touched=is_touched)

    def place(self, at: int) -> int:
        """Code point of the base from which a position of the changed text comes."""
        number = bisect_right(self._highs, at)
        if number < len(self._edits) and self._lows[number] < at:
            return self._edits[number].start
        return at - self._gains[number]

    def _of_touched(self, edit: Edit, number: int, *, start: int, end: int) -> Source:
        """Origin of a token that an edit partly changes."""
        placed = self._lows[number]
        is_new = (
            edit.start == edit.end
            and placed <= start
            and end <= self._highs[number]
            and not self._is_inside(edit.start)
        )
        if is_new:
            return Source(edit.start, edit.end, -1, is_touched=True)
        token = self._token_at(start - self._gains[number] if start < placed else edit.start)
        low, high = self._tokens[token] if token >= 0 else (edit.start, edit.end)
        return Source(low, high, token, is_touched=True)

    def _token_at(self, place: int) -> int:
        """Token of the base that covers a code point, or begins next; -1 after the last."""
        at = bisect_right(self._tokens, place, key=_end)
        return at if at < len(self._tokens) else -1

    def _is_inside(self, place: int) -> bool:
        """Whether a boundary of the base is strictly inside a token."""
        at = bisect_right(self._tokens, place, key=_end)
        return at < len(self._tokens) and self._tokens[at][0] < place


def _end(token: tuple[int, int]) -> int:
    return token[1]
