"""Trainer: the protocol of training nodes in plans, and what a training costs on a device.

A trainer reads a node's recipe and data, lists the models to train and their folders, and trains
them or writes stand-ins. ``scrutiny list trainers`` prints all. The seconds of a training are told
from a few of its steps; a device that only emulates bfloat16 takes many times as long.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Generic, TypeVar

from scrutiny.core.errors import ModelError
from scrutiny.core.long_runs import SILENT, Progress
from scrutiny.core.plan import ModelPlan
from scrutiny.core.plugin_base import PlugIn, Told
from scrutiny.data.dataset import Dataset
from scrutiny.training.job import Finished, TrainingJob

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


#: Steps that are taken: one warms up, the others are timed.
TIMED_STEPS: Final = 4
#: A step reads a text forward and twice as long backward; the dev part is only read forward.
_FORWARD: Final = 1 / 3


def seconds_of_training(steps: Iterable[object], recipe: Any, *, texts: int, dev: int) -> float:
    """Seconds of all epochs of a training.

    Parameters
    ----------
    steps
        A few steps, each of which is taken when it is asked for.
    recipe
        Its ``epochs`` are passes over the training part, its ``batch`` the texts of a step.
    texts, dev
        Numbers of texts in the training part and in the dev part.
    """
    took, began = [], perf_counter()
    for _ in steps:
        took.append(perf_counter() - began)
        began = perf_counter()
    told = took[1:] or took  # there is a single step only
    each = sum(told) / len(told)
    batch = recipe.batch
    return float(recipe.epochs * each * (-(-texts // batch) + _FORWARD * dev / batch))


def step_taken(
    loss: Any, optimizer: Any, network: Any, *, clip: float, where: str = "", hint: str = ""
) -> float:
    """Take one step of a training with clipped gradients; the loss, as a number.

    Parameters
    ----------
    loss, optimizer, network
        Of torch.
    clip
        Largest norm of the gradient.
    where, hint
        Of the step, and what may help besides a smaller rate, for the message.

    Raises
    ------
    ModelError
        If the loss is not finite.
    """
    import torch

    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), clip)
    optimizer.step()
    value = float(loss.detach())
    if not isfinite(value):
        raise ModelError(
            f"The loss is {value}{where}: the training diverged. Choose a smaller lr{hint}."
        )
    return value


def has_bfloat16(device: str) -> bool:
    """Whether a device has instructions for matrix products in bfloat16.

    Parameters
    ----------
    device
        "cpu", "cuda:0".
    """
    import torch

    if device.startswith("cuda"):
        return bool(torch.cuda.is_bf16_supported())
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
