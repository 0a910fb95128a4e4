"""How close a text still is to its base: what decides between several that reach a goal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rapidfuzz.distance import Levenshtein

from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class ByEncoder:
    """Cosine to the base under the resource ``encoder``, over all fields joined by a space.

    Examples
    --------
    >>> ByEncoder().id
    'by_encoder@1'
    """

    id: ClassVar[str] = "by_encoder@1"
    resources: ClassVar[tuple[str, ...]] = ("encoder",)

    def closeness(self, states: Sequence[State]) -> Sequence[float]:
        """Cosine of each text; 0 for a zero vector."""
        import numpy as np

        origin = states[0].origin
        encoder = find_resource(origin.document(origin.names[0]), "encoder")
        texts = [" ".join(origin.texts), *(" ".join(state.texts) for state in states)]
        vectors = np.asarray(encoder.encode(texts), dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vectors[0])
        dots = vectors @ vectors[0]
        found = np.divide(dots, lengths, out=np.zeros(len(dots)), where=lengths > 0)
        return [float(value) for value in found[1:]]


@dataclass(frozen=True, slots=True)
class ByEditDistance:
    """Minus the edit distance to the base, in code points over all fields.

    Examples
    --------
    >>> ByEditDistance().id
    'by_edit_distance@1'
    """

    id: ClassVar[str] = "by_edit_distance@1"
    resources: ClassVar[tuple[str, ...]] = ()

    def closeness(self, states: Sequence[State]) -> Sequence[float]:
        """Minus the distance of each text."""
        return [
            -float(
                sum(
                    Levenshtein.distance(old, new)
                    for old, new in zip(state.origin.texts, state.texts, strict=True)
                )
            )
            for state in states
        ]
