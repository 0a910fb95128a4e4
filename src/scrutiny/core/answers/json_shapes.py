"""Shapes of JSON: the part of JSON Schema by which answers of models are held to a form."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

_FENCED: Final = re.compile(r"\A\s*```[\w-]*\n(.*)\n```\s*\Z", re.DOTALL)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
#: Words of JSON Schema that are read; those behind them say nothing of whether a value fits.
_READ: Final = frozenset(
    "type properties required items enum const additionalProperties minItems maxItems minimum "
    "maximum title description $schema default examples".split()
)


def json_in(text: str) -> tuple[Any] | None:
    r"""Value of a text that is JSON, bare or in one fence, as a tuple of one; None if it is none.

    Examples
    --------
    >>> json_in('```json\n{"a": 1}\n```'), json_in("null"), json_in("Sure! {}")
    (({'a': 1},), (None,), None)
    """
    fenced = _FENCED.match(text)
    try:
        return (json.loads(fenced[1] if fenced else text),)
    except (ValueError, RecursionError):
        return None


def shape_fault(shape: Any) -> str:
    """What is wrong with a shape, as the rest of "the shape …"; empty if it can be read.

    Examples
    --------
    >>> shape_fault({"type": "object"}), shape_fault({"typ": "object"})[:22]
    ('', "has 'typ', which is no")
    """
    if isinstance(shape, bool):
        return ""
    if not isinstance(shape, dict):
        return "is neither an object of JSON Schema nor true"
    unknown = next((name for name in shape if name not in _READ), None)
    if unknown is not None:
        return (
            f"has {unknown!r}, which is none of the words that are read: {', '.join(sorted(_READ))}"
        )
    types = shape.get("type", [])
    odd = next((t for t in ([types] if isinstance(types, str) else types) if t not in _TYPES), None)
    if odd is not None:
        return f"has the type {odd!r}, and there are {', '.join(_TYPES)}"
    own = shape.get("properties", {})
    if not isinstance(own, dict):
        return "has properties that are no object"
    inner = [*own.values(), shape.get("items", True), shape.get("additionalProperties", True)]
    return next(filter(None, map(shape_fault, inner)), "")


def fits_shape(value: Any, shape: Any) -> bool:
    """Whether a value of JSON has a shape.

    Examples
    --------
    >>> shape = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    >>> fits_shape({"age": 3}, shape), fits_shape({"age": "3"}, shape), fits_shape({}, shape)
    (True, False, False)
    """
    if isinstance(shape, bool):
        return shape
    types = shape.get("type")
    named = [types] if isinstance(types, str) else types
    if named is not None and not any(_TYPES[name](value) for name in named):
        return False
    if "enum" in shape and value not in shape["enum"]:
        return False
    if "const" in shape and value != shape["const"]:
        return False
    if _is_number(value):
        return bool(shape.get("minimum", value) <= value <= shape.get("maximum", value))
    if isinstance(value, list):
        n = len(value)
        is_long = shape.get("minItems", n) <= n <= shape.get("maxItems", n)
        return is_long and all(fits_shape(one, shape.get("items", True)) for one in value)
    if isinstance(value, dict):
        own, others = shape.get("properties", {}), shape.get("additionalProperties", True)
        has_all = all(name in value for name in shape.get("required", ()))
        return has_all and all(fits_shape(v, own.get(name, others)) for name, v in value.items())
    return True
