"""Chance-corrected agreement of two sides, and distances of their probabilities.

The metrics are those of `similarity.outputs@1`, by their names: a is the first side, b the second.
Replicates are held against each other as for flips; beside each value stands that of the first
model against itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.estimate import Estimate
from scrutiny.diagnostics.similarity.metrics.probabilities import divergences, of_right_answer
from scrutiny.diagnostics.similarity.side_by_side.flips import How, Noise
from scrutiny.diagnostics.similarity.side_by_side.marks import (
    NO_ORDER,
    NOT_APPLICABLE,
    Marked,
    marks_of,
)
from scrutiny.diagnostics.similarity.side_by_side.sides import Replicates, Sides

AGREEMENT: Final = "agreement@1"
KAPPA: Final = "kappa@1"
CONSISTENCY: Final = "error_consistency@1"
CAPA: Final = "capa@1"
CAPA_OF_LABELS: Final = "capa_of_labels@1"
#: How far probabilities lie apart.
DIVERGENCES: Final = ("jsd@1", "tv@1", "kl_ab@1", "kl_ba@1")
_ALL: Final = (AGREEMENT, KAPPA, CONSISTENCY, CAPA, CAPA_OF_LABELS, *DIVERGENCES)


@dataclass(frozen=True, slots=True)
class Agreed:
    """One measure of agreement of two sides.

    Parameters
    ----------
    measure
        Versioned name of the statistic.
    estimate
        Its value with an interval over items and pairs of replicates; nothing where the answers do
        not allow it.
    reason
        Code of why there is no value; "" where there is one.
    floor
        Value of the first model against itself; nothing where that is not known.
    """

    measure: str
    estimate: Estimate | None
    reason: str = ""
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class SidesAgreement:
    """All measures of agreement of two sides.

    Parameters
    ----------
    rows
        Those that apply to the task, in the order of the page.
    floor_of
        How the first model was held against itself. Where that is not known only CAPA has a floor:
        the same answers twice, which is below 1 for a model that is not certain.
    """

    rows: tuple[Agreed, ...] = ()
    floor_of: How = "unknown"


def marked(sides: Sides) -> Marked:
    """Answers of two sides as numbers."""
    return marks_of(sides.answers, sides.labels, golds=[one.gold for one in sides.examples])


def agreement_of(
    sides: Sides, marks: Marked, noise: Noise, itself: Sides | None = None
) -> SidesAgreement:
    """Measures of agreement of two sides.

    Parameters
    ----------
    sides
        The two runs.
    marks
        Their answers as numbers.
    noise
        What is known of the first model against itself.
    itself
        The first run beside another one of its model, where there is one.

    **Measures**: the same label (agreement), beyond the frequencies of the labels (kappa); the same
    items wrong beyond both accuracies (error consistency); the same answers beyond both accuracies
    (CAPA); distances of the probabilities.

    **Misleads when**: read without the floor; see
    `scrutiny.diagnostics.similarity.metrics.outputs`.

    **References**: Cohen (1960); Geirhos, Meding & Wichmann (2020); Goel et al. (2025); Lin (1991).
    """
    numbers = _numbers_of(sides, marks, sides.pairs())
    how, floor = _floor(sides, marks, noise, itself)
    rows = []
    for measure, lack in _wanted(marks, numbers):
        found = None if lack else sides.estimate(measure, numbers)
        reason = lack or ("no_value" if found is None or found.value is None else "")
        rows.append(Agreed(measure, found, reason, floor.get(measure)))
    return SidesAgreement(tuple(rows), how)


def _wanted(marks: Marked, numbers: Mapping[str, Floats]) -> Iterator[tuple[str, str]]:
    """Measures that apply, each with the reason code if it has no value."""
    has_labels = marks.lack not in NOT_APPLICABLE
    if "same" in numbers:
        yield AGREEMENT, ""
    if marks.lack == NO_ORDER:  # one line stands for all that needs it
        yield KAPPA, NO_ORDER
        has_labels = False
    if has_labels:
        yield KAPPA, marks.lack or ("" if marks.has_one_set else "several_sets")
    if "hit_a" in numbers:
        yield CONSISTENCY, ""
        if has_labels:
            yield (CAPA, "") if "pa_gold" in numbers else (CAPA_OF_LABELS, marks.lack)
    if has_labels:
        yield from ((name, marks.no_probabilities) for name in DIVERGENCES)


def _numbers_of(
    sides: Sides, marks: Marked, pairs: Replicates, *, of: tuple[int, int] = (0, 1)
) -> dict[str, Floats]:
    """Measures ``(pair, item)`` by name of pairs of replicates, as far as available.

    ``of`` are the sides that are held against each other: (0, 0) is the first one beside itself.
    """
    rows = [i for i, _ in pairs], [k for _, k in pairs]

    def both(arrays: tuple[Any, Any]) -> list[Any]:
        return [arrays[side][own] for side, own in zip(of, rows, strict=True)]

    found: dict[str, Any] = {}
    if sides.answers is not None and marks.lack != "no_answers":
        one, other = both((sides.answers[0].given, sides.answers[1].given))
        found["same"] = one == other
    if sides.is_hit:
        found["hit_a"], found["hit_b"] = both((sides.first, sides.second))
    if marks.places is not None:
        found["pred_a"], found["pred_b"] = both(marks.places)
    if marks.n_labels is not None and (marks.n_labels > 1).all():
        found["n_classes"] = np.broadcast_to(marks.n_labels, (len(pairs), marks.n_labels.size))
    if marks.probabilities is not None:
        p, q = both(marks.probabilities)
        found |= divergences(p, q)
        if marks.gold is not None:
            found |= of_right_answer(p, q, marks.gold)
    return found


def _floor(
    sides: Sides, marks: Marked, noise: Noise, itself: Sides | None
) -> tuple[How, Mapping[str, float]]:
    """How the first model is compared with itself, and each measure of that."""
    count = len(sides.first)
    if count > 1:
        pairs = list(combinations(range(count), 2))
        return "replicates", _values_of(sides, _numbers_of(sides, marks, pairs, of=(0, 0)))
    if itself is not None:
        again = _numbers_of(itself, marked(itself), itself.pairs())
        return noise.how, _values_of(itself, again)
    same = _values_of(sides, _numbers_of(sides, marks, [(0, 0)], of=(0, 0)))
    if noise.how == "exact":
        return noise.how, same
    return "unknown", {name: value for name, value in same.items() if name == CAPA}


def _values_of(sides: Sides, numbers: Mapping[str, Floats]) -> dict[str, float]:
    """Value of each measure from these numbers ``(pair, item)``, a mean over pairs."""
    found = {name: sides.estimate(name, numbers, is_drawn=False) for name in _ALL}
    return {name: e.value for name, e in found.items() if e is not None and e.value is not None}
