"""Words split in two by a space."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.characters.positions import Letters, OneWord, Positions, letter_sites
from scrutiny.perturb.engine.change import Candidates, Edit, Piece, Rng, Sites


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
        for (edit,) in OneWord.candidates(self, document, site, rng):
            yield (_whole(document, site, edit.start) if document.has_words else edit,)

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Splits of a word in two."""
        return [(gap, " ", 0) for gap in range(1, len(word.units))]


def _whole(document: Document, site: Site, at: int) -> Edit:
    """Edit of the whole word that puts a space at a place."""
    start, end = site.start, site.end
    text, gap = f"{document.text[start:at]} {document.text[at:end]}", at - start
    rest = Piece(gap + 1, len(text), (), None, 0, "goeswith", "X", "GW")
    return Edit(document.field, start, end, text, pieces=(Piece(0, gap, (start,)), rest))
