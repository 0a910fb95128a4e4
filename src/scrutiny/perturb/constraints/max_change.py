"""No more than a share of a text may change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.text.edits import apply_to_text
from scrutiny.text.tokens import token_texts


@dataclass(frozen=True, slots=True)
class MaxChange:
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

    id: ClassVar[str] = "max_change@1"
    reason: ClassVar[str] = "max_change"
    resources: ClassVar[tuple[str, ...]] = ()

    share: float = 0.25
    unit: Literal["words", "characters"] = "words"

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether the smallest number of changes is within the share."""
        del context
        if self.unit == "characters":
            changed = sum(max(e.end - e.start, len(e.text)) for e in edits)
            return changed <= self.share * len(document.text)
        from rapidfuzz.distance import Levenshtein

        after = token_texts(apply_to_text(document.text, edits))
        before = list(document.words)
        return bool(Levenshtein.distance(before, after) <= self.share * len(before))
