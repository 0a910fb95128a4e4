"""No text may move far from its original in the space of a sentence encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.resources import find_resource
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
        import numpy as np

        encoder = find_resource(document if context is None else context, "encoder")
        pair = [document.text, apply_to_text(document.text, edits)]
        a, b = np.asarray(encoder.encode(pair), dtype=np.float64)
        lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
        return lengths > 0 and float(a @ b) / lengths >= self.least - 1e-9
