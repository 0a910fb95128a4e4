"""No more than a number, or a share, of the words may change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.engine.word_changes import is_lexical, word_changes


@dataclass(frozen=True, slots=True)
class ChangedWords:
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

    id: ClassVar[str] = "changed_words@1"
    reason: ClassVar[str] = "changed_words"
    resources: ClassVar[tuple[str, ...]] = ()

    share: float | None = 0.2
    floor: int = 0
    most: int | None = None

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether the number of changed words is within the limits."""
        del context
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
