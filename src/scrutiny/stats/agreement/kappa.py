"""Agreement corrected for chance: of raters, seeds or runs, and of two models' probabilities.

Krippendorff's alpha, Cohen's kappa, and CAPA, which is beyond what the models' accuracies give.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite, one_of


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Chance-corrected agreement; 1 is perfect, 0 is chance.

    Parameters
    ----------
    value
        None where it does not exist: no variation, or no item rated twice.
    observed, expected
        Disagreement that was seen, and that chance would give.
    n_items
        Items rated at least twice; others carry no information on agreement.
    n_ratings
        Ratings of these items.
    reason
        Why there is no value ("no_variation", "no_pairs"); None otherwise.
    """

    value: float | None
    observed: float
    expected: float
    n_items: int
    n_ratings: int
    reason: str | None = None


def krippendorff_alpha(ratings: ArrayLike, *, level: str = "nominal") -> RaterAgreement:
    """Krippendorff's alpha of several raters, missing ratings allowed.

    Parameters
    ----------
    ratings
        ``(rater, item)`` numbers; NaN where a rater gave none.
    level
        "nominal", "ordinal" or "interval".

    **Measures**: how far ratings agree beyond chance, for any number of raters.

    **Misleads when**: nearly all ratings are one category: a few disagreements then give a low
    alpha. No variation at all: it does not exist (None), which is neither 0 nor 1.

    **References**: Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> round(krippendorff_alpha([[0, 1, 1, 0], [0, 1, 0, 0]]).value, 3)
    0.533
    """
    one_of(level, "level", ("nominal", "ordinal", "interval"))
    table, values = _rating_counts(ratings)
    rated = table.sum(axis=1)
    table, rated = table[rated >= 2], rated[rated >= 2]
    if rated.size == 0:
        return RaterAgreement(None, 0.0, 0.0, 0, 0, "no_pairs")
    # coincidences (value, value): pairs within items, each item weighing its number of ratings
    pairs = (table / (rated - 1.0)[:, None]).T @ table
    pairs -= np.diag((table / (rated - 1.0)[:, None]).sum(axis=0))
    totals = pairs.sum(axis=1)
    n = totals.sum()
    if level == "nominal":
        distance = 1.0 - np.eye(values.size)
    else:
        # ordinal: values sit in the middle of their share of the ratings
        place = values if level == "interval" else np.cumsum(totals) - totals / 2.0
        distance = np.asarray((place[:, None] - place[None, :]) ** 2, dtype=np.float64)
    observed = float((pairs * distance).sum() / n)
    expected = float(totals @ distance @ totals / (n * (n - 1.0)))
    size = int(rated.size), int(rated.sum())
    if expected <= 0.0:
        return RaterAgreement(None, observed, 0.0, *size, "no_variation")
    return RaterAgreement(1.0 - observed / expected, observed, expected, *size)


def _rating_counts(ratings: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Counts of each value per item ``(item, value)``, and the values, sorted."""
    array = np.asarray(ratings, dtype=np.float64)
    if array.ndim != 2:
        raise StatisticsError(f"ratings have shape {array.shape}; (rater, item) needed.")
    if np.isinf(array).any():
        raise StatisticsError("ratings hold infinite values; mark missing ratings by NaN.")
    rater, item = np.nonzero(~np.isnan(array))
    values, code = np.unique(array[rater, item], return_inverse=True)
    table = np.zeros((array.shape[1], values.size))
    np.add.at(table, (item, code), 1.0)
    return table, values


def cohen_kappa(a: ArrayLike, b: ArrayLike, *, weights: str = "none") -> RaterAgreement:
    """Cohen's kappa of two raters who rated every item.

    Parameters
    ----------
    a, b
        ``(item,)`` whole-number categories; for weighted kappa in their order.
    weights
        "none", "linear" or "quadratic"; distances are between ranks of the categories in use.

    **Measures**: agreement of two raters beyond the chance that *their own* marginals give.

    **Misleads when**: marginals are lopsided (kappa is low although nearly all agree) or differ
    between the raters (disagreement on the base rate raises it).

    **References**: Cohen (1960, 1968); Byrt, Bishop & Carlin (1993), Bias, prevalence and kappa.

    Examples
    --------
    >>> round(cohen_kappa([0, 1, 1, 0], [0, 1, 0, 0]).value, 3)
    0.5
    """
    one_of(weights, "weights", ("none", "linear", "quadratic"))
    first, second = _categories(a, "a"), _categories(b, "b")
    if first.size != second.size:
        raise StatisticsError(f"a rates {first.size} items, b {second.size}.")
    names, code = np.unique(np.concatenate([first, second]), return_inverse=True)
    table = np.zeros((names.size, names.size))
    np.add.at(table, (code[: first.size], code[first.size :]), 1.0 / first.size)
    apart = np.abs(np.subtract.outer(np.arange(names.size), np.arange(names.size)))
    distance = (apart > 0) * 1.0 if weights == "none" else apart ** (1.0 + (weights != "linear"))
    observed = float((table * distance).sum())
    expected = float(table.sum(axis=1) @ distance @ table.sum(axis=0))
    size = first.size, 2 * first.size
    if expected <= 0.0:
        return RaterAgreement(None, observed, 0.0, *size, "no_variation")
    return RaterAgreement(1.0 - observed / expected, observed, expected, *size)


def _categories(values: ArrayLike, name: str) -> IntArray:
    array = finite(values, name, ndim=1)
    if (array != np.rint(array)).any():
        raise StatisticsError(f"{name} must hold whole-number categories.")
    return array.astype(np.int64)


def mean_kappa(a: ArrayLike, b: ArrayLike) -> tuple[float | None, int]:
    """Cohen's kappa of two rows of hits, its mean over replicates; and the number of items.

    Parameters
    ----------
    a, b
        ``(replicate, item)`` of 0 and 1; NaN where an item has none.

    **Measures**: whether two conditions agree on single items beyond chance. Replicates are not
    pooled: their rows are the same items.

    **Misleads when**: nearly all hits are 1, or 0: kappa is then low whatever the agreement.

    **References**: Cohen (1960), A coefficient of agreement for nominal scales.

    Examples
    --------
    >>> mean_kappa([[1, 0, 1, 0]], [[1, 0, 0, 0]])
    (0.5, 4)
    """
    one, other = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if one.shape != other.shape:
        raise StatisticsError(f"a and b have shapes {one.shape} and {other.shape}.")
    kept = np.isfinite(one).all(axis=0) & np.isfinite(other).all(axis=0)
    count = int(kept.sum())
    if not count:
        return None, 0
    found = [cohen_kappa(x[kept], y[kept]).value for x, y in zip(one, other, strict=True)]
    known = [kappa for kappa in found if kappa is not None]
    return (float(np.mean(known)) if known else None), count


_ATOL = 1e-6  # of a sum of probabilities, as released


@dataclass(frozen=True, slots=True)
class Capa:
    """Chance-adjusted probabilistic agreement, kappa_p.

    Parameters
    ----------
    value
        None where it does not exist: both models are certain of the right choice on all items, or
        of the wrong one of two.
    observed
        Probability that answers sampled from both models are the same, over items.
    expected
        The same for independent models of these accuracies whose errors are spread evenly.
    skills
        Mean probability of the right answer, of both models.
    n
        Items.
    reason
        "no_errors" or "only_errors" where there is no value.
    """

    value: float | None
    observed: float
    expected: float
    skills: tuple[float, float]
    n: int
    reason: str | None = None


def capa(p: Sequence[ArrayLike], q: Sequence[ArrayLike], gold: ArrayLike) -> Capa:
    """Agreement of two models' probabilities beyond their accuracies, kappa_p.

    Parameters
    ----------
    p, q
        Of each item the probabilities ``(choice,)`` of both models; items may have different
        numbers of choices, at least two.
    gold
        ``(item,)`` index of the right choice.

    Returns
    -------
    Capa
        ``(observed - expected) / (1 - expected)``, with ``observed = mean_i sum_k p_ik q_ik`` and
        ``expected = s_p s_q + (1 - s_p)(1 - s_q) mean_i 1 / (K_i - 1)``, s the mean probability of
        the right choice.

    **Measures**: whether two models make the same mistakes with the same confidence.

    **Misleads when**: read as 1 for "the same": **of a model with itself it is below 1 unless it is
    certain**. Do not rescale it; print the value of the reference with itself next to it. The
    chance term takes errors to be spread evenly over wrong choices: where one wrong choice is
    attractive, independent models come out above 0.

    **References**: Goel et al. (2025), Great models think alike and this undermines AI oversight.

    Examples
    --------
    >>> certain = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> unsure = [[0.8, 0.2], [0.8, 0.2], [0.2, 0.8]]
    >>> capa(certain, certain, [0, 1, 1]).value, round(capa(unsure, unsure, [0, 1, 1]).value, 3)
    (1.0, 0.333)
    """
    right = _gold(gold, len(p))
    if len(p) != len(q):
        raise StatisticsError(f"p has {len(p)} items, q {len(q)}.")
    rows = np.array([_row(*item) for item in zip(p, q, right.tolist(), strict=True)])
    sums = np.append(rows.sum(axis=0), float(right.size))
    n = right.size
    skills = float(sums[1] / n), float(sums[2] / n)
    value = float(capa_of_sums(sums))
    expected = float(
        skills[0] * skills[1] + (1.0 - skills[0]) * (1.0 - skills[1]) * float(sums[3]) / n
    )
    observed = float(sums[0]) / n
    if np.isnan(value):
        reason = "no_errors" if skills[0] > 0.5 else "only_errors"
        return Capa(None, observed, expected, skills, n, reason)
    return Capa(value, observed, expected, skills, n)


def capa_of_sums(sums: FloatArray) -> FloatArray:
    """Kappa_p ``(...)`` from summed components ``(..., 5)``.

    NaN where it does not exist.
    """
    n = np.where(sums[..., 4] > 0, sums[..., 4], np.nan)
    both, p, q, spread = (sums[..., i] / n for i in range(4))
    expected = p * q + (1.0 - p) * (1.0 - q) * spread
    # chance is 1 without any error; of two choices, also without any right answer
    room = np.where(expected < 1.0 - 1e-12, 1.0 - expected, np.nan)
    return np.asarray((both - expected) / room, dtype=np.float64)


def _row(p: ArrayLike, q: ArrayLike, gold: int) -> tuple[float, float, float, float]:
    """Components of one item: sum of products, both probabilities of the gold, 1 / (K - 1)."""
    first, second = _distribution(p, "p"), _distribution(q, "q")
    if first.size != second.size or first.size < 2:
        raise StatisticsError(
            f"an item has {first.size} and {second.size} choices; equally many, at least two."
        )
    if gold >= first.size:
        raise StatisticsError(f"gold is choice {gold} of an item with {first.size} choices.")
    return (
        float(first @ second),
        float(first[gold]),
        float(second[gold]),
        1.0 / (first.size - 1.0),
    )


def _distribution(values: ArrayLike, name: str) -> FloatArray:
    array = finite(values, name, ndim=1)
    if (array < 0).any() or abs(float(array.sum()) - 1.0) > _ATOL:
        raise StatisticsError(f"every item of {name} must be a distribution with sum 1.")
    return array


def _gold(gold: ArrayLike, n: int) -> IntArray:
    right = finite(gold, "gold", ndim=1)
    if right.size != n or (right < 0).any() or (right != np.rint(right)).any():
        raise StatisticsError(f"gold must hold {n} indices of choices, counted from 0.")
    return right.astype(np.int64)
