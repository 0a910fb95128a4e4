"""Networks whose weights are shuffled, from the output down: what they say has no reason left.

Each weight keeps its size and its layer, and stands in another place of its array. An explanation
that stays as it was is none of the network's weights (Adebayo et al., 2018).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from math import ceil
from typing import Any

import torch

from scrutiny.core.errors import ConformanceError


def layers_of(network: Any) -> list[list[str]]:
    """Names of a network's parameters, layer by layer from the input on.

    A layer is what a number in the name says, or else a module by its first name.
    """

    def layer(name: str) -> str:
        found = re.match(r"(.*?\.\d+)\.", name)
        return found[1] if found else ".".join(name.split(".")[:2])

    names = [name for name, _ in network.named_parameters()]
    return [[*own] for _, own in groupby(names, layer)]


def shuffle(network: Any, share: float, seed: int) -> dict[str, Any]:
    """Shuffle the weights of a share of the layers in place; what they were before, by name.

    Raises
    ------
    ConformanceError
        For a share that is not above 0 and at most 1.
    """
    if not 0 < share <= 1:
        raise ConformanceError(f"A share of the layers lies above 0 and is at most 1; not {share}.")
    layers = layers_of(network)
    chosen = {name for own in layers[len(layers) - ceil(share * len(layers)) :] for name in own}
    drawn = torch.Generator().manual_seed(seed)
    before = {}
    with torch.no_grad():
        for name, values in network.named_parameters():
            if name in chosen:
                before[name] = values.detach().clone()
                order = torch.randperm(values.numel(), generator=drawn).to(values.device)
                values.copy_(values.flatten()[order].view_as(values))
    return before


@contextmanager
def shuffled(network: Any, share: float, seed: int) -> Iterator[None]:
    """Shuffle the weights of a share of the layers meanwhile."""
    before = shuffle(network, share, seed)
    try:
        yield
    finally:
        own = dict(network.named_parameters())
        with torch.no_grad():
            for name, values in before.items():
                own[name].copy_(values)
