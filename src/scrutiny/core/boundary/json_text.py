"""Strict JSON parsing: errors for repeated keys, deep nesting and huge numbers.

A key that occurs twice would lose the first of its values in silence, thousands of brackets end
Python's stack, and a number of thousands of digits is refused with a hint to Python's settings.
All become a `json.JSONDecodeError`, which readers of files expect.
"""

import json
import re
from typing import Any, Final

#: More digits than Python reads.
_LONG: Final = re.compile(r"\d{4301}")


def parse_json(text: str | bytes) -> Any:
    """Value parsed from a JSON text.

    Raises
    ------
    json.JSONDecodeError
        If it is no JSON, holds a key twice or a number of thousands of digits, or is nested deeper
        than Python can follow.
    UnicodeDecodeError
        For bytes that are no text.

    Examples
    --------
    >>> parse_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text))
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise _problem(error, text, 0) from None


def parse_json_from(text: str, place: int) -> tuple[Any, int]:
    """Value that starts at an offset of a text, and the offset of its end.

    Raises
    ------
    json.JSONDecodeError
        As `parse_json` does.
    """
    try:
        return _DECODER.raw_decode(text, place)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise _problem(error, text, place) from None


class _RepeatedKeyError(ValueError):
    """Error for a key that occurs twice in an object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RepeatedKeyError(f"the key {twice[:40]!r} occurs twice in one object")
    return found


def _problem(error: Exception, text: str, place: int) -> json.JSONDecodeError:
    """JSON error with its place, if known."""
    if isinstance(error, RecursionError):
        return json.JSONDecodeError("values within values, too deep to read", text, place)
    if isinstance(error, _RepeatedKeyError):
        return json.JSONDecodeError(str(error), text, place)
    found = _LONG.search(text, place)
    at = place if found is None else found.start()
    return json.JSONDecodeError("a number of thousands of digits", text, at)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)
