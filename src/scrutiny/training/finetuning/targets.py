"""Targets of the network: one class per text, or one tag for the first piece of each word."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import EXTRACTS, LABELS, SPANS, wanted_in_words
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.bio import spans_from_tags
from scrutiny.models.answers.inputs import borders
from scrutiny.models.hf.pieces import first_pieces
from scrutiny.tasks.columns.tags import bio_names, to_bio

#: Target that the loss ignores.
IGNORED: Final = -100
CLASSIFIES: Final = "AutoModelForSequenceClassification"
TAGS: Final = "AutoModelForTokenClassification"


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

    def __init__(self, task: Task, labels: Sequence[str]) -> None:
        if task.scored_by is None or task.answers_are_optional:
            raise PlanError(
                f"The task {task.name!r} has no labels, so nothing can be fine-tuned on it. "
                f"What can be learned: {wanted_in_words((LABELS, SPANS, EXTRACTS))}."
            )
        self.task = task
        self.labels = tuple(labels)
        self.tags = SPANS.are_of(task.facts)
        self.names = self.labels
        if self.tags:
            self.names = bio_names(labels)
        self.maker = TAGS if self.tags else CLASSIFIES
        self.metric = task.scored_by.level.partition("@")[0]
        self._index = {name: i for i, name in enumerate(self.names)}

    def encode(
        self, tokenizer: Any, examples: Sequence[Example], *, longest: int
    ) -> EncodedExamples:
        """Tokenize examples, with their targets."""
        fields = [list(texts) for texts in zip(*(e.fields.values() for e in examples), strict=True)]
        made = dict(
            tokenizer(
                *fields,
                truncation=True,
                max_length=longest,
                padding=False,
                verbose=False,
                return_offsets_mapping=self.tags,
                return_attention_mask=True,
            )
        )
        offsets = made.pop("offset_mapping", [])
        n_cut = sum(len(ids) == longest for ids in made["input_ids"])
        if self.tags:
            pairs = zip(examples, offsets, strict=True)
            targets: list[Any] = [self._piece_tags(e, pieces) for e, pieces in pairs]
        else:
            targets = [self._index[str(e.gold)] for e in examples]
        return EncodedExamples(made, targets, offsets, n_cut)

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
