"""Moves of a search: places of a text, and transformations with the words they may change."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from scrutiny.core.errors import PlanError
from scrutiny.core.transformation import Site, Transformation, Where
from scrutiny.text.lexicon import is_stop_word

PlaceKey = tuple[str, int, int, int]


class Place(NamedTuple):
    """A place of the current text that may be changed, with the moves that can change it.

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
        """Identifier of the place in all texts of a search."""
        return self[:4]


_is_stop_word = lru_cache(maxsize=1 << 16)(is_stop_word)


@dataclass(frozen=True, slots=True)
class Changeable:
    """Which words may be changed.

    Protected stretches never may. A place that is the whole text, or lies between words, is free
    from ``stop_words``, ``shortest`` and ``longest``.

    Parameters
    ----------
    stop_words
        Words that stay, in lower case and compared so; true for the package's own list of English
        function words, false for none.
    shortest, longest
        Code points that a word must have at least, and may have at most.
    is_once
        Whether a word that was changed, or came in, stays as it is from then on.
    fields
        Text fields that may be changed ("hypothesis" alone of a pair); empty for all.

    Examples
    --------
    >>> rule = Changeable(stop_words=True, shortest=4)
    >>> [rule.allows(word) for word in ("There", "there", "film", "ox")]
    [False, False, True, False]
    """

    stop_words: frozenset[str] | bool = False
    shortest: int = 1
    longest: int | None = None
    is_once: bool = True
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.stop_words, (bool, frozenset)):
            raise PlanError(  # the letters of "french" are no stop words
                f"stop_words is a set of words, or true for the English list that ships with the "
                f"package, not {self.stop_words!r}."
            )

    def allows(self, word: str) -> bool:
        """Whether a word may be changed, judging by its form."""
        if len(word) < self.shortest or (self.longest is not None and len(word) > self.longest):
            return False
        if self.stop_words is False:
            return True
        if self.stop_words is True:
            return not _is_stop_word(word)
        return word.lower() not in self.stop_words


@dataclass(frozen=True, slots=True)
class Move:
    """A transformation in a search.

    Parameters
    ----------
    transformation
        What proposes the edits.
    most
        How many of its candidates for one place are looked at; nothing for all of them.
    may_change
        Which words it may change.
    where
        Places relative to annotated spans; nothing for the transformation's own rule.
    """

    transformation: Transformation
    most: int | None = None
    may_change: Changeable = Changeable()
    where: Where | None = None

    @property
    def place_rule(self) -> Where:
        """Position of sites relative to annotated spans."""
        own: Where = self.transformation.where
        return own if self.where is None else self.where


@dataclass(frozen=True, slots=True)
class Amount:
    """Largest number of words that may be changed.

    Parameters
    ----------
    words
        So many, or nothing.
    share
        So large a part of the words of all fields, or nothing.
    least
        What the share always allows.

    Examples
    --------
    >>> Amount(share=0.1, least=4).limit(word_count=12), Amount().limit(word_count=12)
    (4, None)
    """

    words: int | None = None
    share: float | None = None
    least: int = 1

    def limit(self, *, word_count: int) -> int | None:
        """Largest number of words to change in a text of this length, or `None`."""
        limits = [] if self.words is None else [self.words]
        if self.share is not None:
            limits.append(max(self.least, int(self.share * word_count)))
        return min(limits, default=None)
