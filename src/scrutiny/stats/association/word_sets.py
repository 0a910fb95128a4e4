"""Association of two sets of targets with two sets of attributes: WEAT and SEAT."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite
from scrutiny.stats.association.partitions import MOST_SPLITS, Partitions, partitions
from scrutiny.stats.significance.exact_tests import tails_among, two_sided

_NO_SPREAD: Final = 1e-13  # of the sum of squares: what is left below it is rounding


@dataclass(frozen=True, slots=True)
class SplitTest:
    """Permutation test of the difference between two sets, units reassigned at random.

    Parameters
    ----------
    statistic
        Mean over the first group's rows minus mean over the second's.
    p_value
        One-sided: share of splits with a statistic at least as large, ties counted.
    p_two_sided
        Twice the smaller tail.
    p_normal
        One-sided, from a normal distribution with the splits' mean and standard deviation: the
        published code's option ``--parametric``.
    smallest_p, smallest_two_sided
        Smallest values that splits of these units could have given.
    n_units
        Units that were exchanged.
    n_splits
        Splits, the observed one included.
    method
        "exact" or "sampled".
    """

    statistic: float
    p_value: float
    p_two_sided: float
    p_normal: float
    smallest_p: float
    smallest_two_sided: float
    n_units: int
    n_splits: int
    method: str


def associations(targets: ArrayLike, first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Association ``(target,)``: mean similarity to the first minus the second attributes.

    ``s(w, A, B)``: mean cosine with the first minus mean cosine with the second.

    Parameters
    ----------
    targets, first, second
        Vectors ``(target, dimension)`` and ``(attribute, dimension)``, none of them zero.

    **Measures**: which of two sets of attributes a vector points to, at any length of vectors.

    **Misleads when**: all vectors share a direction (contextual ones do): differences of cosines
    are then small everywhere, and only their ratio to the spread is read.

    **References**: Caliskan, Bryson & Narayanan (2017), Semantics derived automatically from
    language corpora contain human-like biases, Science 356.

    Examples
    --------
    >>> associations([[1.0, 0.0], [0.0, 2.0]], [[3.0, 0.0]], [[0.0, 1.0]]).tolist()
    [1.0, -1.0]
    """
    toward = _unit_vectors(first).mean(axis=0) - _unit_vectors(second).mean(axis=0)
    return np.asarray(_unit_vectors(targets) @ toward)


def _unit_vectors(vectors: ArrayLike) -> FloatArray:
    """Vectors ``(row, dimension)``, scaled to length 1.

    Raises
    ------
    StatisticsError
        If one is zero: it has no direction.
    """
    array = finite(vectors, "vectors", ndim=2)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    if (lengths == 0).any():
        raise StatisticsError(f"{int((lengths == 0).sum())} vectors are zero: no direction.")
    return np.asarray(array / lengths, dtype=np.float64)


def effect_size(first: ArrayLike, second: ArrayLike, *, ddof: int = 1) -> float:
    """Effect size d: difference of mean associations divided by the spread of all.

    Parameters
    ----------
    first, second
        Associations of the first and the second targets.
    ddof
        1 as published code has it (sent-bias); 0 as WEFE has it, larger by
        ``sqrt(N / (N - 1))`` for N targets.

    **Measures**: how well the sign of the association tells the two sets of targets apart; within
    about 2 for sets of equal size.

    **Misleads when**: read as an amount of bias (tiny differences without overlap give 2); targets
    are sentences of few words, whose number then looks like evidence.

    **References**: Caliskan, Bryson & Narayanan (2017); May et al. (2019), On measuring social
    biases in sentence encoders, NAACL.

    Examples
    --------
    >>> round(effect_size([1.0, 2.0], [-1.0, -2.0]), 4)
    1.6432
    """
    x, y = finite(first, "first", ndim=1), finite(second, "second", ndim=1)
    ones = np.concatenate([np.ones(x.size), np.zeros(y.size)])
    parts = effect_components(np.concatenate([x, y]), ones)
    found = float(effect_of_sums(parts.sum(axis=0), ddof=ddof))
    if np.isnan(found):
        raise StatisticsError("the associations do not vary, so there is no effect size.")
    return found


def effect_components(association: FloatArray, side: FloatArray) -> FloatArray:
    """Components ``(..., 5)`` of d, additive over rows; ``side`` is 1 in the first set, else 0."""
    other = 1.0 - side
    columns = (side, side * association, other, other * association, association * association)
    return np.stack(columns, axis=-1)


def effect_of_sums(sums: FloatArray, *, ddof: int = 1) -> FloatArray:
    """Effect size ``(...)`` from summed components ``(..., 5)``; NaN where undefined."""
    n_first, first, n_second, second, squares = np.moveaxis(sums, -1, 0)
    n = n_first + n_second
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = squares - (first + second) ** 2 / n
        variance = np.where(spread > _NO_SPREAD * squares, spread, np.nan) / (n - ddof)
        found = (first / n_first - second / n_second) / np.sqrt(variance)
    return np.where((n_first > 0) & (n_second > 0) & (n > ddof), found, np.nan)


def split_test(
    association: ArrayLike,
    is_first: ArrayLike,
    *,
    units: ArrayLike | None = None,
    most: int = MOST_SPLITS,
) -> SplitTest:
    """Permutation test of the difference between two sets of targets.

    Parameters
    ----------
    association
        ``(row,)``, one for each target sentence.
    is_first
        ``(row,)`` whether it belongs to the first set.
    units
        ``(row,)`` word of each sentence: whole words change sides, with all their sentences.
        None: every sentence is its own unit, as published.
    most
        All splits are enumerated where there are no more than this; otherwise ``most - 1`` are
        sampled and the observed one added.

    Raises
    ------
    StatisticsError
        If a word is in both sets, or a set is empty.

    Notes
    -----
    The exchangeable unit is the word: under the null hypothesis, membership of a word in the
    first set is unrelated to its vectors. A word takes its sentences along, so the statistic
    is the one that is reported (the difference of means over sentences, the numerator of d) even
    where words have unequally many sentences; the sizes of the sets in sentences then vary between
    splits, those in words never do. With equally many sentences it is the test on words' means.
    The denominator of d is the same under every split.

    **Measures**: how often sets chosen at random among these targets differ as much.

    **Misleads when**: sentences are exchanged that share a word: with 8 words a side and no effect,
    one test in four is significant at .05. Fewer than four words a side: see ``smallest_p``.

    **References**: Caliskan, Bryson & Narayanan (2017); May et al. (2019); Good (2005),
    Permutation, Parametric and Bootstrap Tests of Hypotheses.

    Examples
    --------
    >>> split_test([3.0, 4.0, 1.0, 2.0], [1, 1, 0, 0]).p_value  # one split of six
    0.16666666666666666
    """
    values = finite(association, "association", ndim=1)
    first = np.asarray(is_first).astype(np.bool_)
    if first.shape != values.shape:
        raise StatisticsError(f"is_first has shape {first.shape}; {values.shape} needed.")
    codes = np.arange(values.size)
    if units is not None:
        ids = np.asarray(units)
        if ids.shape != values.shape:
            raise StatisticsError(
                f"units have shape {ids.shape}; ({values.size},), one id a row, needed."
            )
        codes = np.unique(ids, return_inverse=True)[1].astype(np.int64).reshape(-1)
    share = np.bincount(codes, weights=first) / np.bincount(codes)
    if not np.isin(share, (0.0, 1.0)).all():
        raise StatisticsError("a unit has rows in both sets; the unit must lie inside one set.")
    side = np.asarray(share == 1.0, dtype=np.bool_)
    order = np.argsort(~side, kind="stable")  # the observed split is the first in lexical order
    sums = np.bincount(codes, weights=values - values.mean()).astype(np.float64)[order]
    rows = np.bincount(codes).astype(np.float64)[order]
    table = partitions(side.size, int(side.sum()), most=most)
    of_first = table.sums(rows) if np.ptp(rows) else rows[0] * table.first
    drawn = _differences(table.sums(sums), of_first, rows.sum())
    n_first = int(side.sum())
    observed = _differences(sums[:n_first].sum(), rows[:n_first].sum(), rows.sum())
    return _compared(float(observed), drawn, table)


def _differences(sum_of_first: Any, rows_of_first: Any, rows: float) -> Any:
    """Differences of means of centered values, from the first set's sums."""
    return sum_of_first / rows_of_first + sum_of_first / (rows - rows_of_first)


def _compared(observed: float, drawn: FloatArray, table: Partitions) -> SplitTest:
    (lower, upper), (least, most) = tails_among(observed, drawn, is_exact=table.is_exact)
    spread = float(drawn.std(ddof=1)) if drawn.size > 1 else 0.0
    score = (observed - float(drawn.mean())) / spread if spread > 0 else 0.0
    return SplitTest(
        statistic=observed,
        p_value=upper,
        p_two_sided=two_sided(lower, upper),
        p_normal=float(scipy.special.ndtr(-score)),
        smallest_p=most,
        smallest_two_sided=two_sided(least, most),
        n_units=table.n,
        n_splits=drawn.size + (not table.is_exact),
        method="exact" if table.is_exact else "sampled",
    )
