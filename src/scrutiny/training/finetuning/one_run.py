"""Fine-tuning job, and one of its runs, from its base to its checkpoint."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from scrutiny.core.answers.choices import LABEL_SET, OPTION_OF
from scrutiny.core.answers.texts import EXTRACT
from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.example import Example
from scrutiny.core.long_runs import Progress
from scrutiny.core.randomness import generator
from scrutiny.models.strings.training_records import REPLICATES_KEY
from scrutiny.training.finetuning.encoders import BaseEncoder, build, torch_seed
from scrutiny.training.finetuning.epoch import (
    augmented,
    dev_chance,
    dev_score,
    held_out_record,
    optimizer_of,
    precision_on,
    train_epoch,
)
from scrutiny.training.finetuning.piece_targets import PieceTarget
from scrutiny.training.finetuning.recipe import FinetuningRecipe, rate_for
from scrutiny.training.finetuning.run_files import (
    Epoch,
    History,
    keep_epoch,
    library_versions,
    read_history,
    restore_last,
    restore_weights,
    write_checkpoint,
)
from scrutiny.training.finetuning.sets_and_options import ChoosingTarget, SeveralTarget
from scrutiny.training.finetuning.targets import EncodedExamples, ReadingTarget, Target, shuffled
from scrutiny.training.finetuning.training_data import DataParts
from scrutiny.training.job import OneRun, TrainingJob, held, write_model

#: Version of the procedure, part of every identity.
VERSION: Final = "finetune@1"


@dataclass(frozen=True, slots=True)
class FinetuningJob(TrainingJob):
    """Fine-tuning job: runs of one recipe on one dataset.

    Parameters
    ----------
    bases
        Base encoders; several are a family, each of which gets its own runs.
    parts
        Training and dev part.
    recipe
        Recipe of all runs.
    seeds
        One run for each, of each base.
    """

    bases: tuple[BaseEncoder, ...]
    parts: DataParts
    recipe: FinetuningRecipe
    seeds: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Capture names of the run folders: those of the base's family, and the run's seed.

        In a family the seed of the base is ``seed``, and a further seed of fine-tuning is ``run``.
        """
        of_family = tuple(self.bases[0].factors)
        if not of_family:
            return ("seed",)
        return (*of_family, self._nested) if len(self.seeds) > 1 else of_family

    @property
    def random(self) -> tuple[str, ...]:
        """Captures whose values are replicates."""
        if not self.bases[0].factors:
            return ("seed",)
        more = (self._nested,) if len(self.seeds) > 1 else ()
        return (*self.bases[0].random, *more)

    @property
    def _nested(self) -> str:
        return "run" if "run" not in self.bases[0].factors else "finetuning"

    def identity(self, base: BaseEncoder, seed: int) -> str:
        """Digest of everything that determines the weights of a run."""
        # recipe without later-added fields at their default values (keeps digests stable)
        stated = asdict(self.recipe)
        if stated["augment_labels"] == "kept":
            del stated["augment_labels"]  # runs that were trained before it existed stay known
        return digest(
            VERSION,
            canonical_json(stated),
            self.parts.task.name,
            self.parts.digest,
            base.fingerprint,
            canonical_json(dict(base.factors)),
            str(seed),
        )

    @property
    def of_one_run(self) -> dict[str, int]:
        """Epochs, and steps of all of them."""
        epochs = self.recipe.epochs
        return {"epochs": epochs, "steps": -(-len(self.parts.train) // self.recipe.batch) * epochs}


class FinetuningRun:
    """One run from its base to its checkpoint."""

    def __init__(
        self, job: FinetuningJob, run: OneRun, folder: Path, device: str, progress: Progress
    ) -> None:
        self._run, self._folder, self._progress = run, folder, progress
        self._recipe, self._parts = job.recipe, job.parts
        self._target = target_of(job.parts, run)
        self._parted = build(run.base, self._target, job.recipe, seed=run.seed, device=device)
        self._rate = rate_for(job.recipe, self._parted.n_parameters)
        self._optimizer = optimizer_of(self._parted, job.recipe, rate=self._rate)
        self._fresh = self._encoded(job.parts.train)
        self._dev = self._encoded(job.parts.dev) if job.parts.dev else None
        self._steps = -(-len(job.parts.train) // job.recipe.batch)  # of one epoch
        device_of = self._parted.network.device
        self._accelerators = [] if device_of.type == "cpu" else [device_of]

    def run(self) -> dict[str, Any]:
        """Train the remaining epochs and write the best checkpoint; returns its record."""
        recipe = self._recipe
        texts = (text for e in self._parts.train for text in e.fields.values())
        with held(self._folder) as working:
            history = read_history(working, self._run.identity)
            self._tell(len(history.epochs) * self._steps)
            if history.epochs:  # they are restored, not repeated
                restore_last(working, history, self._parted, self._optimizer)
            while not history.is_over(epochs=recipe.epochs, patience=recipe.patience):
                epoch = self._epoch(len(history.epochs) + 1)
                history = replace(history, epochs=(*history.epochs, epoch))
                keep_epoch(working, history, self._parted, self._optimizer)
                score = "" if epoch.dev is None else f"dev {self._target.metric} {epoch.dev:.3f}, "
                self._progress.passed(
                    f"{self._run.place}, epoch {epoch.epoch} of {recipe.epochs}: {score}"
                    f"loss {epoch.loss:.3f}, {epoch.seconds:.0f} s"
                )
            self._tell((recipe.epochs - len(history.epochs)) * self._steps)
            restore_weights(working, history.chosen(), self._parted)
            record = {**self._record(history), **self._description()}
            skill = held_out_record(self._parted, self._target, self._parts.held_out)
            write = partial(write_checkpoint, self._parted, record, skill)
            write_model(self._folder, write, working=working, record=record, texts=texts)
        return record

    def _epoch(self, number: int) -> Epoch:
        import torch

        began = perf_counter()
        encoded, changed = self._texts(number)
        order = generator(self._seed("order"), "order", name=VERSION, item="", draw=number)
        batches = shuffled(encoded.lengths, self._recipe.batch, rng=order)
        losses = []
        with torch.random.fork_rng(devices=self._accelerators):
            # dropout is seeded anew for each epoch, so that a resumed run draws the same
            torch.manual_seed(self._seed("dropout", draw=number))
            for loss in train_epoch(
                self._parted,
                self._optimizer,
                encoded,
                batches,
                recipe=self._recipe,
                done=(number - 1) * len(batches),
                steps=self._recipe.epochs * self._steps,
            ):
                losses.append(loss)
                self._tell(1)
        dev = None
        if self._dev is not None:
            dev = dev_score(self._parted, self._target, self._parts.dev, self._dev)
        seconds = round(perf_counter() - began, 2)
        return Epoch(number, sum(losses) / len(losses), dev, changed, seconds)

    def _seed(self, purpose: str, *, draw: int = 0) -> int:
        return torch_seed(self._run.seed, purpose, self._run.base, draw=draw)

    def _texts(self, epoch: int) -> tuple[EncodedExamples, int]:
        """Texts of an epoch, some of them changed by augmentation, and the number changed."""
        if not self._recipe.augment:
            return self._fresh, 0
        seed, task = self._seed("augment"), self._parts.task
        texts, changed = augmented(
            self._parts.train, self._recipe, seed=seed, epoch=epoch, task=task
        )
        return self._encoded(texts), changed

    def _encoded(self, examples: Sequence[Example]) -> EncodedExamples:
        return self._target.encode(self._parted.tokenizer, examples, longest=self._parted.longest)

    def _tell(self, steps: int) -> None:
        """Report steps that are done or skipped."""
        for _ in range(steps):
            self._progress.advance("train")

    def _record(self, history: History) -> dict[str, Any]:
        """Record of the training: history and chosen epoch."""
        best, metric = history.chosen(), self._target.metric
        chance = None
        if self._dev is not None:
            chance = dev_chance(self._target, self._parts.dev, self._dev)
        return {
            "identity": self._run.identity,
            "version": VERSION,
            "seed": self._run.seed,
            "factors": self._run.factors,
            "epochs": [asdict(epoch) for epoch in history.epochs],
            "chosen_epoch": best,
            "chosen_by": "last epoch" if self._dev is None else f"best dev {metric}",
            "metric": metric,
            "dev_score": history.epochs[best - 1].dev,
            "dev_chance": chance,
        }

    def _description(self) -> dict[str, Any]:
        """Base, data, recipe as carried out, and hardware."""
        parts, base = self._parts, self._run.base
        device = self._parted.network.device
        return {
            **({} if base.replicates_of is None else {REPLICATES_KEY: base.replicates_of}),
            "task": parts.name,
            "labels": list(parts.names),
            "base": {
                "source": base.source,
                "fingerprint": base.fingerprint,
                "untrained_seed": base.init,
            },
            "recipe": {**asdict(self._recipe), "lr": self._rate},
            "data": {
                **parts.described(),
                **({} if parts.learned is None else {"held_out": {"n": len(parts.held_out)}}),
                "n_cut": self._fresh.n_cut,
            },
            "network": {
                "parameters": self._parted.n_parameters,
                "device": device.type,
                "precision": precision_on(self._recipe, self._parted),
            },
            "made_with": library_versions(),
        }


def target_of(parts: DataParts, run: OneRun) -> Target | PieceTarget:
    """Target of one run of a fine-tuning: gold answers of its data, or labels of pieces.

    The seed of a control task's labels is the run's, so that each run has others; members of a
    family have streams of their own.
    """
    if parts.learned is None:
        kinds: dict[Any, type[Target]] = {
            EXTRACT: ReadingTarget,
            OPTION_OF: ChoosingTarget,
            LABEL_SET: SeveralTarget,
        }
        return kinds.get(parts.task.answer_type, Target)(parts.task, parts.labels)
    seed = torch_seed(run.seed, "control labels", run.base)
    return PieceTarget(parts.learned, parts.train, seed=seed)
