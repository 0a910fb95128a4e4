"""Shared invariances of two models, Hard- and Soft-SCoPE.

A pair is a text and a changed text that was made so that the reference m1 keeps its answer. The
formulas are those of the paper's released code. Their controls are in
`scrutiny.stats.agreement.scope_controls`.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, StatisticsError, finite
from scrutiny.stats.distributions.output_distances import distributions

#: Our constants; the paper does not state its own.
TOLERANCE: Final = 0.05
CUTOFF: Final = 1.0
LARGEST_DISTANCE: Final = 4.0  # each change of a distribution has an L1 norm of at most 2


@dataclass(frozen=True, slots=True, eq=False)
class ChangedPairs:
    """Effects of changed texts on two models, pair by pair.

    Parameters
    ----------
    inv1, inv2
        ``(pair,)`` whether the reference (the target) keeps its own label.
    distance
        ``(pair,)`` L1 distance between the two models' changes, 0 to 4.
    agree, agree_base
        ``(pair,)`` whether both give the changed (the base) text the same label.
    """

    inv1: BoolArray
    inv2: BoolArray
    distance: FloatArray = field(repr=False)
    agree: BoolArray
    agree_base: BoolArray


@dataclass(frozen=True, slots=True)
class InvariantMean:
    """Mean over the pairs on which the reference is invariant.

    Parameters
    ----------
    value
        None where it does not exist.
    n_pairs, n_read
        All pairs, and the pairs in the mean.
    reason
        "reference_never_invariant" or "never_both_invariant" where there is no value.
    """

    value: float | None
    n_pairs: int
    n_read: int
    reason: str | None = None


def scope_pairs(
    reference: tuple[ArrayLike, ArrayLike], target: tuple[ArrayLike, ArrayLike]
) -> ChangedPairs:
    """SCoPE's pairs: invariance of both models and their distance on each, from probabilities.

    Parameters
    ----------
    reference, target
        Distributions ``(pair, label)`` of the base and of the changed text, labels in the same
        order for both models. Of equally likely labels the first is the answer.

    **Measures**: what `hard_scope` and `soft_scope` are made of.

    **Misleads when**: the models' labels stand in different orders; probabilities are frequencies
    of few samples (see `scrutiny.stats.distributions.output_distances`).

    **References**: Rawal & Toneva (2024), Perturbed examples reveal invariances shared by language
    models.

    Examples
    --------
    >>> m1 = [[0.9, 0.1]], [[0.8, 0.2]]
    >>> m2 = [[0.6, 0.4]], [[0.4, 0.6]]
    >>> one = scope_pairs(m1, m2)
    >>> one.inv1.tolist(), one.inv2.tolist(), one.distance.round(3).tolist()
    ([True], [False], [0.2])
    """
    one, one_changed = distributions(*reference)
    two, two_changed = distributions(*target)
    if one.ndim != 2 or one.shape != two.shape:
        raise StatisticsError(
            f"the models' answers have shapes {one.shape} and {two.shape}; both (pair, label)."
        )
    labels = [rows.argmax(axis=1) for rows in (one, one_changed, two, two_changed)]
    return ChangedPairs(
        inv1=labels[0] == labels[1],
        inv2=labels[2] == labels[3],
        distance=scope_distance((one, one_changed), (two, two_changed)),
        agree=labels[1] == labels[3],
        agree_base=labels[0] == labels[2],
    )


def scope_distance(
    reference: tuple[FloatArray, FloatArray], target: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """SCoPE's L1 distance ``(...)`` between two models' changes of distributions ``(..., label)``.

    **Measures**: whether the change of text moved both models by the same, in direction and size.

    **Misleads when**: one model is sharper than the other: the same shift of the logits is then
    another change of probabilities.

    **References**: Rawal & Toneva (2024).

    Examples
    --------
    >>> a, b = np.array([0.9, 0.1]), np.array([0.1, 0.9])
    >>> float(scope_distance((a, b), (b, a)))
    3.2
    """
    moved = (reference[0] - reference[1]) - (target[0] - target[1])
    return np.asarray(np.abs(moved).sum(axis=-1), dtype=np.float64)


def decay(
    distance: ArrayLike, *, tolerance: float = TOLERANCE, cutoff: float = CUTOFF
) -> FloatArray:
    """Weight ``(...)`` of distances: 1 up to the tolerance, linear, 0 beyond the cutoff.

    **Measures**: how alike two changes are, 1 to 0.

    **Misleads when**: constants differ: (.05, .5), (.1, 1) and (.2, 2) gave .78, .87 and .91 for
    one target. Compare at equal constants only, and look at the curve.

    **References**: Rawal & Toneva (2024); its constants are not known to us.

    Examples
    --------
    >>> decay([0.05, 0.525, 1.0, 1.5]).round(3).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """
    proper_constants(tolerance, cutoff)
    d = finite(distance, "distance")
    if (d < 0).any() or (d > LARGEST_DISTANCE + 1e-6).any():
        raise StatisticsError("distances lie between 0 and 4.")
    return decay_of(d, tolerance, cutoff)


def decay_of(distance: FloatArray, tolerance: float, cutoff: float) -> FloatArray:
    """`decay` without input checks."""
    if cutoff == tolerance:
        return (distance <= tolerance).astype(np.float64)
    between = np.clip(distance, tolerance, cutoff)  # before dividing: a tiny gap would overflow
    return np.asarray((cutoff - between) / (cutoff - tolerance), dtype=np.float64)


def proper_constants(tolerance: float, cutoff: float) -> tuple[float, float]:
    """Tolerance and cutoff, checked: ``0 <= tolerance <= cutoff``, finite."""
    if not 0.0 <= tolerance <= cutoff < float("inf"):
        raise StatisticsError(
            f"tolerance is {tolerance} and cutoff {cutoff}; 0 <= tolerance <= cutoff needed."
        )
    return float(tolerance), float(cutoff)


def hard_scope(pairs: ChangedPairs) -> InvariantMean:
    """Hard-SCoPE: of the pairs on which the reference keeps its label, share that the target keeps.

    **Measures**: P(target invariant | reference invariant), on texts changed for the reference.
    The target keeps *its* label, right or wrong, and need not agree with the reference.

    **Misleads when**: read without `scrutiny.stats.agreement.scope_controls.scope_lift`: a target
    that always gives one label scores 1, and an unrelated one scores its invariance to random
    changes (.81 in a simulation). It is asymmetric: the pairs and the condition belong to the
    reference.

    **References**: Rawal & Toneva (2024), Perturbed examples reveal invariances shared by language
    models.

    Examples
    --------
    >>> m1, m2 = ([[0.9, 0.1]] * 2, [[0.8, 0.2]] * 2), ([[0.6, 0.4]] * 2, [[0.7, 0.3]] * 2)
    >>> pairs = scope_pairs(m1, m2)
    >>> hard_scope(pairs).value
    1.0
    """
    return _mean_over(pairs.inv1, pairs.inv2.astype(np.float64), "reference_never_invariant")


def soft_scope(
    pairs: ChangedPairs, *, tolerance: float = TOLERANCE, cutoff: float = CUTOFF
) -> InvariantMean:
    """Soft-SCoPE: `hard_scope` with each pair weighted by how alike both models' changes are.

    **Measures**: as `hard_scope`; ``mean 1[target invariant] decay(d)`` over the same pairs.

    **Misleads when**: constants differ between two values, or the models' calibration does. As
    `hard_scope`, it needs its control.

    **References**: Rawal & Toneva (2024).

    Examples
    --------
    >>> pairs = scope_pairs(([[0.9, 0.1]], [[0.6, 0.4]]), ([[0.6, 0.4]], [[0.7, 0.3]]))
    >>> hard_scope(pairs).value, round(soft_scope(pairs, tolerance=0.1, cutoff=1.0).value, 3)
    (1.0, 0.222)
    """
    weight = pairs.inv2 * decay(pairs.distance, tolerance=tolerance, cutoff=cutoff)
    return _mean_over(pairs.inv1, weight, "reference_never_invariant")


def soft_curve(
    pairs: ChangedPairs, cutoffs: ArrayLike, *, tolerance: float = TOLERANCE
) -> FloatArray:
    """`soft_scope` at each of several cutoffs ``(cutoff,)``; NaN where it does not exist.

    **Measures**: how far the value is the constants' choice.

    **Misleads when**: only its best point is quoted.

    **References**: ours.

    Examples
    --------
    >>> pairs = scope_pairs(([[0.9, 0.1]], [[0.6, 0.4]]), ([[0.6, 0.4]], [[0.7, 0.3]]))
    >>> soft_curve(pairs, [0.5, 1.0, 4.0]).round(3).tolist()
    [0.0, 0.211, 0.81]
    """
    found = [
        soft_scope(pairs, tolerance=tolerance, cutoff=float(cutoff)).value
        for cutoff in finite(cutoffs, "cutoffs", ndim=1)
    ]
    return np.array([np.nan if value is None else value for value in found])


def mean_scope_distance(pairs: ChangedPairs) -> InvariantMean:
    """Mean of SCoPE's distance between the models over pairs on which both keep their label.

    **Measures**: what Soft-SCoPE adds to Hard-SCoPE, without constants.

    **Misleads when**: hardly any pair leaves both invariant; compare on the same pairs.

    **References**: ours.

    Examples
    --------
    >>> pairs = scope_pairs(([[0.9, 0.1]], [[0.6, 0.4]]), ([[0.6, 0.4]], [[0.7, 0.3]]))
    >>> round(mean_scope_distance(pairs).value, 3)
    0.8
    """
    return _mean_over(pairs.inv1 & pairs.inv2, pairs.distance, "never_both_invariant")


def ood_agreement(pairs: ChangedPairs, *, over: str = "invariant") -> InvariantMean:
    """Share of SCoPE's changed texts on which both models give one label (OOD agreement).

    Parameters
    ----------
    pairs
        Of one direction.
    over
        "invariant": pairs that keep the reference's label, so that it has the denominator of
        SCoPE; "all": every pair. The paper's text and code leave open which is meant.

    **Measures**: agreement off the distribution of the data.

    **Misleads when**: taken for a shared invariance: two models may be wrong in different ways and
    both stay so.

    **References**: Rawal & Toneva (2024).

    Examples
    --------
    >>> pairs = scope_pairs(([[0.9, 0.1]], [[0.6, 0.4]]), ([[0.6, 0.4]], [[0.7, 0.3]]))
    >>> ood_agreement(pairs).value
    1.0
    """
    if over not in ("invariant", "all"):
        raise StatisticsError(f"over is {over!r}; 'invariant' or 'all'.")
    rows = pairs.inv1 if over == "invariant" else np.ones_like(pairs.inv1)
    return _mean_over(rows, pairs.agree.astype(np.float64), "reference_never_invariant")


def _mean_over(rows: BoolArray, values: FloatArray, reason: str) -> InvariantMean:
    """Mean of values over the chosen rows; no value, with the reason, if there are no rows."""
    read = int(rows.sum())
    if read == 0:
        return InvariantMean(None, rows.size, 0, reason)
    return InvariantMean(float(values[rows].mean()), rows.size, read)
