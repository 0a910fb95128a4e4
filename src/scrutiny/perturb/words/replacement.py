"""The edit that puts another word in the place of one."""

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Site
from scrutiny.text.casing import match_case


def replaced(document: Document, site: Site, word: str) -> tuple[Edit, ...]:
    """Edit of the word at a site, cased as the word there.

    Articles are left alone: what a search tries is one place, and the published attacks do so.

    Examples
    --------
    >>> from scrutiny.perturb.document import document_of
    >>> replaced(document_of("A Film"), Site(2, 6, 1), "movie")[0].text
    'Movie'
    """
    old = document.text[site.start : site.end]
    return (Edit(document.field, site.start, site.end, match_case(old, word)),)
