"""Readers of transformers: networks that point at where an answer starts and ends."""

from collections.abc import Sequence
from typing import Any, Final

from scrutiny.core.answers.extract import Extract
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.answers.stretches import Stretch, likeliest
from scrutiny.models.hf.batching import own_tokens
from scrutiny.models.hf.labeled import Forward
from scrutiny.models.hf.model import HfModel, HfParts

#: Tokens that two windows of a long text share, at most.
STRIDE: Final = 128
_CHUNK: Final = 256  # questions tokenized at a time


class HfReader(HfModel):
    """A network with a question-answering head; a long text is read window by window.

    The answer is the likeliest stretch of at most 30 tokens in any window.
    """

    def __init__(self, parts: HfParts, forward: Forward) -> None:
        super().__init__(parts)
        self.capabilities |= {"predict"}
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
        best: dict[int, Stretch] = {}
        for answered in self._forward.logits(columns):
            rows = answered.answer.numpy(force=True)  # (window, start or end, token)
            for window, own in zip(answered.indices, rows, strict=True):
                mine = own_tokens(len(places[window]), own.shape[1], self._tokenizer.padding_side)
                starts, ends = own[:, mine]
                found = likeliest(starts, ends, places[window])
                owner = owners[window]
                if found is not None and (owner not in best or found > best[owner]):
                    best[owner] = found
        return [Prediction(_words(example, best.get(i))) for i, example in enumerate(examples)]

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
        columns = dict(found)
        columns["offset_mapping"] = [
            [
                place if of == 1 else (0, 0)
                for place, of in zip(window, found.sequence_ids(i), strict=True)
            ]
            for i, window in enumerate(columns["offset_mapping"])
        ]
        return columns

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


def _words(example: Example, found: Stretch | None) -> Extract:
    """Words of a stretch of the last field."""
    field = [*example.fields][-1]
    if found is None:
        return Extract("")
    return Extract(example.fields[field][found.start : found.end], field, found.start)
