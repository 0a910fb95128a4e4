"""Trainer: the protocol of training nodes in plans, looked up by name in the registry.

A trainer reads a node's recipe and data, lists the models to train and their folders, and trains
them or writes stand-ins. ``scrutiny list trainers`` prints all.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from scrutiny.core.plan import ModelPlan
from scrutiny.core.plugin import PlugIn, Told
from scrutiny.core.progress import SILENT, Progress
from scrutiny.data.dataset import Dataset
from scrutiny.training.job import TrainingJob
from scrutiny.training.runs import Finished

#: Default number of models of a node without a family of bases.
RUNS: Final = 5


@dataclass(frozen=True, slots=True)
class TrainingNode:
    """Training node of a plan, with its names resolved.

    Parameters
    ----------
    task
        As the node states it; may be empty.
    recipe
        Of the type that the trainer names.
    data, dev
        Training data, and dev data for choosing the epoch, if stated.
    reported
        Data that the models will be measured on.
    base
        Model to start from; None for trainers that start from scratch.
    runs, seeds
        Stated number of models, and seeds: of the base's family, or of the models where there is
        no base.
    """

    task: str
    recipe: Any
    data: Dataset
    dev: Dataset | None = None
    reported: tuple[Dataset, ...] = ()
    base: ModelPlan | None = None
    runs: int | None = None
    seeds: tuple[int, ...] = ()


J = TypeVar("J", bound=TrainingJob)


class Trainer(Told, PlugIn, ABC, Generic[J]):
    """Base class of trainers: one kind of training.

    Attributes
    ----------
    says
        One line about it.
    scheme
        That of its models' strings.
    Params
        Default recipe.
    has_base
        Whether it starts from a model (``from``) or from scratch.
    """

    __slots__ = ()
    kind = "trainer"

    says: str
    scheme: str
    Params: type[Any]
    has_base: bool

    @abstractmethod
    def reads(self, task: str) -> str:
        """Task of the data, for the task that a node states.

        Raises
        ------
        PlanError
            If there is no training for that.
        """

    @abstractmethod
    def recipe(self, task: str) -> type[Any]:
        """Dataclass of the node's ``params``."""

    @abstractmethod
    def job(self, asked: TrainingNode) -> J:
        """Models of a node, as a `TrainingJob`.

        Raises
        ------
        PlanError
            If it trains on reported data, or the data are of another task.
        DataError, ModelError
            If the data has fewer than two labels, or there is no such base.
        """

    @abstractmethod
    def train(
        self, job: J, folder: Path, *, device: str, progress: Progress = SILENT
    ) -> list[Finished]:
        """Train the models that are missing in the folder; returns all of them."""

    @abstractmethod
    def stand_in(self, job: J, folder: Path, *, device: str) -> float:
        """Write untrained models of the same shape; returns the seconds training would take."""
