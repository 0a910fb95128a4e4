"""What a training node of a plan names: a trainer, by its name in the registry.

A trainer reads a node's recipe and data, says which models it would train and where, trains them
or stands in for them. ``scrutiny list trainers`` prints all.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

from scrutiny.core.plan import ModelPlan
from scrutiny.core.plugin import PlugIn, Told
from scrutiny.data.dataset import Dataset
from scrutiny.training.finetuning.one_run import Telling
from scrutiny.training.finetuning.parts import DataParts

#: Models that a node trains where neither it nor a family of bases says how many.
RUNS: Final = 5


@dataclass(frozen=True, slots=True)
class TrainingNode:
    """A training node, its names looked up.

    Parameters
    ----------
    task
        As the node states it; may be empty.
    recipe
        Of the type that the trainer names.
    data, dev
        What is trained on, and what the epoch is chosen by if that is said.
    reported
        What the models will be measured on.
    base
        What the training starts from; nothing for trainers that start from nothing.
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


class TrainingJob(Protocol):
    """The models of a node.

    ``parts`` are its data. ``key`` is a digest of all that decides the weights, and names the
    folder. ``pattern`` is a model's folder within that, with captures, of which ``random`` make
    replicates. ``sizes`` count ``runs``, ``texts`` and ``dev`` texts, and ``epochs`` and ``steps``
    of one run where there are such.
    """

    @property
    def parts(self) -> DataParts: ...  # noqa: D102 - see the class

    @property
    def key(self) -> str: ...  # noqa: D102

    @property
    def pattern(self) -> str: ...  # noqa: D102

    @property
    def random(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def sizes(self) -> Mapping[str, int]: ...  # noqa: D102


J = TypeVar("J")


class Trainer(Told, PlugIn, ABC, Generic[J]):
    """One kind of training.

    Attributes
    ----------
    says
        One line about it.
    scheme
        That of its models' strings.
    Params
        Its recipe, unless the task asks for another.
    has_base
        Whether it starts from a model (``from``) or from nothing.
    """

    __slots__ = ()
    kind = "trainer"

    says: str
    scheme: str
    Params: type[Any]
    has_base: bool

    @abstractmethod
    def reads(self, task: str) -> str:
        """Task of the data for the task that a node states.

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
        """Models of a node: a `TrainingJob`.

        Raises
        ------
        PlanError
            If it trains on what is reported on, or the data are of another task.
        DataError, ModelError
            If there is nothing to learn, or no such base.
        """

    @abstractmethod
    def is_done(self, job: J, folder: Path) -> bool:
        """Whether all models are in the folder."""

    @abstractmethod
    def train(self, job: J, folder: Path, *, device: str, telling: Telling | None) -> None:
        """Train what is not in the folder yet."""

    @abstractmethod
    def stand_in(self, job: J, folder: Path, *, device: str) -> float:
        """Write models of the same shape that learned nothing; seconds that training would take."""
