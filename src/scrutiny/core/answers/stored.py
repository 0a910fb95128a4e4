"""Stored answers: JSON that says what type it is of.

A label is a string and spans are a list, as most answers are; others are an object whose only key
is the name of their type.
"""

from typing import Any, Final

from scrutiny.core.answers.answer import type_named, type_of
from scrutiny.core.boundary.canonical import plain

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


def from_json(value: Any) -> Any:
    """Answer from `to_json`."""
    if value is None or value.__class__ is str:
        return value
    if value.__class__ is dict:
        ((name, value),) = value.items()
        return type_named(name).decode(value)
    return type_named(_BARE[list]).decode(value)
