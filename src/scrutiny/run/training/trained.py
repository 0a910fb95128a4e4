"""Training nodes of a plan: trained before anything is measured, and never twice.

The folder of what a node trains is named by a digest of its recipe, its data and its base, in the
user's cache. A plan that is issued again finds its models there; one that was interrupted goes on
from the last epoch of a fine-tuning, or the last finished seed. What is trained, and how, is the
business of the trainer that the node names.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrutiny.core.model import LoadOptions
from scrutiny.core.plan import Plan
from scrutiny.core.progress import SILENT, Progress
from scrutiny.models.strings.lineage import FILE, checkpoint_folder
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.training.nodes import Nodes, trainer_of
from scrutiny.store.cache_folders import models_folder
from scrutiny.tasks.held_out import COLUMN


def trained_on_it(resolved: Resolved) -> Iterator[str]:
    """Sentences on families that a run trained on, or chose by, data they are measured on."""
    for family, name in resolved.pairings:
        dataset = resolved.datasets[name]
        members = resolved.families[family].replicates
        known = [_data_of(member.source) for member in members]
        trained = [data for data in known if dataset.fingerprint in _fingerprints(data)]
        if not trained:
            continue
        who = f"{len(trained)} of {len(members)} replicates of {family}"
        if not resolved.tasks[name].must_be_answered and "held_out" in trained[0]:
            yield _probed(who, name, len(dataset), trained[0])
        else:
            yield (
                f"{who} were trained on {name}, or their epoch was chosen by it: their scores on "
                "it are too good to be reported."
            )


def _probed(who: str, name: str, n_items: int, data: Mapping[str, Any]) -> str:
    """Sentence about a probe of annotations on which the probed models were trained."""
    counts = {part: data.get(part, {}).get("n", 0) for part in ("train", "dev", "held_out")}
    return (
        f"{who} were trained on {counts['train']:,} of the {n_items:,} items of {name}, and their "
        f"epoch was chosen by {counts['dev']:,}; {counts['held_out']:,} were held out "
        f"({COLUMN} = yes). What is probed on all of them is no score of the task: the gain on the "
        "held-out ones says what holds for sentences that were not trained on."
    )


def _data_of(source: str) -> Mapping[str, Any]:
    """Data section of a checkpoint's training record."""
    folder = checkpoint_folder(source)
    if folder is None:
        return {}
    try:
        data = json.loads((folder / FILE).read_text(encoding="utf-8"))["data"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return data if isinstance(data, dict) else {}


def _fingerprints(data: Mapping[str, Any]) -> list[str]:
    """Fingerprints of the datasets in a record."""
    found = data.get("fingerprints")
    return found if isinstance(found, list) else []


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
