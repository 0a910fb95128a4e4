"""Text that files can hold: half a surrogate pair has no UTF-8, and names must differ."""

from collections.abc import Iterable
from typing import Final

#: Characters of a message that are kept; a model may put its whole input into one.
_MOST: Final = 2000


def is_storable(text: str) -> bool:
    r"""Whether a text can be written as UTF-8.

    Examples
    --------
    >>> is_storable("naïve"), is_storable("half \ud83d")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable(text: str) -> str:
    r"""Message as it can be kept: halves of pairs spelled out, the end of a very long one left out.

    Examples
    --------
    >>> storable("half \ud83d")
    'half \\ud83d'
    """
    kept = text if len(text) <= _MOST else f"{text[:_MOST]} … ({len(text):,} characters)"
    return kept.encode("utf-8", "backslashreplace").decode()


def repeated(names: Iterable[str]) -> str | None:
    """First name that stands a second time, or nothing.

    Examples
    --------
    >>> repeated(["text", "label", "text"]), repeated(["text"])
    ('text', None)
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
