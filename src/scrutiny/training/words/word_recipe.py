"""Base class of recipes for small classifiers, and texts as word ids."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from scrutiny.core.boundary.canonical import plain
from scrutiny.core.errors import require_packages
from scrutiny.core.example import Example
from scrutiny.models.words.model import Vocabulary
from scrutiny.tasks.classification.classes import TextClassification
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.finetuning.recipe import FinetuningRecipe as Rows


@dataclass(frozen=True, slots=True)
class Numbered:
    """Word ids and label of each text."""

    ids: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]

    @classmethod
    def of(
        cls, examples: Sequence[Example], vocabulary: Vocabulary, labels: Sequence[str]
    ) -> "Numbered":
        """All examples, in order."""
        known = vocabulary.index()
        return cls(
            tuple(tuple(vocabulary.ids(vocabulary.cut(e.text), known)) for e in examples),
            tuple(labels.index(str(e.gold)) for e in examples),
        )

    @property
    def lengths(self) -> list[int]:
        """Number of words of each text."""
        return [len(ids) for ids in self.ids]

    def with_words(self) -> "Numbered":
        """Texts with at least one word."""
        return self.chosen([i for i, ids in enumerate(self.ids) if ids])

    def chosen(self, indices: Sequence[int]) -> "Numbered":
        """Texts at these indices."""
        return Numbered(tuple(self.ids[i] for i in indices), tuple(self.labels[i] for i in indices))


#: Called behind each step of a training.
OnStep = Callable[[], None]


def unheard() -> None:
    """Listener to the steps of training a classifier over words: it ignores them."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Trained classifier in memory.

    Parameters
    ----------
    write
        Writes it into a folder that is there.
    record
        Outcome of the training: at least ``words``, the vocabulary size, and ``dev_score``, the
        recipe's score on the dev part or None.
    """

    write: Callable[[Path], None]
    record: Mapping[str, Any]


class WordRecipe(ABC):
    """Hyperparameters of a training; data and seed are not among them."""

    __slots__ = ()

    #: Versioned name of the procedure; part of every identity.
    version: ClassVar[str]
    #: Distributions that the weights depend on.
    packages: ClassVar[tuple[str, ...]]
    #: What is trained, the extra that it needs, and the modules of that.
    needs: ClassVar[tuple[str, ...]]
    #: Source of variation between seeds, as `scrutiny.models.strings.lineage` names it.
    replicates_of: ClassVar[str]
    #: Task that it learns, and what the dev score is.
    task: ClassVar[str] = TextClassification.name
    score: ClassVar[str] = "accuracy"
    #: Whether its answers are labels, of which there must be several.
    has_labels: ClassVar[bool] = True

    limit: int | None
    dev_share: float

    def plain(self) -> dict[str, Any]:
        """All hyperparameters as plain JSON."""
        return dict(plain(self))

    def rows(self) -> Rows:
        """Selection of rows, as a fine-tuning recipe has it."""
        return Rows(limit=self.limit, dev_share=self.dev_share)

    def sizes(self, parts: DataParts) -> dict[str, int]:
        """``epochs`` and ``steps`` of one seed; empty if there are no steps."""
        return {}

    def require(self) -> None:
        """Raise `MissingExtraError` if a required package is not installed."""
        require_packages(*self.needs)

    @abstractmethod
    def fit(self, parts: DataParts, *, seed: int, on_step: OnStep = unheard) -> Trained:
        """Train the classifier of one seed."""

    @abstractmethod
    def stand_in(self, parts: DataParts) -> tuple[Callable[[Path], None], float]:
        """Writer of a classifier of the same shape, and the seconds that one seed would take."""
