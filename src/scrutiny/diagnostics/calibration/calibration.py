"""Calibration: confidence beside accuracy, bin by bin, and beside a calibrated twin's."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Final

import numpy as np

from scrutiny.core.answers.texts import judged_parts
from scrutiny.core.boundary.parameters import at_least, shares
from scrutiny.core.claim import NO_CONFIDENCES, NO_PROBABILITIES, Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.facts import ARCS, EXTRACTS, LABELS, OPTIONS, SEGMENTS, SPANS
from scrutiny.core.randomness import Rng
from scrutiny.core.record import Measure, Row
from scrutiny.core.statistic import Chance
from scrutiny.core.task import Prediction
from scrutiny.reliability.metrics import Parametric
from scrutiny.reliability.row_statistics import Additive, Array, divide, with_count

USUAL_BINS: Final = 15
_Found = tuple[float, ...] | Failure
_NO_SCORES: Final = Failure("no_probabilities", status="undefined")
_NO_GOLD: Final = Failure("no_gold", status="skipped")
_NO_PARTS: Final = Failure("no_parts", status="skipped")
#: How it is measured, of labels and of answers in parts.
_NOTES: Final = {
    True: "Confidence is the probability of the answer given, in {} bins of equal width; the "
    "twin's gold labels are drawn from the model's own probabilities.",
    False: "Confidence is the mean probability of the parts of the answer given, in {} bins of "
    "equal width; which of them the twin has right is drawn by the model's own probabilities.",
}


@dataclass(frozen=True, slots=True)
class CalibrationParams:
    """How confidence is held against accuracy.

    Parameters
    ----------
    bins
        Bins of equal width between 0 and 1.
    tolerance
        How far off, on average, confidence may be.
    """

    bins: int = USUAL_BINS
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        at_least(self, bins=2)
        shares(self, "tolerance", zero=False)


class Calibration(Diagnostic[CalibrationParams]):
    """How far a model's confidence lies from its accuracy, beyond a calibrated twin's.

    Confidence is the probability of the answer that it gives. ``calibration_error`` is the mean
    distance of confidence and accuracy over bins of confidence. It is above 0 for a calibrated
    model, too, and more so for fewer items; so every item has a twin whose gold label is drawn from
    the model's own probabilities. The twin is calibrated and exactly as confident: what the error
    is beyond the twin's is the model's own. ``mean(overconfidence)`` is confidence minus accuracy,
    with its sign; ``mean(brier)`` the squared distance of all probabilities from the gold label.

    Of spans, words, extracts and options, each part is right or wrong by itself: where a model says
    how sure it is of each, an item's confidence is the mean over the parts of its answer, and what
    is right is their share. An answer without parts (no entity) has no confidence, and is left out.

    **Measures**: whether the probability of an answer may be read as the chance that it is right.

    **Misleads when**: bins hide errors of opposite sign that lie close to each other; the labels
    are noisy, for noise looks like overconfidence; a model is calibrated on average and not in a
    slice that matters (ask ``where``); entities are missed, for what is not given has no
    confidence.

    **References**: Guo et al. (2017), On calibration of modern neural networks; Brier (1950),
    Verification of forecasts expressed in terms of probability; Roelofs et al. (2022), Mitigating
    bias in calibration error estimation.
    """

    id = "calibration@1"
    needs = frozenset({"predict"})
    tolerates = MappingProxyType({"tolerance": f"calibration_error({USUAL_BINS})@1"})
    wants = (LABELS, SPANS, ARCS, SEGMENTS, EXTRACTS, OPTIONS)
    why_only = "of other answers there are no parts that are right or wrong and have a confidence"
    measures = (
        Measure("confidence", says="mean confidence", row_range=(0.0, 1.0)),
        Measure("right", unit="items", says="answers that are right", row_range=(0.0, 1.0)),
        Measure("overconfidence", row_range=(-1.0, 1.0), no_effect=0.0, higher_is="worse"),
        Measure("brier", says="Brier score", row_range=(0.0, 2.0), higher_is="worse"),
    )

    def design(self, params: CalibrationParams, inputs: Inputs) -> Design:
        """The error beside its twin's, its sign, the Brier score; the claim that it is large."""
        error = f"calibration_error({params.bins})"
        has_none = "no_probabilities" in inputs.subject.capabilities
        lacks = NO_PROBABILITIES if inputs.task.gives_labels else NO_CONFIDENCES
        return Design(
            estimates=(
                EstimateSpec("error", f"{error}@1"),
                EstimateSpec("twin", f"{error}@1", role="control"),
                EstimateSpec("beyond", f"beyond({error})@1"),
                EstimateSpec("overconfidence", "mean(overconfidence)@1"),
                EstimateSpec("brier", "mean(brier)@1"),
            ),
            claims=(
                Claim(
                    id="off",
                    says="its confidence is off",
                    components=(Component("beyond", 0.0),),
                    needs_control=False,
                    checks=("items", "seeds", "datasets"),
                    refused=lacks if has_none else "",
                    risk=Risk(
                        "confidence",
                        params.tolerance,
                        "is off by {} points",
                        without_scores=lacks,
                    ),
                ),
            ),
            notes=(_NOTES[inputs.task.gives_labels].format(params.bins),),
        )

    def measure(
        self, params: CalibrationParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Two rows for each item: its own, and that of its calibrated twin."""
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            rng = ctx.rng("twin", self.id, example.id)
            if ctx.task.gives_labels:
                twin = drawn_label(answer, float(rng.random()), ctx.labels)
                own, of_twin = (_values(answer, g, ctx.labels) for g in (example.gold, twin))
            else:
                own, of_twin = _of_parts(answer, example.gold, rng)
            for role, values in (("measured", own), ("control", of_twin)):
                yield RowKind(role=role).row(example.id, values)


def drawn_label(answer: Prediction | Failure, at: float, labels: Sequence[str]) -> str | None:
    """Gold label of the calibrated control: drawn by probabilities, at a place between 0 and 1."""
    if isinstance(answer, Failure) or answer.scores is None:
        return None
    ends = accumulate(answer.scores)
    return next((name for name, end in zip(labels, ends, strict=True) if at < end), labels[-1])


def _values(answer: Prediction | Failure, gold: object, labels: Sequence[str]) -> _Found:
    """Measures of an answer beside a gold label."""
    if isinstance(answer, Failure):
        return answer
    if answer.scores is None:
        return _NO_SCORES
    if gold not in labels:
        return _NO_GOLD
    confidence, right = max(answer.scores), float(answer.answer == gold)
    brier = sum(
        (score - float(name == gold)) ** 2
        for name, score in zip(labels, answer.scores, strict=True)
    )
    return confidence, right, confidence - right, brier


def _of_parts(answer: Prediction | Failure, gold: object, rng: Rng) -> tuple[_Found, _Found]:
    """Measures of an answer in parts beside the gold one, and beside what its twin gets right."""
    if isinstance(answer, Failure):
        return answer, answer
    if gold is None:
        return _NO_GOLD, _NO_GOLD
    right = np.array([is_right for _, is_right in judged_parts(answer.answer, gold)])
    if not right.size:
        return _NO_PARTS, _NO_PARTS
    if answer.scores is None:
        return _NO_SCORES, _NO_SCORES
    sure = np.array(answer.scores)
    own, of_twin = (
        (sure.mean(), found.mean(), sure.mean() - found.mean(), np.square(sure - found).mean())
        for found in (right, rng.random(sure.size) < sure)
    )
    return own, of_twin


def bin_of(confidence: Array, bins: int) -> Array:
    """Bin of equal width that each confidence lies in; a border belongs to the bin below it."""
    return np.asarray(np.clip(np.ceil(confidence * bins) - 1, 0, bins - 1))


def _of_bins(bins: str, name: str) -> Additive:
    """Expected calibration error over so many bins."""
    count = int(bins)
    if count < 2:
        raise ValueError(bins)

    def components(measures: Array) -> Array:
        """Confidence minus what was right, each row in the column of its bin, and a count."""
        confidence, right = measures[..., 0], measures[..., 1]
        inside = bin_of(confidence, count)[..., None] == np.arange(count)
        apart = np.where(inside, (confidence - right)[..., None], 0.0)
        return with_count(*np.moveaxis(apart, -1, 0))

    return Additive(
        name,
        f"expected calibration error, the gap of confidence and accuracy ({count} bins)",
        ("confidence", "right"),
        components,
        lambda sums: divide(np.abs(sums[..., :-1]).sum(axis=-1), sums[..., -1]),
        scale="share",
        higher_is="worse",
        tolerance=0.05,
        chance=Chance("a calibrated model of the same confidence"),
        headline="ECE",
    )


#: Mean distance of confidence and accuracy, bin by bin (Guo et al., 2017).
CALIBRATION_ERROR: Final = Parametric(
    "calibration_error@1", (str(USUAL_BINS),), _of_bins, "a number of bins, 2 or more"
)
