"""Least squares from sums of products: many outcomes, the same predictors, clustered errors.

The first column of every design is the constant, so ``xx[..., 0, 0]`` is the number of rows.
"""

from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite
from scrutiny.stats.resampling.weights import Units

_SINGULAR = 1e-10  # smallest eigenvalue of the predictors' correlations; below, no fit exists


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Sums of products of predictors and outcomes, additive over rows.

    Parameters
    ----------
    xx
        ``(..., 1 + predictor, 1 + predictor)``, the constant first.
    xy
        ``(..., 1 + predictor)``.
    yy
        ``(...)``.
    """

    xx: FloatArray
    xy: FloatArray
    yy: FloatArray

    def total(self, weights: ArrayLike | None = None) -> "Moments":
        """Moments summed over units, each counted once or as often as drawn ``(draw, unit)``.

        The axis of the units is the last of ``yy``; draws take its place.
        """
        if weights is None:
            return Moments(self.xx.sum(axis=-3), self.xy.sum(axis=-2), self.yy.sum(axis=-1))
        w = np.asarray(weights, dtype=np.float64)
        xx = np.einsum("du,...uij->...dij", w, self.xx)
        return Moments(xx, w @ self.xy, self.yy @ w.T)


def moments_by_unit(predictors: ArrayLike, outcomes: ArrayLike, *, units: Units) -> Moments:
    """Moments of each unit: ``xx`` is ``(unit, ...)``, ``yy`` is ``(..., unit)``.

    Parameters
    ----------
    predictors
        ``(row, predictor)`` without the constant.
    outcomes
        ``(..., row)``: of every layer and head.
    units
        Unit of each row: the cluster that its errors share.

    Notes
    -----
    Sums of squares lose digits where values lie far from 0 for their spread: a mean of 10,000
    standard deviations costs eight of sixteen. Subtract a constant first.

    Examples
    --------
    >>> found = moments_by_unit([[1.0], [2], [4]], [1.0, 3, 5], units=Units.of(3, [0, 0, 1]))
    >>> found.xx[:, 0, 0].tolist(), found.yy.tolist()
    ([2.0, 1.0], [10.0, 25.0])
    """
    table, y = finite(predictors, "predictors", ndim=2), finite(outcomes, "outcomes")
    if table.shape[0] != units.n_rows or y.shape[-1] != units.n_rows:
        raise StatisticsError(
            f"predictors {table.shape} and outcomes {y.shape} must have {units.n_rows} rows."
        )
    x = np.column_stack([np.ones(units.n_rows), table])
    order = np.argsort(units.code, kind="stable")
    starts = np.searchsorted(units.code[order], np.arange(units.n_units))
    x, y = x[order], y[..., order]
    return Moments(
        np.add.reduceat(x[:, :, None] * x[:, None, :], starts, axis=0),
        np.stack([np.add.reduceat(y * column, starts, axis=-1) for column in x.T], axis=-1),
        np.add.reduceat(y * y, starts, axis=-1),
    )


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """An ordinary least squares fit of each outcome; NaN where none exists.

    Parameters
    ----------
    n
        ``(...)`` rows.
    coefficients
        ``(..., 1 + predictor)``, the constant first.
    standardized
        ``(..., predictor)``: in standard deviations of the outcome, for one of the predictor.
    inverse
        ``(..., 1 + predictor, 1 + predictor)``, the inverse of ``xx``.
    total_ss, residual_ss
        ``(...)`` sums of squares around the mean, and around the fit.
    """

    n: FloatArray
    coefficients: FloatArray
    standardized: FloatArray
    inverse: FloatArray = field(repr=False)
    total_ss: FloatArray
    residual_ss: FloatArray

    @property
    def df(self) -> FloatArray:
        """Residual degrees of freedom ``(...)``."""
        return np.asarray(self.n - self.coefficients.shape[-1], dtype=np.float64)

    @property
    def r2(self) -> FloatArray:
        """Share of the outcome's variance that the fit explains ``(...)``."""
        return _ratio(self.total_ss - self.residual_ss, self.total_ss)

    @property
    def partial_ss(self) -> FloatArray:
        """Sum of squares ``(..., predictor)`` lost when one predictor is left out."""
        # b^2 / (X'X)^-1_jj equals the difference of two residual sums of squares
        diagonal = np.diagonal(self.inverse, axis1=-2, axis2=-1)
        return _ratio(self.coefficients[..., 1:] ** 2, diagonal[..., 1:])

    @property
    def partial_f(self) -> FloatArray:
        """F ``(..., predictor)`` of the full model against the one without the predictor."""
        return _ratio(self.partial_ss, _ratio(self.residual_ss, self.df)[..., None])

    @property
    def p_values(self) -> FloatArray:
        """P ``(..., predictor)`` of ``partial_f`` if rows were independent."""
        return np.asarray(scipy.stats.f.sf(self.partial_f, 1, self.df[..., None]), dtype=np.float64)


def least_squares(moments: Moments) -> LeastSquares:
    """Ordinary least squares of each outcome, from moments over all rows.

    Parameters
    ----------
    moments
        Over rows or units; leading axes (layer, head, draw) broadcast.

    Returns
    -------
    LeastSquares
        NaN where the predictors are collinear, or a draw left one of them constant.

    **Measures**: how an outcome (attention to the cue) depends on one predictor (the label) at
    equal values of the others (the distance), and what each alone explains.

    **Misleads when**: rows share errors (words of one sentence): then F and p are too sure, see
    `cluster_robust`; the form of a predictor is wrong, so that the label explains what the
    distance's true form would; partial sums of squares are added up although predictors
    correlate.

    **References**: Seber & Lee (2003), Linear Regression Analysis, chapter 4.

    Examples
    --------
    >>> rows = moments_by_unit([[0.0], [1], [2], [3]], [1.0, 3, 5, 8], units=Units.of(4))
    >>> fit = least_squares(rows.total())
    >>> fit.coefficients.round(2).tolist(), round(float(fit.r2), 3)
    ([0.8, 2.3], 0.989)
    """
    n = moments.xx[..., 0, 0]
    mean_x, mean_y = _ratio(moments.xx[..., 0, 1:], n[..., None]), _ratio(moments.xy[..., 0], n)
    # sums of squares around the means: (..., predictor, predictor), (..., predictor), (...)
    spread = (
        moments.xx[..., 1:, 1:] - n[..., None, None] * mean_x[..., :, None] * mean_x[..., None, :]
    )
    joint = moments.xy[..., 1:] - moments.xy[..., :1] * mean_x
    total = np.maximum(moments.yy - moments.xy[..., 0] * mean_y, 0.0)
    inverse = _inverse(spread, np.diagonal(moments.xx, axis1=-2, axis2=-1)[..., 1:])
    slopes = _times(inverse, joint)
    constant = mean_y - (slopes * mean_x).sum(axis=-1)
    shape = constant.shape
    scale = np.sqrt(np.maximum(np.diagonal(spread, axis1=-2, axis2=-1), 0.0))
    edge = -_times(inverse, mean_x)
    corner = _ratio(np.ones_like(n), n) - (edge * mean_x).sum(axis=-1)
    top = np.concatenate([corner[..., None], edge], axis=-1)[..., None, :]
    below = np.concatenate([edge[..., :, None], inverse], axis=-1)
    return LeastSquares(
        n=np.broadcast_to(n, shape),
        coefficients=np.concatenate([constant[..., None], slopes], axis=-1),
        standardized=_ratio(slopes * scale, np.sqrt(total)[..., None]),
        inverse=np.concatenate([top, below], axis=-2),
        total_ss=np.where(np.isnan(constant), np.nan, total),
        residual_ss=np.maximum(total - (slopes * joint).sum(axis=-1), 0.0),
    )


@dataclass(frozen=True, slots=True, eq=False)
class ClusterRobust:
    """Tests of coefficients when rows of one cluster share errors.

    Parameters
    ----------
    covariance
        ``(..., 1 + predictor, 1 + predictor)`` of the coefficients, CR1.
    errors, t, p_values
        ``(..., 1 + predictor)``: standard errors, coefficients over them, two-sided p by t with
        one degree of freedom less than there are clusters.
    n_clusters
        How many.
    """

    covariance: FloatArray = field(repr=False)
    errors: FloatArray
    t: FloatArray
    p_values: FloatArray
    n_clusters: int


def cluster_robust(by_cluster: Moments) -> ClusterRobust:
    """Cluster-robust tests of the least squares coefficients of each outcome.

    Parameters
    ----------
    by_cluster
        Moments of each cluster, as `moments_by_unit` gives them.

    Raises
    ------
    StatisticsError
        With fewer than two clusters.

    **Measures**: whether a coefficient differs from 0, with rows of one cluster taken as no
    more independent than they are.

    **Misleads when**: few clusters hold a predictor's variation (a label that three of forty
    sentences have): it rejects too often, and so it does, a little, with a dozen clusters.

    **References**: Liang & Zeger (1986), Longitudinal data analysis using generalized linear
    models; Cameron & Miller (2015), A practitioner's guide to cluster-robust inference (CR1).

    Examples
    --------
    >>> g = np.random.default_rng(0)
    >>> x, y = g.random((60, 2)), g.random((3, 60))
    >>> found = cluster_robust(moments_by_unit(x, y, units=Units.of(60, np.arange(60) // 3)))
    >>> found.t.shape, found.n_clusters
    ((3, 3), 20)
    """
    count = by_cluster.yy.shape[-1]
    if count < 2:
        raise StatisticsError(f"{count} cluster carries no error; two are the least.")
    fit = least_squares(by_cluster.total())
    # what a cluster's residuals add to X'e: X'y - X'X b, (..., cluster, 1 + predictor)
    scores = by_cluster.xy - _times(by_cluster.xx, fit.coefficients[..., None, :])
    meat = np.swapaxes(scores, -1, -2) @ scores
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = count / (count - 1) * (fit.n - 1) / fit.df
        covariance = factor[..., None, None] * (fit.inverse @ meat @ fit.inverse)
    errors = np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0.0))
    t = _ratio(fit.coefficients, errors)
    p = 2 * scipy.stats.t.sf(np.abs(t), count - 1)
    return ClusterRobust(covariance, errors, t, np.asarray(p, dtype=np.float64), count)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Quotient; NaN for 0 / 0, infinity for anything else over 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(numerator / denominator, dtype=np.float64)


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """Products ``(..., i)`` of matrices ``(..., i, j)`` and vectors ``(..., j)``."""
    return np.asarray((matrix @ vector[..., None])[..., 0], dtype=np.float64)


def _inverse(spread: FloatArray, squares: FloatArray) -> FloatArray:
    """Inverse of ``spread``; NaN if predictors are constant or collinear."""
    diagonal = np.diagonal(spread, axis1=-2, axis2=-1)
    # a constant predictor keeps rounding errors of its squares, no variance
    varies = np.asarray((diagonal > 1e-12 * squares).all(axis=-1), dtype=np.bool_)
    root = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scale = root[..., :, None] * root[..., None, :]
    identity = np.eye(spread.shape[-1])
    correlation = np.where(varies[..., None, None], spread / scale, identity)
    has_fit = varies & (np.linalg.eigvalsh(correlation)[..., 0] > _SINGULAR)
    correlation = np.where(has_fit[..., None, None], correlation, identity)
    return np.where(has_fit[..., None, None], np.linalg.inv(correlation) / scale, np.nan)
