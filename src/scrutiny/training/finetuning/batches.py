"""Batches of texts: shuffled, and of similar length."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

from scrutiny.training.finetuning.targets import IGNORED, EncodedExamples

#: Batches that are sorted by length together: less padding, nearly the same order.
_POOL: Final = 16


def shuffled(lengths: Sequence[int], size: int, *, rng: "np.random.Generator") -> list[list[int]]:
    """Batches of one epoch, shuffled: indices of texts of similar length.

    Parameters
    ----------
    lengths
        Pieces of each text.
    size
        Texts of a batch.
    rng
        Order of the texts and of the batches.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(i for b in shuffled([3, 5, 4], 2, rng=np.random.default_rng(0)) for i in b)
    [0, 1, 2]
    """
    order = rng.permutation(len(lengths)).tolist()
    sorted_pools: list[int] = []
    for start in range(0, len(order), size * _POOL):
        sorted_pools += sorted(order[start : start + size * _POOL], key=lengths.__getitem__)
    starts = range(0, len(order), size)
    places = rng.permutation(len(starts)).tolist()
    return [sorted_pools[starts[p] : starts[p] + size] for p in places]


def padded(
    encoded: EncodedExamples, batch: Sequence[int], *, pads: Mapping[str, int], device: Any
) -> tuple[dict[str, Any], Any]:
    """Inputs ``(text, piece)`` and targets ``(text,)`` or ``(text, piece)`` of a batch."""
    import torch

    width = max(len(encoded.columns["input_ids"][i]) for i in batch)
    inputs = {
        name: torch.tensor([_filled(rows[i], width, pads.get(name, 0)) for i in batch])
        for name, rows in encoded.columns.items()
    }
    targets = [encoded.targets[i] for i in batch]
    if targets and isinstance(targets[0], list):
        targets = [_filled(row, width, IGNORED) for row in targets]
    moved = {name: tensor.to(device) for name, tensor in inputs.items()}
    return moved, torch.tensor(targets).to(device)


def _filled(row: Sequence[int], width: int, pad: int) -> list[int]:
    return [*row, *([pad] * (width - len(row)))]
