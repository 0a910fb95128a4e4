"""Transformers that answer with parts of a text: taggers of words, and readers of an answer."""

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np
import torch
from scipy.special import logsumexp

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import TokenGradients
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import AnswerError, index_of
from scrutiny.models.answers.returned_answers import borders, spans_from_tags
from scrutiny.models.hf.batching import own_tokens
from scrutiny.models.hf.input_gradients import Loss
from scrutiny.models.hf.text_classifier import Forward, HfLabeled, chunks_of
from scrutiny.models.hf.transformer import HfModel, HfParts
from scrutiny.models.hf.word_pieces import (
    AnswerStretch,
    extract_of,
    first_pieces,
    likeliest,
    places_in_second,
)
from scrutiny.tasks.tags import types_of

#: What taggers and readers tell beside their answers, for their fingerprints.
_CONFIDENCES: Final = "confidences@1"


def loss_of_tags(
    names: Sequence[str],
    labels: Sequence[str],
    firsts: Sequence[Sequence[int | None]],
    *,
    lengths: Sequence[int],
    side: str,
) -> tuple[Loss, set[int]]:
    """Negative log-probability of the predicted tags of a label; and texts without such a tag.

    A word's tag is that of its first piece, as in the answer. The tags are those that the network
    finds likeliest as it is asked, so that the slope is that of the answer's entities of the label:
    their probability as a product over their words. The texts are known once the loss was asked.

    Parameters
    ----------
    names
        Tags, in the order of the outputs.
    labels
        Label asked about, by text.
    firsts
        Index of the first piece of each word, or nothing, by text.
    lengths
        Tokens of each text.
    side
        Side of the padding.
    """
    of_label = {
        label: [i for i, name in enumerate(names) if label in types_of([name])]
        for label in dict.fromkeys(labels)
    }
    without: set[int] = set()

    def loss(batch: list[int], logits: Any) -> Any:
        """Loss of one batch from its logits ``(text, token, tag)``."""
        logs = torch.log_softmax(logits.float(), dim=-1)
        best = logits.argmax(-1)  # (text, token)
        total = logs.sum() * 0.0
        for row, i in enumerate(batch):
            shift = own_tokens(lengths[i], logits.shape[1], side).start
            own = [shift + place for place in firsts[i] if place is not None]
            tags = best[row, own].tolist() if own else []
            wanted = of_label[labels[i]]
            named = [(place, tag) for place, tag in zip(own, tags, strict=True) if tag in wanted]
            if not named:
                without.add(i)
                continue
            places, found = zip(*named, strict=True)
            index = torch.tensor([places, found], device=logits.device)
            total = total - logs[row, index[0], index[1]].sum()
        return total

    return loss, without


class HfTagger(HfLabeled):
    """A token classifier; each word has the tag of its first token.

    A text with more tokens than the network takes fails with ``too_long``: a cut text would count
    as one without entities.
    """

    truncates = False

    def __init__(self, parts: HfParts, forward: Forward, names: tuple[str, ...]) -> None:
        super().__init__(parts, forward, names)
        self.labels = types_of(names)
        self._identity = digest(parts.fingerprint, _CONFIDENCES)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Spans of each example, in order.

        Raises
        ------
        AnswerError
            ``too_long`` for a text that does not fit.
        """
        if not examples:
            return []
        found = self._forward.encode(examples, truncate=False, return_offsets_mapping=True)
        columns = dict(found)
        offsets = columns.pop("offset_mapping")
        limit = self.limit
        for row, example in zip(columns["input_ids"], examples, strict=True):
            if limit is not None and len(row) > limit:
                raise AnswerError(
                    "too_long", f"item {example.id!r} has {len(row)} tokens, the limit is {limit}"
                )
        tags: dict[int, list[tuple[int, float]]] = {}
        side = self._tokenizer.padding_side
        for answered in self._forward.logits(columns):
            likeliest_tags = torch.softmax(answered.answer.float(), -1).max(-1)  # (text, token)
            pairs = (likeliest_tags.indices.tolist(), likeliest_tags.values.tolist())
            best = [list(zip(*rows, strict=True)) for rows in zip(*pairs, strict=True)]
            for index, row in zip(answered.indices, best, strict=True):
                tags[index] = row[own_tokens(len(offsets[index]), len(row), side)]
        return [self._tagged(example, offsets[i], tags[i]) for i, example in enumerate(examples)]

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
            for part in chunks_of(examples)
            for one in self._gradients(examples[part], labels[part])
        ]

    def _gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradients of a group of examples; those that are too long fail."""
        ids = self._forward.encode(examples, truncate=False)["input_ids"]
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
        side = self._tokenizer.padding_side
        tokenized = self._forward.encode(examples, truncate=False)
        lengths = [len(ids) for ids in tokenized["input_ids"]]
        firsts = [
            first_pieces(borders(example), one.offsets)
            for example, one in zip(examples, tokenized.encodings, strict=True)
        ]
        loss, without = loss_of_tags(self._names, labels, firsts, lengths=lengths, side=side)
        found = self._slopes_of(examples, tokenized, loss)
        for i in without:
            why = f"no word of item {examples[i].id!r} has the label {labels[i]!r}"
            found[i] = Failure("no_such_label", why)
        return found

    def _tagged(
        self,
        example: Example,
        offsets: Sequence[tuple[int, int]],
        tags: Sequence[tuple[int, float]],
    ) -> Prediction:
        """Spans of one text from the tags of its pieces; each is as sure as all its words are."""
        words = borders(example)
        firsts = first_pieces(words, offsets)
        names = ["O" if i is None else self._names[tags[i][0]] for i in firsts]
        spans = spans_from_tags(names, words, next(iter(example.fields)))
        known = list(zip(words, [1.0 if i is None else tags[i][1] for i in firsts], strict=True))
        confidences = tuple(
            prod(p for (start, end), p in known if span.start <= start and end <= span.end)
            for span in spans
        )
        return Prediction(spans, confidences)


#: Tokens that two windows of a long text share, at most.
STRIDE: Final = 128
_CHUNK: Final = 256  # questions tokenized at a time


class HfReader(HfModel):
    """A network with a question-answering head; a long text is read window by window.

    The answer is the likeliest stretch of at most 30 tokens in any window. Its confidence is the
    probability that the window's answer begins with its first token and ends with its last.
    """

    def __init__(self, parts: HfParts, forward: Forward) -> None:
        super().__init__(parts)
        self.capabilities |= {"predict"}
        self._identity = digest(parts.fingerprint, _CONFIDENCES)
        self._forward = forward

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Words that answer each question, in order.

        Raises
        ------
        AnswerError
            ``too_long`` for a question that leaves no room for the text.
        """
        chunks = (examples[start : start + _CHUNK] for start in range(0, len(examples), _CHUNK))
        return [one for chunk in chunks for one in self._read(chunk)]

    def _read(self, examples: Sequence[Example]) -> list[Prediction]:
        """Answers to questions that are tokenized together."""
        columns = self._windows(examples)
        owners = columns.pop("overflow_to_sample_mapping")
        places = columns.pop("offset_mapping")
        best: dict[int, AnswerStretch] = {}
        sure: dict[int, float] = {}
        for answered in self._forward.logits(columns):
            rows = answered.answer.numpy(force=True)  # (window, start or end, token)
            for window, own in zip(answered.indices, rows, strict=True):
                mine = own_tokens(len(places[window]), own.shape[1], self._tokenizer.padding_side)
                starts, ends = own[:, mine]
                found = likeliest(starts, ends, places[window])
                owner = owners[window]
                if found is not None and (owner not in best or found > best[owner]):
                    best[owner] = found
                    logs = found.score - logsumexp(starts) - logsumexp(ends)
                    sure[owner] = min(1.0, float(np.exp(logs)))
        return [
            Prediction(extract_of(example, best.get(i)), (sure[i],) if i in sure else None)
            for i, example in enumerate(examples)
        ]

    def _windows(self, examples: Sequence[Example]) -> dict[str, Any]:
        """Token columns of all windows, with the example of each and the places of its tokens.

        Tokens of the question, and special ones, have empty places.
        """
        room = self._room(examples)
        pairs = zip(*(example.fields.values() for example in examples), strict=True)
        questions, texts = map(list, pairs)
        found = self._tokenizer(
            questions,
            texts,
            truncation="only_second" if self.limit else False,
            max_length=self.limit,
            stride=0 if room is None else min(STRIDE, room // 2),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            padding=False,
            verbose=False,
        )
        return {**found, "offset_mapping": places_in_second(found)}

    def _room(self, examples: Sequence[Example]) -> int | None:
        """Tokens of a text beside the longest question; None without a limit."""
        if self.limit is None:
            return None
        asked = [next(iter(example.fields.values())) for example in examples]
        lengths = [len(ids) for ids in self._tokenizer(asked, [""] * len(asked))["input_ids"]]
        for example, length in zip(examples, lengths, strict=True):
            if length > self.limit // 2:
                raise AnswerError(
                    "too_long",
                    f"the question of item {example.id!r} has {length} tokens, of the "
                    f"{self.limit} that a question and a text may have together",
                )
        return self.limit - max(lengths)
