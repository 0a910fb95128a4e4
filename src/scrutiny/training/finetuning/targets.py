"""Targets of the network: a class per text, a tag per word, borders of an answer; in batches.

Batches are shuffled, and of texts of similar length.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrutiny.core.answers.texts import Extract
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import (
    EXTRACTS,
    LABEL_SETS,
    LABELS,
    OPTIONS,
    SPANS,
    wanted_in_words,
)
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.returned_answers import borders, spans_from_tags
from scrutiny.models.hf.word_pieces import extract_of, first_pieces, likeliest, places_in_second
from scrutiny.tasks.tags import bio_names, to_bio

#: Target that the loss ignores.
IGNORED: Final = -100
CLASSIFIES: Final = "AutoModelForSequenceClassification"
TAGS: Final = "AutoModelForTokenClassification"
_LEARNED: Final = (LABELS, SPANS, EXTRACTS, OPTIONS, LABEL_SETS)


@dataclass(frozen=True, slots=True)
class EncodedExamples:
    """Tokenized examples with their targets.

    Parameters
    ----------
    columns
        Token columns by name, not padded.
    targets
        One class a text, or one tag a piece.
    offsets
        Borders of the pieces, for tagging; else empty.
    n_cut
        Texts that were cut.
    """

    columns: dict[str, list[list[int]]]
    targets: list[Any]
    offsets: list[list[tuple[int, int]]]
    n_cut: int

    @property
    def lengths(self) -> list[int]:
        """Number of pieces of each text."""
        return [len(ids) for ids in self.columns["input_ids"]]

    def rows(self, batch: Sequence[int]) -> list[int]:
        """Rows of the columns that hold these examples."""
        return list(batch)

    def forward(self, network: Any, tokenizer: Any, *, batch: int) -> Any:
        """What runs rows through a network."""
        from scrutiny.models.hf.text_classifier import Forward  # it imports torch

        return Forward(network, tokenizer, limit=None, batch=batch)

    def loss(self, logits: Any, batch: Sequence[int]) -> Any:
        """Loss of these examples, whose rows have these logits in float32."""
        import torch

        targets = padded_targets(self, batch).to(logits.device)
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, -2), targets.flatten(), ignore_index=IGNORED
        )

    def shares(self, logits: Any) -> Any:
        """What an answer is read off: probabilities that sum to 1 over the outputs."""
        return logits.softmax(-1)

    def by_example(self, rows: Sequence[Any]) -> list[Any]:
        """What was read off each row, by example."""
        return list(rows)


class Target:
    """Conversion between gold answers and the network's outputs.

    Parameters
    ----------
    task
        A task with labels.
    labels
        Classes, or types of entities.

    Raises
    ------
    PlanError
        If the task has no labels.
    """

    #: How the tokenizer cuts a text that is too long.
    truncation: bool | str = True

    def __init__(self, task: Task, labels: Sequence[str]) -> None:
        if task.scored_by is None or task.answers_are_optional:
            raise PlanError(
                f"The task {task.name!r} has no labels, so nothing can be fine-tuned on it. "
                f"What can be learned: {wanted_in_words(_LEARNED)}."
            )
        self.task = task
        self.labels = tuple(labels)
        self.tags = SPANS.are_of(task.facts)
        self.names = self.labels
        if self.tags:
            self.names = bio_names(labels)
        self.maker = TAGS if self.tags else CLASSIFIES
        self.problem: str | None = None if self.tags else "single_label_classification"
        self.metric = task.scored_by.level.partition("@")[0]
        self._index = {name: i for i, name in enumerate(self.names)}

    def encode(
        self, tokenizer: Any, examples: Sequence[Example], *, longest: int
    ) -> EncodedExamples:
        """Tokenize examples, with their targets."""
        found, columns, n_cut = self._tokenized(tokenizer, examples, longest=longest)
        return EncodedExamples(columns, *self._learned(examples, found), n_cut)

    def _tokenized(
        self, tokenizer: Any, examples: Sequence[Example], *, longest: int
    ) -> tuple[Any, dict[str, list[list[int]]], int]:
        """Texts of examples as the tokenizer cuts them, their columns, and how many were cut."""
        texts = [
            list(column) for column in zip(*(e.fields.values() for e in examples), strict=True)
        ]
        found = tokenizer(
            *texts,
            truncation=self.truncation,
            max_length=longest,
            padding=False,
            verbose=False,
            return_offsets_mapping=True,
            return_attention_mask=True,
        )
        columns = dict(found)
        del columns["offset_mapping"]
        return found, columns, sum(len(ids) == longest for ids in columns["input_ids"])

    def _learned(
        self, examples: Sequence[Example], found: Any
    ) -> tuple[list[Any], list[list[tuple[int, int]]]]:
        """Targets of tokenized examples, and the borders of the pieces of tagged ones."""
        if not self.tags:
            return [self._index[str(e.gold)] for e in examples], []
        offsets = found["offset_mapping"]
        return [self._piece_tags(*one) for one in zip(examples, offsets, strict=True)], offsets

    def _piece_tags(self, example: Example, pieces: Sequence[tuple[int, int]]) -> list[int]:
        """Tag of the first piece of each word; other pieces are ignored by the loss.

        All words are O if entities and words do not align.
        """
        words = borders(example)
        targets = [IGNORED] * len(pieces)
        gold = example.gold or ()
        tags = ["O"] * len(words)
        with suppress(DataError):
            tags = to_bio(words, gold)
        for place, tag in zip(first_pieces(words, pieces), tags, strict=True):
            if place is not None:
                targets[place] = self._index[tag]
        return targets

    def answer(
        self, example: Example, scores: Sequence[Any], pieces: Sequence[tuple[int, int]]
    ) -> Prediction:
        """Prediction of one example from its probabilities, or from the best tag of each piece."""
        if not self.tags:
            best = max(range(len(self.names)), key=scores.__getitem__)
            return Prediction(self.labels[best], scores=tuple(scores))
        words = borders(example)
        names = ["O" if i is None else self.names[scores[i]] for i in first_pieces(words, pieces)]
        return Prediction(spans_from_tags(names, words, next(iter(example.fields))))


POINTS: Final = "AutoModelForQuestionAnswering"


class ReadingTarget(Target):
    """Conversion between extracted answers and the network's two outputs for each piece.

    A text is cut where it is too long. Of several right answers the first is learned; the place of
    one that was cut off is the first piece, which is of no text.
    """

    truncation = "only_second"

    def __init__(self, task: Task, labels: Sequence[str] = ()) -> None:
        super().__init__(task, labels)
        self.names = ("start", "end")
        self.maker = POINTS
        self.problem = None

    def _learned(
        self, examples: Sequence[Example], found: Any
    ) -> tuple[list[Any], list[list[tuple[int, int]]]]:
        """First and last piece of each answer, and the borders of the pieces in their text."""
        offsets = places_in_second(found)
        return [_pieces(e.gold[0], own) for e, own in zip(examples, offsets, strict=True)], offsets

    def answer(
        self, example: Example, scores: Sequence[Any], pieces: Sequence[tuple[int, int]]
    ) -> Prediction:
        """Likeliest stretch, from the probabilities of its start and its end."""
        starts, ends = np.log(np.array(scores)[:, : len(pieces)] + 1e-30)
        return Prediction(extract_of(example, likeliest(starts, ends, pieces)))


def _pieces(answer: Extract, offsets: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """First and last piece of an answer."""
    stop = answer.start + len(answer.text)
    own = [i for i, (a, b) in enumerate(offsets) if a < b and a < stop and b > answer.start]
    is_whole = bool(own) and offsets[own[-1]][1] >= stop
    return (own[0], own[-1]) if is_whole else (0, 0)


#: Batches that are sorted by length together: less padding, nearly the same order.
_POOL: Final = 16


def shuffled(lengths: Sequence[int], size: int, *, rng: "np.random.Generator") -> list[list[int]]:
    """Batches of one epoch, shuffled: indices of texts of similar length.

    Parameters
    ----------
    lengths
        Pieces of each text.
    size
        Texts of a batch.
    rng
        Order of the texts and of the batches.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(i for b in shuffled([3, 5, 4], 2, rng=np.random.default_rng(0)) for i in b)
    [0, 1, 2]
    """
    order = rng.permutation(len(lengths)).tolist()
    sorted_pools: list[int] = []
    for start in range(0, len(order), size * _POOL):
        sorted_pools += sorted(order[start : start + size * _POOL], key=lengths.__getitem__)
    starts = range(0, len(order), size)
    places = rng.permutation(len(starts)).tolist()
    return [sorted_pools[starts[p] : starts[p] + size] for p in places]


def padded_targets(encoded: EncodedExamples, batch: Sequence[int]) -> Any:
    """Targets ``(text,)`` or ``(text, piece)`` of a batch, on the CPU."""
    import torch

    targets = [encoded.targets[i] for i in batch]
    if targets and isinstance(targets[0], list):
        width = max(len(encoded.columns["input_ids"][i]) for i in batch)
        targets = [[*row, *([IGNORED] * (width - len(row)))] for row in targets]
    return torch.tensor(targets)
