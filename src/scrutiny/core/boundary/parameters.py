"""Parameters of plug-ins: converted to the types that a class declares, and held to their bounds.

A plug-in is a dataclass of its parameters. Numbers and words of plans and recipes become values of
the declared types here, and whatever does not fit is refused by name. Checks of bounds (`at_least`,
`one_of`) read parameters by their names, leave those alone that are ``None`` (left open), and
refuse the first one that does not fit.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import inf
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

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


#: Value as it is written.
Value = None | bool | int | float | str | tuple[Any, ...]
_NAMES: Final[Mapping[Any, str]] = {
    None: "none",
    NoneType: "none",
    int: "a whole number",
    float: "a number",
    str: "a word",
    bool: "true or false",
}


def parameters_of(kind: Any) -> dict[str, Any]:
    """Declared type of each parameter of a class, in the order of declaration."""
    if not is_dataclass(kind):
        return {}
    return {f.name: get_type_hints(kind)[f.name] for f in fields(kind) if f.init}


def chosen_parameters(thing: Any) -> list[tuple[str, Any]]:
    """Parameters that differ from their defaults, in the order of declaration."""
    kind: Any = type(thing)
    if not is_dataclass(thing):
        return []
    default = kind()
    return [
        (f.name, value)
        for f in fields(thing)
        if (value := getattr(thing, f.name)) != getattr(default, f.name)
    ]


def read_parameters(
    kind: Any, written: Mapping[str, Value], *, of: str, besides: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Values of a plan or a recipe, converted to the types that a class declares.

    Parameters
    ----------
    kind
        The class.
    written
        Values as they were written.
    of
        Its name, for messages.
    besides
        Types of parameters that it has besides its own.

    Raises
    ------
    PlanError
        If a value is of the wrong type.
    UnknownNameError
        For a parameter or a choice that does not exist; near ones are in the message.
    """
    hints = {**(besides or {}), **parameters_of(kind)}
    known(f"parameter of {of}", written, hints)
    return {key: _converted(v, hints[key], of=f"{key!r} of {of}") for key, v in written.items()}


def _converted(value: Value, hint: Any, *, of: str) -> Any:
    """Value of a parameter's type, or an error; whole numbers are valid as decimal ones."""
    origin, options = get_origin(hint), get_args(hint)
    if origin is Literal:
        if value in options:
            return value
        raise UnknownNameError(f"choice of {of}", str(value), map(str, options))
    if origin in (Union, UnionType):
        return _converted_to_one(value, options, of=of)
    if origin is tuple:
        several = value if isinstance(value, tuple) else (value,)
        return tuple(_converted(v, options[0], of=of) for v in several)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    wanted = NoneType if hint is None else hint
    if isinstance(wanted, type) and type(value) is not wanted:
        shown = "none" if value is None else repr(value)
        raise PlanError(f"{of} must be {_said(wanted)}, and {shown} is not.")
    return value


def _converted_to_one(value: Value, options: Sequence[Any], *, of: str) -> Any:
    for option in options:
        try:
            return _converted(value, option, of=of)
        except (PlanError, UnknownNameError):
            continue
    allowed = " or ".join(_said(option) for option in options)
    raise PlanError(f"{of} must be {allowed}, and {value!r} is not.")


def _said(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(map(str, get_args(hint)))
    return _NAMES.get(hint, str(hint))
