"""BLEU and chrF of a corpus, from sums of its texts' counts; shares of 1, as all scores here are.

What may be lost: the difference of two systems at which four of five human judgments agree with the
metric (Kocmi et al. 2024, Navigating the metrics maze): 2.34 points of BLEU, 1.63 of chrF.
"""

from typing import Final

import numpy as np

from scrutiny.core.record import Measure
from scrutiny.reliability.additive import Additive, Array, divide
from scrutiny.tasks.generation.ngrams import CHARACTERS, WORDS

_BETA: Final = 2.0  # recall counts twice as much as precision
_NGRAMS: Final = range(1, WORDS + 1)

#: Counts behind BLEU, in the order of `bleu_counts`.
OF_BLEU: Final = (
    Measure("words", unit="words"),
    Measure("reference_words", unit="words"),
    *(Measure(f"right_{n}", unit="n-grams of words") for n in _NGRAMS),
    *(Measure(f"ngrams_{n}", unit="n-grams of words") for n in _NGRAMS),
)
#: Counts behind chrF, in the order of `chrf_counts`.
OF_CHRF: Final = tuple(
    Measure(f"{name}_{n}", unit="n-grams of characters")
    for n in range(1, CHARACTERS + 1)
    for name in ("written", "reference", "common")
)


def _bleu(sums: Array) -> Array:
    """BLEU ``(...)`` of summed counts ``(..., 10)``, with sacrebleu's smoothing (``exp``).

    NaN without references.
    """
    length, reference = sums[..., 0], sums[..., 1]
    right, all_of = sums[..., 2 : 2 + WORDS], sums[..., 2 + WORDS :]
    halved = 0.5 ** np.cumsum(right == 0, axis=-1)  # instead of 0: 1/2, 1/4, … of one n-gram
    precisions = np.where(all_of > 0, np.where(right > 0, right, halved), 0) / np.maximum(all_of, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.where(length < reference, np.exp(1 - divide(reference, length)), 1.0)
        found = brevity * np.exp(np.log(precisions).mean(axis=-1))
    found = np.where(right.any(axis=-1), np.nan_to_num(found), 0.0)
    return np.where(reference > 0, found, np.nan)


def _chrf(sums: Array) -> Array:
    """Return chrF2 ``(...)`` of summed counts ``(..., 18)``; NaN without references.

    Precision and recall are means over the lengths of n-grams that both sides have.
    """
    written, reference, common = (sums[..., i::3] for i in range(3))
    counts = (written > 0) & (reference > 0)
    n = counts.sum(axis=-1)
    precision, recall = (
        np.where(counts, np.nan_to_num(divide(common, of)), 0.0).sum(axis=-1) / np.maximum(n, 1)
        for of in (written, reference)
    )
    found = divide((1 + _BETA**2) * precision * recall, _BETA**2 * precision + recall)
    return np.where(reference.sum(axis=-1) > 0, np.nan_to_num(found), np.nan)


def _as_they_are(measures: Array) -> Array:
    return measures


BLEU: Final = Additive(
    "bleu@1",
    "BLEU",
    tuple(measure.name for measure in OF_BLEU),
    _as_they_are,
    _bleu,
    scale="logit",
    higher_is="better",
    tolerance=0.023,
    headline="BLEU",
)

CHRF: Final = Additive(
    "chrf@1",
    "chrF",
    tuple(measure.name for measure in OF_CHRF),
    _as_they_are,
    _chrf,
    scale="logit",
    higher_is="better",
    tolerance=0.016,
)
