"""Another word in a word's place: in its letter case, and with its article where asked."""

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterable
from typing import ClassVar

from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.change import Candidates, Change, Edit, Rng, new_tuple, sites_where
from scrutiny.perturb.engine.streams import in_random_order
from scrutiny.perturb.languages.tokens import token_edit
from scrutiny.text.casing import match_case
from scrutiny.text.inflect import indefinite_article
from scrutiny.text.lexicon import is_stop_word

_ARTICLES = frozenset({"a", "an"})


class OtherWord(Change):
    """Base of transformations that put another word in a word's place.

    Attributes
    ----------
    is_drawn
        Whether the words come in random order, and not as they are given.
    has_article
        Whether "a" or "an" before the word follows the new one. What a search tries is one place,
        and the published attacks leave the article alone.
    """

    __slots__ = ()

    is_drawn: ClassVar[bool] = False
    has_article: ClassVar[bool] = False

    @abstractmethod
    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Words that can stand at a site, the best first; uses no randomness."""

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Each of the other words; none whose article would have to change and may not."""
        others = self.others(document, site)
        for other in in_random_order(tuple(others), rng) if self.is_drawn else others:
            edit = replaced(document, site, other)
            article = _follow_article(document, site.token, other) if self.has_article else None
            if article is None:
                yield (edit,)
            elif not document.is_protected(article.start, article.end):
                yield article, edit


def replaced(document: Document, site: Site, word: str) -> Edit:
    """Replacement of the word at a site, in its letter case.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> replaced(document_of("A Film"), Site(2, 6, 1), "movie").text
    'Movie'
    """
    start, end, _ = site
    new = match_case(document.text[start:end], word)
    edit: Edit = new_tuple(Edit, (document.field, start, end, new, (), False, ()))
    return edit


def _follow_article(document: Document, index: int, word: str) -> Edit | None:
    """Edit of the article directly before a token, if a new word needs the other form."""
    if index == 0:
        return None
    before = document.words[index - 1]
    if before.lower() not in _ARTICLES:
        return None
    needed = indefinite_article(word)
    # Only a change of sound counts: what the writer wrote before is not ours to mend.
    if needed == indefinite_article(document.words[index]) or needed == before.lower():
        return None
    if before == "A":  # a capital alone may be one of a title or of a text in capitals
        shout = document.words[index].isupper() and len(document.words[index]) > 1
        return token_edit(document, index - 1, "AN" if shout else "An")
    return token_edit(document, index - 1, match_case(before, needed))


def token_to_replace(document: Document, site: Site) -> int:
    """Index of the token whose word is to be replaced, adjusted for earlier edits.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> token_to_replace(document_of("A fi lm here"), Site(8, 12, 2))
    3
    """
    tokens, place = document.tokens, (site.start, site.end)
    if site.token < len(tokens) and tokens[site.token] == place:
        return site.token
    return min(bisect_left(tokens, place), len(tokens) - 1)


def content_words(document: Document) -> list[Site]:
    """Words that may be replaced: of three letters or more, and no function words."""
    return sites_where(
        document, lambda word: len(word) > 2 and word.isalpha() and not is_stop_word(word)
    )
