"""The last layer of a BERT-like encoder, computed where somebody reads and nowhere else.

A cloze reads one position. Of its last layer only that position's attention and feed-forward
matter, and the keys and values of the others: five sixths of the layer's work are saved. Networks
of another build, and those that disagree with it on a few tokens, are run whole.
"""

from copy import copy
from typing import Any, Final

import numpy as np
import torch
from torch.nn import ModuleList

from scrutiny.models.hf.lm_head import is_close, probe_inputs

#: Most read positions for each sequence: keys are repeated for each of them.
_MOST_READS: Final = 2


class LastLayer:
    """The layers before the last, and the last one at single positions.

    Parameters
    ----------
    network
        With an ``encoder`` of layers as BERT, RoBERTa and ELECTRA have it.
    """

    def __init__(self, network: Any) -> None:
        base = network.base_model
        self._layer = base.encoder.layer[-1]
        self._trunk = _without_last_layer(base)

    def states(self, inputs: dict[str, Any], places: "np.ndarray[Any, Any]") -> Any:
        """Last hidden states ``(place, hidden)`` of places ``sequence * width + token``."""
        hidden = self._trunk(**inputs)[0]  # (sequence, token, hidden)
        count, width, size = hidden.shape
        index = torch.from_numpy(places).to(hidden.device)
        read = hidden.reshape(-1, size)[index]  # (place, hidden)
        attention = self._layer.attention.self
        heads = (attention.num_attention_heads, attention.attention_head_size)
        query = attention.query(read).view(-1, heads[0], 1, heads[1])
        keys = attention.key(hidden).view(count, width, *heads).permute(0, 2, 3, 1)
        values = attention.value(hidden).view(count, width, *heads).transpose(1, 2)
        real = inputs.get("attention_mask")
        rows = places // width
        if not np.array_equal(rows, np.arange(count)):  # else one read of each sequence
            which = torch.from_numpy(rows).to(hidden.device)
            keys, values = keys[which], values[which]
            real = None if real is None else real[which]
        scores = query @ keys * attention.scaling  # (place, head, 1, token)
        if real is not None:
            scores = scores.masked_fill(real[:, None, None, :] == 0, -torch.inf)
        mixed = (torch.softmax(scores, -1) @ values).reshape(len(places), -1)
        attended = self._layer.attention.output(mixed, read)
        return self._layer.output(self._layer.intermediate(attended), attended)


def find_last_layer(network: Any) -> LastLayer | None:
    """Last layer at single positions, or nothing where the network disagrees or is built otherwise.

    It is tried on a short sequence and one with padding.
    """
    try:
        found = LastLayer(network)
    except (AttributeError, TypeError, IndexError):
        return None
    ids = probe_inputs(network)["input_ids"].repeat(2, 1)
    real = torch.ones_like(ids)
    real[1, -2:] = 0
    inputs = {"input_ids": ids, "attention_mask": real}
    width = ids.shape[1]
    with torch.inference_mode():
        whole = network.base_model(**inputs)[0].flatten(0, 1)
        for places in (np.array([1, width]), np.array([0, width - 1, width + 2])):
            try:
                states = found.states(inputs, places)
            except (AttributeError, TypeError, ValueError, RuntimeError):
                return None
            if not is_close(states, whole[torch.from_numpy(places).to(whole.device)]):
                return None
    return found


def is_sparse(places: "np.ndarray[Any, Any]", sequences: int) -> bool:
    """Whether so few positions are read that the last layer is better left out elsewhere."""
    return len(places) <= _MOST_READS * sequences


def _without_last_layer(base: Any) -> Any:
    """The same encoder, sharing its weights, without its last layer and its pooler."""
    trunk, encoder = copy(base), copy(base.encoder)
    trunk._modules, encoder._modules = dict(base._modules), dict(base.encoder._modules)
    encoder.layer = ModuleList(list(base.encoder.layer)[:-1])
    trunk.encoder = encoder
    if "pooler" in trunk._modules:
        trunk.pooler = None
    return trunk
