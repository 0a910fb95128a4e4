"""Training nodes of a plan: trained before anything is measured, and never twice.

The folder of what a node trains is named by a digest of its recipe, its data and its base, in the
user's cache. A plan that is issued again finds its checkpoints there; one that was interrupted
goes on from the last epoch.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.model import LoadOptions
from scrutiny.core.plan import DataPlan, ModelPlan, Plan, TrainPlan
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.models.places import models_folder
from scrutiny.run.params import make_params
from scrutiny.run.progress import Progress
from scrutiny.training.finetuning.anchored_parts import piece_parts
from scrutiny.training.finetuning.base import bases_of
from scrutiny.training.finetuning.job import Job
from scrutiny.training.finetuning.parts import Parts, load_parts
from scrutiny.training.finetuning.recipe import Recipe
from scrutiny.training.finetuning.runs import finetune, is_done
from scrutiny.training.finetuning.stand_in import write_stand_ins
from scrutiny.training.finetuning.task_gradient import PieceTask, piece_task

#: Runs of a single model unless the plan says otherwise.
_RUNS: Final = 5


@dataclass(frozen=True, slots=True)
class PlannedTraining:
    """What a node would train.

    Parameters
    ----------
    name, source, data
        Of the node.
    runs, texts, dev, epochs, steps
        How many there are; steps are those of one run.
    is_done
        Whether it was trained before.
    seconds
        How long it would take, from a few of its steps; 0 where it is done.
    """

    name: str
    source: str
    data: str
    runs: int
    texts: int
    dev: int
    epochs: int
    steps: int
    is_done: bool
    seconds: float

    def lines(self) -> Iterator[str]:
        """Lines for a terminal of 80 columns."""
        yield f"train {self.name}: {self.source} on {self.data}"
        size = (
            f"  {self.runs} runs, {self.texts:,} texts x {self.epochs} epochs "
            f"({self.steps:,} steps), {self.dev:,} dev texts"
        )
        yield f"{size}; {'trained already' if self.is_done else f'about {self.seconds:,.0f} s'}"


def with_trained(
    plan: Plan,
    *,
    options: LoadOptions | None = None,
    data: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Plan whose training nodes are families of checkpoints; trains what is not trained yet.

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
        If a node does not read, or trains on what its models are measured on.
    DataError, ModelError, StorageError
        As fine-tuning does.
    """
    nodes = _Nodes(plan, data or {})
    for node in plan.train:
        job = nodes.job(node)
        folder = _home() / job.key
        device = (options or LoadOptions()).device
        if progress is not None and not is_done(job, folder):
            for note in job.parts.notes:
                progress.note(f"train {node.name}: {note}")
        finetune(job, folder, device=device, telling=progress)
        nodes.add(node, job, folder)
    return nodes.plan


@contextmanager
def with_stand_ins(
    plan: Plan, *, options: LoadOptions | None = None, data: Mapping[str, Any] | None = None
) -> Iterator[tuple[Plan, tuple[PlannedTraining, ...]]]:
    """Plan that can be resolved though nothing was trained, and what would be.

    Checkpoints that are there are used; the others are stood in for, in a temporary folder.
    """
    nodes = _Nodes(plan, data or {})
    planned = []
    with TemporaryDirectory(prefix="scrutiny-stand-in-") as name:
        for node in plan.train:
            job = nodes.job(node)
            folder = _home() / job.key
            seconds, done = 0.0, is_done(job, folder)
            if not done:
                folder = Path(name) / job.key
                device = (options or LoadOptions()).device
                seconds = write_stand_ins(job, folder, device=device)
            planned.append(
                PlannedTraining(
                    node.name, node.source, node.data, **job.sizes, is_done=done, seconds=seconds
                )
            )
            nodes.add(node, job, folder)
        yield nodes.plan, tuple(planned)


def _home() -> Path:
    """Folder of all that plans have trained."""
    return models_folder() / "trained"


class _Nodes:
    """The nodes of a plan, one after the other: a later one may start from an earlier one."""

    def __init__(self, plan: Plan, given: Mapping[str, Any]) -> None:
        self.plan = plan
        self._given = given
        self._data = {one.name: one for one in plan.data}
        self._read: dict[tuple[str, str], Dataset] = {}

    def job(self, node: TrainPlan) -> Job:
        """Runs of a node."""
        if any(model.name == node.name for model in self.plan.models):
            raise PlanError(
                f"train {node.name!r}: there is a model of this name already; names are unique."
            )
        named = [*(m.name for m in self.plan.models), *(n.name for n in self.plan.train)]
        if node.control_of and node.control_of not in named:
            unknown = UnknownNameError("model in the plan", node.control_of, named)
            raise PlanError(f"train {node.name!r}, control_of: {unknown}")
        task = piece_task(node.task)
        kind = Recipe if task is None else task.recipe
        recipe = make_params(kind, node.params, where=f"train {node.name!r}, params")
        model = self._model(node)
        bases = bases_of(model.source, random=model.random, seeds=model.seeds)
        runs = node.runs or (1 if bases[0].factors else _RUNS)
        return Job(bases, self._parts(node, task, recipe), recipe, tuple(range(1, runs + 1)))

    def _parts(self, node: TrainPlan, task: PieceTask | None, recipe: Any) -> Parts:
        """What a node trains on, chooses by, and holds out."""
        of_data = node.task if task is None else task.reads
        data = self._dataset(node, node.data, task=of_data)
        dev = self._dataset(node, node.dev, task=of_data) if node.dev else None
        measured = dict.fromkeys(
            name for m in self.plan.measure if node.name in m.models for name in m.data
        )
        reported = [self._dataset(node, name) for name in measured]
        if task is None:
            return load_parts(data, recipe, dev="" if dev is None else dev, reported=reported)
        return piece_parts(task, recipe, data=data, dev=dev, reported=reported)

    def add(self, node: TrainPlan, job: Job, folder: Path) -> None:
        """Let the checkpoints in a folder be a family of the plan."""
        source = f"hf:{folder.as_posix()}/{job.pattern}"
        base = node.source if any(m.name == node.source for m in self.plan.models) else ""
        family = ModelPlan(
            node.name, source, job.random, node.role, control_of=node.control_of, base=base
        )
        self.plan = replace(self.plan, models=(*self.plan.models, family))

    def _model(self, node: TrainPlan) -> ModelPlan:
        """What a node starts from: a model of the plan, or a model string."""
        named = {model.name: model for model in self.plan.models}
        return named.get(node.source) or ModelPlan(
            node.name, node.source, node.random, seeds=node.seeds
        )

    def _dataset(self, node: TrainPlan, name: str, *, task: str = "") -> Dataset:
        """Data of the plan, or of a data string; the task is for columns that do not tell."""
        if (name, task) not in self._read:
            plan = self._data.get(name) or DataPlan(name, name)
            if name not in self._data and ":" not in name:
                known = ", ".join(self._data) or "none"
                raise PlanError(
                    f"train {node.name!r}: {name!r} is neither data of the plan ({known}) nor a "
                    "data string."
                )
            self._read[name, task] = load_dataset(
                self._given.get(name, plan.source),
                task=plan.task or task or None,
                limit=plan.limit,
                on_bad_row=self.plan.on_bad_row,
                name=None if name not in self._data else name,
            )
        return self._read[name, task]
