"""Classifiers and taggers of transformers, as models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.gradients import InputEmbeddings, TokenGradients
from scrutiny.core.language import Encoded
from scrutiny.core.task import Prediction
from scrutiny.models.bio import labels_of_tags, spans_from_tags
from scrutiny.models.checked import AnswerError
from scrutiny.models.hf_attention import AttentionSource
from scrutiny.models.hf_attention_models import Attending
from scrutiny.models.hf_encoder import encode_texts
from scrutiny.models.hf_forward import Columns, Forward
from scrutiny.models.hf_gradients import InputSlopes, embeddings_of, slopes_of
from scrutiny.models.inputs import borders

_CHUNK: Final = 8192  # texts tokenized at a time: enough to sort by length, little to keep


@dataclass(frozen=True, slots=True)
class Loaded:
    """What both kinds of model are made of.

    Parameters
    ----------
    source, task
        Model string and name of the task.
    tokenizer
        A fast tokenizer.
    forward
        The network.
    limit
        Most tokens of one text, or nothing.
    names
        Names of the network's outputs, in order.
    fingerprint
        Digest of all that changes an answer.
    attention
        Where its attention maps come from, if its weights can be had.
    """

    source: str
    task: str
    tokenizer: Any
    forward: Forward
    limit: int | None
    names: tuple[str, ...]
    fingerprint: str
    attention: AttentionSource | None

    def encode(self, fields: Sequence[Sequence[str]], *, truncate: bool, **more: bool) -> Any:
        """Token columns of texts ``fields[field][text]``, not padded."""
        return self.tokenizer(
            *map(list, fields),
            truncation=truncate and self.limit is not None,
            max_length=self.limit if truncate else None,
            padding=False,
            verbose=False,
            **more,
        )


class HfClassifier(Attending):
    """A sequence classifier; texts longer than the network takes are cut at its limit."""

    is_batch_invariant = False

    def __init__(self, loaded: Loaded) -> None:
        self.source = loaded.source
        self.task = loaded.task
        self.labels = loaded.names
        self.capabilities = frozenset({"predict"}) | self._offer(loaded.attention)
        if not loaded.forward.network.config.is_encoder_decoder:  # which read their input twice
            self.capabilities |= {"gradients"}
        self._loaded = loaded
        self._slopes: InputSlopes | None = None
        self._embeddings: InputEmbeddings | None = None

    def fingerprint(self) -> str:
        """Digest of weights, configuration, tokenizer and the way it is run."""
        return self._loaded.fingerprint

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Tokens of each text, or of each pair of texts; never cut."""
        return encode_texts(self._loaded.tokenizer, texts, pairs=pairs, special=special)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        found: list[Prediction] = []
        for start in range(0, len(examples), _CHUNK):
            found += self._predict(examples[start : start + _CHUNK])
        return found

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Slope of minus the log-probability of a label for each example, in order.

        Raises
        ------
        ModelError
            For a label that the model does not have.
        """
        targets = [self._index_of(label) for label in labels]
        found: list[TokenGradients | Failure] = []
        for start in range(0, len(examples), _CHUNK):
            part = slice(start, start + _CHUNK)
            found += self._gradients(examples[part], targets[part])
        return found

    def embeddings(self) -> InputEmbeddings:
        """Input vectors of the whole vocabulary; the same object each time."""
        if self._embeddings is None:
            self._embeddings = embeddings_of(self._input_slopes().embedding, self._loaded.tokenizer)
        return self._embeddings

    def _input_slopes(self) -> InputSlopes:
        """The way back through the network, made when it is first asked for."""
        if self._slopes is None:
            self._slopes = InputSlopes(self._loaded.forward, self.source)
        return self._slopes

    def _index_of(self, label: str) -> int:
        """Output of a label."""
        if label not in self.labels:
            raise ModelError(
                f"{self.source} has no label {label!r}; its labels are {', '.join(self.labels)}."
            )
        return self.labels.index(label)

    def _gradients(
        self, examples: Sequence[Example], targets: Sequence[int]
    ) -> list[TokenGradients | Failure]:
        """Slopes of examples that are tokenized together."""
        tokenized = self._loaded.encode(_texts(examples), truncate=True)
        side = self._loaded.tokenizer.padding_side
        return slopes_of(self._input_slopes(), tokenized, examples, targets=targets, side=side)

    def _predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of examples that are tokenized together."""
        import torch

        columns: Columns = self._loaded.encode(_texts(examples), truncate=True)
        order: list[int] = []
        rows = []
        for answered in self._loaded.forward.logits(columns):
            order += answered.indices
            rows.append(torch.softmax(answered.answer, dim=-1))  # (text, label)
        scores = torch.cat(rows).tolist()  # one wait for the device, not one for each batch
        by_index = dict(zip(order, scores, strict=True))
        return [Prediction(scores=tuple(by_index[i])) for i in range(len(examples))]


class HfTagger(Attending):
    """A token classifier; each word has the tag of its first piece.

    A text with more tokens than the network takes fails with ``too_long``: a cut text would count
    as one without entities.
    """

    is_batch_invariant = False

    def __init__(self, loaded: Loaded) -> None:
        self.source = loaded.source
        self.task = loaded.task
        self.labels = labels_of_tags(loaded.names)
        self.capabilities = frozenset({"predict"}) | self._offer(loaded.attention)
        self._loaded = loaded

    def fingerprint(self) -> str:
        """Digest of weights, configuration, tokenizer and the way it is run."""
        return self._loaded.fingerprint

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Tokens of each text, or of each pair of texts; never cut."""
        return encode_texts(self._loaded.tokenizer, texts, pairs=pairs, special=special)

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
        for answered in self._loaded.forward.logits(columns):
            best = answered.answer.argmax(-1).tolist()  # (text, token)
            for index, row in zip(answered.indices, best, strict=True):
                tags[index] = self._unpadded(row, len(offsets[index]))
        return [
            Prediction(spans=self._spans(example, offsets[i], tags[i]))
            for i, example in enumerate(examples)
        ]

    def _refuse_long(self, ids: Sequence[Sequence[int]], examples: Sequence[Example]) -> None:
        """Raise if a text has more tokens than fit."""
        limit = self._loaded.limit
        for row, example in zip(ids, examples, strict=True):
            if limit is not None and len(row) > limit:
                raise AnswerError(
                    "too_long", f"item {example.id!r} has {len(row)} tokens, the limit is {limit}"
                )

    def _unpadded(self, row: list[int], length: int) -> list[int]:
        """Tags of a text's own tokens."""
        is_right = self._loaded.tokenizer.padding_side == "right"
        return row[:length] if is_right else row[len(row) - length :]

    def _spans(
        self, example: Example, offsets: Sequence[tuple[int, int]], tags: Sequence[int]
    ) -> tuple[Span, ...]:
        """Spans of one text from the tags of its pieces."""
        words = borders(example)
        firsts = first_pieces(words, offsets)
        names = ["O" if i is None else self._loaded.names[tags[i]] for i in firsts]
        return spans_from_tags(names, words, next(iter(example.fields)))


def _texts(examples: Sequence[Example]) -> list[tuple[str, ...]]:
    """Texts ``fields[field][text]`` of examples."""
    return list(zip(*(example.fields.values() for example in examples), strict=True))


def first_pieces(
    words: Sequence[tuple[int, int]], offsets: Sequence[tuple[int, int]]
) -> list[int | None]:
    """Index of the first piece that shares a code point with each word, or nothing.

    Special tokens have empty offsets; a piece may begin with the space in front of its word.

    Examples
    --------
    >>> first_pieces([(0, 4), (5, 7)], [(0, 0), (0, 2), (2, 4), (4, 7), (0, 0)])
    [1, 3]
    """
    firsts: list[int | None] = []
    place = 0
    for start, end in words:
        while place < len(offsets) and (
            offsets[place][1] <= start or offsets[place][0] == offsets[place][1]
        ):
            place += 1
        fits = place < len(offsets) and offsets[place][0] < end
        firsts.append(place if fits else None)
    return firsts
