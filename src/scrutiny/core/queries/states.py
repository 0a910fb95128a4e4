"""Inner states of small models: the input of the last layer, gates of recurrent cells.

Both are asked of the model itself and never cached.

============== ================ ===============================================================
capability     protocol         answer
============== ================ ===============================================================
``last_layer`` `HasLastLayer`   features of each text, of which the answer is a softmax
``cells``      `HasCells`       gates and states of recurrent cells at each word
============== ================ ===============================================================
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from scrutiny.core.example import Example

if TYPE_CHECKING:
    import numpy as np


@runtime_checkable
class HasLastLayer(Protocol):
    """Capability ``last_layer``; answers do not depend on the other examples."""

    def last_layer(self, examples: Sequence[Example]) -> Any:
        """Features ``(example, dimension)`` that the last layer weights.

        An array, or a sparse one of scipy where features are words.
        """


class CellStates(NamedTuple):
    """Gates and states of a recurrent layer while it reads a text, in one direction.

    Parameters
    ----------
    gates
        ``(position, cell)`` of each gate by its name, between 0 and 1: ``input``, ``forget`` and
        ``output`` of an LSTM, ``reset`` and ``update`` of a GRU.
    states
        ``(position, cell)`` between -1 and 1: tanh of the cell state of an LSTM, the hidden state
        of a GRU.
    hidden
        ``(position, cell)``: what the layer gives.
    """

    gates: "Mapping[str, np.ndarray[Any, Any]]"
    states: "np.ndarray[Any, Any]"
    hidden: "np.ndarray[Any, Any]"


@runtime_checkable
class HasCells(Protocol):
    """Capability ``cells``: layers of recurrent cells that read a text piece by piece."""

    def cell_pieces(self, text: str) -> tuple[tuple[int, int], ...]:
        """Code points of each piece of a text, end excluded; each is one position."""

    def cells(self, text: str) -> dict[str, CellStates]:
        """States of each layer and direction, by name ("layer 1", "layer 1 backward")."""
