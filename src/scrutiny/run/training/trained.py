"""Training nodes of a plan: trained before anything is measured, and never twice.

The folder of what a node trains is named by a digest of its recipe, its data and its base, in the
user's cache. A plan that is issued again finds its models there; one that was interrupted goes on
from the last epoch of a fine-tuning, or the last finished seed. What is trained, and how, is the
business of the trainer that the node names.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from scrutiny.core.model import LoadOptions
from scrutiny.core.plan import Plan
from scrutiny.core.progress import SILENT, Progress
from scrutiny.run.planning.opened import Opened
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.training.nodes import Nodes, trainer_of
from scrutiny.store.cache_folders import models_folder

_LONG_S: Final = 20.0  # trainings that take longer are begun with a plan that is known to resolve


@dataclass(frozen=True, slots=True)
class PlannedTraining:
    """Training that a node would do.

    Parameters
    ----------
    name, trainer, source, data
        Of the node; no source where the training starts from scratch.
    runs, texts, dev
        How many there are.
    is_done
        Whether it was trained before.
    seconds
        How long it would take, from a few of its steps or texts; 0 where it is done.
    epochs, steps
        Of one run; 0 where there are no such.
    """

    name: str
    trainer: str
    source: str
    data: str
    runs: int
    texts: int
    dev: int
    is_done: bool
    seconds: float
    epochs: int = 0
    steps: int = 0

    def lines(self) -> Iterator[str]:
        """Lines for a terminal of 80 columns."""
        yield f"train {self.name}: {self.source or self.trainer} on {self.data}"
        epochs = f" x {self.epochs} epochs ({self.steps:,} steps)" if self.epochs else ""
        size = f"  {self.runs} runs, {self.texts:,} texts{epochs}, {self.dev:,} dev texts"
        yield f"{size}; {'trained already' if self.is_done else f'about {self.seconds:,.0f} s'}"


def with_trained(
    plan: Plan,
    *,
    options: LoadOptions | None = None,
    data: Mapping[str, Any] | None = None,
    progress: Progress = SILENT,
) -> Plan:
    """Plan whose training nodes are families of models; trains those that are missing.

    Parameters
    ----------
    plan
        Read, not resolved.
    options
        Where to train.
    data
        Objects that stand behind names of data.
    progress
        Who is told.

    Raises
    ------
    PlanError
        If a node cannot be read, or trains on what its models are measured on.
    DataError, ModelError, MissingExtraError, StorageError
        As its trainer does.
    """
    nodes = Nodes(plan, data or {})
    device = (options or LoadOptions()).device
    for node in plan.train:
        trainer, job = trainer_of(node), nodes.job(node)
        folder = _home() / job.key
        own = _OfNode(progress, node.name)
        for note in () if job.is_done(folder) else job.parts.notes:
            own.note(note)
        trainer.train(job, folder, device=device, progress=own)
        nodes.add(node, job, folder)
    return nodes.plan


def resolved_when_trained(plan: Plan, opened: Opened, progress: Progress = SILENT) -> Resolved:
    """Resolved plan; what its training nodes lack is trained before.

    A mistake in what is measured and claimed of the models is found before a training that would
    take longer than a look, with models that stand in for them.

    Raises
    ------
    PlanError, UnknownNameError, DataError, ModelError, MissingExtraError, StorageError
        As `with_trained` and `resolve` do.
    """
    with with_stand_ins(plan, options=opened.options, data=opened.data) as (made, trainings):
        if sum(training.seconds for training in trainings) > _LONG_S:
            resolve(made, opened=opened)
    trained = with_trained(plan, options=opened.options, data=opened.data, progress=progress)
    return resolve(trained, opened=opened)


@contextmanager
def with_stand_ins(
    plan: Plan, *, options: LoadOptions | None = None, data: Mapping[str, Any] | None = None
) -> Iterator[tuple[Plan, tuple[PlannedTraining, ...]]]:
    """Plan that can be resolved before training, with the planned trainings.

    Models that are there are used; the others are stood in for, in a temporary folder.
    """
    nodes = Nodes(plan, data or {})
    device = (options or LoadOptions()).device
    planned = []
    with TemporaryDirectory(prefix="scrutiny-stand-in-") as name:
        for node in plan.train:
            trainer, job = trainer_of(node), nodes.job(node)
            folder = _home() / job.key
            seconds, done = 0.0, job.is_done(folder)
            if not done:
                folder = Path(name) / job.key
                seconds = 0.0 if folder.exists() else trainer.stand_in(job, folder, device=device)
            planned.append(
                PlannedTraining(
                    node.name,
                    node.trainer,
                    node.source,
                    node.data,
                    **job.sizes,
                    is_done=done,
                    seconds=seconds,
                )
            )
            nodes.add(node, job, folder)
        yield nodes.plan, tuple(planned)


@dataclass(frozen=True, slots=True)
class _OfNode(Progress):
    """Progress of one node: messages have its name in front."""

    progress: Progress
    node: str

    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        """Begin a phase."""
        self.progress.start(phase, total=total, done=done)

    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        """One more step is done."""
        self.progress.advance(phase, asked=asked, cached=cached)

    def passed(self, text: str) -> None:
        """Report the outcome of a stretch of training."""
        self.progress.passed(f"train {self.node}: {text}")

    def note(self, text: str) -> None:
        """Report something once."""
        self.progress.note(f"train {self.node}: {text}")


def _home() -> Path:
    """Folder of all models that plans have trained."""
    return models_folder() / "trained"
