"""Fine-tuning as plans name it."""

from pathlib import Path
from typing import Any, Final

from scrutiny.training.finetuning.anchored.parts import piece_parts
from scrutiny.training.finetuning.anchored.task_gradient import piece_task
from scrutiny.training.finetuning.base import bases_of
from scrutiny.training.finetuning.job import FinetuningJob
from scrutiny.training.finetuning.one_run import Telling
from scrutiny.training.finetuning.parts import DataParts, load_parts
from scrutiny.training.finetuning.recipe import FinetuningRecipe
from scrutiny.training.finetuning.runs import finetune, is_done
from scrutiny.training.finetuning.stand_in import write_stand_ins
from scrutiny.training.trainer import RUNS, TrainingNode


class Finetuning:
    """Encoders fine-tuned on a task with labels, or on annotations of every piece."""

    says = "fine-tunes the encoder that `from` names, on labels or annotations"
    scheme = "hf"
    has_base = True
    Params = FinetuningRecipe

    def reads(self, task: str) -> str:
        """Task of the data: that of the node, or the one that a task of pieces reads."""
        piece = piece_task(task)
        return task if piece is None else piece.reads

    def recipe(self, task: str) -> type[Any]:
        """Dataclass of the node's ``params``."""
        piece = piece_task(task)
        return FinetuningRecipe if piece is None else piece.recipe

    def job(self, asked: TrainingNode) -> FinetuningJob:
        """Runs of a node: of each member of its base's family."""
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
        """Train what is not in the folder yet."""
        finetune(job, folder, device=device, telling=telling)

    def stand_in(self, job: FinetuningJob, folder: Path, *, device: str) -> float:
        """Write networks with untrained heads; seconds that the training would take."""
        return write_stand_ins(job, folder, device=device)


FINETUNE: Final = Finetuning()


def _parts(asked: TrainingNode) -> DataParts:
    """What a node trains on, chooses by, and holds out."""
    task = piece_task(asked.task)
    if task is None:
        dev = "" if asked.dev is None else asked.dev
        return load_parts(asked.data, asked.recipe, dev=dev, reported=asked.reported)
    return piece_parts(task, asked.recipe, data=asked.data, dev=asked.dev, reported=asked.reported)
