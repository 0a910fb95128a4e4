"""Objects of the user's own code that hold a torch LSTM or GRU, whose cells can be read.

Such an object has ``recurrent``, the layer; ``cell_pieces(text)``, where each piece of a text
stands; and ``cell_vectors(text)``, what the layer reads at each piece. It needs no answers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from typing import Any, Final, Protocol, Self, runtime_checkable

from scrutiny.core.errors import ModelError
from scrutiny.core.queries.states import CellStates


@runtime_checkable
class HoldsRecurrent(Protocol):
    """An object around a torch LSTM or GRU.

    Attributes
    ----------
    recurrent
        ``torch.nn.LSTM`` or ``torch.nn.GRU``.
    """

    recurrent: Any

    def cell_pieces(self, text: str) -> Any:
        """Start and end of each piece of a text, in code points, end excluded."""

    def cell_vectors(self, text: str) -> Any:
        """``(piece, dimension)``: what the layer reads at each piece; an array or a tensor."""


def holds_recurrent(obj: Any) -> bool:
    """Whether an object has all three, and its layer is one of torch: mocks have any member."""
    if not isinstance(obj, HoldsRecurrent):
        return False
    return any(base.__module__.startswith("torch.") for base in type(obj.recurrent).__mro__)


#: What a model of such an object can be asked beside answers.
OF_CELLS: Final = frozenset({"cells", "shuffled_weights"})


class ReadsCells:
    """Capability ``cells`` of a model around an object that holds a recurrent layer.

    Where the object is a torch module, all its weights are shuffled in networks of chance; else
    those of the layer alone, which reads the same vectors.
    """

    source: str
    _object: Any

    def cell_pieces(self, text: str) -> tuple[tuple[int, int], ...]:
        """Places of the pieces of a text, as the object cuts it."""
        return tuple((int(start), int(end)) for start, end in self._object.cell_pieces(text))

    def cells(self, text: str) -> dict[str, CellStates]:
        """States of each layer and direction, by name.

        Raises
        ------
        ModelError
            If the layer is none of these, or the vectors do not fit the pieces and the layer.
        """
        import numpy as np  # for cells alone: every command loads this module

        from scrutiny.models.recurrent_cells import states_of

        layer, given = self._object.recurrent, self._object.cell_vectors(text)
        given = given.detach().cpu().numpy() if hasattr(given, "detach") else given
        vectors = np.asarray(given, dtype=np.float64)
        wanted = len(self.cell_pieces(text)), getattr(layer, "input_size", vectors.shape[-1])
        if vectors.shape != wanted:
            raise ModelError(
                f"{self.source!r}: cell_vectors gives an array of shape {vectors.shape} for a text "
                f"of {wanted[0]} pieces, and its layer reads {wanted[1]} numbers of each. Give one "
                f"of shape {wanted}, without a dimension for the batch."
            )
        return states_of(layer, vectors)

    @contextmanager
    def with_shuffled_weights(self, share: float, seed: int) -> Iterator[Self]:
        """Another object with the weights of a share of the layers shuffled, from the output."""
        import torch

        from scrutiny.models.shuffled_weights import shuffle

        other = copy(self)
        own = other._object = deepcopy(self._object)
        shuffle(own if isinstance(own, torch.nn.Module) else own.recurrent, share, seed)
        yield other
