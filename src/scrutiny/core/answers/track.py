"""Tracks: where the spans and the words of a text are after edits."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from scrutiny.core.edit import Piece
from scrutiny.core.example import Span

Borders = Sequence[tuple[int, int]]


class CarriedWord(NamedTuple):
    """Word of a changed text.

    Parameters
    ----------
    start, end
        Place in the new text.
    of
        Numbers of the original's words that it continues: one, several that were merged, or none.
    new
        What an edit states of a new word.
    head
        For a new word: number of the original's word that it depends on, or ``-1 - k`` for word k
        of the new text, or None for a root.
    lost
        Why nothing is known of it, or empty.
    """

    start: int
    end: int
    of: tuple[int, ...] = ()
    new: Piece | None = None
    head: int | None = None
    lost: str = ""


class Track(Protocol):
    """Where the places of a text are after edits; ``texts`` are the new ones, by field.

    Its methods raise `scrutiny.core.edit.EditRefusedError`, whose reason names what is lost.
    """

    @property
    def texts(self) -> Mapping[str, str]: ...  # noqa: D102 - see the class

    def spans(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Spans at their new places, and those that edits bring."""

    def words(self, field: str, borders: Borders) -> Sequence[CarriedWord]:
        """Words of the new text, each with the old words that it continues."""
