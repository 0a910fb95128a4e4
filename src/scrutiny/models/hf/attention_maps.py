"""Attention maps of sentences, streamed from a network of transformers.

Sentences are taken in windows whose maps fit into a fixed amount of memory. Within a window they
are sorted by length and run in batches; equal sentences are run once. The window's maps are handed
out in the order of the sentences before the next one is begun, so what is held does not depend on
how many sentences there are.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final

import numpy as np
import torch

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.queries.attention import WEIGHTINGS, AttentionMap, Weighting, Words
from scrutiny.core.queries.language import TokenIds
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.hf.attention_taps import (
    Factors,
    LayerStep,
    SlopeReading,
    Tap,
    can_be_tapped,
    eager,
    find_factors,
    tapped,
    value_norms,
)
from scrutiny.models.hf.batching import TokenBudget
from scrutiny.models.hf.forward_passes import Runner, Sequences, probe_inputs
from scrutiny.models.hf.word_pieces import SentencePieces, WordCutter

#: Attention weights that are held at a time, in the maps of a window and in a batch: 128 MB each.
MOST_WEIGHTS: Final = 2**25
_MOST_SENTENCES: Final = 512  # cut into pieces at a time
Floats = np.ndarray[Any, np.dtype[np.float32]]
Maps = dict[TokenIds, Floats | Failure]


class AttentionSource:
    """Streams the attention of a network.

    Parameters
    ----------
    runner
        The network.
    tokenizer
        Its fast tokenizer.
    limit
        Most tokens of one sequence, or nothing.
    shape
        Layers and heads.
    name
        Model string, for messages.
    """

    def __init__(
        self,
        runner: Runner,
        tokenizer: Any,
        *,
        limit: int | None,
        shape: tuple[int, int],
        name: str,
    ) -> None:
        self.shape = shape
        self.name = name
        self.network = runner.network
        self.is_open = can_be_tapped(
            runner.network, probe_inputs(runner.network), n_layers=shape[0]
        )
        self._runner = runner
        self._tokenizer = tokenizer
        self._limit = limit
        self._cutter: WordCutter | None = None
        self._factors: Factors | None = None

    def stream(
        self, sentences: Sequence[Words], *, weighting: Weighting = "raw", change: Tap | None = None
    ) -> Iterator[AttentionMap | Failure]:
        """Maps of the sentences, in order, computed on demand.

        Parameters
        ----------
        sentences
            Words of each.
        weighting
            ``value-norm`` as in `scrutiny.models.hf.attention_taps`, ``gradient`` as in
            `scrutiny.models.hf.attention_taps`.
        change
            Tap under which the network runs.

        Raises
        ------
        ConformanceError
            For another weighting.
        ModelError
            If the norms or the gradients cannot be had from this architecture.
        """
        if weighting not in WEIGHTINGS:
            raise ConformanceError(f"Weightings are {', '.join(WEIGHTINGS)}, not {weighting!r}.")
        if weighting == "gradient":
            kind = type(self.network).__name__
            if not self.is_open:
                raise ModelError(
                    f"{self.name!r}: a {kind} does not look its attention up in transformers' "
                    "AttentionInterface, so there are no gradients by its weights; ask for the "
                    "weighting 'raw'."
                )
            inputs = probe_inputs(self.network)
            with torch.inference_mode():
                output = self.network(**inputs)
            if not any(hasattr(output, name) for name in ("logits", "prediction_logits")):
                raise ModelError(
                    f"{self.name!r}: a {kind} has no head, so there is no answer to take the "
                    "gradient of. Name a language model or a tagger, or ask for the weighting "
                    "'raw' or 'value-norm'."
                )
            return self._stream(sentences, SlopeReading(self.network, change))
        factors = self._value_factors() if weighting == "value-norm" else None
        return self._stream(sentences, _Reading(self, change, factors))

    def _stream(
        self, sentences: Sequence[Words], reading: "_Reading | SlopeReading"
    ) -> Iterator[AttentionMap | Failure]:
        """Maps, window by window."""
        self._cutter = self._cutter or WordCutter(self._tokenizer)
        for start in range(0, len(sentences), _MOST_SENTENCES):
            cut = self._cutter.cut(sentences[start : start + _MOST_SENTENCES])
            for window in self._windows([self._checked(one) for one in cut]):
                # Maps of a window's sentences; repeated sentences get a copy.
                maps = self._maps(window, reading)
                last = {
                    one.ids: i for i, one in enumerate(window) if isinstance(one, SentencePieces)
                }
                for i, one in enumerate(window):
                    if isinstance(one, Failure):
                        yield one
                        continue
                    found = maps.pop(one.ids) if last[one.ids] == i else maps[one.ids]
                    if isinstance(found, Failure):
                        yield found
                    else:
                        weights = found if last[one.ids] == i else found.copy()
                        yield AttentionMap(weights, one.words, one.ids)

    def _checked(self, one: SentencePieces | Failure) -> SentencePieces | Failure:
        """Return the pieces unless they do not fit, or are none."""
        if isinstance(one, Failure):
            return one
        if self._limit is not None and len(one.ids) > self._limit:
            message = f"a sentence has {len(one.ids)} pieces, the limit is {self._limit}"
            return Failure("too_long", message)
        return one if one.ids else Failure("no_pieces", "a sentence has no piece at all")

    def _windows(
        self, pieces: Sequence[SentencePieces | Failure]
    ) -> Iterator[Sequence[SentencePieces | Failure]]:
        """Groups of sentences whose maps fit into memory; at least one sentence each."""
        heads = self.shape[0] * self.shape[1]
        sizes = [0 if isinstance(p, Failure) else heads * len(p.ids) ** 2 for p in pieces]
        start, held = 0, 0
        for stop, size in enumerate(sizes):
            if held + size > MOST_WEIGHTS and stop > start:
                yield pieces[start:stop]
                start, held = stop, 0
            held += size
        if start < len(pieces):
            yield pieces[start:]

    def _maps(
        self, window: Sequence[SentencePieces | Failure], reading: "_Reading | SlopeReading"
    ) -> Maps:
        """Weights of each distinct sequence of a window ``(layer, head, piece, piece)``."""
        distinct = list(dict.fromkeys(one.ids for one in window if isinstance(one, SentencePieces)))
        found: Maps = {}
        try:
            self._run(distinct, reading, found)
        except AnswerError:  # of one of them: the others must not fail with it
            for ids in distinct:
                if ids not in found:
                    try:
                        self._run([ids], reading, found)
                    except AnswerError as error:
                        found[ids] = Failure(error.reason, str(error))
        return found

    def _run(
        self, ids: Sequence[TokenIds], reading: "_Reading | SlopeReading", found: Maps
    ) -> None:
        """Run sequences through the network and keep their weights.

        Raises
        ------
        AnswerError
            If one of them does not fit into memory, or cannot be changed as asked.
        """
        sequences = Sequences(ids)
        lengths = sequences.lengths.tolist()

        def use(batch: list[int], inputs: dict[str, Any]) -> None:
            layers = reading.layers(inputs)
            for row, i in enumerate(batch):
                n = lengths[i]
                found[ids[i]] = np.stack([layer[row, :, :n, :n] for layer in layers])

        with reading.running():
            budget = self.budget(max(lengths, default=1), share=reading.share)
            self._runner.run(sequences, use, budget=budget)

    def budget(self, longest: int, *, share: int = 1) -> TokenBudget:
        """Budget under which all weights of a batch fit: they grow with the square."""
        own = self._runner.budget
        tokens = MOST_WEIGHTS // (self.shape[0] * self.shape[1] * max(1, longest))
        return replace(own, tokens=max(1, min(own.tokens, tokens) // share))

    def _value_factors(self) -> Factors:
        """Factors of the output projections, found once."""
        if self._factors is None and self.is_open:
            inputs = probe_inputs(self.network)
            self._factors = find_factors(self.network, inputs, shape=self.shape)
        if self._factors is None:
            raise ModelError(
                f"{self.name!r}: how a {type(self.network).__name__} projects the values of its "
                "heads is not known, so there are no value norms; ask for the weighting 'raw'. "
                "They are known of networks that look their attention up in transformers' "
                "AttentionInterface and feed its output straight into a linear map (BERT, RoBERTa, "
                "ELECTRA, DistilBERT, GPT-2, Llama, …)."
            )
        return self._factors


class _EnoughError(Exception):
    """The last needed layer is done; the rest of the forward pass is skipped."""


class _Reading:
    """Settings for reading maps: changed or not, as weights or norms.

    A network that can be tapped is left at the weights of its last layer: what that layer makes of
    them, an eighth of MiniLM's work, is in no map.
    """

    share: Final = 1  # of a batch's memory, in which its weights stand

    def __init__(
        self, source: AttentionSource, change: Tap | None, factors: Factors | None
    ) -> None:
        self._base = source.network.base_model
        self._network = source.network
        self._is_open = source.is_open
        self._last = source.shape[0] - 1
        self._change = change
        self._factors = factors
        self._weights: list[Any] = []

    def running(self) -> AbstractContextManager[None]:
        """State of the network while it is read."""
        return tapped(self._network, self._tap) if self._is_open else eager(self._network)

    def layers(self, inputs: dict[str, Any]) -> list[Floats]:
        """Weights of each layer ``(sequence, head, piece, piece)``."""
        self._weights.clear()
        try:
            output = self._base(**inputs, output_attentions=not self._is_open)
            weights = output.attentions
        except _EnoughError:
            weights = self._weights
        return [layer.float().cpu().numpy() for layer in weights]

    def _tap(self, step: LayerStep) -> Any:
        """Store the weights of a layer, after the change."""
        changed = None if self._change is None else self._change(step)
        weights = step.weights if changed is None else changed
        if self._factors is not None:
            weights = weights.float() * value_norms(self._factors, step)[:, :, None, :]
        self._weights.append(weights)
        if step.layer == self._last:
            raise _EnoughError
        return changed


def find_attention_shape(network: Any) -> tuple[int, int] | None:
    """Layers and heads of a network with readable weights, or `None`.

    It is tried on a few tokens.
    """
    inputs = probe_inputs(network)
    try:
        with torch.inference_mode(), eager(network):
            found = network.base_model(**inputs, output_attentions=True).attentions or ()
    except (RuntimeError, TypeError, ValueError, AttributeError, NotImplementedError):
        return None
    width = inputs["input_ids"].shape[1]
    shapes = {None if layer is None else tuple(layer.shape) for layer in found}
    if len(shapes) != 1:  # none, or layers that differ in their heads
        return None
    shape = shapes.pop()
    is_square = shape is not None and len(shape) == 4 and shape[2:] == (width, width)
    return (len(found), shape[1]) if is_square and shape is not None else None
