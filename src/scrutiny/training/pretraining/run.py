"""One pre-training run from texts to a folder."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scrutiny.training.pretraining.batches import Batches
from scrutiny.training.pretraining.corpus import Corpus, encode
from scrutiny.training.pretraining.export import Precision, save_weights, write_json
from scrutiny.training.pretraining.loop import Keeping, train
from scrutiny.training.pretraining.network import Forward, new_network, start_from_frequencies
from scrutiny.training.pretraining.objective import Distillation
from scrutiny.training.pretraining.recipe import Recipe
from scrutiny.training.pretraining.texts import TextFile, read_texts
from scrutiny.training.pretraining.vocabulary import (
    load_vocabulary,
    save_tokenizer,
    train_vocabulary,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Texts and vocabulary: the same for all seeds of a family."""

    files: tuple[TextFile, ...]
    tokenizer: Any
    corpus: Corpus
    recipe: Recipe  # with the number of pieces that there are


@dataclass(frozen=True, slots=True)
class Seeds:
    """What random numbers start from.

    Parameters
    ----------
    init
        Drives the initial weights.
    data
        Drives order, pairs and masks.
    """

    init: int
    data: int


def prepare(paths: list[Path], recipe: Recipe, *, tokenizer: Path | None = None) -> Prepared:
    """Texts read, the vocabulary trained (or read from a folder), everything encoded."""
    files = tuple(read_texts(paths))
    sentences = (s for file in files for document in file.documents for s in document)
    made = (
        load_vocabulary(tokenizer) if tokenizer else train_vocabulary(sentences, recipe.vocabulary)
    )
    fitted = replace(recipe, vocabulary=made.get_vocab_size())
    return Prepared(files, made, encode(files, made), fitted)


def digest_of(prepared: Prepared, seeds: Seeds, *, teacher: str = "") -> str:
    """SHA-256 of all that can change a weight: recipe, seeds, texts, vocabulary, teacher."""
    parts = {
        "recipe": prepared.recipe.to_json(),
        "seeds": {"init": seeds.init, "data": seeds.data},
        "texts": [(file.name, file.sha256) for file in prepared.files],
        "vocabulary": hashlib.sha256(prepared.tokenizer.to_str().encode()).hexdigest(),
        "teacher": teacher,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
