"""The edit that puts another word in the place of one."""

from bisect import bisect_left

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Site
from scrutiny.text.casing import match_case


def replaced(document: Document, site: Site, word: str) -> tuple[Edit, ...]:
    """Edit of the word at a site, cased as the word there.

    Articles are left alone: what a search tries is one place, and the published attacks do so.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> replaced(document_of("A Film"), Site(2, 6, 1), "movie")[0].text
    'Movie'
    """
    old = document.text[site.start : site.end]
    return (Edit(document.field, site.start, site.end, match_case(old, word)),)


def token_at(document: Document, site: Site) -> int:
    """Number of the token at a site of a search, which edits before it may have shifted.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> token_at(document_of("A fi lm here"), Site(8, 12, 2))
    3
    """
    tokens, place = document.tokens, (site.start, site.end)
    if site.token < len(tokens) and tokens[site.token] == place:
        return site.token
    return min(bisect_left(tokens, place), len(tokens) - 1)
