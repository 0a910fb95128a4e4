"""Windows of words around edits, which constraints compare."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.text.edits.apply import apply_to_text
from scrutiny.text.tokens import is_lexical


def windows(document: Document, edits: Sequence[Edit], size: int | None) -> list[tuple[str, str]]:
    """Text before and after, cut to a window of words around each edit; windows are merged.

    Punctuation does not count; a word that is put in does. At either end of the text the window
    reaches farther to the other side; without a size it is the whole text.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> windows(document_of("It was a very good film."), [Edit("text", 14, 18, "bad")], 3)
    [('very good film', 'very bad film')]
    """
    if size is None:
        return [(document.text, apply_to_text(document.text, edits))]
    words = [t for t, w in zip(document.tokens, document.words, strict=True) if is_lexical(w)]
    stretches = {_stretch(edit, edits, words, size): None for edit in edits}
    found = []
    for low, high in stretches:
        held = [e for e in edits if low <= e.start and e.end <= high]
        moved = [e._replace(start=e.start - low, end=e.end - low) for e in held]
        text = document.text[low:high]
        found.append((text, apply_to_text(text, moved)))
    return found


def _stretch(
    edit: Edit, edits: Sequence[Edit], words: Sequence[tuple[int, int]], size: int
) -> tuple[int, int]:
    """Code points of the window around an edit, extended to the edits at its ends."""
    first = bisect_right([end for _, end in words], edit.start)
    last = max(first, bisect_left([start for start, _ in words], edit.end))
    room = max(0, size - max(1, last - first))
    low, high = first - room // 2, last + room - room // 2
    if low < 0:
        low, high = 0, high - low
    if high > len(words):
        low, high = max(0, low - high + len(words)), len(words)
    start = min([edit.start, *(word[0] for word in words[low : low + 1])])
    end = max([edit.end, *(word[1] for word in words[max(low, high - 1) : high])])
    for other in edits:
        if other.start < end and other.end > start:
            start, end = min(start, other.start), max(end, other.end)
    return start, end
