"""Words split in two by a space."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.characters.positions import Letters, OneWord, Positions, letter_sites


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

    id = "split_word@1"
    title = "words split"

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
