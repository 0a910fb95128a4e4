"""All words as sites, for methods that bring their own candidates."""

from dataclasses import dataclass

from scrutiny.core.transformation import Document, Site, Transformation, may_change_unless
from scrutiny.perturb.engine.change import Candidates, Rng, Sites, word_sites


@dataclass(frozen=True, slots=True)
class AnyWord(Transformation):
    """Every word, for methods that bring their own candidates.

    Sites without candidates: all words that are long enough.

    Parameters
    ----------
    shortest
        Words of fewer characters are left alone.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> [site.token for site in AnyWord(2).sites(document_of("In 2 words"))]
    [0, 2]
    """

    id = "any_word@1"
    languages = frozenset({"*"})
    effect = may_change_unless()
    where = "around"

    shortest: int = 1

    def sites(self, document: Document) -> Sites:
        """Words that are long enough."""
        return word_sites(document, self.shortest)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """No candidates."""
        return iter(())
