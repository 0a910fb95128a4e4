"""What a kind of small classifier offers, so that families and plans can train it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.finetuning.recipe import FinetuningRecipe as Rows

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
