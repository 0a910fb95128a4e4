"""The model that a student learns from."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrutiny.core.errors import ModelError
from scrutiny.training.pretraining.export import WEIGHTS
from scrutiny.training.pretraining.vocabulary import load_vocabulary


@dataclass(frozen=True, slots=True)
class Teacher:
    """A checkpoint to distill from.

    Parameters
    ----------
    folder
        Of a `BertForPreTraining` with the same vocabulary.
    name
        What the card calls it.
    weight
        Of the divergence from it, in [0, 1].
    temperature
        Both distributions are flattened by it.
    """

    folder: Path
    name: str
    weight: float = 0.7
    temperature: float = 2.0

    def identity(self) -> str:
        """Digest of its weights, and how its word counts."""
        weights = hashlib.sha256((self.folder / WEIGHTS).read_bytes()).hexdigest()
        return f"{weights} weight={self.weight} temperature={self.temperature}"


def load_teacher(teacher: Teacher, tokenizer: Any) -> Any:
    """Network of the teacher, float32, without gradients.

    Raises
    ------
    ModelError
        If its vocabulary is another: its distributions would be over other pieces.
    """
    import torch
    from transformers import BertForPreTraining

    own = load_vocabulary(teacher.folder)
    if own.get_vocab() != tokenizer.get_vocab():
        raise ModelError(
            f"{str(teacher.folder)!r} has another vocabulary than the student; train the student "
            f"with --tokenizer {teacher.folder}."
        )
    network = BertForPreTraining.from_pretrained(
        teacher.folder, local_files_only=True, dtype=torch.float32
    )
    return network.eval().requires_grad_(requires_grad=False)
