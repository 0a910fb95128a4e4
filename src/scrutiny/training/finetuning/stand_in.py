"""What a training would be, without it: stand-ins of its checkpoints, and its time."""

from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Final

from scrutiny.core.randomness import generator
from scrutiny.models.hf.parts import quiet
from scrutiny.training.finetuning.anchored.target import PieceTarget
from scrutiny.training.finetuning.augmentation import checked_recipes
from scrutiny.training.finetuning.batches import shuffled
from scrutiny.training.finetuning.job import VERSION, FinetuningJob
from scrutiny.training.finetuning.network import Parted, build
from scrutiny.training.finetuning.objective import target_of
from scrutiny.training.finetuning.optimizing import optimizer_of, train_epoch
from scrutiny.training.finetuning.targets import Target

#: Steps that are timed, behind one that warms up.
_TIMED: Final = 3
#: A step reads a text forward and twice as long backward; the dev part is only read forward.
_FORWARD: Final = 1 / 3


def write_stand_ins(job: FinetuningJob, out: Path, *, device: str = "auto") -> float:
    """Write networks with untrained heads where the job's checkpoints would be.

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
    """Seconds of one run, from a few steps on texts drawn at random."""
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
    if not timed:  # a single batch: what it took to warm up is all there is
        return 0.0
    each = (perf_counter() - began) / timed
    on_dev = _FORWARD * len(job.parts.dev) / recipe.batch
    return recipe.epochs * each * (-(-len(examples) // recipe.batch) + on_dev)
