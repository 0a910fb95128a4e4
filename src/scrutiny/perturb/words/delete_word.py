"""Deletion of one word."""

from collections.abc import Iterator
from dataclasses import dataclass

from scrutiny.core.transformation import Document, Intensity, Site, may_change_unless
from scrutiny.perturb.engine.change import Change, Edit, Rng, Sites, sites_where
from scrutiny.text.tokens import is_lexical


@dataclass(frozen=True, slots=True)
class DeleteWord(Change):
    """Deletes one word with the space before it; never the only word of a text.

    **Measures** with a search on top, which words an answer hangs on: input reduction deletes what
    it does not need.

    **Misleads when** read as a change that keeps the meaning; it need not. In Chinese and Japanese,
    whose words are not told apart, it deletes a character.

    References
    ----------
    Feng et al. (2018). Pathologies of neural models make interpretations difficult.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> [edit[1:4] for edit in perturb("Oh (very good).", "delete_word(share=1)", seed=0).edits]
    [(0, 3, ''), (4, 9, '')]
    """

    id = "delete_word@1"
    title = "words deleted"
    languages = frozenset({"*"})
    effect = may_change_unless("words")
    intensity = Intensity(share=0.1, least=1, most=None)
    is_for_search = True

    def sites(self, document: Document) -> Sites:
        """Words and numbers, if there are at least two of them."""
        found = sites_where(document, is_lexical)
        return found if len(found) > 1 else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The deletion, with the space before the word, or else the one after it."""
        text = document.text
        start, end = site.start, site.end
        while start > 0 and text[start - 1].isspace():
            start -= 1
        if start in (site.start, 0):  # after a mark, or in the beginning
            start = site.start
            while end < len(text) and text[end].isspace():
                end += 1
        yield (Edit(document.field, start, end, ""),)
