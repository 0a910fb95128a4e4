"""Pre-training job: texts, recipe, seeds, a teacher, and statements for the model card."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from scrutiny.training.pretraining.corpus import Corpus, TextFile
from scrutiny.training.pretraining.recipe import PretrainingRecipe

Precision = Literal["fp16", "fp32"]
WEIGHTS: Final = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Teacher:
    """A checkpoint to distill from.

    Parameters
    ----------
    folder
        Of a `BertForPreTraining` with the same vocabulary.
    name
        Name on the card.
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
        """Digest of its weights and its distillation settings."""
        return f"{_sha256(self.folder)} weight={self.weight} temperature={self.temperature}"


@dataclass(frozen=True, slots=True)
class Start:
    """A checkpoint to start from, in place of random weights.

    Parameters
    ----------
    folder
        Of a `BertForPreTraining` with the same vocabulary and units; where it has fewer layers,
        they are stacked.
    name
        Name on the card.
    steps
        Optimizer steps it has taken: texts are met in the order, and under the masks, that would
        have come next.
    """

    folder: Path
    name: str
    steps: int

    def identity(self) -> str:
        """Digest of its weights and its steps."""
        return f"{_sha256(self.folder)} steps={self.steps}"


def _sha256(folder: Path) -> str:
    return hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Prepared:
    """Texts and vocabulary: the same for all seeds of a family.

    Parameters
    ----------
    files
        The texts.
    tokenizer
        A `tokenizers.Tokenizer`.
    corpus
        The texts as pieces.
    recipe
        With the number of pieces that there are.
    """

    files: tuple[TextFile, ...]
    tokenizer: Any
    corpus: Corpus
    recipe: PretrainingRecipe


@dataclass(frozen=True, slots=True)
class Seeds:
    """Random seeds of a run: initialization and data.

    Parameters
    ----------
    init
        Drives the initial weights.
    data
        Drives order, pairs and masks.
    """

    init: int
    data: int

    def place(self) -> str:
        """Name of the folder: ``seed-3``, or ``init_seed-3/data_seed-1`` if they differ."""
        if self.init == self.data:
            return f"seed-{self.init}"
        return f"init_seed-{self.init}/data_seed-{self.data}"


@dataclass(frozen=True, slots=True)
class Stated:
    """Statements of the user about the texts.

    Parameters
    ----------
    license
        Of the weights.
    attribution
        A line for each source.
    """

    license: str = ""
    attribution: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PretrainingJob:
    """One pre-training run.

    Parameters
    ----------
    prepared
        Texts, vocabulary and recipe.
    seeds
        Of this run.
    checkpoints
        Steps after which the weights are kept, in ``step-T``.
    precision
        Of the weights that are written.
    teacher
        Model to distill from, or None.
    stated
        Statements for the model card: license, attribution.
    start
        Checkpoint to start from, or None: random weights.
    """

    prepared: Prepared
    seeds: Seeds
    checkpoints: tuple[int, ...] = ()
    precision: Precision = "fp32"
    teacher: Teacher | None = None
    stated: Stated = field(default_factory=Stated)
    start: Start | None = None

    def digest(self) -> str:
        """SHA-256 of everything that can change a weight."""
        teacher = self.teacher.identity() if self.teacher else ""
        start = self.start.identity() if self.start else ""
        return digest_of(self.prepared, self.seeds, teacher=teacher, start=start)


def digest_of(prepared: Prepared, seeds: Seeds, *, teacher: str = "", start: str = "") -> str:
    """SHA-256 of all that can change a weight: recipe, seeds, texts, vocabulary, teacher, start."""
    parts = {
        "recipe": prepared.recipe.to_json(),
        "seeds": {"init": seeds.init, "data": seeds.data},
        "texts": [(file.name, file.sha256) for file in prepared.files],
        "vocabulary": hashlib.sha256(prepared.tokenizer.to_str().encode()).hexdigest(),
        "teacher": teacher,
        "start": start,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
