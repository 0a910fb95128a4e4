"""Classifiers and taggers of transformers, as models."""

from collections.abc import Iterator, Sequence
from typing import Final

import torch

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example, Span
from scrutiny.core.queries.gradients import TokenGradients
from scrutiny.core.queries.language import Encoded
from scrutiny.core.task import Prediction
from scrutiny.models.answers.bio import spans_from_tags
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.answers.inputs import borders, index_of
from scrutiny.models.hf.batching import batches_of, own_tokens
from scrutiny.models.hf.labeled import Columns, HfLabeled, Loaded
from scrutiny.models.hf.pieces import first_pieces
from scrutiny.models.hf.slopes.gradients import loss_of_labels, slopes_of
from scrutiny.models.hf.slopes.tag_loss import LossOfTags
from scrutiny.models.hf.vectors import encode_texts
from scrutiny.tasks.columns.tags import types_of

_CHUNK: Final = 8192  # texts tokenized at a time: enough to sort by length, little to keep


class HfClassifier(HfLabeled):
    """A sequence classifier; texts longer than the network's limit are truncated."""

    def __init__(self, loaded: Loaded) -> None:
        super().__init__(loaded)
        self.labels = loaded.names

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        return [one for part in _parts(examples) for one in self._predict(examples[part])]

    def truncated(self, examples: Sequence[Example]) -> int:
        """How many of the examples have more tokens than the network takes."""
        limit = self.limit
        if limit is None or not examples:
            return 0
        lengths = (
            len(ids)
            for part in _parts(examples)
            for ids in self._loaded.encode(_texts(examples[part]), truncate=False)["input_ids"]
        )
        return sum(length > limit for length in lengths)

    def batches(self, examples: Sequence[Example]) -> list[list[int]]:
        """Indices of the examples that go through the network together."""
        columns = self._loaded.encode(_texts(examples), truncate=True)
        return batches_of(list(map(len, columns["input_ids"])), self._loaded.forward.budget)

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
        return [
            one
            for part in _parts(examples)
            for one in self._gradients(examples[part], targets[part])
        ]

    def _as_read(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None, special: bool
    ) -> list[Encoded]:
        """Tokens of each text, or pair of texts, as the classifier reads them: truncated."""
        limit = self.limit
        return encode_texts(self._tokenizer, texts, pairs=pairs, special=special, limit=limit)

    def _gradients(
        self, examples: Sequence[Example], targets: Sequence[int]
    ) -> list[TokenGradients | Failure]:
        """Gradients of examples that are tokenized together."""
        if not examples:
            return []
        tokenized = self._loaded.encode(_texts(examples), truncate=True)
        forward = self._loaded.forward
        answers = self._input_slopes().run(
            [len(ids) for ids in tokenized["input_ids"]],
            lambda batch: forward.inputs(tokenized, batch),
            loss_of_labels(targets),
        )
        return slopes_of(answers, tokenized, examples, side=self._tokenizer.padding_side)

    def _predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of examples that are tokenized together."""
        columns: Columns = self._loaded.encode(_texts(examples), truncate=True)
        order: list[int] = []
        rows = []
        for answered in self._loaded.forward.logits(columns):
            order += answered.indices
            rows.append(torch.softmax(answered.answer, dim=-1))  # (text, label)
        scores = torch.cat(rows).tolist()  # one wait for the device, not one for each batch
        by_index = dict(zip(order, scores, strict=True))
        return [Prediction(scores=tuple(by_index[i])) for i in range(len(examples))]


class HfTagger(HfLabeled):
    """A token classifier; each word has the tag of its first token.

    A text with more tokens than the network takes fails with ``too_long``: a cut text would count
    as one without entities.
    """

    def __init__(self, loaded: Loaded) -> None:
        super().__init__(loaded)
        self.labels = types_of(loaded.names)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Spans of each example, in order.

        Raises
        ------
        AnswerError
            ``too_long`` for a text that does not fit.
        """
        if not examples:
            return []
        columns = dict(
            self._loaded.encode(
                [[e.text for e in examples]], truncate=False, return_offsets_mapping=True
            )
        )
        offsets = columns.pop("offset_mapping")
        self._refuse_long(columns["input_ids"], examples)
        tags: dict[int, list[int]] = {}
        side = self._tokenizer.padding_side
        for answered in self._loaded.forward.logits(columns):
            best = answered.answer.argmax(-1).tolist()  # (text, token)
            for index, row in zip(answered.indices, best, strict=True):
                tags[index] = row[own_tokens(len(offsets[index]), len(row), side)]
        return [
            Prediction(self._spans(example, offsets[i], tags[i]))
            for i, example in enumerate(examples)
        ]

    def batches(self, examples: Sequence[Example]) -> list[list[int]]:
        """Indices of the examples that go through the network together."""
        columns = self._loaded.encode([[e.text for e in examples]], truncate=False)
        return batches_of(list(map(len, columns["input_ids"])), self._loaded.forward.budget)

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of each answer's entities of a label, in order.

        The probability is that of the tags which the tagger gives its words, where they are of the
        label: a product over these words. An example without such a word fails (``no_such_label``),
        and so does one that is too long.

        Raises
        ------
        ModelError
            For a label that the model does not have.
        """
        for label in labels:
            index_of(label, self.labels, source=self.source)
        return [
            one
            for part in _parts(examples)
            for one in self._gradients(examples[part], labels[part])
        ]

    def _gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradients of a group of examples; those that are too long fail."""
        ids = self._loaded.encode([[e.text for e in examples]], truncate=False)["input_ids"]
        limit = self.limit
        fits = [i for i, row in enumerate(ids) if limit is None or len(row) <= limit]
        found: list[TokenGradients | Failure] = [
            Failure("too_long", f"item {e.id!r} has more than {limit} tokens") for e in examples
        ]
        if fits:
            own = self._fitting([examples[i] for i in fits], [labels[i] for i in fits])
            for i, one in zip(fits, own, strict=True):
                found[i] = one
        return found

    def _fitting(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradients of examples that fit, and are tokenized together."""
        side, forward = self._tokenizer.padding_side, self._loaded.forward
        tokenized = self._loaded.encode([[e.text for e in examples]], truncate=False)
        lengths = [len(ids) for ids in tokenized["input_ids"]]
        firsts = [
            first_pieces(borders(example), one.offsets)
            for example, one in zip(examples, tokenized.encodings, strict=True)
        ]
        loss = LossOfTags(self._loaded.names, labels, firsts, lengths=lengths, side=side)
        answers = self._input_slopes().run(
            lengths, lambda batch: forward.inputs(tokenized, batch), loss
        )
        found = slopes_of(answers, tokenized, examples, side=side)
        for i in loss.without:
            why = f"no word of item {examples[i].id!r} has the label {labels[i]!r}"
            found[i] = Failure("no_such_label", why)
        return found

    def _refuse_long(self, ids: Sequence[Sequence[int]], examples: Sequence[Example]) -> None:
        """Raise if a text has more tokens than fit."""
        limit = self.limit
        for row, example in zip(ids, examples, strict=True):
            if limit is not None and len(row) > limit:
                raise AnswerError(
                    "too_long", f"item {example.id!r} has {len(row)} tokens, the limit is {limit}"
                )

    def _spans(
        self, example: Example, offsets: Sequence[tuple[int, int]], tags: Sequence[int]
    ) -> tuple[Span, ...]:
        """Spans of one text from the tags of its pieces."""
        words = borders(example)
        firsts = first_pieces(words, offsets)
        names = ["O" if i is None else self._loaded.names[tags[i]] for i in firsts]
        return spans_from_tags(names, words, next(iter(example.fields)))


def _parts(examples: Sequence[Example]) -> Iterator[slice]:
    """Groups of examples that are tokenized together."""
    return (slice(start, start + _CHUNK) for start in range(0, len(examples), _CHUNK))


def _texts(examples: Sequence[Example]) -> list[tuple[str, ...]]:
    """Texts ``fields[field][text]`` of examples."""
    return list(zip(*(example.fields.values() for example in examples), strict=True))
