"""Classifiers of whole texts, and what every transformer with a labeling head shares."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, Final

import torch

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.gradients import (
    FOLLOWED,
    ParameterGradient,
    PathGradient,
    PathGradients,
    TokenGradients,
    examples_of,
)
from scrutiny.core.queries.language import Encoded
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import index_of
from scrutiny.models.hf.batching import Answered, TokenBudget, batches_of, run_batches, start_budget
from scrutiny.models.hf.forward_passes import logits_of
from scrutiny.models.hf.gradient_queries import Rows, TransformerGradients
from scrutiny.models.hf.input_gradients import Loss, WithInputSlopes, loss_of_labels, slopes_of
from scrutiny.models.hf.text_vectors import encode_texts, has_vectors
from scrutiny.models.hf.transformer import HfModel, HfParts
from scrutiny.models.shuffled_weights import shuffled

Columns = Mapping[str, Sequence[Sequence[int]]]


class Forward:
    """A network in evaluation mode with everything needed to run texts and lists of tokens.

    Parameters
    ----------
    network
        A transformers model with a head.
    tokenizer
        Its fast tokenizer.
    limit
        Most tokens of one text, or nothing.
    batch
        As in `LoadOptions`.
    """

    def __init__(
        self, network: Any, tokenizer: Any, *, limit: int | None, batch: int | str
    ) -> None:
        self.network = network
        self.tokenizer = tokenizer
        self.budget = start_budget(batch, network.device.type)
        if tokenizer.pad_token_id is None:
            self.budget.texts = 1  # without a padding token, texts cannot share a batch
        self._limit = limit
        self._device = network.device
        self._pads = {
            "input_ids": tokenizer.pad_token_id or 0,
            "token_type_ids": tokenizer.pad_token_type_id,
            "attention_mask": 0,
        }

    def encode(self, examples: Sequence[Example], *, truncate: bool, **more: bool) -> Any:
        """Token columns of the texts of examples, not padded."""
        limit = self._limit if truncate else None
        return self.tokenizer(
            *map(list, zip(*(example.fields.values() for example in examples), strict=True)),
            truncation=limit is not None,
            max_length=limit,
            padding=False,
            verbose=False,
            **more,
        )

    def too_long(self, examples: Sequence[Example]) -> int:
        """How many of the examples have more tokens than the network takes."""
        limit = self._limit
        if limit is None or not examples:
            return 0
        lengths = (
            len(ids)
            for part in chunks_of(examples)
            for ids in self.encode(examples[part], truncate=False)["input_ids"]
        )
        return sum(length > limit for length in lengths)

    def logits(self, columns: Columns) -> Iterator[Answered[Any]]:
        """Logits ``(text, ...)`` as float32, batch by batch, with the indices of the texts.

        Raises
        ------
        AnswerError
            ``out_of_memory`` if one text alone does not fit.
        """

        def ask(batch: list[int]) -> Any:
            with torch.inference_mode():
                return logits_of(self.network(**self.inputs(columns, batch))).float()

        lengths = [len(ids) for ids in columns["input_ids"]]
        yield from run_batches(lengths, self.budget, ask, device=self._device)

    def inputs(self, columns: Columns, batch: Sequence[int]) -> dict[str, Any]:
        """Padded tensors ``(text, token)`` of one batch on the network's device, by name."""
        found = {}
        for name, rows in columns.items():
            own = [rows[i] for i in batch]
            width = max(map(len, own))
            pads = [[self._pads[name]] * (width - len(row)) for row in own]
            sides = (own, pads) if self.tokenizer.padding_side == "right" else (pads, own)
            filled = [[*before, *behind] for before, behind in zip(*sides, strict=True)]
            found[name] = torch.tensor(filled, dtype=torch.long).to(self._device)
        return found


class HfLabeled(HfModel, WithInputSlopes):
    """A network with a classification head; vectors are those of the layers below it.

    Parameters
    ----------
    parts
        What every model is made of.
    forward
        The network with its head.
    names
        Names of the network's outputs, in order.
    """

    #: Whether texts that are too long are cut.
    truncates: ClassVar[bool]

    def __init__(self, parts: HfParts, forward: Forward, names: tuple[str, ...]) -> None:
        super().__init__(parts)
        config = forward.network.config
        self.capabilities |= {"predict"}
        if has_vectors(forward.network):
            self.n_layers = int(config.num_hidden_layers)
            self.capabilities |= {"tokenizes", "representations"}
        if not config.is_encoder_decoder:  # which read their input twice
            self.capabilities |= {"gradients"}
        self._forward = forward
        self._names = names

    def batches(self, examples: Sequence[Example]) -> list[list[int]]:
        """Indices of the examples that go through the network together."""
        columns = self._forward.encode(examples, truncate=self.truncates)
        return batches_of(list(map(len, columns["input_ids"])), self._forward.budget)

    def _budget(self) -> TokenBudget:
        """That of the network with its head."""
        return self._forward.budget

    def _slopes_of(
        self, examples: Sequence[Example], tokenized: Any, loss: Loss
    ) -> list[TokenGradients | Failure]:
        """Gradients of a loss at the tokens of examples that were tokenized together."""
        answers = self._input_slopes().run(
            [len(ids) for ids in tokenized["input_ids"]],
            partial(self._forward.inputs, tokenized),
            loss,
        )
        return slopes_of(answers, tokenized, examples, side=self._tokenizer.padding_side)


_CHUNK: Final = 8192  # texts tokenized at a time: enough to sort by length, little to keep


class HfClassifier(HfLabeled):
    """A sequence classifier; texts longer than the network's limit are truncated."""

    truncates = True

    def __init__(self, parts: HfParts, forward: Forward, names: tuple[str, ...]) -> None:
        super().__init__(parts, forward, names)
        self.labels = names
        if "gradients" in self.capabilities:
            self.capabilities |= {*FOLLOWED, "shuffled_weights"}

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        found = []
        for part in chunks_of(examples):
            columns: Columns = self._forward.encode(examples[part], truncate=True)
            order: list[int] = []
            rows = []
            for answered in self._forward.logits(columns):
                order += answered.indices
                rows.append(torch.softmax(answered.answer, dim=-1))  # (text, label)
            scores = torch.cat(rows).tolist()  # one wait for the device, not one for each batch
            by_index = dict(zip(order, scores, strict=True))
            found += [Prediction(scores=tuple(by_index[i])) for i in range(len(order))]
        return found

    def truncated(self, examples: Sequence[Example]) -> int:
        """How many of the examples have more tokens than the network takes."""
        return self._forward.too_long(examples)

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Slope of minus the log-probability of a label for each example, in order.

        Raises
        ------
        ModelError
            For a label that the model does not have.
        """
        targets = [index_of(label, self.labels, source=self.source) for label in labels]
        found: list[TokenGradients | Failure] = []
        for part in chunks_of(examples):
            tokenized = self._forward.encode(examples[part], truncate=True)
            found += self._slopes_of(examples[part], tokenized, loss_of_labels(targets[part]))
        return found

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the network's parameters."""
        return tuple(name for name, _ in self._forward.network.named_parameters())

    def path_gradients(self, queries: Sequence[PathGradient]) -> list[PathGradients]:
        """Integrated gradients of a label's logit for each query, in order; texts are truncated.

        Raises
        ------
        ModelError
            For a label that the model does not have, or a baseline that it cannot start from.
        """
        return self._followed(queries).along_paths(queries) if queries else []

    def parameter_gradients(self, queries: Sequence[ParameterGradient]) -> list[Rows]:
        """Gradient of each query's loss by its parameters, in order; texts are truncated.

        Raises
        ------
        ModelError
            For a label or a parameter that the model does not have.
        """
        return self._followed(queries).by_parameters(queries) if queries else []

    @contextmanager
    def with_shuffled_weights(self, share: float, seed: int) -> Iterator[Model]:
        """The model with the weights of a share of its layers shuffled, from the output down."""
        with shuffled(self._forward.network, share, seed):
            self._slopes = self._embeddings = None  # which may hold copies of the weights
            try:
                yield self
            finally:
                self._slopes = self._embeddings = None

    def _followed(
        self, queries: Sequence[PathGradient | ParameterGradient]
    ) -> TransformerGradients:
        """What answers gradient queries about texts that are tokenized together."""
        tokenized = self._forward.encode(examples_of(queries), truncate=True)
        slopes, labels = self._input_slopes(), self.labels
        return TransformerGradients(
            self._forward, slopes, tokenized, labels=labels, source=self.source
        )

    def _as_read(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None, special: bool
    ) -> list[Encoded]:
        """Tokens of each text, or pair of texts, as the classifier reads them: truncated."""
        limit = self.limit
        return encode_texts(self._tokenizer, texts, pairs=pairs, special=special, limit=limit)


def chunks_of(examples: Sequence[Example]) -> Iterator[slice]:
    """Groups of examples that are tokenized together."""
    return (slice(start, start + _CHUNK) for start in range(0, len(examples), _CHUNK))
