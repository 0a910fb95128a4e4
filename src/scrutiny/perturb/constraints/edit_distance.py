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
        return self.screen(document, [edits], context)[0]

    def screen(
        self, document: Document, candidates: Sequence[Sequence[Edit]], context: Any = None
    ) -> list[bool]:
        """Whether each of several texts stays within the distance."""
        del context
        text = document.text
        limits = [] if self.most is None else [float(self.most)]
        if self.share is not None:
            limits.append(self.share * len(text))
        if not limits:
            return [True] * len(candidates)
        limit = int(min(limits))
        return [_bound(edits) <= limit or _is_near(text, edits, limit) for edits in candidates]


def _bound(edits: Sequence[Edit]) -> int:
    """What no distance exceeds: the longer of what each edit takes out and puts in."""
    bound = 0
    for _, start, end, new, _, _ in edits:
        out, come = end - start, len(new)
        bound += out if out > come else come
    return bound


def _is_near(text: str, edits: Sequence[Edit], limit: int) -> bool:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(text, apply_to_text(text, edits), score_cutoff=limit) <= limit
