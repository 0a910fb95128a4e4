"""Which tokens and sites touch annotated spans."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrutiny.core.transformation import Site, Where

if TYPE_CHECKING:
    from scrutiny.perturb.engine.document import TextDocument


def covered(document: "TextDocument") -> bytearray:
    """One byte for each code point: whether an annotated span covers it."""
    text = document.text
    steps: Counter[int] = Counter()
    for span in document.annotations:
        steps[span.start] += 1
        steps[span.end] -= 1
    marks = bytearray(len(text))
    depth = 0
    for place in range(len(text) if steps else 0):
        depth += steps[place]
        marks[place] = depth > 0
    return marks


def sites_where(sites: Sequence[Site], document: "TextDocument", where: "Where") -> Sequence[Site]:
    """Sites that touch no annotated span (``around``), only those that do, or all.

    The whole text as a site counts as around.
    """
    if where == "anywhere":
        return sites
    if not document.annotations:
        return sites if where == "around" else ()
    marks = covered(document)
    wanted = where == "within"
    return [s for s in sites if (s.token >= 0 and any(marks[s.start : s.end])) == wanted]


def tokens_where(document: "TextDocument", where: "Where") -> list[int]:
    """Indices of the tokens that touch no annotated span (``around``), only those that do, or all.

    Examples
    --------
    >>> from scrutiny.core.example import Example, Span
    >>> from scrutiny.perturb.engine.document import TextDocument
    >>> gold = (Span("text", 3, 8, "LOC"),)
    >>> document = TextDocument(Example("1", {"text": "In Paris now"}, gold=gold))
    >>> tokens_where(document, "around"), tokens_where(document, "within")
    ([0, 2], [1])
    """
    if where == "anywhere" or not document.annotations:
        return [] if where == "within" else list(range(len(document.tokens)))
    sites = [Site(start, end, i) for i, (start, end) in enumerate(document.tokens)]
    return [site.token for site in sites_where(sites, document, where)]
