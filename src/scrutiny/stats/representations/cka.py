"""Centered kernel alignment (CKA) with linear kernels: as published, debiased, in batches."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError
from scrutiny.stats.representations.two_representations import centered, two_representations

_ROUNDING: Final = 1e-13


def linear_cka(X: ArrayLike, Y: ArrayLike) -> float:
    """Linear CKA of two representations of the same items, as published (biased).

    Parameters
    ----------
    X, Y
        ``(item, feature)``, row i of both the same item; widths may differ.

    Returns
    -------
    float
        ``|Y'X|^2 / (|X'X| |Y'Y|)`` (Frobenius) of centered columns, 0 to 1.

    **Measures**: likeness up to rotation, one scale and a shift; directions of much variance
    decide.

    **Misleads when**: features are not far fewer than items: independent Gaussians with n = 256
    score .19 at 64 features and .80 at 1,024; take `debiased_cka`. It can be moved far by shifting
    a few items without any change of behavior, so never take it alone. Anisotropic vectors (one
    large shared direction) score near 1 whatever else they hold.

    **References**: Kornblith et al. (2019), Similarity of neural network representations
    revisited; Davari et al. (2023), Reliability of CKA as a similarity measure.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> round(linear_cka(X, 2 * X[:, [2, 0, 1]] + 5), 6)
    1.0
    """
    first, second = (centered(rows) for rows in two_representations(X, Y, least=2))
    if max(first.shape[1], second.shape[1]) > first.shape[0]:
        K, L = first @ first.T, second @ second.T
        both, own, other = (K * L).sum(), (K * K).sum(), (L * L).sum()
    else:
        both, own, other = (
            np.square(a.T @ b).sum() for a, b in ((second, first), (first, first), (second, second))
        )
    return float(both / np.sqrt(own * other))


def debiased_cka(X: ArrayLike, Y: ArrayLike) -> float:
    """Linear CKA with unbiased sums; needs at least four items.

    Parameters
    ----------
    X, Y
        As in `linear_cka`.

    Returns
    -------
    float
        ``HSIC_1(X, Y) / sqrt(HSIC_1(X, X) HSIC_1(Y, Y))``; around 0 for independent
        representations, below it by chance, 1 for a rotated copy.

    **Measures**: as `linear_cka`, without what many features add.

    **Misleads when**: few items: the ratio of unbiased sums is not unbiased itself. Resampled with
    replacement: an item drawn twice is its own copy; take `grouped_jackknife`. Else as
    `linear_cka`.

    **References**: Song et al. (2012), Feature selection via dependence maximization; Nguyen,
    Raghu & Kornblith (2021), Do wide and deep networks learn the same things?

    Examples
    --------
    >>> g = np.random.default_rng(0)
    >>> X, Y = g.standard_normal((256, 1024)), g.standard_normal((256, 1024))
    >>> round(linear_cka(X, Y), 2), round(debiased_cka(X, Y), 2)
    (0.8, 0.01)
    """
    return _cka_of_sums(cka_sums(X, Y))


def minibatch_cka(batches: Iterable[tuple[ArrayLike, ArrayLike]]) -> float:
    """Debiased CKA from sums over batches of items, for data that exceeds memory.

    Parameters
    ----------
    batches
        ``(X, Y)`` of each batch, at least four items each.

    **Measures**: as `debiased_cka`; the same up to sampling error as with all items at once, for
    batches made at random.

    **Misleads when**: batches are sorted by length or topic: differences between batches are not
    seen. With the biased estimator it would depend on the size of the batches, so only the
    unbiased one is offered.

    **References**: Nguyen, Raghu & Kornblith (2021), equations 2 and 3.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((60, 3))
    >>> round(minibatch_cka((X[i : i + 20], 3 * X[i : i + 20]) for i in (0, 20, 40)), 6)
    1.0
    """
    sums = [cka_sums(X, Y) for X, Y in batches]
    if not sums:
        raise StatisticsError("there is no batch.")
    return _cka_of_sums(np.sum(sums, axis=0))


def cka_sums(X: ArrayLike, Y: ArrayLike) -> FloatArray:
    """Unbiased sums ``(3,)`` of one batch (X with Y, X, Y), which can be added up.

    **Measures**: HSIC_1 of X and Y, of X with itself, of Y with itself.

    **Misleads when**: batches have different sizes: each counts alike, as in the paper.

    **References**: Song et al. (2012), Feature selection via dependence maximization.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((20, 3))
    >>> both, own, other = cka_sums(X, 2 * X)
    >>> round(float(both / own), 6), round(float(other / own), 6)
    (4.0, 16.0)
    """
    first, second = two_representations(X, Y)
    K, L = _Gram.of(first), _Gram.of(second)
    return np.array([K.hsic(L), K.hsic(K), L.hsic(L)])


def _cka_of_sums(sums: FloatArray) -> float:
    """CKA from `cka_sums`, of one batch or added up."""
    both, own, other = (float(s) for s in sums)
    if own <= 0.0 or other <= 0.0:
        raise StatisticsError("a representation does not vary beyond chance: no alignment exists.")
    return both / float(np.sqrt(own * other))


@dataclass(frozen=True, slots=True, eq=False)
class _Gram:
    """Inner products of items with the diagonal set to 0; centering changes no HSIC_1.

    Parameters
    ----------
    products
        ``(item, item)``.
    sums
        ``(item,)`` of its columns.
    norm
        Of all of it.
    """

    products: FloatArray
    sums: FloatArray
    norm: float

    @classmethod
    def of(cls, X: FloatArray) -> "_Gram":
        """Inner products of the rows of ``X``."""
        rows = centered(X)
        K = np.asarray(rows @ rows.T, dtype=np.float64)
        np.fill_diagonal(K, 0.0)
        return cls(K, K.sum(axis=0), float(np.linalg.norm(K)))

    def hsic(self, other: "_Gram") -> float:
        """HSIC_1 of two matrices."""
        n = self.sums.size
        whole = float(self.sums.sum()) * float(other.sums.sum()) / ((n - 1) * (n - 2))
        inner = float((self.products * other.products).sum()) + whole
        inner -= 2.0 / (n - 2) * float(self.sums @ other.sums)
        # what rounding leaves of 0 would pass for a representation that varies
        rounding = _ROUNDING * self.norm * other.norm
        return inner / (n * (n - 3)) if abs(inner) > rounding else 0.0
