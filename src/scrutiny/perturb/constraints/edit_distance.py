"""No text may move farther than an edit distance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.text.edits import apply_to_text


@dataclass(frozen=True, slots=True)
class EditDistance:
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

    id: ClassVar[str] = "edit_distance@1"
    reason: ClassVar[str] = "edit_distance"
    resources: ClassVar[tuple[str, ...]] = ()

    most: int | None = None
    share: float | None = 0.3

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether the text stays within the distance."""
        del context
        from rapidfuzz.distance import Levenshtein

        limits = [] if self.most is None else [float(self.most)]
        if self.share is not None:
            limits.append(self.share * len(document.text))
        if not limits:
            return True
        limit = int(min(limits))
        after = apply_to_text(document.text, edits)
        return bool(Levenshtein.distance(document.text, after, score_cutoff=limit) <= limit)
