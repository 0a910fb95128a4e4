"""Likelihoods of sentences: alignment, masking, reduction; the model is asked by the caller."""

from scrutiny.models.scoring.pairs import (
    PAIR_VARIANTS,
    ComparedSentences,
    PairScore,
    PairShape,
    PairVariant,
    encode_pairs,
    score_pairs,
)
from scrutiny.models.scoring.question import Ask, Question, answer_all
from scrutiny.models.scoring.sentences import SENTENCES, likelihoods, procedure, score_sentences
from scrutiny.models.scoring.triples import (
    FILLING_VARIANTS,
    Filling,
    FillingVariant,
    score_fillings,
)

__all__ = [
    "FILLING_VARIANTS",
    "PAIR_VARIANTS",
    "SENTENCES",
    "Ask",
    "ComparedSentences",
    "Filling",
    "FillingVariant",
    "PairScore",
    "PairShape",
    "PairVariant",
    "Question",
    "answer_all",
    "encode_pairs",
    "likelihoods",
    "procedure",
    "score_fillings",
    "score_pairs",
    "score_sentences",
]
