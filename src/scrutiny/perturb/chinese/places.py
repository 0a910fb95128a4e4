"""Tokens of Chinese characters, and changes of one character of them."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Site

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_INSIDE: Final = True


def character_sites(document: Document) -> Sequence[Site]:
    """Tokens that consist of Chinese characters.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> [site.start for site in character_sites(document_of("我 love 你!", language="zh"))]
    [0, 7]
    """
    return [
        Site(*document.tokens[i], i) for i, word in enumerate(document.words) if is_chinese(word)
    ]


def is_chinese(word: str) -> bool:
    """Whether a token consists of Chinese characters."""
    return _HAN.fullmatch(word) is not None


def changes(
    document: Document, site: Site, alike: Callable[[str], str]
) -> Iterator[list[tuple[Edit, ...]]]:
    """For each character of a token, the edits that put another one in its place."""
    for place in range(site.start, site.end):
        others = alike(document.text[place])
        yield [(Edit(document.field, place, place + 1, o, (), _INSIDE),) for o in others]
