"""Classifiers with a layer of attention as plans name them."""

from typing import Final

from scrutiny.training.attention_classifier.recipe import AttentionRecipe
from scrutiny.training.words.trainer import WordTrainer

ATTENTION_CLASSIFIER: Final = WordTrainer(
    "trains small classifiers with one layer of attention from nothing",
    "attention-classifier",
    AttentionRecipe,
)
