"""Typos in one word: deletion, exchange of two letters, a neighboring key, a split."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.characters.positions import Letters, OneWord, Positions, letter_sites
from scrutiny.text.characters import keyboard_neighbors


@dataclass(frozen=True, slots=True)
class Slip(OneWord):
    """Which words and characters a typo may affect."""

    positions: Positions = "random"
    keep_first: bool = False
    keep_last: bool = False
    shortest: int = 1


@dataclass(frozen=True, slots=True)
class DeleteLetter(Slip):
    """Deletes one character; never the only one.

    Parameters
    ----------
    positions
        ``random``: one character of a word, drawn; ``all``: each, from left to right.
    keep_first, keep_last
        Leave the first or the last character of a word where it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** with a search on top, how far chosen slips bring a model; see ``typos`` for random
    ones.

    **Misleads when** a word becomes another one ("cat", "at"): then it says something else.

    References
    ----------
    Gao et al. (2018). Black-box generation of adversarial text sequences to evade deep learning
    classifiers. Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> delete, document = DeleteLetter(positions="all"), document_of("a cat")
    >>> site = delete.sites(document)[0]
    >>> [edits[0][1:4] for edits in delete.candidates(document, site, default_rng(0))]
    [(2, 3, ''), (3, 4, ''), (4, 5, '')]
    """

    id: ClassVar[str] = "delete_letter@1"
    title: ClassVar[str] = "letters deleted"

    shortest: int = 2

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return letter_sites(document, max(2, self.shortest), self.keep_first, self.keep_last)

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Deletions of one character each; of two equal neighbors only the first is deleted."""
        units = word.units
        if len(units) < 2:
            return ()
        places = [i for i in word.places() if i == word.low or units[i] != units[i - 1]]
        return [(i, "", 1) for i in places]


@dataclass(frozen=True, slots=True)
class SwapLetters(Slip):
    """Exchanges two adjacent characters, never two equal ones.

    Parameters
    ----------
    positions
        ``random``: one pair of a word, drawn; ``all``: every pair, from left to right.
    keep_first, keep_last
        Leave the first or the last character of a word where it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** with a search on top, how far chosen slips bring a model; see ``typos`` for random
    ones.

    **Misleads when** read without the same number of random slips beside it.

    References
    ----------
    Gao et al. (2018). Black-box generation of adversarial text sequences to evade deep learning
    classifiers. Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> swap, document = SwapLetters(positions="all", keep_first=True), document_of("good")
    >>> site = swap.sites(document)[0]
    >>> [edits[0][1:4] for edits in swap.candidates(document, site, default_rng(0))]
    [(2, 4, 'do')]
    """

    id: ClassVar[str] = "swap_letters@1"
    title: ClassVar[str] = "letters swapped"

    shortest: int = 2

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return letter_sites(document, max(self.shortest, 2 + self.keep_first + self.keep_last))

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Exchanges of one adjacent pair each."""
        units = word.units
        pairs = [i for i in word.places()[:-1] if units[i] != units[i + 1]]
        return [(i, units[i + 1] + units[i], 2) for i in pairs]


@dataclass(frozen=True, slots=True)
class NeighborKey(Slip):
    """Replaces one character by an adjacent key on a QWERTY keyboard.

    Parameters
    ----------
    positions
        ``random``: one of all such changes of a word, drawn; ``all``: each key at each place.
    keep_first, keep_last
        Leave the first or the last character of a word as it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** with a search on top, how far chosen slips bring a model; see ``keyboard`` for
    random ones.

    **Misleads when** the users type on another layout, or with autocorrection.

    References
    ----------
    Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings with robust word recognition.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> near, document = NeighborKey(positions="all", keep_first=True), document_of("ox")
    >>> site = near.sites(document)[0]
    >>> [edits[0].text for edits in near.candidates(document, site, default_rng(0))]
    ['s', 'd', 'z', 'c']
    """

    id: ClassVar[str] = "neighbor_key@1"
    title: ClassVar[str] = "neighboring keys"

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Adjacent keys of each key, in the order of the keyboard rows."""
        return [(i, key, 1) for i in word.places() for key in keyboard_neighbors(word.units[i])]


@dataclass(frozen=True, slots=True)
class SplitWord(OneWord):
    """Inserts a space into a word, which splits it in two.

    Parameters
    ----------
    positions
        ``random``: one gap of a word, drawn; ``all``: each, from left to right.
    longest
        Words of more characters are left alone; nothing leaves none.

    **Measures** with a search on top, whether a model that reads words can be kept from seeing
    one.

    **Misleads when** both parts are words ("no where"): then it says something else.

    References
    ----------
    Li, Ji, Du, Li, Wang (2019). TextBugger: generating adversarial text against real-world
    applications. (There: words of fewer than six letters.)

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> split, document = SplitWord(positions="all"), document_of("cat")
    >>> site = split.sites(document)[0]
    >>> [edits[0][1:4] for edits in split.candidates(document, site, default_rng(0))]
    [(1, 1, ' '), (2, 2, ' ')]
    """

    id: ClassVar[str] = "split_word@1"
    title: ClassVar[str] = "words split"

    positions: Positions = "random"
    longest: int | None = None

    def sites(self, document: Document) -> Sequence[Site]:
        """Words of at least two characters, and not too long."""
        found = letter_sites(document, 2)
        longest = self.longest
        return found if longest is None else [s for s in found if s.end - s.start <= longest]

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Splits of a word in two."""
        return [(gap, " ", 0) for gap in range(1, len(word.units))]
