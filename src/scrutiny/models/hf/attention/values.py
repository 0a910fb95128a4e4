"""Norms of value vectors, after the head's part of the output projection.

A weight of .9 on a vector of length 0 moves nothing. Kobayashi et al. (2020) look at
``alpha_ij ||W_O^h (W_V^h x_j + b_V)||`` instead: what head h really takes from token j. Here x_j is
what the value projection reads, so in a pre-norm decoder the normalized input of the layer.

References
----------
G. Kobayashi, T. Kuribayashi, S. Yokoi, K. Inui (2020). Attention is not only a weight: analyzing
transformers with vector norms. EMNLP.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import Linear
from transformers.pytorch_utils import Conv1D

from scrutiny.models.hf.attention.function import LayerStep, tapped

#: Of each layer ``(head, row, dimension)``: ``||R v|| = ||W_O^h v||`` for every v.
Factors = tuple[Any, ...]


class ValueNorms:
    """Norms of the values of each layer.

    Parameters
    ----------
    factors
        Of the network that is tapped.
    """

    def __init__(self, factors: Factors) -> None:
        self._factors = factors

    def __call__(self, step: LayerStep) -> Any:
        """Norms of one layer ``(sequence, head, key)`` as float32."""
        turned = torch.einsum("shkd,hed->shke", step.values.float(), self._factors[step.layer])
        return torch.linalg.vector_norm(turned, dim=-1)


def find_factors(network: Any, inputs: dict[str, Any], *, shape: tuple[int, int]) -> Factors | None:
    """Factors of the output projections, or `None` if a layer has none that we recognize.

    The projection is the first linear map that reads a layer's attention output as it is: no
    architecture is known by name. Gated outputs, for one, are read by none.

    Parameters
    ----------
    network, inputs
        A network that can be tapped, and inputs to try it on.
    shape
        Layers and heads.
    """
    outputs: list[Any] = []
    found: list[Any] = []

    def tap(step: LayerStep) -> None:
        outputs[:] = [step.output.flatten(2)]  # (sequence, query, head * dimension)

    def read(module: Any, args: tuple[Any, ...]) -> None:
        if outputs and args and torch.equal(args[0], outputs[0]):
            found.append(module.weight if isinstance(module, Linear) else module.weight.T)
            outputs.clear()

    linear_maps = (m for m in network.base_model.modules() if isinstance(m, (Linear, Conv1D)))
    hooks = [module.register_forward_pre_hook(read) for module in linear_maps]
    try:
        with torch.inference_mode(), tapped(network, tap):
            network.base_model(**inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return _factors(found, n_heads=shape[1]) if len(found) == shape[0] else None


def _factors(matrices: Sequence[Any], *, n_heads: int) -> Factors:
    """Triangular factors of each head's columns, in single precision or better."""

    def factor(matrix: Any) -> Any:
        columns = matrix.float().reshape(len(matrix), n_heads, -1).permute(1, 0, 2)
        return torch.linalg.qr(columns, mode="r").R

    with torch.inference_mode():
        return tuple(factor(matrix) for matrix in matrices)
