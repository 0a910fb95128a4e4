"""Stored answers: JSON that says what type it is of.

A label is a string and spans are a list, as most answers are; others are an object whose only key
is the name of their type.
"""

import json
from functools import lru_cache
from typing import Any, Final

from scrutiny.core.answers.answer import type_named, type_of
from scrutiny.core.boundary.canonical import canonical_json, plain

_NULL: Final = "null"
_OF_JSON: Final = ("", "[", "{", '"')  # what texts of JSON begin with, and the empty label
_BARE: Final = {str: "label", list: "spans"}


def to_json(answer: Any) -> Any:
    """Answer as a value of JSON; None is none.

    Examples
    --------
    >>> to_json("good"), to_json(())
    ('good', [])
    """
    if answer is None or answer.__class__ is str:
        return answer
    kind = type_of(answer)
    value = plain(kind.encode(answer))
    return value if _BARE.get(value.__class__) == kind.name else {kind.name: value}


def answer_json(answer: Any) -> str:
    """Answer as canonical JSON.

    Examples
    --------
    >>> answer_json("good"), answer_of(answer_json("good"))
    ('"good"', 'good')
    """
    if answer.__class__ is str:
        return _label_json(answer)
    return canonical_json(to_json(answer))


def answer_text(answer: Any) -> str:
    """Answer as a text for tables: a label as it is, unless it looks like JSON.

    Examples
    --------
    >>> answer_text("good"), answer_text("[odd]"), answer_text(())
    ('good', '"[odd]"', '[]')
    """
    is_plain = answer.__class__ is str and answer[:1] not in _OF_JSON and answer != _NULL
    return answer if is_plain else answer_json(answer)


def answer_of(text: str) -> Any:
    """Answer from `answer_json` or `answer_text`."""
    return from_json(json.loads(text)) if text[:1] in _OF_JSON or text == _NULL else text


@lru_cache(maxsize=1024)
def _label_json(label: str) -> str:
    """JSON of a label, of which a million answers have a few."""
    return canonical_json(label)


def from_json(value: Any) -> Any:
    """Answer from `to_json`."""
    if value is None or value.__class__ is str:
        return value
    if value.__class__ is dict:
        ((name, value),) = value.items()
        return type_named(name).decode(value)
    return type_named(_BARE[list]).decode(value)
