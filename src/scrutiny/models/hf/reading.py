"""Log-probabilities of tokens at some positions of many sequences."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import torch

from scrutiny.core.errors import ConformanceError
from scrutiny.models.hf.attention.function import is_tapped
from scrutiny.models.hf.last_layer import find_last_layer, is_sparse
from scrutiny.models.hf.lm_head import Head, logits_of
from scrutiny.models.hf.sequences import Ints, Runner, Sequences

# Scores over the vocabulary that are held at a time: 16 MB, whatever the texts' length
_MOST_SCORES: Final = 2**22


@dataclass(frozen=True, slots=True)
class Reads:
    """What is read: for each read its sequence, the position in it, and the token asked for."""

    sequences: Ints
    positions: Ints
    targets: Ints

    def check(self, lengths: Ints, *, vocabulary: int) -> None:
        """Raise unless positions lie in their sequences and targets in the vocabulary.

        Raises
        ------
        ConformanceError
            If not: the diagnostic that asked is at fault.
        """
        bad = (self.positions < 0) | (self.positions >= lengths[self.sequences])
        if bad.any():
            where = int(np.argmax(bad))
            raise ConformanceError(
                f"A query reads position {self.positions[where]} of a sequence of "
                f"{lengths[self.sequences[where]]} tokens."
            )
        bad = (self.targets < 0) | (self.targets >= vocabulary)
        if bad.any():
            raise ConformanceError(
                f"A query asks for token {self.targets[int(np.argmax(bad))]}, but the model's "
                f"vocabulary has {vocabulary} tokens."
            )


class Reader:
    """Reads log-probabilities off a network, its head applied to the read positions only.

    Parameters
    ----------
    runner
        The network.
    head
        Head over rows of hidden states; nothing to use the network's own logits.
    """

    def __init__(self, runner: Runner, head: Head | None) -> None:
        self._runner = runner
        self._head = head
        network = runner.network
        self._last = None if head is None else find_last_layer(network)
        self._vocabulary = int(network.get_output_embeddings().weight.shape[0])

    def read(self, sequences: Sequences, reads: Reads) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Natural log-probability of each read's target ``(read,)``.

        Raises
        ------
        AnswerError
            ``out_of_memory`` if one sequence alone does not fit.
        """
        reads.check(sequences.lengths, vocabulary=self._vocabulary)
        order = np.argsort(reads.sequences, kind="stable")
        borders = np.searchsorted(reads.sequences[order], np.arange(len(sequences) + 1)).tolist()
        found = np.empty(len(order))

        def use(batch: list[int], inputs: dict[str, Any]) -> None:
            mine = [order[borders[i] : borders[i + 1]] for i in batch]
            chosen = np.concatenate(mine)
            if not len(chosen):
                return
            rows = np.repeat(np.arange(len(batch)), [len(part) for part in mine])
            positions, targets = reads.positions[chosen], reads.targets[chosen]
            found[chosen] = self._batch(inputs, rows, positions, targets)

        for _ in self._runner.run(sequences, use):
            pass
        return found

    def _batch(
        self, inputs: dict[str, Any], rows: Ints, positions: Ints, targets: Ints
    ) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Log-probabilities of one batch's reads; each position goes through the head once."""
        width = inputs["input_ids"].shape[1]
        places, which = np.unique(rows * width + positions, return_inverse=True)
        picked = self._states(inputs, places)
        size = max(1, _MOST_SCORES // self._vocabulary)
        found = np.empty(len(rows))
        for start in range(0, len(places), size):
            scores = self._scores(picked[start : start + size])
            mine = np.flatnonzero((which >= start) & (which < start + size))
            pair = np.stack([which[mine] - start, targets[mine]])
            index = torch.from_numpy(pair).to(picked.device)
            found[mine] = scores[index[0], index[1]].double().cpu().numpy()
        return found

    def _states(self, inputs: dict[str, Any], places: Ints) -> Any:
        """Last hidden states of places, or logits where there is no head over rows."""
        network = self._runner.network
        is_cut_short = is_sparse(places, len(inputs["input_ids"])) and not is_tapped(network)
        if self._last is not None and is_cut_short:
            return self._last.states(inputs, places)
        if self._head is None:
            states = logits_of(network(**inputs))
        else:
            states = network.base_model(**inputs)[0]
        return states.flatten(0, 1)[torch.from_numpy(places).to(states.device)]

    def _scores(self, rows: Any) -> Any:
        """Log-probabilities over the vocabulary ``(row, word)`` as float32 or wider."""
        logits = rows if self._head is None else self._head(rows)
        return torch.log_softmax(logits.float(), dim=-1)


def flat(rows: Sequence[Sequence[int]]) -> Ints:
    """All numbers of all rows, one after the other."""
    return np.fromiter(chain.from_iterable(rows), np.int64, sum(map(len, rows)))
