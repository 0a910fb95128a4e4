"""Gates and states of LSTM and GRU layers of torch, which torch computes and does not show.

They are computed anew from the weights, whose rows stand in torch's order: input, forget, new and
output of an LSTM; reset, update and new of a GRU.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.errors import ModelError
from scrutiny.core.queries.states import CellStates


def states_of(layer: Any, vectors: Floats) -> dict[str, CellStates]:
    """States of each layer and direction of a torch LSTM or GRU while it reads one text.

    Parameters
    ----------
    layer
        ``torch.nn.LSTM`` or ``torch.nn.GRU``, of any number of layers and directions.
    vectors
        ``(position, dimension)``: what the first layer reads.

    Raises
    ------
    ModelError
        For another kind of layer, or an LSTM with projections.
    """
    kind = type(layer).__name__
    if kind not in _READ or layer.proj_size:
        raise ModelError(f"cells are those of LSTM and GRU layers without projections, not {kind}.")
    weights = {n: p.detach().double().cpu().numpy() for n, p in layer.named_parameters()}
    found: dict[str, CellStates] = {}
    read = np.asarray(vectors, dtype=np.float64)
    for number in range(layer.num_layers):
        given = []
        for way in ("", "_reverse")[: 2 if layer.bidirectional else 1]:
            own = [
                weights.get(f"{name}_l{number}{way}", np.zeros(1))
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ]
            step = -1 if way else 1
            one = _READ[kind](read[::step], *own)
            one = CellStates(
                {name: gate[::step] for name, gate in one.gates.items()},
                one.states[::step],
                one.hidden[::step],
            )
            found[f"layer {number + 1}{' backward' if way else ''}"] = one
            given.append(one.hidden)
        read = np.concatenate(given, axis=1)
    return found


def read_in_sequence(layer: Any, embedded: Any, lengths: Sequence[int]) -> tuple[Any, Any]:
    """Vectors ``(text, position, dimension)`` of a recurrent layer, and its final states."""
    import torch
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    packed = pack_padded_sequence(
        embedded, torch.tensor(lengths), batch_first=True, enforce_sorted=False
    )
    states, final = layer(packed)
    vectors, _ = pad_packed_sequence(states, batch_first=True, total_length=embedded.shape[1])
    return vectors, final


def _sigmoid(values: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-values.clip(-500, 500))))


def _lstm(read: Floats, W: Floats, U: Floats, b: Floats, c: Floats) -> CellStates:
    """States of an LSTM layer in one direction."""
    ahead, size = read @ W.T + b + c, U.shape[1]
    hidden, cell = np.zeros(size), np.zeros(size)
    kept: list[list[Floats]] = [[], [], [], [], []]
    for row in ahead:
        gates = (row + U @ hidden).reshape(4, size)
        i, f, _, o = _sigmoid(gates)
        cell = f * cell + i * np.tanh(gates[2])
        told = np.tanh(cell)
        hidden = o * told
        for column, value in zip(kept, (i, f, o, told, hidden), strict=True):
            column.append(value)
    i, f, o, states, given = (np.array(column).reshape(-1, size) for column in kept)
    return CellStates({"input": i, "forget": f, "output": o}, states, given)


def _gru(read: Floats, W: Floats, U: Floats, b: Floats, c: Floats) -> CellStates:
    """States of a GRU layer in one direction."""
    ahead, size = read @ W.T + b, U.shape[1]
    hidden = np.zeros(size)
    kept: list[list[Floats]] = [[], [], []]
    for row in ahead:
        own, of_hidden = row.reshape(3, size), (U @ hidden + c).reshape(3, size)
        r, z = _sigmoid(own[:2] + of_hidden[:2])
        hidden = (1 - z) * np.tanh(own[2] + r * of_hidden[2]) + z * hidden
        for column, value in zip(kept, (r, z, hidden), strict=True):
            column.append(value)
    r, z, given = (np.array(column).reshape(-1, size) for column in kept)
    return CellStates({"reset": r, "update": z}, given, given)


_READ: Final = {"LSTM": _lstm, "GRU": _gru}
