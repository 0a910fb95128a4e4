"""What a run learns, by its parts and its seed."""

from scrutiny.training.finetuning.anchored.target import PieceTarget
from scrutiny.training.finetuning.job import OneRun
from scrutiny.training.finetuning.network import torch_seed
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.finetuning.targets import Target


def target_of(parts: DataParts, run: OneRun) -> Target | PieceTarget:
    """Target of a run: the gold answers of its parts, or labels of pieces.

    The seed of a control task's labels is the run's, so that each run has others; members of a
    family have streams of their own.
    """
    if parts.learned is None:
        return Target(parts.task, parts.labels)
    seed = torch_seed(run.seed, "control labels", run.base)
    return PieceTarget(parts.learned, parts.train, seed=seed)
