"""Groups in which a score is lower: found on one half of the items, tested on the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr

from scrutiny.stats.arrays import FloatArray

Masks = NDArray[np.bool_]
#: Candidates of one half that are tested on the other.
PICKED: Final = 8
#: Draws of the worst of all candidates by chance.
DRAWS: Final = 200
#: Two groups that share this much of their items are one find.
_SAME: Final = 0.5
#: Units of a half on which candidates are ranked, at most.
_MOST: Final = 5_000
_Z: Final = 1.959964
#: Powers of ten in p that a standard error of handicap is worth.
_DECADES: Final = 2.0


class Residuals(NamedTuple):
    """A score as a ratio of sums, item by item.

    Parameters
    ----------
    part, of
        ``(item,)`` numerator and denominator of each item: hits and 1; or entities that are found,
        and these with half of those that are wrong or missed.
    """

    part: FloatArray
    of: FloatArray


@dataclass(frozen=True, slots=True)
class WeakGroup:
    """A group that is shown to be worse than the rest.

    Parameters
    ----------
    place
        Its place among the candidates.
    score, rest
        Of its items and of all others, where it was tested.
    low, high
        95 % interval of the difference.
    n
        Items of it where it was tested.
    p
        One-sided p of the test, corrected for all that were tested and for both halves.
    proposed
        How far it lay below the rest where it was picked: what the clearest by chance is beside.
    """

    place: int
    score: float
    rest: float
    low: float
    high: float
    n: int
    p: float
    proposed: float


@dataclass(frozen=True, slots=True)
class WeakSearch:
    """Result of a search among candidate groups.

    Parameters
    ----------
    found
        Groups that are shown to be worse, the clearest first.
    n_tried
        Candidates with items enough.
    worst
        Place of the clearest candidate of all, shown or not; its difference from the rest in the
        half that it was picked on, ``below``, is that of the worst of many.
    usual, most
        Median and 95 % point of the same where no group is worse than another: chance alone.
    """

    found: tuple[WeakGroup, ...]
    n_tried: int
    worst: int = -1
    below: float = 0.0
    usual: float = 0.0
    most: float = 0.0


def weak_groups(
    scores: Residuals,
    masks: Masks,
    rng: np.random.Generator,
    *,
    units: NDArray[np.int64] | None = None,
    handicap: FloatArray | None = None,
    fewest: int = 20,
    alpha: float = 0.05,
) -> WeakSearch:
    """Search for groups whose score is lower than that of all other items.

    Items are divided into two halves by chance, whole units together. Each half ranks the
    candidates and hands its first few, which differ from each other, to the other half; there they
    are tested at ``alpha / 2`` together, with a correction that weighs the clearest ones most. So
    the chance that any is called worse where none is stays below ``alpha``, however many candidates
    there are, and so does the expected share of false finds; the interval is of items that did not
    pick the group.

    Parameters
    ----------
    scores
        Score of each item.
    masks
        ``(candidate, item)`` which items are in each.
    rng
        Source of the halves and of the draws.
    units
        Unit of resampling of each item, from 0; by default each item is one.
    handicap
        ``(candidate,)`` standard errors by which each has to be clearer than others to be picked:
        a second condition has to earn its place.
    fewest
        Least number of items inside and outside of a candidate, in each half, and of what is scored
        of them.
    alpha
        Level of the whole search.

    References
    ----------
    Cox (1975), A note on data-splitting for the evaluation of significance levels; Holm (1979), A
    simple sequentially rejective multiple test procedure (with weights).
    """
    n = len(scores.part)
    own = np.arange(n) if units is None else units
    is_first = rng.permutation(int(own.max(initial=-1)) + 1) % 2 == 0
    halves = [np.flatnonzero(is_first[own] == side) for side in (True, False)]
    if min(map(len, halves)) < 2 * fewest or not len(masks):
        return WeakSearch((), 0)
    sizes = [
        np.minimum(inside, of.sum() - inside)
        for half in halves
        for members in [masks[:, half].astype(np.float64)]
        for of in (np.ones(len(half)), scores.of[half])
        for inside in [members @ of]
    ]
    tried = np.flatnonzero(np.min(sizes, axis=0) >= fewest)
    if not tried.size:
        return WeakSearch((), 0)
    tried_masks = masks[tried]
    less = np.zeros(len(masks)) if handicap is None else handicap
    finds: dict[int, list[tuple[WeakGroup, float]]] = {}
    clearest: tuple[float, int, _Half] | None = None
    for chosen_on, tested_on in (halves, halves[::-1]):
        ranked = _Half.of(scores, tried_masks, chosen_on[:_MOST], own, is_unit=units is not None)
        z = ranked.z() - less[tried]
        first = int(np.argmax(z))
        if clearest is None or z[first] > clearest[0]:
            clearest = float(z[first]), first, ranked
        order = _picked(z, ranked.masks)
        test = _Half.of(scores, tried_masks[order], tested_on, own, is_unit=units is not None)
        corrected = _weighted_holm([test.p_value(at) for at in range(len(order))])
        for at, (one, p) in enumerate(zip(order, corrected, strict=True)):
            if 2.0 * p < alpha:
                place = int(tried[one])
                group = test.group(at, place, 2.0 * p, -float(ranked.differences()[one]))
                finds.setdefault(place, []).append(group)
    assert clearest is not None  # there are two halves
    _, first, ranked = clearest
    usual, most = np.quantile(ranked.worst_by_chance(rng, less[tried]), [0.5, 0.95])
    # of two that overlap, the simpler one, unless the other is far clearer
    found = sorted(
        (_joined(several) for several in finds.values()),
        key=lambda one: np.log10(max(one.p, 1e-300)) + _DECADES * less[one.place],
    )
    apart = _distinct(masks[[one.place for one in found]], of_smaller=True)
    return WeakSearch(
        tuple(sorted((found[i] for i in apart), key=lambda one: one.p)),
        len(tried),
        int(tried[first]),
        float(-ranked.differences()[first]),
        max(0.0, float(usual)),
        max(0.0, float(most)),
    )


@dataclass(frozen=True, slots=True)
class _Half:
    """One half of the items.

    Parameters
    ----------
    masks
        ``(candidate, item)``.
    part, weight
        Score of each item, as in `Residuals`.
    unit
        Unit of each item, from 0.
    is_exact
        Whether items are right or wrong, each a unit of its own.
    """

    masks: FloatArray
    part: FloatArray
    weight: FloatArray
    unit: NDArray[np.int64]
    is_exact: bool

    @classmethod
    def of(
        cls,
        scores: Residuals,
        masks: Masks,
        rows: NDArray[np.int64],
        units: NDArray[np.int64],
        *,
        is_unit: bool,
    ) -> "_Half":
        """Half of these rows."""
        part, of = scores.part[rows], scores.of[rows]
        is_exact = not is_unit and bool(np.isin(part, (0.0, 1.0)).all() and (of == 1.0).all())
        unit = np.unique(units[rows], return_inverse=True)[1]
        return cls(masks[:, rows].astype(np.float64), part, of, unit, is_exact)

    @property
    def residual(self) -> FloatArray:
        """Residual of each item from the score of the half: what an equal group sums to 0."""
        total = float(self.weight.sum())
        return self.part - (float(self.part.sum()) / total if total else 0.0) * self.weight

    def shares(self) -> FloatArray:
        """Share of each candidate in what is scored."""
        found: FloatArray = self.masks @ self.weight / max(float(self.weight.sum()), 1e-300)
        return found

    def z(self) -> FloatArray:
        """Standard errors that each candidate lies below the rest, if none were worse.

        The variance is that of all residuals, in proportion to what is scored; whole units count
        where items of one are alike.
        """
        total, variance = float(self.weight.sum()), self._variances()
        below = -(self.masks @ self.residual)
        with np.errstate(invalid="ignore", divide="ignore"):
            z = below / np.sqrt(variance)
        return np.where((variance > 0) & (total > 0), z, -np.inf)

    def _variances(self) -> FloatArray:
        """Variance of the sum of the residuals of each candidate, if it were like all others."""
        residual, share = self.residual, self.shares()
        each = max(float((residual**2).sum()), float((np.bincount(self.unit, residual) ** 2).sum()))
        found: FloatArray = each * share * (1.0 - share)
        return found

    def differences(self) -> FloatArray:
        """Score of each candidate minus that of all other items."""
        inside, of = self.masks @ self.part, self.masks @ self.weight
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = (self.part.sum() - inside) / (self.weight.sum() - of)
            found: FloatArray = inside / of - rest
            return found

    def p_value(self, at: int) -> float:
        """One-sided p of a candidate: exact where items are right or wrong."""
        if not self.is_exact:
            return float(ndtr(-self.z()[at]))
        n, inside = len(self.part), int(self.masks[at].sum())
        wrong, here = int((1.0 - self.part).sum()), int(self.masks[at] @ (1.0 - self.part))
        counts = np.arange(here, min(wrong, inside) + 1, dtype=np.float64)
        logs = _choices(wrong, counts) + _choices(n - wrong, inside - counts)
        return min(1.0, float(np.exp(logs - _choices(n, np.array(float(inside)))).sum()))

    def group(self, at: int, place: int, p: float, proposed: float) -> tuple[WeakGroup, float]:
        """Candidate as a find, and the variance of its difference."""
        inside = self.masks[at] > 0
        scores: list[float] = []
        variance = 0.0
        for mask in (inside, ~inside):
            part, of = self.part[mask], self.weight[mask]
            total = float(of.sum())
            score = float(part.sum()) / total
            by_unit = np.bincount(self.unit[mask], part - score * of)
            near = (float(part.sum()) + 1.0) / (total + 2.0)
            floor = max(near * (1.0 - near), 0.0) / (total + 2.0)
            variance += max(float((by_unit**2).sum()) / total**2, floor)
            scores.append(score)
        half = _Z * variance**0.5
        apart = scores[0] - scores[1]
        low, high = apart - half, apart + half
        n = int(inside.sum())
        found = WeakGroup(place, scores[0], scores[1], low, high, n, p, proposed)
        return found, variance

    def worst_by_chance(self, rng: np.random.Generator, handicap: FloatArray) -> FloatArray:
        """Differences below the rest of the clearest candidate where none is worse ``(draw,)``.

        Residuals change their signs and sizes by chance, those of one unit together.
        """
        share, residual = self.shares()[:, None], self.residual
        signs = rng.standard_normal((int(self.unit.max()) + 1, DRAWS))[self.unit]
        drawn = residual[:, None] * signs
        below = share * drawn.sum(axis=0) - self.masks @ drawn
        spread = np.sqrt(self._variances())[:, None]
        z = below / np.where(spread > 0, spread, np.inf) - handicap[:, None]
        place = z.argmax(axis=0)
        draws = np.arange(DRAWS)
        of = share[place, 0] * (1.0 - share[place, 0]) * float(self.weight.sum())
        found: FloatArray = below[place, draws] / of
        return found


def _choices(n: int, k: FloatArray) -> FloatArray:
    """Logarithm of the binomial coefficients of n over k; minus infinity where there are none."""
    gone = (k < 0) | (k > n)
    kept = np.where(gone, 0.0, k)
    found = gammaln(n + 1.0) - gammaln(kept + 1.0) - gammaln(n - kept + 1.0)
    return np.where(gone, -np.inf, found)


def _picked(z: FloatArray, masks: FloatArray) -> list[int]:
    """The first candidates that differ from each other, the clearest first."""
    order = [int(i) for i in np.argsort(-z, kind="stable")[:100] if np.isfinite(z[i])]
    kept = _distinct(masks[order])
    return [order[i] for i in kept[:PICKED]]


def _weighted_holm(p_values: Sequence[float]) -> list[float]:
    """Corrected p-values of candidates in their order: the k-th has 1/k of the first one's weight.

    Examples
    --------
    >>> _weighted_holm([0.01, 0.01])
    [0.015, 0.015]
    """
    weights = 1.0 / np.arange(1, len(p_values) + 1)
    found, largest = np.ones(len(p_values)), 0.0
    left = list(range(len(p_values)))
    for one in sorted(left, key=lambda i: p_values[i] / weights[i]):
        largest = max(largest, p_values[one] / weights[one] * float(weights[left].sum()))
        found[one] = min(1.0, largest)
        left.remove(one)
    return found.tolist()


def _distinct(masks: NDArray[np.generic], *, of_smaller: bool = False) -> list[int]:
    """Places of groups that share less than half of their items with each one before.

    Half of all items that either has; or, ``of_smaller``, of those of the smaller one, so that no
    part of a group is left beside it.
    """
    each = masks.astype(np.float64)  # a product of them counts the common items
    common = each @ each.T
    size = common.diagonal()
    whole = np.minimum(size[:, None], size) if of_smaller else size[:, None] + size - common
    is_apart = common < _SAME * whole
    kept: list[int] = []
    for i in range(len(each)):
        if is_apart[i, kept].all():
            kept.append(i)
    return kept


def _joined(several: Sequence[tuple[WeakGroup, float]]) -> WeakGroup:
    """One find of both halves: the mean of two differences that nothing picked."""
    if len(several) == 1:
        return several[0][0]
    (a, first), (b, second) = several
    share = a.n / (a.n + b.n)
    score = share * a.score + (1.0 - share) * b.score
    middle = (a.score - a.rest + b.score - b.rest) / 2.0
    half = _Z * (first + second) ** 0.5 / 2.0
    low, high, proposed = middle - half, middle + half, (a.proposed + b.proposed) / 2.0
    return WeakGroup(a.place, score, score - middle, low, high, a.n + b.n, min(a.p, b.p), proposed)
