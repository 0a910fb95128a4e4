"""Where the words of a changed text come from."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from scrutiny.core.edit import Edit

Borders = Sequence[tuple[int, int]]


class Source(NamedTuple):
    """Where a token of a changed text comes from.

    Parameters
    ----------
    start
        Code point of the base that it begins at.
    token
        The token of the base that it is, or was before it was changed; -1 if it was inserted.
    is_touched
        Whether an edit has changed it or brought it.
    """

    start: int
    token: int
    is_touched: bool


class Trail:
    """Edits of one field of the base, and where their texts stand afterwards.

    Examples
    --------
    >>> borders = [(0, 1), (2, 6), (7, 11)]  # a good film
    >>> trail = Trail([Edit("text", 2, 6, "bad")], borders)  # a bad film
    >>> trail.source(2, 5)
    Source(start=2, token=1, is_touched=True)
    >>> trail.source(6, 10)
    Source(start=7, token=2, is_touched=False)
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

    @property
    def has_edits(self) -> bool:
        """Whether the text is not the base."""
        return bool(self._edits)

    def source(self, start: int, end: int) -> Source:
        """Where a token of the changed text, between two code points, comes from."""
        first = bisect_right(self._highs, start)
        last = bisect_left(self._lows, end)
        if first < last:  # edits reach into it
            edit, placed = self._edits[first], self._lows[first]
            low = start - self._gains[first] if start < placed else edit.start
            is_new = (
                edit.start == edit.end
                and placed <= start
                and end <= self._highs[first]
                and not self._is_inside(edit.start)
            )
            return Source(low, -1 if is_new else self._token_at(low), is_touched=True)
        low, high = start - self._gains[first], end - self._gains[first]
        is_touched = self._is_inside(low) or self._is_inside(high)
        return Source(low, self._token_at(low), is_touched=is_touched)

    def _token_at(self, place: int) -> int:
        """Token of the base that covers a code point, or begins next."""
        at = bisect_right(self._tokens, place, key=lambda token: token[1])
        return at if at < len(self._tokens) else -1

    def _is_inside(self, place: int) -> bool:
        """Whether a border of the base lies strictly inside a token."""
        at = bisect_right(self._tokens, place, key=lambda token: token[1])
        return at < len(self._tokens) and self._tokens[at][0] < place
