"""Forward passes: token sequences padded together and run as fit, and the language-modeling head.

A head over the vocabulary costs as much as several layers, so it is applied only where somebody
reads, to single rows of hidden states. Where it sits differs by architecture; what is found is
tried on a few tokens against the network's own logits, and without agreement the network's own are
used.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, TypeVar

import numpy as np
import torch

from scrutiny.models.hf.batching import TokenBudget, run_batches

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

    def __init__(
        self, network: Any, *, pad: int, takes_segments: bool, budget: TokenBudget
    ) -> None:
        self.network = network
        self.budget = budget
        self._pad = pad
        self._takes_segments = takes_segments

    def run(
        self,
        sequences: Sequences,
        use: Callable[[list[int], dict[str, Any]], None],
        *,
        budget: TokenBudget | None = None,
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


Head = Callable[[Any], Any]
_PROBE: Final = 6  # tokens
_PLAIN: Final = ("lm_head", "predictions", "embed_out")


def logits_of(output: Any) -> Any:
    """Logits of a head; of one that points at an answer, ``(text, start or end, token)``."""
    if hasattr(output, "start_logits"):
        return torch.stack([output.start_logits, output.end_logits], dim=1)
    found = getattr(output, "logits", None)
    return output.prediction_logits if found is None else found


def probe_inputs(network: Any) -> dict[str, Any]:
    """One short sequence of any tokens but padding."""
    pad = getattr(network.config, "pad_token_id", None)
    size = network.get_input_embeddings().num_embeddings
    ids = [i for i in ((7 * n + 5) % size for n in range(2 * _PROBE)) if i != pad][:_PROBE]
    return {"input_ids": torch.tensor([ids], device=network.device)}


def find_head(network: Any) -> Head | None:
    """Head over rows ``(row, hidden)``, or `None` if no part of the network agrees with it."""
    with torch.inference_mode():
        inputs = probe_inputs(network)
        wanted = logits_of(network(**inputs))[0]
        hidden = network.base_model(**inputs)[0][0]
        return next((h for h in _candidates(network) if _agrees(h, hidden, wanted)), None)


def is_causal(network: Any) -> bool:
    """Whether the network's outputs for a token do not depend on later tokens."""
    with torch.inference_mode():
        inputs = probe_inputs(network)
        before = logits_of(network(**inputs))[0, :-1]
        inputs["input_ids"][0, -1] = inputs["input_ids"][0, 0]
        return close_tensors(before, logits_of(network(**inputs))[0, :-1])


def _candidates(network: Any) -> Iterator[Head]:
    """Modules that are the head in some architecture."""
    if hasattr(getattr(network, "cls", None), "predictions"):  # BERT and its kin
        yield network.cls.predictions
    if hasattr(network, "vocab_projector"):  # DistilBERT
        yield lambda rows: network.vocab_projector(
            network.vocab_layer_norm(network.activation(network.vocab_transform(rows)))
        )
    if hasattr(network, "generator_lm_head"):  # ELECTRA's generator
        yield lambda rows: network.generator_lm_head(network.generator_predictions(rows))
    for name in _PLAIN:  # RoBERTa, ALBERT, causal models
        if hasattr(network, name):
            yield getattr(network, name)


def _agrees(head: Head, hidden: Any, wanted: Any) -> bool:
    """Whether a head gives the wanted logits."""
    try:
        found = head(hidden)
    except (RuntimeError, TypeError, ValueError):  # not made for rows
        return False
    return getattr(found, "shape", None) == wanted.shape and close_tensors(found, wanted)


def close_tensors(one: Any, two: Any) -> bool:
    """Whether two ways to read a checkpoint's network agree: tensors equal up to rounding."""
    small = 1e-4 if one.dtype == torch.float32 else 3e-2
    scale = 1.0 + float(two.float().abs().max())
    return bool(((one.float() - two.float()).abs() <= small * scale).all())
