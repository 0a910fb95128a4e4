"""Places that many transformations share."""

from collections.abc import Callable, Sequence

from scrutiny.core.transformation import Document, Site
from scrutiny.text.tokens import is_word

WHOLE_TEXT = -1

new_tuple = tuple.__new__  # a named tuple without the call of its own constructor


def word_sites(document: Document, shortest: int = 1) -> list[Site]:
    """Tokens with letters and at least so many code points; no URLs, mentions, tags or numbers."""
    text = document.text
    return [
        new_tuple(Site, (start, end, i))
        for i, (start, end) in enumerate(document.tokens)
        if end - start >= shortest and ((word := text[start:end]).isalpha() or is_word(word))
    ]


def sites_where(document: Document, is_place: Callable[[str], bool]) -> list[Site]:
    """Tokens whose surface passes a test."""
    words = document.words
    return [
        Site(start, end, i) for i, (start, end) in enumerate(document.tokens) if is_place(words[i])
    ]


def whole_text(document: Document) -> Sequence[Site]:
    """The text as one place; none if it is blank."""
    return (Site(0, len(document.text), WHOLE_TEXT),) if document.text.strip() else ()
