"""Input checks shared by all statistics: shapes, finite numbers, and the error they raise."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.core.errors import UserError


class StatisticsError(UserError, ValueError):
    """Invalid array, design or option for a statistic."""


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def finite(values: ArrayLike, name: str, *, ndim: int | None = None) -> FloatArray:
    """Array of float64, checked: finite, not empty, with ``ndim`` axes."""
    array = np.asarray(values, dtype=np.float64)
    if ndim is not None and array.ndim != ndim:
        raise StatisticsError(f"{name} has {array.ndim} axes (shape {array.shape}); {ndim} needed.")
    if array.size == 0:
        raise StatisticsError(f"{name} is empty (shape {array.shape}).")
    if not np.isfinite(array).all():
        bad = int((~np.isfinite(array)).sum())
        raise StatisticsError(
            f"{name} has {bad} values that are NaN or infinite; leave them out and count them."
        )
    return array


def counts(values: ArrayLike, name: str) -> IntArray:
    """Array of non-negative int64; values that are not whole raise."""
    array = finite(values, name)
    if (array < 0).any() or (array != np.rint(array)).any():
        raise StatisticsError(f"{name} must hold whole numbers of at least 0.")
    return array.astype(np.int64)


def proper_level(level: float) -> float:
    """Level, power or error rate that a statistic is given, checked to lie between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise StatisticsError(f"level is {level}; it must lie strictly between 0 and 1, as 0.95.")
    return level


def one_of(value: str, name: str, allowed: tuple[str, ...]) -> str:
    """The value of a statistic's argument, checked to be one of the allowed words."""
    if value not in allowed:
        raise StatisticsError(f"{name} is {value!r}; allowed: {', '.join(map(repr, allowed))}.")
    return value
