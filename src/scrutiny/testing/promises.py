"""Helpers of conformance checks: error messages, and sample texts."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from scrutiny.core.errors import ConformanceError

_VERSIONED: Final = re.compile(r"[a-z][a-z0-9_.-]*(\([^@\s]+\))?@[1-9][0-9]*")

#: Texts that have broken tools: empty, blank, one word, marks, other scripts, joined characters.
SAMPLE_TEXTS: Final = (
    "A wonderful, moving film that I would see again.",
    "The plot isn't bad, but 2 hours of Paris in 1999 is too much!",
    "Ada Lovelace lives in New York and likes it there.",
    "He said: “Don't go there at 5.30 p.m., it's not safe” — and left...",
    "",
    " ",
    "ok",
    "?!",
    "Straße, naïve café, Ωμέγα, привет",
    "这部电影非常好看。",
    "I ❤️ it 👩‍👩‍👧 #great @you https://example.org/a?b=c",
    "one\ttwo\nthree  four",
    "word " * 60,
)


def promise(name: str, *, is_kept: bool, message: str) -> None:
    """Raise unless a condition of a contract is fulfilled.

    Raises
    ------
    ConformanceError
        With the name of what was checked and a sentence about it.
    """
    if not is_kept:
        raise ConformanceError(f"{name}: {message}")


def promises(name: str, kept: Mapping[str, bool]) -> None:
    """Raise unless all of some conditions are fulfilled, each under its message.

    Raises
    ------
    ConformanceError
        About the first that is not.
    """
    for message, is_kept in kept.items():
        promise(name, is_kept=is_kept, message=message)


def require_members(thing: Any, members: Iterable[str], *, what: str) -> None:
    """Promise that an object has all members that its base class declares without default.

    Raises
    ------
    ConformanceError
        If one is missing.
    """
    for member in members:
        promise(
            type(thing).__name__,
            is_kept=member in dir(thing),
            message=f"it has no {member!r}, which a {what} must have.",
        )


def require_versioned(thing: Any) -> None:
    """Raise unless ``id`` is a versioned name.

    Raises
    ------
    ConformanceError
        If it is not.
    """
    promise(
        thing.id,
        is_kept=bool(_VERSIONED.fullmatch(str(thing.id))),
        message=f"its id {thing.id!r} is no versioned name such as 'typos@1'.",
    )


def require_docstring(thing: Any, *, sections: Iterable[str] = ()) -> None:
    """Raise unless a class is documented, with these section names in the docstring.

    Raises
    ------
    ConformanceError
        If a section is missing.
    """
    text = type(thing).__doc__ or ""
    promise(thing.id, is_kept=bool(text.strip()), message="its class has no docstring.")
    for section in sections:
        promise(
            thing.id,
            is_kept=section in text,
            message=f"the docstring of its class has no section '{section}'.",
        )
