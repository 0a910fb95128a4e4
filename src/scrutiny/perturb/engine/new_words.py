"""Pieces of edits: which words of the new text are old ones, and what is known of the others.

Only where the gold answer speaks of each word; elsewhere no edit states any.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from scrutiny.core.answers.words import ROOT
from scrutiny.core.edit import Edit, Piece
from scrutiny.core.transformation import Document
from scrutiny.text.tokens import offsets_of_words, token_spans


def with_unknown(document: Document, edit: Edit) -> Edit:
    """Edit whose new words are words of which nothing is known."""
    if not document.has_words:
        return edit
    return edit._replace(pieces=tuple([Piece(a, b) for a, b in token_spans(edit.text)]))


def with_same_words(document: Document, edit: Edit, words: Sequence[str]) -> Edit:
    """Edit whose words are those that it takes the place of, one by one, if they are as many."""
    if not document.has_words:
        return edit
    new, old = offsets_of_words(edit.text, words), _covered(document, edit)
    if new is None or len(old) != len(new):
        return edit
    pieces = [Piece(a, b, (start,)) for (a, b), start in zip(new, old, strict=True)]
    return edit._replace(pieces=tuple(pieces))


def with_name(document: Document, edit: Edit, *, top: int) -> Edit:
    """Edit of a name by another one; of words that are more or fewer, one is the name's head.

    Parameters
    ----------
    top
        Number of that word among the new ones: the first of a person, the last of a place (-1).
    """
    stated = with_same_words(document, edit, edit.text.split())
    if stated.pieces or not document.has_words:
        return stated
    pieces = list(with_unknown(document, edit).pieces)
    pieces[top] = pieces[top]._replace(of=_covered(document, edit))
    return edit._replace(pieces=tuple(pieces))


def _covered(document: Document, edit: Edit) -> tuple[int, ...]:
    """Places of the words that an edit covers."""
    first = bisect_left(document.tokens, (edit.start,))
    last = bisect_right(document.tokens, (edit.end,))
    return tuple([a for a, b in document.tokens[first:last] if b <= edit.end])


def with_marks(document: Document, edit: Edit, *, kept: str = "", root: int = 0) -> Edit:
    """Edit whose new text is punctuation that depends on a sentence.

    Parameters
    ----------
    kept
        Beginning of the new text that is the mark which stood there, if one did.
    root
        Number of the sentence in the text, which may be -1.
    """
    if not document.has_words:
        return edit
    gold = document.example.gold
    tops = [gold.borders[i][0] for i, head in enumerate(gold.heads or ()) if head == ROOT]
    new = Piece(0, len(edit.text), (), tops[root] if tops else None, None, "punct", "PUNCT")
    cut = len(kept)
    pieces = [new._replace(end=cut, of=_covered(document, edit)[-1:]), new._replace(start=cut)]
    return edit._replace(pieces=tuple([piece for piece in pieces if piece.start < piece.end]))
