"""A family of attention classifiers: one folder for each seed, none of them trained twice."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scrutiny.training.attention_classifier.recipe import AttentionRecipe
from scrutiny.training.words.family import SEEDS, train_words
from scrutiny.training.words.job import Member


def train_family(
    data: Any,
    out: Path,
    *,
    recipe: AttentionRecipe | None = None,
    seeds: Sequence[int] = SEEDS,
    dev: Any = "",
    reported: Sequence[Any] = (),
    tell: Callable[[str], None] | None = None,
) -> list[Member]:
    """Classifiers in ``out/seed-S``, one for each seed; those that are there are left.

    ``attention-classifier:OUT/seed-{seed}`` is then a family of models. Parameters and errors are
    those of `scrutiny.training.words.family.train_words`; the recipe may be left out.
    """
    chosen = recipe or AttentionRecipe()
    return train_words(data, out, recipe=chosen, seeds=seeds, dev=dev, reported=reported, tell=tell)
