"""Fine-tuning as a trainer of plans: jobs, training, and stand-ins for a dry run."""

from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from scrutiny.core.randomness import generator
from scrutiny.models.hf.parts import quiet
from scrutiny.training.finetuning.anchored.parts import piece_parts
from scrutiny.training.finetuning.anchored.target import PieceTarget, target_of
from scrutiny.training.finetuning.anchored.task_gradient import piece_task
from scrutiny.training.finetuning.augmentation import checked_recipes
from scrutiny.training.finetuning.base import bases_of
from scrutiny.training.finetuning.batches import shuffled
from scrutiny.training.finetuning.job import VERSION, FinetuningJob
from scrutiny.training.finetuning.network import Parted, build
from scrutiny.training.finetuning.one_run import Telling
from scrutiny.training.finetuning.optimizing import optimizer_of, train_epoch
from scrutiny.training.finetuning.parts import DataParts, load_parts
from scrutiny.training.finetuning.recipe import FinetuningRecipe
from scrutiny.training.finetuning.runs import finetune, is_done
from scrutiny.training.finetuning.targets import Target
from scrutiny.training.trainer import RUNS, Trainer, TrainingNode

#: Steps that are timed, behind one that warms up.
_TIMED: Final = 3
#: A step reads a text forward and twice as long backward; the dev part is only read forward.
_FORWARD: Final = 1 / 3


def write_stand_ins(job: FinetuningJob, out: Path, *, device: str = "auto") -> float:
    """Write networks with untrained heads in place of the job's checkpoints.

    They answer in the right shape and at the right speed, so that a plan can be checked.

    Returns
    -------
    float
        Seconds that the training would take, from a few of its steps.
    """
    checked_recipes(job.recipe.augment, job.parts.task, labels=job.recipe.augment_labels)
    first: dict[int, Path] = {}
    seconds = 0.0
    for run in job.runs:
        folder = out / run.place
        folder.parent.mkdir(parents=True, exist_ok=True)
        if id(run.base) in first:
            folder.symlink_to(first[id(run.base)], target_is_directory=True)
            continue
        target = target_of(job.parts, run)
        parted = build(run.base, target, job.recipe, seed=run.seed, device=device)
        with quiet():
            parted.network.save_pretrained(folder)
            parted.tokenizer.save_pretrained(folder)
        first[id(run.base)] = folder.resolve()
        seconds += len(job.seeds) * _seconds(job, parted, target)
    return seconds


def _seconds(job: FinetuningJob, parted: Parted, target: Target | PieceTarget) -> float:
    """Seconds of one run, extrapolated from a few steps on random texts."""
    recipe, examples = job.recipe, job.parts.train
    rng = generator(0, "timing", name=VERSION, item="texts")
    drawn = rng.permutation(len(examples))[: recipe.batch * (_TIMED + 1)].tolist()
    encoded = target.encode(parted.tokenizer, [examples[i] for i in drawn], longest=parted.longest)
    batches = shuffled(encoded.lengths, recipe.batch, rng=rng)
    steps = train_epoch(
        parted,
        optimizer_of(parted, recipe, rate=1e-6),
        encoded,
        batches,
        recipe=recipe,
        done=0,
        steps=len(batches),
    )
    next(steps)
    began = perf_counter()
    timed = sum(1 for _ in islice(steps, _TIMED))
    if not timed:  # a single batch: only the warm-up was timed
        return 0.0
    each = (perf_counter() - began) / timed
    on_dev = _FORWARD * len(job.parts.dev) / recipe.batch
    return recipe.epochs * each * (-(-len(examples) // recipe.batch) + on_dev)


class Finetuning(Trainer[FinetuningJob]):
    """Trainer that fine-tunes encoders on a labeled task, or on annotations of pieces."""

    says = "fine-tunes the encoder that `from` names, on labels or annotations"
    scheme = "hf"
    has_base = True
    Params = FinetuningRecipe

    def reads(self, task: str) -> str:
        """Task of the data: the node's, or the one that a piece-labeling task uses."""
        piece = piece_task(task)
        return task if piece is None else piece.reads

    def recipe(self, task: str) -> type[Any]:
        """Dataclass of the node's ``params``."""
        piece = piece_task(task)
        return FinetuningRecipe if piece is None else piece.recipe

    def job(self, asked: TrainingNode) -> FinetuningJob:
        """Runs of a node: for each member of its base's family."""
        assert asked.base is not None
        base = asked.base
        bases = bases_of(base.source, random=base.random, seeds=base.seeds)
        runs = asked.runs or (1 if bases[0].factors else RUNS)
        return FinetuningJob(bases, _parts(asked), asked.recipe, tuple(range(1, runs + 1)))

    def is_done(self, job: FinetuningJob, folder: Path) -> bool:
        """Whether all checkpoints are in the folder."""
        return is_done(job, folder)

    def train(
        self, job: FinetuningJob, folder: Path, *, device: str, telling: Telling | None
    ) -> None:
        """Train the checkpoints that are missing in the folder."""
        finetune(job, folder, device=device, telling=telling)

    def stand_in(self, job: FinetuningJob, folder: Path, *, device: str) -> float:
        """Write networks with untrained heads; returns the seconds that training would take."""
        return write_stand_ins(job, folder, device=device)


FINETUNE: Final = Finetuning()


def _parts(asked: TrainingNode) -> DataParts:
    """Training, dev and held-out data of a node."""
    task = piece_task(asked.task)
    if task is None:
        dev = "" if asked.dev is None else asked.dev
        return load_parts(asked.data, asked.recipe, dev=dev, reported=asked.reported)
    return piece_parts(task, asked.recipe, data=asked.data, dev=asked.dev, reported=asked.reported)
