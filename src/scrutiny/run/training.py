"""Training nodes of a plan: trained before anything is measured, one by one, and never twice.

The folder of what a node trains is named by a digest of its recipe, its data and its base, in the
user's cache. A plan that is issued again finds its models there; one that was interrupted goes on
from the last epoch of a fine-tuning, or the last finished seed. What is trained, and how, is the
business of the trainer that the node names.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, get_type_hints

from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.long_runs import SILENT, Progress
from scrutiny.core.model import LoadOptions
from scrutiny.core.plan import DataPlan, ModelPlan, Plan, TrainPlan
from scrutiny.core.registry import registry
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.run.planning.loading import Opened
from scrutiny.run.planning.measurements import make_params
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.planning.resolved import Resolved
from scrutiny.store.files import models_folder
from scrutiny.training.job import TrainingJob
from scrutiny.training.trainer import Trainer, TrainingNode

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
    if plan.train:
        progress.note("reads what the plan names, and times its trainings, before it trains")
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


def recipe_of_node(kind: type[Any], given: Mapping[str, Any], *, where: str) -> Any:
    """Recipe of a plan's training from plain values; fields of nested dataclasses have no prefix.

    ``{epochs = 3, hidden = 50}`` is a recipe with an architecture whose ``hidden`` is 50.

    Raises
    ------
    PlanError
        For a name that neither has (near ones are given), or a value that does not fit.
    """
    hints = get_type_hints(kind)
    inner = {f.name: hints[f.name] for f in fields(kind) if is_dataclass(hints[f.name])}
    if not inner:
        return make_params(kind, given, where=where)
    owner = {f.name: name for name, part in inner.items() for f in fields(part)}
    own = {f.name for f in fields(kind)} - set(inner)
    known("parameter", given, own | set(owner), where=where)
    made = make_params(kind, {k: v for k, v in given.items() if k in own}, where=where)
    held = {name: {k: v for k, v in given.items() if owner.get(k) == name} for name in inner}
    parts = {name: make_params(part, held[name], where=where) for name, part in inner.items()}
    return replace(made, **parts)


def trainer_of(node: TrainPlan) -> Trainer[Any]:
    """Trainer of a node.

    Raises
    ------
    PlanError
        If there is none of this name; near names are given.
    """
    try:
        found: Trainer[Any] = registry().load("trainer", node.trainer)
    except UnknownNameError as error:
        raise PlanError(f"train {node.name!r}: {error}") from error
    return found


class Nodes:
    """Nodes of a plan, in order: a later one may start from an earlier one."""

    def __init__(self, plan: Plan, given: Mapping[str, Any]) -> None:
        self.plan = plan
        self._given = given
        self._data = {one.name: one for one in plan.data}
        self._read: dict[tuple[str, str], Dataset] = {}

    def job(self, node: TrainPlan) -> TrainingJob:
        """Models of a node, checked against the plan.

        Raises
        ------
        PlanError
            If a name is taken or unknown, a parameter cannot be read, or the data are reported on.
        """
        if any(model.name == node.name for model in self.plan.models):
            raise PlanError(
                f"train {node.name!r}: there is a model of this name already; names are unique."
            )
        named = [*(m.name for m in self.plan.models), *(n.name for n in self.plan.train)]
        wanted = [node.control_of] if node.control_of else []
        known("model in the plan", wanted, named, where=f"train {node.name!r}, control_of")
        trainer = trainer_of(node)
        _must_start_well(node, trainer)
        kind = trainer.recipe(node.task)
        recipe = recipe_of_node(kind, node.params, where=f"train {node.name!r}, params")
        with _named(node):
            task = trainer.reads(node.task)
        measured = dict.fromkeys(
            name for m in self.plan.measure if node.name in m.models for name in m.data
        )
        asked = TrainingNode(
            node.task,
            recipe,
            self._dataset(node, node.data, task=task),
            self._dataset(node, node.dev, task=task) if node.dev else None,
            reported=tuple(self._dataset(node, name) for name in measured),
            base=self._model(node) if trainer.has_base else None,
            runs=node.runs,
            seeds=node.seeds,
        )
        with _named(node):
            job: TrainingJob = trainer.job(asked)
        return job

    def add(self, node: TrainPlan, job: TrainingJob, folder: Path) -> None:
        """Register the models in a folder as a family of the plan."""
        source = f"{trainer_of(node).scheme}:{folder.as_posix()}/{job.pattern}"
        base = node.source if any(m.name == node.source for m in self.plan.models) else ""
        family = ModelPlan(
            node.name, source, job.random, node.role, control_of=node.control_of, base=base
        )
        self.plan = replace(self.plan, models=(*self.plan.models, family))

    def _model(self, node: TrainPlan) -> ModelPlan:
        """Base model of a node: a model of the plan, or a model string."""
        named = {model.name: model for model in self.plan.models}
        return named.get(node.source) or ModelPlan(
            node.name, node.source, node.random, seeds=node.seeds
        )

    def _dataset(self, node: TrainPlan, name: str, *, task: str = "") -> Dataset:
        """Data of the plan, or of a data string; the task is used if columns are ambiguous."""
        if (name, task) not in self._read:
            plan = self._data.get(name) or DataPlan(name, name)
            if name not in self._data and ":" not in name:
                there = ", ".join(self._data) or "none"
                raise PlanError(
                    f"train {node.name!r}: {name!r} is neither data of the plan ({there}) nor a "
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


@contextmanager
def _named(node: TrainPlan) -> Iterator[None]:
    """Context that adds the node's name to a trainer's errors."""
    try:
        yield
    except PlanError as error:
        raise PlanError(f"train {node.name!r}: {error}") from error


def _must_start_well(node: TrainPlan, trainer: Trainer[Any]) -> None:
    """Raise for a base that a trainer cannot use, and for a missing one."""
    if trainer.has_base:
        if not node.source:
            names = registry()
            free = [n for n in names.names("trainer") if not names.load("trainer", n).has_base]
            raise PlanError(
                f"train {node.name!r}: {node.trainer} starts from a model. Add from = and a model "
                f"string, or choose a trainer that starts from scratch: {', '.join(free)}."
            )
        return
    for key, value in (("from", node.source), ("random", node.random)):
        if value:
            raise PlanError(
                f"train {node.name!r}: {node.trainer} starts from scratch, so leave {key} out. "
                '(trainer = "finetune" starts from a model.)'
            )
    if node.runs and node.seeds:
        raise PlanError(
            f"train {node.name!r}: seeds names the models and runs counts them: give one of the "
            "two."
        )
