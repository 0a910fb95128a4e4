"""No text may move far from its original in the space of a sentence encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.edits import apply_to_text


@dataclass(frozen=True, slots=True)
class EmbeddingSimilarity:
    """Refuse edits after which the cosine to the original is below a threshold.

    Parameters
    ----------
    least
        Smallest cosine that may remain.

    Notes
    -----
    The resource ``encoder`` must be given.

    **Misleads when**: antonyms are in play; encoders put "good" and "bad" near one another.

    References
    ----------
    Reimers and Gurevych (2019), Sentence-BERT.

    Examples
    --------
    >>> EmbeddingSimilarity(least=0.9).resources
    ('encoder',)
    """

    id: ClassVar[str] = "embedding_similarity@1"
    reason: ClassVar[str] = "embedding_similarity"
    resources: ClassVar[tuple[str, ...]] = ("encoder",)

    least: float = 0.8

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether the cosine stays at or above the threshold; false for a zero vector."""
        return self.screen(document, [edits], context)[0]

    def screen(
        self, document: Document, candidates: Sequence[Sequence[Edit]], context: Any = None
    ) -> list[bool]:
        """Whether the cosine of each of several texts stays there, encoded together."""
        import numpy as np

        encoder = find_resource(document if context is None else context, "encoder")
        texts = [document.text, *(apply_to_text(document.text, edits) for edits in candidates)]
        rows = np.asarray(encoder.encode(texts), dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        products, norms = rows[1:] @ rows[0], lengths[1:] * lengths[0]
        least = (self.least - 1e-9) * norms
        return [bool(n > 0 and p >= t) for p, n, t in zip(products, norms, least, strict=True)]
