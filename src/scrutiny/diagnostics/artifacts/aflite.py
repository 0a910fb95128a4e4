"""AFLite: items that linear classifiers get right from features alone are taken out, in rounds."""

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.errors import DataError
from scrutiny.core.randomness import Rng

Array: TypeAlias = np.ndarray[Any, Any]

#: Largest number of steps of a fit; the usual 100 stops before features of 768 numbers are fitted.
_STEPS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Filtering:
    """Parameters of the filter, under names that do not clash between the two papers.

    Parameters
    ----------
    target_size
        Items below which nothing more is removed: n of Le Bras, m of WinoGrande.
    n_partitions
        Random partitions of a round: m of Le Bras, n of WinoGrande.
    train_size
        Items that a classifier of a partition is fitted to: t of Le Bras, m of WinoGrande.
    slice_size
        Most items that a round removes: k of both.
    tau
        Least predictability of an item that is removed.
    """

    target_size: int
    n_partitions: int = 64
    train_size: int = 10_000
    slice_size: int = 500
    tau: float = 0.75

    def __post_init__(self) -> None:
        at_least(self, target_size=2, n_partitions=1, train_size=2, slice_size=1)

    @classmethod
    def in_proportion(cls, n: int, **stated: Any) -> "Filtering":
        """The proportions of WinoGrande on so many items: of 43,972, 10,000 are fitted.

        Examples
        --------
        >>> made = Filtering.in_proportion(1000)
        >>> made.target_size, made.train_size, made.slice_size
        (279, 227, 11)
        """
        own: dict[str, Any] = {
            "target_size": max(2, round(n * 12_282 / 43_972)),
            "train_size": max(2, round(n * 10_000 / 43_972)),
            "slice_size": max(1, round(n * 500 / 43_972)),
        }
        return cls(**{**own, **stated})

    def check(self, n: int) -> None:
        """Refuse so many items where no round could be run on them.

        Raises
        ------
        DataError
            If there are no more than a classifier is fitted to, or than are to be left.
        """
        if n <= self.train_size:
            raise DataError(
                f"{n:,} items are to be filtered, and each classifier is fitted to "
                f"{self.train_size:,} of them: none is held out. Make train_size smaller, or give "
                "more items."
            )
        if n <= self.target_size:
            raise DataError(
                f"{n:,} items are to be filtered, and {self.target_size:,} are to be left: there "
                "is nothing to remove. Make target_size smaller, or give more items."
            )


#: Published settings by name. WinoGrande stops at its training size; 182,000 of the training pairs
#: of SNLI are what Le Bras et al. keep. Their sizes of a fit and of a slice are from memory, and
#: nothing that is tested rests on them.
PUBLISHED: Final = MappingProxyType(
    {
        "winogrande": Filtering(10_000),
        "le_bras_snli": Filtering(182_000, 64, 50_000, 10_000, 0.75),
    }
)


@dataclass(frozen=True, slots=True)
class Filtered:
    """Outcome of the filter, item by item ``(item,)``.

    Parameters
    ----------
    kept
        Whether an item is left. Items that a feature model was tuned on are not.
    predictability
        Share of the classifiers that were right about it in the round in which it was removed, or
        in the last that it saw; NaN if it was never held out.
    round
        Round that removed it, from 1; 0 of what is kept, -1 of what was tuned on.
    sizes
        Items removed in each round.
    """

    kept: Array
    predictability: Array
    round: Array
    sizes: tuple[int, ...] = field(default=())

    @property
    def removed(self) -> Array:
        """Whether an item was removed by the filter."""
        return self.round > 0


def aflite(
    features: Array,
    labels: Array,
    params: Filtering,
    *,
    rng: Rng,
    tuned: Array | None = None,
) -> Filtered:
    """Remove items whose labels linear classifiers read off their features, round by round.

    In each round classifiers are fitted to random subsets, and answer for the rest. An item's
    predictability is the share of them that are right about it. The ``slice_size`` most predictable
    items, of those at or above ``tau``, are removed. It ends with a round that removes fewer, or at
    ``target_size``.

    Parameters
    ----------
    features
        ``(item, feature)``, from a model that is fixed.
    labels
        ``(item,)``.
    params
        Sizes and limits.
    rng
        Random numbers of the partitions.
    tuned
        ``(item,)``: whether the feature model was tuned on an item. They are neither fitted to nor
        filtered, and not in the result.

    Raises
    ------
    DataError
        If no round can be run (`Filtering.check`), or there is one label only.

    Notes
    -----
    **Measures**: which items can be told from their features by a linear classifier, so that
    what is left cannot.

    **Misleads when** it goes on for too long: with the artifact removed from most items, what is
    left has it the other way round, and a classifier falls below chance. Items without an artifact
    that are merely easy go as well. What is left is hard for the feature model first of all, and
    ranks it below others that are no better. Ties are broken by the order of the items.

    **References**: Sakaguchi et al. (2020), WinoGrande; Le Bras et al. (2020), Adversarial filters
    of dataset biases. That a round never goes below the target size is ours.
    """
    n = len(labels)
    if features.shape[:1] != (n,) or features.ndim != 2:
        raise DataError(
            f"Features have the shape {features.shape}, and there are {n:,} labels: features are "
            "(item, feature), one row for each label."
        )
    used = np.zeros(n, dtype=np.bool_) if tuned is None else np.asarray(tuned, dtype=np.bool_)
    alive = np.flatnonzero(~used)
    params.check(len(alive))
    if len(np.unique(labels[alive])) < 2:
        raise DataError("All items have one label, so there is nothing to predict.")
    predictability, round_of = np.full(n, np.nan), np.where(used, -1, 0)
    sizes: list[int] = []
    while len(alive) > max(params.target_size, params.train_size):
        share = _predictability(features[alive], labels[alive], params, rng)
        predictability[alive] = share
        most = min(params.slice_size, len(alive) - params.target_size)
        order = np.argsort(-np.nan_to_num(share, nan=-1.0), kind="stable")[:most]
        # equal to tau is enough, whatever the last digit of the share
        chosen = order[np.nan_to_num(share[order], nan=-1.0) >= params.tau - 1e-12]
        if len(chosen):
            sizes.append(len(chosen))
            round_of[alive[chosen]] = len(sizes)
            alive = np.delete(alive, chosen)
        if len(chosen) < params.slice_size or len(np.unique(labels[alive])) < 2:
            break
    return Filtered(round_of == 0, predictability, round_of, tuple(sizes))


def _predictability(features: Array, labels: Array, params: Filtering, rng: Rng) -> Array:
    """Share of the classifiers of random partitions that are right about each item held out."""
    right, asked = np.zeros(len(labels)), np.zeros(len(labels))
    for _ in range(params.n_partitions):
        fitted = np.zeros(len(labels), dtype=np.bool_)
        fitted[rng.choice(len(labels), size=params.train_size, replace=False)] = True
        if len(np.unique(labels[fitted])) < 2:
            continue
        # all are asked, and only those held out are counted: copying them would take longer
        answers = fitted_linear(features[fitted], labels[fitted]).predict(features)
        right += (answers == labels) & ~fitted
        asked += ~fitted
    with np.errstate(invalid="ignore"):
        return np.asarray(right / asked)


def fitted_linear(features: Any, labels: Array) -> Any:
    """Logistic regression of scikit-learn with its usual penalty."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=_STEPS).fit(features, labels)


def out_of_fold(features: Any, labels: Array, *, folds: int, rng: Rng) -> Array:
    """Whether a linear classifier of the other folds is right about each item ``(item,)``.

    Fewer items than folds are left out one by one; a single one is refused.
    """
    if len(labels) < 2:
        raise DataError("One item cannot be answered by a classifier of the others: give two.")
    folds = min(folds, len(labels))
    place = rng.permutation(np.arange(len(labels)) % folds)
    right = np.zeros(len(labels), dtype=np.bool_)
    for fold in range(folds):
        out = place == fold
        inside = labels[~out]
        if len(np.unique(inside)) < 2:
            right[out] = labels[out] == (inside[0] if len(inside) else None)
            continue
        right[out] = fitted_linear(features[~out], inside).predict(features[out]) == labels[out]
    return right
