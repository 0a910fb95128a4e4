"""Words of a changed text, each with what it continues of the original."""

from typing import NamedTuple


class Piece(NamedTuple):
    """Word of an edit's new text: it continues a word of the original, or it is new.

    Places in the original are the offsets at which its words begin.

    Parameters
    ----------
    start, end
        Place in the edit's new text.
    of
        The original's words that it continues, several if it merges them; none for a new word.
    head
        The original's word that a new word depends on; None if it is another word of the same edit
        (``sibling``), or the root of a sentence of its own.
    sibling
        Number of the piece of the same edit that it depends on.
    relation, upos, xpos
        Labels of a new word; empty for unknown ones. Without a relation, no head is known either.
    """

    start: int
    end: int
    of: tuple[int, ...] = ()
    head: int | None = None
    sibling: int | None = None
    relation: str = ""
    upos: str = ""
    xpos: str = ""


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
