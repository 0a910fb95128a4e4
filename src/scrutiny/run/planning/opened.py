"""Datasets and models that one command has open: each is read once, whoever wants it."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from scrutiny.core.example import Example
from scrutiny.core.plan import DataPlan
from scrutiny.core.task import Task
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.data.reading import OnBadRow
from scrutiny.data.source import parse_source
from scrutiny.run.planning.loading import LoadedModels, ModelCard


class Cards(Protocol):
    """Source of model cards: the models of this process, or the workers that will ask them."""

    @property
    def models(self) -> LoadedModels:
        """Models of this process."""

    def expect(self, sources: Iterable[str]) -> None:
        """Get ready for models that will be asked for, while something else is done."""

    def card(
        self, family: str, source: str, task: Task, examples: Sequence[Example] = ()
    ) -> ModelCard:
        """Card of a model, with how many of the examples are longer than it reads."""


class Opened:
    """Datasets of a command, and the source of its model cards.

    Parameters
    ----------
    cards
        Source of model cards.
    data
        Python objects for names of data.
    """

    def __init__(self, cards: Cards, data: Mapping[str, Any] = MappingProxyType({})) -> None:
        self.data = data
        self.card, self.expect = cards.card, cards.expect
        self.options = cards.models.options
        self._read: dict[tuple[Any, ...], Dataset] = {}

    def dataset(self, plan: DataPlan, on_bad_row: OnBadRow = "skip") -> Dataset:
        """Dataset of a plan.

        Raises
        ------
        DataError
            If it cannot be read.
        """
        key = (plan.name, plan.source, plan.task, plan.limit, on_bad_row)
        if key not in self._read:
            given = self.data.get(plan.name)
            self._read[key] = load_dataset(
                plan.source if given is None else given,
                columns=None if given is None else parse_source(plan.source).options,
                task=plan.task or None,
                limit=plan.limit,
                on_bad_row=on_bad_row,
                name=plan.name,
            )
        return self._read[key]
