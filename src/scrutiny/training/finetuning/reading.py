"""Targets of a reader: the pieces at which the right answer starts and ends."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from scrutiny.core.answers.extract import Extract
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.stretches import likeliest
from scrutiny.training.finetuning.targets import EncodedExamples, Target

POINTS: Final = "AutoModelForQuestionAnswering"


class ReadingTarget(Target):
    """Conversion between extracted answers and the network's two outputs for each piece.

    A text is cut where it is too long. Of several right answers the first is learned; the place of
    one that was cut off is the first piece, which is of no text.
    """

    def __init__(self, task: Task) -> None:
        super().__init__(task, ())
        self.names = ("start", "end")
        self.maker = POINTS

    def encode(
        self, tokenizer: Any, examples: Sequence[Example], *, longest: int
    ) -> EncodedExamples:
        """Tokenize questions and texts, with the first and the last piece of each answer."""
        questions, texts = zip(*(e.fields.values() for e in examples), strict=True)
        found = tokenizer(
            list(questions),
            list(texts),
            truncation="only_second",
            max_length=longest,
            padding=False,
            verbose=False,
            return_offsets_mapping=True,
            return_attention_mask=True,
        )
        made = dict(found)
        offsets = [
            [
                place if of == 1 else (0, 0)
                for place, of in zip(pieces, found.sequence_ids(i), strict=True)
            ]
            for i, pieces in enumerate(made.pop("offset_mapping"))
        ]
        targets = [_pieces(e.gold[0], own) for e, own in zip(examples, offsets, strict=True)]
        n_cut = sum(len(ids) == longest for ids in made["input_ids"])
        return EncodedExamples(made, targets, offsets, n_cut)

    def answer(
        self, example: Example, scores: Sequence[Any], pieces: Sequence[tuple[int, int]]
    ) -> Prediction:
        """Likeliest stretch, from the probabilities of its start and its end."""
        starts, ends = np.log(np.array(scores)[:, : len(pieces)] + 1e-30)
        found = likeliest(starts, ends, pieces)
        if found is None:
            return Prediction(Extract(""))
        field = [*example.fields][-1]
        words = example.fields[field][found.start : found.end]
        return Prediction(Extract(words, field, found.start))


def _pieces(answer: Extract, offsets: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """First and last piece of an answer."""
    stop = answer.start + len(answer.text)
    own = [i for i, (a, b) in enumerate(offsets) if a < b and a < stop and b > answer.start]
    is_whole = bool(own) and offsets[own[-1]][1] >= stop
    return (own[0], own[-1]) if is_whole else (0, 0)
