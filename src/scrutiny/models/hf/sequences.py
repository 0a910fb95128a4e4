"""Token sequences in one array, padded together, and run in batches."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import torch

from scrutiny.models.hf.batching import Budget, run_batches

T = TypeVar("T")
Ints = np.ndarray[Any, np.dtype[np.int64]]


class Sequences:
    """Token ids of many sequences in one array, for fast padding.

    Parameters
    ----------
    rows
        Token ids of each sequence.
    segments
        Segment of each token; an empty row means the first segment throughout.
    """

    def __init__(
        self, rows: Sequence[Sequence[int]], segments: Sequence[Sequence[int]] = ()
    ) -> None:
        self.lengths: Ints = np.fromiter(map(len, rows), np.int64, len(rows))
        self._starts = np.cumsum(self.lengths) - self.lengths
        count = int(self.lengths.sum())
        self._ids: Ints = np.fromiter(chain.from_iterable(rows), np.int64, count)
        self._segments: Ints | None = None
        if any(segments):
            filled = (s or bytes(len(r)) for s, r in zip(segments, rows, strict=True))
            self._segments = np.fromiter(chain.from_iterable(filled), np.int64, count)

    def __len__(self) -> int:
        return len(self.lengths)

    def padded(self, batch: Sequence[int], *, pad: int) -> tuple[Ints, Any, Ints | None]:
        """Ids, whether each is real, and segments, ``(sequence, token)``, padded on the right.

        Nothing for "is real" where all are, and for segments where all are the first.
        """
        chosen = np.asarray(batch)
        lengths = self.lengths[chosen]
        places = np.arange(lengths.max())
        index = self._starts[chosen, None] + places
        if (lengths == len(places)).all():
            return self._ids[index], None, None if self._segments is None else self._segments[index]
        real = places < lengths[:, None]
        index[~real] = 0
        ids = np.where(real, self._ids[index], pad)
        segments = None if self._segments is None else np.where(real, self._segments[index], 0)
        return ids, real, segments


class Runner:
    """Runs sequences through a network, as many at a time as fit.

    Parameters
    ----------
    network
        In evaluation mode, on its device.
    pad
        Padding token.
    takes_segments
        Whether it has embeddings of the second segment.
    budget
        What one batch holds.
    """

    def __init__(self, network: Any, *, pad: int, takes_segments: bool, budget: Budget) -> None:
        self.network = network
        self.budget = budget
        self._pad = pad
        self._takes_segments = takes_segments

    def run(
        self,
        sequences: Sequences,
        use: Callable[[list[int], dict[str, Any]], None],
        *,
        budget: Budget | None = None,
    ) -> None:
        """Hand each batch's indices and inputs to ``use``, longest sequences first.

        Raises
        ------
        AnswerError
            ``out_of_memory`` if one sequence alone does not fit.
        """

        def ask(batch: list[int]) -> None:
            with torch.inference_mode():
                use(batch, self.inputs(sequences, batch))

        for _ in run_batches(
            sequences.lengths.tolist(), budget or self.budget, ask, device=self.network.device
        ):
            pass

    def inputs(self, sequences: Sequences, batch: Sequence[int]) -> dict[str, Any]:
        """Named tensors ``(sequence, token)`` of one batch on the network's device."""
        ids, real, segments = sequences.padded(batch, pad=self._pad)
        device = self.network.device
        given = {"input_ids": torch.from_numpy(ids).to(device)}
        if real is not None:
            given["attention_mask"] = torch.from_numpy(real.astype(np.int64)).to(device)
        if segments is not None and self._takes_segments:
            given["token_type_ids"] = torch.from_numpy(segments).to(device)
        return given
