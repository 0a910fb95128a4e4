"""What a kind of small classifier offers for training, and texts as numbers of their words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from scrutiny.core.example import Example
from scrutiny.models.words.model import Vocabulary
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
        """All of the examples, in order."""
        known = vocabulary.index()
        return cls(
            tuple(tuple(vocabulary.ids(vocabulary.cut(e.text), known)) for e in examples),
            tuple(labels.index(str(e.gold)) for e in examples),
        )

    @property
    def lengths(self) -> list[int]:
        """Words of each text."""
        return [len(ids) for ids in self.ids]

    def with_words(self) -> "Numbered":
        """Those that have a word."""
        return self.chosen([i for i, ids in enumerate(self.ids) if ids])

    def chosen(self, indices: Sequence[int]) -> "Numbered":
        """Those of these indices."""
        return Numbered(tuple(self.ids[i] for i in indices), tuple(self.labels[i] for i in indices))


#: Called behind each step of a training.
OnStep = Callable[[], None]


def unheard() -> None:
    """Tell nobody of a step."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A classifier in memory.

    Parameters
    ----------
    write
        Writes it into a folder that is there.
    record
        What became of the training: at least ``words``, how many it knows, and ``dev_score``,
        accuracy on the dev part or nothing.
    """

    write: Callable[[Path], None]
    record: Mapping[str, Any]


class WordRecipe(Protocol):
    """Every choice of a training but its data and its seed."""

    @property
    def version(self) -> str:
        """Name of the procedure with its version; part of every identity."""
        ...

    @property
    def packages(self) -> tuple[str, ...]:
        """Distributions that weights depend on."""
        ...

    @property
    def replicates_of(self) -> str:
        """What differs between seeds, in the words of `scrutiny.models.strings.lineage`."""
        ...

    def plain(self) -> dict[str, Any]:
        """Plain JSON of all choices."""
        ...

    def rows(self) -> Rows:
        """Which rows are taken, in the words of fine-tuning."""
        ...

    def sizes(self, parts: DataParts) -> dict[str, int]:
        """``epochs`` and ``steps`` of one seed; nothing where there are no steps."""
        ...

    def require(self) -> None:
        """Raise `MissingExtraError` if a package that it needs is not installed."""
        ...

    def fit(self, parts: DataParts, *, seed: int, on_step: OnStep = unheard) -> Trained:
        """Classifier of one seed."""
        ...

    def stand_in(self, parts: DataParts) -> tuple[Callable[[Path], None], float]:
        """What writes a classifier of the same shape, and the seconds that one seed would take."""
        ...
