"""Effects of edits on the words of a text: removed words, new words, and their context.

Constraints compare words, edits address code points. Every edit is widened to the tokens that it
touches, the new stretch is segmented anew, and words that stay at its ends are taken off again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.text.edits.apply import apply_to_text
from scrutiny.text.edits.ordered import in_order
from scrutiny.text.tokens import token_texts


class WordChange(NamedTuple):
    """A run of words replaced by another; one of the two may be empty.

    Parameters
    ----------
    start, end
        Tokens of the document, half open.
    new_start, new_end
        Tokens of the text afterwards, half open.
    """

    start: int
    end: int
    new_start: int
    new_end: int


class WordChanges(NamedTuple):
    """Words of a text after edits, and the differences to those before.

    Parameters
    ----------
    words
        All tokens of the text afterwards.
    changes
        In the order of the text.
    """

    words: list[str]
    changes: tuple[WordChange, ...]


def word_changes(document: Document, edits: Sequence[Edit]) -> WordChanges:
    """Words after the edits of a document, aligned with those before.

    Parameters
    ----------
    document
        The text before.
    edits
        Disjoint edits of its field.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> changes = word_changes(document_of("A good film."), [Edit("text", 2, 6, "very bad")])
    >>> changes.words, changes.changes
    (['A', 'very', 'bad', 'film', '.'], (WordChange(start=1, end=2, new_start=1, new_end=3),))
    """
    before = document.words
    after: list[str] = []
    changes: list[WordChange] = []
    done = 0
    for first, last, held in _regions(document, edits):
        after += before[done:first]
        new = _segmented(document, first, last, held)
        changes += _differences(before[first:last], new, first, len(after))
        after += new
        done = last
    after += before[done:]
    return WordChanges(after, tuple(changes))


def _regions(document: Document, edits: Sequence[Edit]) -> list[tuple[int, int, list[Edit]]]:
    """Runs of tokens that edits touch or adjoin, and their edits."""
    starts = [start for start, _ in document.tokens]
    ends = [end for _, end in document.tokens]
    found: list[tuple[int, int, list[Edit]]] = []
    for edit in in_order(edits):
        first, last = bisect_left(ends, edit.start), bisect_right(starts, edit.end)
        if found and first < found[-1][1]:
            before = found.pop()
            found.append((before[0], max(last, before[1]), [*before[2], edit]))
        else:
            found.append((first, max(first, last), [edit]))
    return found


def _segmented(document: Document, first: int, last: int, edits: Sequence[Edit]) -> list[str]:
    """Tokens of a run after its edits."""
    tokens = document.tokens
    left = min([edits[0].start, *(tokens[i][0] for i in range(first, min(first + 1, last)))])
    right = max([edits[-1].end, *(tokens[i][1] for i in range(max(first, last - 1), last))])
    moved = [e._replace(start=e.start - left, end=e.end - left) for e in edits]
    return token_texts(apply_to_text(document.text[left:right], moved))


def _differences(
    old: Sequence[str], new: Sequence[str], first: int, new_first: int
) -> list[WordChange]:
    """Changes between two runs of tokens: word by word if they have the same length."""
    if len(old) == len(new):
        places = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
        return [
            WordChange(first + i, first + i + 1, new_first + i, new_first + i + 1) for i in places
        ]
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    start, end = first + head, first + len(old) - tail
    return [WordChange(start, end, new_first + head, new_first + len(new) - tail)]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the common prefix of two runs of words."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
