"""Counts of heads that somebody has published: what a table of scores was computed from."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np


class CorpusCounts(NamedTuple):
    """How often the heads of a model were right on a whole corpus.

    Parameters
    ----------
    tp, predicted
        ``(layer, head)`` words predicted and right, and words predicted.
    gold
        Words to be found.
    """

    tp: "np.ndarray[Any, Any]"
    predicted: "np.ndarray[Any, Any]"
    gold: int


@runtime_checkable
class KnowsHeadCounts(Protocol):
    """Capability ``head_counts``; ``attention_shape`` is (layers, heads)."""

    attention_shape: tuple[int, int]

    def head_counts(self, corpus: str) -> CorpusCounts:
        """Counts of every head on a corpus.

        Raises
        ------
        ModelError
            If nothing is known of this corpus.
        """
        ...
