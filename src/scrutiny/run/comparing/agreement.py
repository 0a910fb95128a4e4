"""How far two sides agree beyond chance, and how far apart their probabilities lie.

The statistics are those of `similarity.outputs@1`, by their names: a is the first side, b the
second. Replicates are held against each other as for flips; beside each value stands that of the
first model against itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Measure
from scrutiny.reliability.estimate import estimate, resample_any
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import Panel, Side
from scrutiny.run.comparing.flips import How, Noise
from scrutiny.run.comparing.marks import NOT_APPLICABLE, Marked, Marks
from scrutiny.run.comparing.sides import Sides
from scrutiny.stats.distributions.outputs import (
    collision,
    js_divergence,
    kl_divergence,
    total_variation,
)
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.resampling.weights import Units

Floats = NDArray[np.float64]
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
    """One measure of how far two sides agree.

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
    """All measures of how far two sides agree.

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


@dataclass(frozen=True, slots=True, eq=False)
class Itself:
    """The first model against itself, as far as that is known from elsewhere.

    Parameters
    ----------
    noise
        What is known of it.
    again, pairs
        The first run and another one of its model, and the replicates held against each other.
    """

    noise: Noise
    again: Marked | None = None
    pairs: Sequence[tuple[int, int]] = field(default=())


def agreement_of(sides: Sides, marked: Marked, itself: Itself) -> SidesAgreement:
    """Measures of how far two sides agree.

    Parameters
    ----------
    sides
        The two runs.
    marked
        Their answers as numbers.
    itself
        The first model against itself, for where it has one replicate.

    **Measures**: the same label (agreement), beyond the frequencies of the labels (kappa); the same
    items wrong beyond both accuracies (error consistency); the same answers beyond both accuracies
    (CAPA); distances of the probabilities.

    **Misleads when**: read without the floor; see
    `scrutiny.diagnostics.similarity.metrics.outputs`.

    **References**: Cohen (1960); Geirhos, Meding & Wichmann (2020); Goel et al. (2025); Lin (1991).
    """
    pairs = sides.pairs()
    numbers = numbers_of(marked.first, marked.second, marked, pairs=pairs)
    how, floor = _floor(marked, itself)
    rows = []
    for measure, reason in _wanted(marked, numbers):
        found = None if reason else _estimate(sides, measure, numbers, n_pairs=len(pairs))
        why = reason or ("no_value" if found is None or found.value is None else "")
        rows.append(Agreed(measure, found, why, floor.get(measure)))
    return SidesAgreement(tuple(rows), how)


def _wanted(marked: Marked, numbers: Mapping[str, Floats]) -> list[tuple[str, str]]:
    """Measures that apply, each with the code of why there is no value, if there is none."""
    has_labels = marked.lack not in NOT_APPLICABLE
    found = [(AGREEMENT, "")] if "same" in numbers else []
    if has_labels:
        several = "" if marked.has_one_set else "several_sets"
        found.append((KAPPA, marked.lack or several))
    if marked.first.hits is not None:
        found.append((CONSISTENCY, ""))
        if has_labels and ("pa_gold" in numbers or not marked.lack):
            found.append((CAPA if "pa_gold" in numbers else CAPA_OF_LABELS, ""))
        elif has_labels:
            found.append((CAPA_OF_LABELS, marked.lack))
    if has_labels:
        found += [(name, marked.no_probabilities) for name in DIVERGENCES]
    return found


def numbers_of(
    first: Marks, second: Marks, marked: Marked, *, pairs: Sequence[tuple[int, int]]
) -> dict[str, Floats]:
    """Measures ``(pair, item)`` by name of pairs of replicates, as far as they can be had."""
    ours, theirs = [i for i, _ in pairs], [k for _, k in pairs]
    found: dict[str, Any] = {}
    if first.said is not None and second.said is not None:
        found["same"] = first.said[ours] == second.said[theirs]
    if first.hits is not None and second.hits is not None:
        found |= {"hit_a": first.hits[ours], "hit_b": second.hits[theirs]}
    if first.places is not None and second.places is not None:
        found |= {"pred_a": first.places[ours], "pred_b": second.places[theirs]}
    if marked.n_labels is not None and (marked.n_labels > 1).all():
        found["n_classes"] = np.broadcast_to(marked.n_labels, (len(pairs), marked.n_labels.size))
    if first.probabilities is not None and second.probabilities is not None:
        found |= _of_probabilities(
            first.probabilities[ours], second.probabilities[theirs], marked.gold
        )
    return {name: np.asarray(values, dtype=np.float64) for name, values in found.items()}


def _of_probabilities(p: Floats, q: Floats, gold: NDArray[np.int64] | None) -> dict[str, Floats]:
    """Divergences ``(pair, item)``, and what CAPA needs where the right answers are known."""
    found = {
        "js": js_divergence(p, q),
        "tv": total_variation(p, q),
        "kl_ab": kl_divergence(p, q),
        "kl_ba": kl_divergence(q, p),
    }
    if gold is not None:
        at = np.broadcast_to(gold[None, :, None], (*p.shape[:2], 1))
        found["p_dot"] = collision(p, q)
        for name, side in (("pa_gold", p), ("pb_gold", q)):
            found[name] = np.take_along_axis(side, at, axis=-1)[..., 0]
    return found


def _estimate(
    sides: Sides, measure: str, numbers: Mapping[str, Floats], *, n_pairs: int
) -> Estimate | None:
    """Value with its interval over items and pairs of replicates."""
    statistic = metric_of(measure)
    if not set(statistic.needs) <= set(numbers):
        return None
    units = sides.meeting.units
    panel = Panel(
        measures=tuple(Measure(name) for name in statistic.needs),
        replicates=tuple(f"pair {k}" for k in range(1, n_pairs + 1)),
        items=tuple(one.id for one in sides.examples),
        units=None if units is None else units.code,
        strata=None if units is None else units.stratum[units.code],
    )
    values = np.stack([numbers[name] for name in statistic.needs], axis=-1)
    return estimate(
        panel,
        {"": Side(values, np.zeros(values.shape[:2], dtype=np.int8))},
        statistic=statistic,
        key=EstimateKey("compare", measure, "second", "items", reference="first"),
        resampling=sides.resampling,
        seed=sides.seed,
    ).estimate


def _floor(marked: Marked, itself: Itself) -> tuple[How, dict[str, float]]:
    """How the first model is held against itself, and each measure of that."""
    first, count = marked.first, _replicates(marked.first)
    if count > 1:
        pairs = list(combinations(range(count), 2))
        return "replicates", values_of(numbers_of(first, first, marked, pairs=pairs))
    if itself.again is not None:
        one = itself.again
        return "another run", values_of(numbers_of(one.first, one.second, one, pairs=itself.pairs))
    how = itself.noise.how
    if how == "asked again":
        return how, dict(itself.noise.agreement)
    same = values_of(numbers_of(first, first, marked, pairs=[(0, 0)])) if count else {}
    if how == "exact":
        return how, same
    return "unknown", {name: value for name, value in same.items() if name == CAPA}


def _replicates(marks: Marks) -> int:
    known = marks.said if marks.said is not None else marks.hits
    return 0 if known is None else len(known)


def values_of(numbers: Mapping[str, Floats]) -> dict[str, float]:
    """Value of each statistic that these measures ``(pair, item)`` allow, a mean over pairs."""
    found = {}
    for measure in _ALL:
        statistic = metric_of(measure)
        if not numbers or not set(statistic.needs) <= set(numbers):
            continue
        values = np.stack([numbers[name] for name in statistic.needs], axis=-1)
        try:
            point = resample_any(
                statistic,
                values,
                units=Units.of(values.shape[1], np.zeros(values.shape[1])),  # nothing is drawn
                draws=2,
                rng=np.random.default_rng(0),
            ).point
        except StatisticsError:
            continue
        if np.isfinite(point).all():
            found[measure] = float(point.mean())
    return found
