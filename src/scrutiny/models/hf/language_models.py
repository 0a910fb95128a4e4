"""Causal and masked language models of transformers, next-sentence heads, and how one is loaded.

The head is the one that ``architectures`` in config.json names. Weights in half precision are run
in float32 on a processor: most are slower with less, and rounding would decide close pairs.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final

import numpy as np
import torch

from scrutiny.core.arrays import Floats
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.model import LoadOptions
from scrutiny.core.queries.language import Clozes, Continuation, Probe, SentencePair
from scrutiny.core.task import Task
from scrutiny.models.hf.checkpoint import (
    Checkpoint,
    find_device,
    load_network,
    refuse_missing,
    stated_dtype,
)
from scrutiny.models.hf.forward_passes import Sequences, find_head, is_causal
from scrutiny.models.hf.loss_landscape import causal_guess, landscape_of, masked_guess
from scrutiny.models.hf.token_logprobs import Reader, Sloping
from scrutiny.models.hf.transformer import HfEncoder, HfParts, parts_of
from scrutiny.models.scoring.likelihood_questions import scored_together
from scrutiny.models.strings.model_strings import ModelSource


class HfMaskedLanguageModel(Sloping):
    """A network with a masked-language-modeling head."""

    def __init__(self, parts: HfParts) -> None:
        super().__init__(parts)
        self.capabilities |= {"landscape", "logprob_slopes", "masked_logprobs"}
        self._reader = Reader(parts.runner, find_head(parts.runner.network))

    def masked_logprobs(self, queries: Sequence[Clozes]) -> list[tuple[tuple[float, ...], ...]]:
        """Natural log-probabilities by query, cloze and target; equal sequences are run once.

        Raises
        ------
        AnswerError
            ``too_long`` if a sequence has more tokens than fit.
        """
        self.refuse_long([cloze.ids for query in queries for cloze in query])
        sizes = [sum(len(cloze.ids) for cloze in query) for query in queries]
        found: list[tuple[tuple[float, ...], ...]] = []
        for part in scored_together(sizes):
            values = iter(self._reader.clozes([*chain.from_iterable(queries[part])]))
            found += [tuple(islice(values, len(query))) for query in queries[part]]
        return found

    def landscape(self, texts: Sequence[str], *, probe: Probe) -> dict[str, Floats]:
        """Loss, gradient, sharpness and curvature ``(text,)`` with some tokens masked."""
        return landscape_of(self, self._runner, texts, guess=masked_guess(self, probe), probe=probe)


class HfNextSentence(HfEncoder):
    """A network with BERT's next-sentence head, whose index 0 means "is next"."""

    def __init__(self, parts: HfParts) -> None:
        super().__init__(parts)
        self.capabilities |= {"next_sentence"}

    def next_sentence(self, queries: Sequence[SentencePair]) -> list[float]:
        """Probability, by the network's own head, that the second text follows the first.

        Raises
        ------
        AnswerError
            ``too_long`` if a pair has more tokens than fit.
        """
        encoded = self.encode([q.first for q in queries], pairs=[q.second for q in queries])
        self.refuse_long([one.ids for one in encoded])
        sequences = Sequences([one.ids for one in encoded], [one.segments for one in encoded])
        found = np.empty(len(queries))

        def use(batch: list[int], inputs: dict[str, Any]) -> None:
            logits = self._relation(inputs).float()
            found[batch] = torch.softmax(logits, -1)[:, 0].double().cpu().numpy()

        self._runner.run(sequences, use)
        return [float(value) for value in found]

    def _relation(self, inputs: dict[str, Any]) -> Any:
        """Logits of "is next" and "is random" ``(pair, 2)``."""
        return self._runner.network(**inputs).logits


class HfPreTraining(HfMaskedLanguageModel, HfNextSentence):
    """A network with both heads of BERT's pre-training."""

    def _relation(self, inputs: dict[str, Any]) -> Any:
        """Logits of "is next" and "is random", without running the other head."""
        network = self._runner.network
        return network.cls.seq_relationship(network.base_model(**inputs)[1])


class HfCausalLanguageModel(Sloping):
    """A network that predicts the next token.

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
        """Loss, gradient, sharpness and curvature ``(text,)`` of predicting the next token."""
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
        return self._reader.clozes([query.cloze() for query in queries])


_VERSION: Final = "hf-language@1"
_BOTH_HEADS: Final = tuple(
    f"{kind}ForPreTraining" for kind in ("Bert", "MobileBert", "MegatronBert")
)
_NEITHER: Final = ("XLNetLMHeadModel", "WithLMHeadModel")  # of permuted, or of either, order


#: Ends of names of networks, what loads them, and our class.
_KINDS: Final[tuple[tuple[str, str, type[HfEncoder]], ...]] = (
    ("ForMaskedLM", "AutoModelForMaskedLM", HfMaskedLanguageModel),
    # ALBERT's other head orders sentences
    ("AlbertForPreTraining", "AutoModelForMaskedLM", HfMaskedLanguageModel),
    ("ForNextSentencePrediction", "AutoModelForNextSentencePrediction", HfNextSentence),
    ("ForCausalLM", "AutoModelForCausalLM", HfCausalLanguageModel),
    ("LMHeadModel", "AutoModelForCausalLM", HfCausalLanguageModel),
    ("ForTokenClassification", "AutoModelForTokenClassification", HfEncoder),
)


def load_language_model(
    checkpoint: Checkpoint, source: ModelSource, task: Task, options: LoadOptions
) -> HfEncoder:
    """Language model of a checkpoint, with the capabilities that its head gives.

    Raises
    ------
    ModelError
        If it does not load, lacks weights of its own head, or has an encoder and a decoder.
    MissingExtraError
        If torch or transformers are not installed.
    """
    if "labels" in source.options:
        raise ModelError(f"{source.text!r}: the task {task.name} has no labels; leave out labels=.")
    if checkpoint.config.get("is_encoder_decoder"):
        raise ModelError(
            f"{source.text!r} has an encoder and a decoder; as language models, scrutiny asks "
            "encoders (BERT, RoBERTa, …) and decoders (GPT-2, Llama, …) only."
        )
    device = find_device(options.device, source)
    dtype = stated_dtype(source)
    if dtype == "auto" and device.type == "cpu":
        dtype = "float32"
    maker, kind = head_of(checkpoint.config)
    network, missing = load_network(checkpoint.folder, maker, source, dtype=dtype)
    if kind is HfEncoder:  # vectors of tokens do not pass the pooler
        missing = [name for name in missing if not name.startswith("pooler.")]
    own = checkpoint.config.get("architectures") or [maker]
    refuse_missing(missing, source, head=maker if maker in _BOTH_HEADS else own[0])
    also, batch = {"head": type(network).__name__}, options.batch
    network = network.to(device)
    parts = parts_of(checkpoint, network, source, task, batch=batch, version=_VERSION, also=also)
    return kind(parts)


def head_of(config: Mapping[str, Any]) -> tuple[str, type[HfEncoder]]:
    """Class of transformers that loads a checkpoint, and our class, by its configuration.

    Examples
    --------
    >>> head_of({"architectures": ["RobertaForMaskedLM"]})[0]
    'AutoModelForMaskedLM'
    >>> head_of({"architectures": ["BertForTokenClassification"]})[0]  # whose gradients are asked
    'AutoModelForTokenClassification'
    >>> head_of({"architectures": ["BertForSequenceClassification"]})[0]
    'AutoModel'
    """
    stated = (config.get("architectures") or [""])[0]
    if stated in _BOTH_HEADS:
        return stated, HfPreTraining
    for ends, maker, kind in _KINDS:
        if stated.endswith(ends) and not stated.endswith(_NEITHER):
            return maker, kind
    return "AutoModel", HfEncoder
