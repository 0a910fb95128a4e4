"""Constraints on the amount of change: shares of words and characters, edit distance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Constraint, Document, ScreensMany
from scrutiny.perturb.engine.word_changes import word_changes
from scrutiny.text.edits.apply import apply_to_text
from scrutiny.text.tokens import is_lexical, token_texts


@dataclass(frozen=True, slots=True)
class MaxChange(Constraint):
    """Refuse edits that change more than a share of the words or of the characters.

    Parameters
    ----------
    share
        Largest share of the original that may be replaced, deleted or added.
    unit
        What is counted: words as the tokenizer splits them, or code points.

    Examples
    --------
    >>> MaxChange(share=0.1, unit="characters").share
    0.1
    """

    id = "max_change@1"

    share: float = 0.25
    unit: Literal["words", "characters"] = "words"

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether the smallest number of changes is within the share."""
        if self.unit == "characters":
            changed = sum(max(e.end - e.start, len(e.text)) for e in edits)
            return changed <= self.share * len(document.text)
        from rapidfuzz.distance import Levenshtein

        after = token_texts(apply_to_text(document.text, edits))
        before = list(document.words)
        return bool(Levenshtein.distance(before, after) <= self.share * len(before))


@dataclass(frozen=True, slots=True)
class ChangedWords(Constraint):
    """Refuse edits that change too many words; punctuation does not count.

    Unlike ``max_change`` it counts words with a letter or digit only, and has a floor for short
    texts.

    Parameters
    ----------
    share
        Largest share of the original's words; nothing leaves it to ``most``.
    floor
        So many words may change in any case, however short the text is.
    most
        Largest number of words; nothing leaves it to the share.

    Notes
    -----
    Where a run of words is replaced by another, the longer of the two counts. The edits must be
    all those since the original: asked about single steps, it limits nothing.

    Examples
    --------
    >>> ChangedWords(share=0.1, floor=4).floor
    4
    """

    id = "changed_words@1"

    share: float | None = 0.2
    floor: int = 0
    most: int | None = None

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether the number of changed words is within the limits."""
        words, changes = word_changes(document, edits)
        changed = sum(
            max(
                sum(map(is_lexical, document.words[c.start : c.end])),
                sum(map(is_lexical, words[c.new_start : c.new_end])),
            )
            for c in changes
        )
        if self.most is not None and changed > self.most:
            return False
        if self.share is None:
            return True
        total = sum(map(is_lexical, document.words))
        return changed <= max(self.floor, self.share * total + 1e-9)


@dataclass(frozen=True, slots=True)
class EditDistance(ScreensMany):
    """Refuse edits beyond a Levenshtein distance in code points.

    Parameters
    ----------
    most
        Largest distance; nothing leaves it to the share.
    share
        Largest distance in parts of the original's length; nothing leaves it to ``most``.

    References
    ----------
    Levenshtein (1966), Binary codes capable of correcting deletions, insertions and reversals.

    Examples
    --------
    >>> EditDistance(most=2, share=None).most
    2
    """

    id = "edit_distance@1"

    most: int | None = None
    share: float | None = 0.3

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each of several texts stays within the distance."""
        text = document.text
        limits = [] if self.most is None else [float(self.most)]
        if self.share is not None:
            limits.append(self.share * len(text))
        if not limits:
            return [True] * len(candidates)
        limit = int(min(limits))
        return [_bound(edits) <= limit or _is_near(text, edits, limit) for edits in candidates]


def _bound(edits: Sequence[Edit]) -> int:
    """Upper bound of the distance: the longer of deleted and inserted text of each edit, summed."""
    bound = 0
    for _, start, end, new, _, _, _ in edits:
        out, come = end - start, len(new)
        bound += out if out > come else come
    return bound


def _is_near(text: str, edits: Sequence[Edit], limit: int) -> bool:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(text, apply_to_text(text, edits), score_cutoff=limit) <= limit
