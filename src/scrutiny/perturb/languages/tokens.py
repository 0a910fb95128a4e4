"""Tokens of a text: their sentences, walks to either side, and edits of one of them."""

from collections.abc import Callable

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.text.tokens import sentences


def sentence_tokens(document: Document) -> list[tuple[int, int]]:
    """Token ranges ``(first, last + 1)`` of the sentences of a text, in order."""
    tokens = document.tokens
    ranges = []
    first = 0
    for _, end in sentences(document.text):
        last = first
        while last < len(tokens) and tokens[last][0] < end:
            last += 1
        if last > first:
            ranges.append((first, last))
        first = last
    return ranges


def sentence_of(document: Document, index: int) -> tuple[int, int]:
    """Token range of the sentence that contains a token."""
    return next((a, b) for a, b in sentence_tokens(document) if a <= index < b)


def beside(document: Document, index: int, step: int, is_passed: Callable[[int], bool]) -> int:
    """Index of the first token before (-1) or behind (1) another one that is not passed over.

    Without one it is the index before the first token, or behind the last.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> document = document_of("It has not really changed")
    >>> beside(document, 4, -1, lambda i: document.words[i] in ("not", "really"))
    1
    """
    at = index + step
    while 0 <= at < len(document.words) and is_passed(at):
        at += step
    return at


def token_edit(document: Document, index: int, text: str, *, last: int | None = None) -> Edit:
    """Edit that puts a text in the place of a token, or of those up to another one."""
    stop = index if last is None else last
    return Edit(document.field, document.tokens[index][0], document.tokens[stop][1], text)
