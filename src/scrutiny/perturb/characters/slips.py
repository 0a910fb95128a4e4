"""Typos of one letter: deletion, exchange of two, insertion, substitution, a space in between."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters
from typing import Literal

from scrutiny.core.edit import Edit, Piece
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.characters.within_words import (
    Letters,
    OneWord,
    Positions,
    chosen,
    exchanged,
    letter_sites,
    letters_of,
)
from scrutiny.perturb.engine.changes import Candidates, Sites
from scrutiny.text.letters import same_class

#: ``alike``: of the case and script of the letter there; ``ascii``: any of A-Z and a-z.
Drawn = Literal["alike", "ascii"]


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
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("a cat", "delete_letter(positions=all)", seed=0).edits[0][1:4]
    (2, 3, '')
    """

    id = "delete_letter@1"
    title = "letters deleted"

    shortest: int = 2

    def sites(self, document: Document) -> Sites:
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
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("good", "swap_letters(keep_first=true)", seed=0).edits[0][1:4]
    (2, 4, 'do')
    """

    id = "swap_letters@1"
    title = "letters swapped"

    shortest: int = 2

    def sites(self, document: Document) -> Sites:
        """Words that are long enough."""
        return letter_sites(document, max(self.shortest, 2 + self.keep_first + self.keep_last))

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Exchanges of one adjacent pair each."""
        places = word.places()[:-1]
        return [(i, new, 2) for i in places if (new := exchanged(word.units, i)) is not None]


@lru_cache(maxsize=4096)
def _options_at(unit: str, drawn: Drawn) -> str:
    """Letters that may replace a given one."""
    return same_class(unit) if drawn == "alike" else ascii_letters.replace(unit, "")


@dataclass(frozen=True, slots=True)
class RandomLetter(OneWord):
    """Base of edits with a random letter; the letter of a change is drawn last."""

    positions: Positions = "random"
    letters: Drawn = "alike"
    keep_first: bool = False
    keep_last: bool = False
    shortest: int = 1

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Changes of the word with one random letter each."""
        word = letters_of(document, site, keep_first=self.keep_first, keep_last=self.keep_last)
        for place, unit, width in chosen(self.changes(word), self.positions, rng):
            if options := _options_at(unit, self.letters):
                yield word.change(place, pick(options, rng.random()), width=width)


@dataclass(frozen=True, slots=True)
class InsertLetter(RandomLetter):
    """Inserts one letter between two characters, or at either end of the word.

    Parameters
    ----------
    positions
        ``random``: one gap of a word, drawn; ``all``: each, from left to right.
    letters
        ``alike``: a letter of the case and script of its neighbor; ``ascii``: any of A-Z and a-z.
    keep_first, keep_last
        Put nothing before the first, or behind the last, character of a word.
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
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("cat", "insert_letter(positions=all)", seed=0).edits[0][1:3]
    (0, 0)
    """

    id = "insert_letter@1"
    title = "letters inserted"

    def sites(self, document: Document) -> Sites:
        """Words that are long enough."""
        return letter_sites(document, self.shortest, self.keep_first and self.keep_last)

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Each insertion position, with the neighbor that determines the kind of letter."""
        units, last = word.units, len(word.units) - 1
        return [(gap, units[gap if gap < last else last], 0) for gap in word.gaps()]


@dataclass(frozen=True, slots=True)
class SubstituteLetter(RandomLetter):
    """Replaces one character by another letter.

    Parameters
    ----------
    positions
        ``random``: one character of a word, drawn; ``all``: each, from left to right.
    letters
        ``alike``: a letter of the same case and script; ``ascii``: any of A-Z and a-z.
    keep_first, keep_last
        Leave the first or the last character of a word as it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** with a search on top, how far chosen slips bring a model; see ``typos`` for random
    ones.

    **Misleads when** a word becomes another one ("cat", "car"): then it says something else.

    References
    ----------
    Gao et al. (2018). Black-box generation of adversarial text sequences to evade deep learning
    classifiers.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("cat", "substitute_letter(positions=all)", seed=0).edits[0][1:3]
    (0, 1)
    """

    id = "substitute_letter@1"
    title = "letters substituted"

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Each character that a letter may replace; with ``alike``, no punctuation."""
        pairs = [(i, word.units[i]) for i in word.places()]
        return [(i, unit, 1) for i, unit in pairs if _options_at(unit, self.letters)]


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
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("cat", "split_word(positions=all)", seed=0).edits[0][1:4]
    (1, 1, ' ')
    """

    id = "split_word@1"
    title = "words split"

    positions: Positions = "random"
    longest: int | None = None

    def sites(self, document: Document) -> Sites:
        """Words of at least two characters, and not too long."""
        found = letter_sites(document, 2)
        longest = self.longest
        return found if longest is None else [s for s in found if s.end - s.start <= longest]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Splits of a word; its gold annotation stays with the first part, as treebanks have it."""
        start, end, _ = site
        for (edit,) in OneWord.candidates(self, document, site, rng):
            if document.has_words:  # an edit of the whole word, which says what its parts are
                gap = edit.start - start
                text = f"{document.text[start : edit.start]} {document.text[edit.start : end]}"
                rest = Piece(gap + 1, len(text), (), None, 0, "goeswith", "X", "GW")
                pieces = Piece(0, gap, (start,)), rest
                edit = Edit(document.field, start, end, text, pieces=pieces)
            yield (edit,)

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Splits of a word in two."""
        return [(gap, " ", 0) for gap in range(1, len(word.units))]
