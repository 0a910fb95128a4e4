"""Replacement of one word, with the right letter case and article."""

from collections.abc import Iterator

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.text.casing import match_case
from scrutiny.text.inflect import indefinite_article

_ARTICLES = frozenset({"a", "an"})


def replace_word(document: Document, index: int, word: str) -> Iterator[tuple[Edit, ...]]:
    """Edits that replace a token by a word, in the same letter case, and adjust "a" or "an".

    None come where the article would have to change and may not.

    Parameters
    ----------
    document
        The text.
    index
        Token that is replaced.
    word
        What stands there instead.
    """
    start, end = document.tokens[index]
    edit = Edit(document.field, start, end, match_case(document.words[index], word))
    article = follow_article(document, index, word)
    if article is None:
        yield (edit,)
    elif not document.is_protected(article.start, article.end):
        yield article, edit


def follow_article(document: Document, index: int, word: str) -> Edit | None:
    """Edit of the article directly before a token, if a new word needs the other form."""
    if index == 0:
        return None
    before = document.words[index - 1]
    if before.lower() not in _ARTICLES:
        return None
    start, end = document.tokens[index - 1]
    needed = indefinite_article(word)
    # Only a change of sound counts: what the writer wrote before is not ours to mend.
    if needed == indefinite_article(document.words[index]) or needed == before.lower():
        return None
    if before == "A":  # a capital alone may be one of a title or of a text in capitals
        shout = document.words[index].isupper() and len(document.words[index]) > 1
        return Edit(document.field, start, end, "AN" if shout else "An")
    return Edit(document.field, start, end, match_case(before, needed))
