"""Fine-tuning as a trainer of plans: jobs, training, and stand-ins for a dry run."""

from pathlib import Path
from typing import Any, Final

from scrutiny.core.long_runs import SILENT, Progress
from scrutiny.core.randomness import generator
from scrutiny.models.hf.checkpoint import quiet
from scrutiny.training.finetuning.encoders import Parted, bases_of, build
from scrutiny.training.finetuning.epoch import must_keep_labels, optimizer_of, train_epoch
from scrutiny.training.finetuning.held_out_sentences import piece_parts
from scrutiny.training.finetuning.one_run import VERSION, FinetuningJob, FinetuningRun, target_of
from scrutiny.training.finetuning.piece_targets import PieceTarget
from scrutiny.training.finetuning.piece_tasks import piece_task
from scrutiny.training.finetuning.recipe import FinetuningRecipe
from scrutiny.training.finetuning.targets import Target, shuffled
from scrutiny.training.finetuning.training_data import load_parts
from scrutiny.training.job import Finished, OneRun, train_runs, write_stand_ins
from scrutiny.training.trainer import RUNS, TIMED_STEPS, Trainer, TrainingNode, seconds_of_training


def _seconds(job: FinetuningJob, parted: Parted, target: Target | PieceTarget) -> float:
    """Seconds of one run, extrapolated from a few steps on random texts."""
    recipe, examples = job.recipe, job.parts.train
    rng = generator(0, "timing", name=VERSION, item="texts")
    drawn = rng.permutation(len(examples))[: recipe.batch * TIMED_STEPS].tolist()
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
    return seconds_of_training(steps, recipe, texts=len(examples), dev=len(job.parts.dev))


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
        task = piece_task(asked.task)
        if task is None:
            parts = load_parts(asked.data, asked.recipe, dev=asked.dev, reported=asked.reported)
        else:
            parts = piece_parts(
                task, asked.recipe, data=asked.data, dev=asked.dev, reported=asked.reported
            )
        return FinetuningJob(bases, parts, asked.recipe, tuple(range(1, runs + 1)))

    def train(
        self, job: FinetuningJob, folder: Path, *, device: str = "auto", progress: Progress = SILENT
    ) -> list[Finished]:
        """Train the checkpoints that are missing in the folder.

        Raises
        ------
        PlanError
            If a folder holds something else.
        ModelError
            If a base cannot be fine-tuned, or the training falls apart.
        StorageError
            If the disk refuses.
        """
        must_keep_labels(job.recipe, job.parts.task)
        return train_runs(
            job,
            folder,
            lambda run, place: FinetuningRun(job, run, place, device, progress).run(),
            progress=progress,
        )

    def stand_in(self, job: FinetuningJob, folder: Path, *, device: str = "auto") -> float:
        """Write networks with untrained heads; returns the seconds that training would take.

        They answer in the right shape and at the right speed, so that a plan can be checked. Bases
        of one shape, as the seeds of a family are, take the seconds of the first.
        """
        must_keep_labels(job.recipe, job.parts.task)
        timed: dict[tuple[Any, ...], float] = {}

        def write(run: OneRun, place: Path) -> float:
            target = target_of(job.parts, run)
            parted = build(run.base, target, job.recipe, seed=run.seed, device=device)
            with quiet():
                parted.network.save_pretrained(place)
                parted.tokenizer.save_pretrained(place)
            shape = tuple(one.shape for one in parted.network.parameters())
            if shape not in timed:
                timed[shape] = _seconds(job, parted, target)
            return timed[shape]

        return write_stand_ins(job, folder, write)


FINETUNE: Final = Finetuning()
