"""Log-probabilities of tokens at some positions of many sequences, and their gradients by inputs.

The last layer of a BERT-like encoder is computed where somebody reads and nowhere else. A cloze
reads one position. Of its last layer only that position's attention and feed-forward matter, and
the keys and values of the others: five sixths of the layer's work are saved. Networks of another
build, and those that disagree with it on a few tokens, are run whole.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final

import numpy as np
import torch
from torch.nn import ModuleList

from scrutiny.core.errors import ConformanceError
from scrutiny.core.queries.language import Cloze
from scrutiny.models.hf.attention_taps import is_tapped
from scrutiny.models.hf.forward_passes import (
    Head,
    Ints,
    Runner,
    Sequences,
    close_tensors,
    logits_of,
    probe_inputs,
)
from scrutiny.models.hf.input_gradients import Loss, WithInputSlopes
from scrutiny.models.hf.text_vectors import Floats
from scrutiny.models.hf.transformer import HfEncoder

#: Most read positions for each sequence: keys are repeated for each of them.
_MOST_READS: Final = 2


class LastLayer:
    """The layers before the last, and the last one at single positions only.

    Parameters
    ----------
    network
        With an ``encoder`` of layers as BERT, RoBERTa and ELECTRA have it.
    """

    def __init__(self, network: Any) -> None:
        base = network.base_model
        self._layer = base.encoder.layer[-1]
        # the same encoder with the same weights, without its last layer and its pooler
        trunk, encoder = copy(base), copy(base.encoder)
        trunk._modules, encoder._modules = dict(base._modules), dict(base.encoder._modules)
        encoder.layer = ModuleList(list(base.encoder.layer)[:-1])
        trunk.encoder = encoder
        if "pooler" in trunk._modules:
            trunk.pooler = None
        self._trunk = trunk

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
    """Last layer at single positions, or `None` if the network gives other outputs.

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
            if not close_tensors(states, whole[torch.from_numpy(places).to(whole.device)]):
                return None
    return found


# Scores over the vocabulary that are held at a time: 16 MB, whatever the texts' length
_MOST_SCORES: Final = 2**22


@dataclass(frozen=True, slots=True)
class Reads:
    """Values to read: the sequence of each, the position in it, and the token."""

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


def _flat(rows: Sequence[Sequence[int]]) -> Ints:
    """Values of all rows, concatenated."""
    return np.fromiter(chain.from_iterable(rows), np.int64, sum(map(len, rows)))


class Reader:
    """Reads log-probabilities, applying the head only to the read positions.

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

    def clozes(self, clozes: Sequence[Cloze]) -> list[tuple[float, ...]]:
        """Natural log-probabilities of each cloze's targets; equal sequences are run once."""
        index: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        places = [index.setdefault((c.ids, c.segments), len(index)) for c in clozes]
        counts = [len(c.positions) for c in clozes]
        reads = Reads(
            np.repeat(np.array(places, np.int64), counts),
            _flat([c.positions for c in clozes]),
            _flat([c.targets for c in clozes]),
        )
        sequences = Sequences([ids for ids, _ in index], [kinds for _, kinds in index])
        values = iter(self.read(sequences, reads).tolist())
        return [tuple(islice(values, count)) for count in counts]

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

        self._runner.run(sequences, use)
        return found

    def _batch(
        self, inputs: dict[str, Any], rows: Ints, positions: Ints, targets: Ints
    ) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Log-probabilities of one batch's reads; each position goes through the head once."""
        width = inputs["input_ids"].shape[1]
        places, which = np.unique(rows * width + positions, return_inverse=True)
        # Last hidden states of places, or logits where there is no head over rows.
        network = self._runner.network
        is_sparse = len(places) <= _MOST_READS * len(inputs["input_ids"])
        if self._last is not None and is_sparse and not is_tapped(network):
            picked = self._last.states(inputs, places)
        else:
            if self._head is None:
                states = logits_of(network(**inputs))
            else:
                states = network.base_model(**inputs)[0]
            picked = states.flatten(0, 1)[torch.from_numpy(places).to(states.device)]
        size = max(1, _MOST_SCORES // self._vocabulary)
        found = np.empty(len(rows))
        for start in range(0, len(places), size):
            scores = self._scores(picked[start : start + size])
            mine = np.flatnonzero((which >= start) & (which < start + size))
            pair = np.stack([which[mine] - start, targets[mine]])
            index = torch.from_numpy(pair).to(picked.device)
            found[mine] = scores[index[0], index[1]].double().cpu().numpy()
        return found

    def _scores(self, rows: Any) -> Any:
        """Log-probabilities over the vocabulary ``(row, word)`` as float32 or wider."""
        logits = rows if self._head is None else self._head(rows)
        return torch.log_softmax(logits.float(), dim=-1)


class Sloping(HfEncoder, WithInputSlopes):
    """Capability ``logprob_slopes`` of a language model, masked or causal."""

    def logprob_slopes(
        self, queries: Sequence[Cloze], weights: Sequence[Sequence[float]]
    ) -> list[Floats]:
        """Gradient ``(token, dimension)`` of each query's weighted sum of log-probabilities.

        Parameters
        ----------
        queries
            Sequences, with the positions at which the network's distribution is read, and the
            tokens read there; a causal model says at a position what comes behind it.
        weights
            Weight of each of a query's targets.

        Raises
        ------
        AnswerError
            ``too_long`` if a sequence has more tokens than fit.
        """
        self.refuse_long([query.ids for query in queries])
        sequences = Sequences([q.ids for q in queries], [q.segments for q in queries])
        found: dict[int, Floats] = {}
        answers = self._input_slopes().run(
            sequences.lengths.tolist(),
            lambda batch: self._runner.inputs(sequences, batch),
            _weighted(queries, weights),
        )
        for answered in answers:
            for i, rows in zip(answered.indices, answered.answer, strict=True):
                found[i] = rows[: len(queries[i].ids)]  # padded on the right
        return [found[i] for i in range(len(queries))]


def _weighted(queries: Sequence[Cloze], weights: Sequence[Sequence[float]]) -> Loss:
    """Weighted sum of the log-probabilities of targets, from logits ``(query, token, word)``."""

    def loss(batch: list[int], logits: Any) -> Any:
        flat = [
            (row, position, target, weight)
            for row, i in enumerate(batch)
            for position, target, weight in zip(
                queries[i].positions, queries[i].targets, weights[i], strict=True
            )
        ]
        if not flat:
            return logits.sum() * 0.0
        rows, positions, targets, own = (
            torch.from_numpy(np.array(column)).to(logits.device)
            for column in zip(*flat, strict=True)
        )
        logs = torch.log_softmax(logits[rows, positions].float(), dim=-1)  # (read, word)
        read = logs.gather(1, targets[:, None])[:, 0]
        return (read * own.to(read.dtype)).sum()

    return loss
