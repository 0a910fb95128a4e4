"""Strict JSON parsing, and JSON lines: errors for repeated keys, deep nesting and huge numbers.

A key that occurs twice would lose the first of its values in silence, thousands of brackets end
Python's stack, and a number of thousands of digits is refused with a hint to Python's settings.
All become a `json.JSONDecodeError`, which readers of files expect.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from scrutiny.core.boundary.storable import STEERING

T = TypeVar("T")
#: More digits than Python reads.
_LONG: Final = re.compile(r"\d{4301}")
#: Values within values that are still read: what works on them later recurses as well.
_DEEPEST: Final = 100
_TOO_DEEP: Final = "values within values, too deep to read"


def parse_json(text: str | bytes) -> Any:
    """Value parsed from a JSON text.

    Raises
    ------
    json.JSONDecodeError
        If it is no JSON, holds a key twice or a number of thousands of digits, or is nested deeper
        than a hundred values.
    UnicodeDecodeError
        For bytes that are no text.

    Examples
    --------
    >>> parse_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text))
    value = _parsed(partial(_DECODER.decode, text), text, 0)
    return _shallow(value, text, 0, len(text))


def parse_json_from(text: str, place: int) -> tuple[Any, int]:
    """Value that starts at an offset of a text, and the offset of its end.

    Raises
    ------
    json.JSONDecodeError
        As `parse_json` does.
    """
    value, end = _parsed(partial(_DECODER.raw_decode, text, place), text, place)
    return _shallow(value, text, place, end), end


def _parsed(parse: Callable[[], T], text: str, place: int) -> T:
    """JSON value of a parser; all its errors become JSON errors, at their place if it is known."""
    try:
        return parse()
    except json.JSONDecodeError:
        raise
    except RecursionError:
        said = _TOO_DEEP
    except _RepeatedKeyError as error:
        said = str(error)
    except ValueError:
        said = "a number of thousands of digits"
        found = _LONG.search(text, place)
        place = place if found is None else found.start()
    raise json.JSONDecodeError(said, text, place)


def _shallow(value: Any, text: str, start: int, end: int) -> Any:
    """Value of a part of a text, unless it is nested too deeply."""
    if text.count("[", start, end) + text.count("{", start, end) <= _DEEPEST:
        return value
    level = [value]
    for _ in range(_DEEPEST):
        inside = [one.values() if isinstance(one, dict) else one for one in level]
        level = [one for held in inside for one in held if isinstance(one, dict | list)]
        if not level:
            return value
    raise json.JSONDecodeError(_TOO_DEEP, text, start)


class _RepeatedKeyError(ValueError):
    """Error for a key that occurs twice in an object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RepeatedKeyError(f"the key {twice[:40]!r} occurs twice in one object")
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)


def json_line(value: Any) -> str:
    r"""JSON on one line, as people and pipes read it.

    Characters that would steer a terminal or turn the direction of writing are escaped, as JSON
    itself does with the oldest of them.

    Examples
    --------
    >>> json_line({"text": "caf\u00e9 \u202egpj"})
    '{"text": "café \\u202egpj"}'
    """
    text = json.dumps(value, ensure_ascii=False)
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def as_tuples(value: Any) -> Any:
    """JSON value with lists converted to tuples."""
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value
