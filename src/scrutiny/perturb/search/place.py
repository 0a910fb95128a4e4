"""A place of a text that a search may change."""

from typing import NamedTuple

from scrutiny.core.transformation import Site

PlaceKey = tuple[str, int, int, int]


class Place(NamedTuple):
    """A place of the current text that may be changed, with what can change it.

    Parameters
    ----------
    field
        Its text field.
    start, end
        Code points of the base that it comes from.
    token
        The token of the base that it comes from; -1 for new words, and for what is no word.
    low, high
        Where it stands in the current text.
    sites
        What can change it: number of the move, and the site in the current text.
    """

    field: str
    start: int
    end: int
    token: int
    low: int
    high: int
    sites: tuple[tuple[int, Site], ...]

    @property
    def key(self) -> PlaceKey:
        """What names it in all texts of a search."""
        return self[:4]
