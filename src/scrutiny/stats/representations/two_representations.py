"""Two representations of the same items: checked and centered, with intervals and chance.

Intervals are jackknifed over items; chance levels are of permuted items.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite, proper_level
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.resampling.weights import Units


def two_representations(
    X: ArrayLike, Y: ArrayLike, *, least: int = 4
) -> tuple[FloatArray, FloatArray]:
    """Both representations as float64 ``(item, feature)``, checked.

    Raises
    ------
    StatisticsError
        Other shapes, other numbers of items, fewer than ``least``, or the same vector for every
        item.
    """
    first, second = finite(X, "X", ndim=2), finite(Y, "Y", ndim=2)
    if first.shape[0] != second.shape[0]:
        raise StatisticsError(
            f"X has {first.shape[0]} items, Y {second.shape[0]}; row i of both must be one item."
        )
    if first.shape[0] < least:
        raise StatisticsError(f"there are {first.shape[0]} items; at least {least} are needed.")
    for name, rows in (("X", first), ("Y", second)):
        if (rows == rows[:1]).all():
            raise StatisticsError(f"{name} has the same vector for every item: it does not vary.")
    return first, second


def centered(X: FloatArray) -> FloatArray:
    """Columns centered at mean 0."""
    return np.asarray(X - X.mean(axis=0, keepdims=True), dtype=np.float64)


def principal(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Left singular vectors ``(item, rank)`` and singular values of centered columns."""
    u, s, _ = np.linalg.svd(centered(X), full_matrices=False)
    rank = int((s > s[0] * max(X.shape) * np.finfo(np.float64).eps).sum())
    return np.asarray(u[:, :rank], dtype=np.float64), np.asarray(s[:rank], dtype=np.float64)


Similarity = Callable[[FloatArray, FloatArray], float]
_GROUPS: Final = 20


def grouped_jackknife(
    X: ArrayLike,
    Y: ArrayLike,
    similarity: Similarity,
    *,
    rng: np.random.Generator,
    groups: int = _GROUPS,
    units: Units | None = None,
    level: float = 0.95,
) -> Interval:
    """Interval of a similarity of representations, by leaving out groups of items.

    Parameters
    ----------
    X, Y
        ``(item, feature)``, row i of both the same item.
    similarity
        Any of the family: ``debiased_cka``, ``procrustes_distance``, ...
    rng
        Deals the units into groups.
    groups
        Their number; the limits are by t with one degree of freedom less.
    units
        Items that belong together: sentences of one document.
    level
        Nominal coverage.

    Returns
    -------
    Interval
        Around the value of all items. Without draws.

    **Measures**: what other items would have given these two models.

    **Misleads when**: the similarity is biased at this number of items (linear CKA and CCA with
    many features): the interval is then about the biased value. The bootstrap is not offered: an
    item drawn twice is its own neighbor, which raises all of these measures.

    **References**: Efron & Stein (1981), The jackknife estimate of variance; Shao & Tu (1995),
    The Jackknife and Bootstrap, chapter 2.

    Examples
    --------
    >>> from scrutiny.stats.representations.cka import debiased_cka
    >>> g = np.random.default_rng(0)
    >>> X, Y = g.standard_normal((200, 5)), g.standard_normal((200, 5))
    >>> found = grouped_jackknife(X, Y, debiased_cka, rng=g)
    >>> found.low < 0 < found.high
    True
    """
    first, second, dealt = _dealt(X, Y, units=units, groups=groups, rng=rng)
    point = similarity(first, second)
    left_out = np.array([similarity(first[dealt != g], second[dealt != g]) for g in range(groups)])
    variance = (groups - 1.0) / groups * float(np.square(left_out - left_out.mean()).sum())
    se = float(np.sqrt(variance))
    half = float(scipy.special.stdtrit(groups - 1, (1.0 + proper_level(level)) / 2.0)) * se
    return Interval(point, point - half, point + half, level, "grouped_jackknife", se)


@dataclass(frozen=True, slots=True, eq=False)
class ChanceLevel:
    """Similarity compared with its permutation distribution.

    Parameters
    ----------
    value
        Of the items as they are.
    mean, high
        Mean and 95th percentile under exchanged items.
    p_value
        Share of permutations at least as similar, the observed order included.
    smallest_p
        The smallest p-value that this number of permutations can give.
    """

    value: float
    mean: float
    high: float
    p_value: float
    smallest_p: float


def permuted_similarity(
    X: ArrayLike,
    Y: ArrayLike,
    similarity: Similarity,
    *,
    rng: np.random.Generator,
    permutations: int = 199,
) -> ChanceLevel:
    """Similarity compared with its distribution when the items of Y are permuted.

    Parameters
    ----------
    X, Y, similarity
        As in `grouped_jackknife`; the similarity is larger for more alike.
    rng, permutations
        Source and number of exchanges.

    **Measures**: the value that widths and numbers of items alone give.

    **Misleads when**: taken for a test of a *good* similarity: any two models that read the same
    words beat chance. The useful reference is another seed of the same model.

    **References**: Kriegeskorte, Mur & Bandettini (2008); Phipson & Smyth (2010).

    Examples
    --------
    >>> from scrutiny.stats.representations.cca import mean_cca
    >>> g = np.random.default_rng(0)
    >>> X, Y = g.standard_normal((100, 10)), g.standard_normal((100, 10))
    >>> found = permuted_similarity(X, Y, mean_cca, rng=g, permutations=99)
    >>> found.mean > 0.2, found.p_value > 0.05
    (True, True)
    """
    first, second = finite(X, "X", ndim=2), finite(Y, "Y", ndim=2)
    if permutations < 1:
        raise StatisticsError("at least one permutation is needed.")
    value = similarity(first, second)
    drawn = np.array([similarity(first, rng.permutation(second)) for _ in range(permutations)])
    return ChanceLevel(
        value=value,
        mean=float(drawn.mean()),
        high=float(np.quantile(drawn, 0.95)),
        p_value=(1.0 + int((drawn >= value - 1e-12).sum())) / (1.0 + permutations),
        smallest_p=1.0 / (1.0 + permutations),
    )


def _dealt(
    X: ArrayLike, Y: ArrayLike, *, units: Units | None, groups: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Both arrays, and a random group for each item; units are kept together."""
    first, second = finite(X, "X", ndim=2), finite(Y, "Y", ndim=2)
    grouping = Units.of(first.shape[0]) if units is None else units
    if second.shape[0] != first.shape[0] or grouping.n_rows != first.shape[0]:
        raise StatisticsError(
            f"X has {first.shape[0]} items, Y {second.shape[0]}, units describe {grouping.n_rows}."
        )
    if not 2 <= groups <= grouping.n_units:
        raise StatisticsError(f"groups is {groups}; 2 to {grouping.n_units} (the units).")
    of_unit = rng.permutation(np.arange(grouping.n_units) % groups)
    return first, second, of_unit[grouping.code]
