"""Causal language models of transformers."""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.language import Continuation, Probe
from scrutiny.models.hf.encoder import HfEncoder
from scrutiny.models.hf.lm_head import find_head, is_causal
from scrutiny.models.hf.model import HfParts
from scrutiny.models.hf.reading import Reader, Reads, flat
from scrutiny.models.hf.sequences import Sequences
from scrutiny.models.hf.slopes.guesses import causal_guess, landscape_of
from scrutiny.models.hf.slopes.logprobs import Sloping


class HfCausalLanguageModel(HfEncoder, Sloping):
    """A network that guesses the next token.

    ``begin_id`` is the tokenizer's token for the begin of a text, or the one for its end where it
    has no other (GPT-2 has one for both).
    """

    def __init__(self, parts: HfParts) -> None:
        super().__init__(parts)
        network, tokenizer = parts.runner.network, parts.tokenizer
        if not is_causal(network):
            raise ModelError(
                f"{parts.source!r} says that it is a {type(network).__name__}, but its attention "
                "sees the tokens behind: it is no causal language model. For a BERT, set "
                "is_decoder in config.json if it was trained as a decoder."
            )
        begin = tokenizer.bos_token_id
        self.begin_id = tokenizer.eos_token_id if begin is None else begin
        self.mask_id = None
        self.capabilities |= {"landscape", "logprob_slopes", "token_logprobs"}
        self._reader = Reader(parts.runner, find_head(network))

    def landscape(self, texts: Sequence[str], *, probe: Probe) -> dict[str, Floats]:
        """Loss, gradient, sharpness and curvature ``(text,)`` of guessing the next token."""
        guess = causal_guess(self)
        return landscape_of(self, self._runner, texts, guess=guess, probe=probe)

    def token_logprobs(self, queries: Sequence[Continuation]) -> list[tuple[float, ...]]:
        """Natural log-probability of every token from ``start`` on, given all before it.

        Raises
        ------
        AnswerError
            ``too_long`` if a sequence has more tokens than fit.
        ConformanceError
            If a ``start`` lies outside of its sequence.
        """
        self.refuse_long([query.ids for query in queries])
        for query in queries:
            if not 1 <= query.start <= len(query.ids):
                raise ConformanceError(
                    f"start is a number from 1 to the {len(query.ids)} tokens, not {query.start}."
                )
        # nothing is read off the last token, so that queries which differ in it alone share a row
        index: dict[tuple[int, ...], int] = {}
        places = [index.setdefault(q.ids[: max(1, len(q.ids) - 1)], len(index)) for q in queries]
        counts = [len(query.ids) - query.start for query in queries]
        reads = Reads(
            np.repeat(np.array(places, np.int64), counts),
            flat([range(q.start - 1, len(q.ids) - 1) for q in queries]),
            flat([q.ids[q.start :] for q in queries]),
        )
        values = iter(self._reader.read(Sequences(list(index)), reads).tolist())
        return [tuple(islice(values, count)) for count in counts]
