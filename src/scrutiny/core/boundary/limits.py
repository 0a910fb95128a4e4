"""Parameter checks: numbers within bounds, words from a list.

Each check reads parameters by their names, leaves those alone that are ``None`` (left open), and
refuses the first one that does not fit.
"""

from collections.abc import Collection, Iterable, Iterator
from math import inf
from typing import Any

from scrutiny.core.errors import PlanError, UnknownNameError


def at_least(of: object, **least: float) -> None:
    """Raise for parameters below a minimum.

    Raises
    ------
    PlanError
        For the first that is.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> at_least(SimpleNamespace(draws=5, items=None), draws=1, items=1)
    """
    for name, value in _stated(of, least):
        if not value >= least[name]:
            raise PlanError(f"{name} must be at least {least[name]:g}, not {value}.")


def between(of: object, **ends: tuple[float, float]) -> None:
    """Raise for parameters outside of a closed interval.

    Raises
    ------
    PlanError
        For the first that does not.
    """
    for name, value in _stated(of, ends):
        low, high = ends[name]
        if not low <= value <= high:
            raise PlanError(f"{name} must lie between {low:g} and {high:g}, not {value}.")


def above_zero(of: object, *names: str) -> None:
    """Raise for parameters that are not positive and finite.

    Raises
    ------
    PlanError
        For the first that is not.
    """
    for name, value in _stated(of, names):
        if not 0 < value < inf:
            raise PlanError(f"{name} must be above 0, not {value}.")


def shares(of: object, *names: str, zero: bool = True, one: bool = False) -> None:
    """Raise for parameters that are no shares: outside of [0, 1].

    Parameters
    ----------
    of
        Whose parameters they are.
    names
        Which.
    zero, one
        Whether 0 and 1 themselves will do.

    Raises
    ------
    PlanError
        For the first that does not.
    """
    for name, value in _stated(of, names):
        is_end = (zero and value == 0) or (one and value == 1)
        if not (is_end or 0 < value < 1):
            raise PlanError(f"{name} must lie between 0 and 1, not {value}.")


def one_of(of: object, **allowed: Collection[str]) -> None:
    """Raise for parameters that are not among the choices.

    Raises
    ------
    PlanError
        For the first that is none; it lists the choices.
    """
    for name, value in _stated(of, allowed):
        if value not in allowed[name]:
            raise PlanError(f"{name} is one of {', '.join(allowed[name])}, not {value!r}.")


def _stated(of: object, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Names and values of the parameters that are not left open."""
    for name in names:
        value = getattr(of, name)
        if value is not None:
            yield name, value


def known(
    kind: str, names: Iterable[object], among: Collection[object], *, where: str = ""
) -> None:
    """Raise for parameters that name what there is not.

    Parameters
    ----------
    kind
        Kind of name, in the singular ("pooling").
    names
        The names.
    among
        All that there are.
    where
        Place in a plan or a file, which the message begins with.

    Raises
    ------
    UnknownNameError
        For the first that there is not; near ones are in the message.
    PlanError
        The same, where there is a place.
    """
    for name in names:
        if name not in among:
            unknown = UnknownNameError(kind, str(name), map(str, among))
            raise PlanError(f"{where}: {unknown}") if where else unknown
