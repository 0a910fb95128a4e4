"""Storable and printable text: unpaired surrogates, control characters, repeated names."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from scrutiny.core.errors import DataError

#: Control characters but tab and line feed, and those that turn the direction of writing.
STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Half a surrogate pair, which no encoding can write.
_HALF: Final = re.compile(r"[\ud800-\udfff]")
#: Characters of a message that are kept; a model may put its whole input into one.
_MOST: Final = 2000


def is_storable(text: str) -> bool:
    r"""Whether a text can be written as UTF-8.

    Examples
    --------
    >>> is_storable("naïve"), is_storable("half \ud83d")
    (True, False)
    """
    return text.isascii() or _HALF.search(text) is None


def storable(text: str) -> str:
    r"""Message fit for storage: unpaired surrogates escaped, the end of a very long one cut.

    Examples
    --------
    >>> storable("half \ud83d")
    'half \\ud83d'
    """
    kept = text if len(text) <= _MOST else f"{text[:_MOST]} … ({len(text):,} characters)"
    return kept.encode("utf-8", "backslashreplace").decode()


def printable(text: str) -> str:
    r"""Foreign text with its control characters escaped, safe to print.

    Texts, labels and names are somebody else's, and an escape sequence among them could recolor or
    rewrite what a report says, an override of the direction of writing turn it round.

    Examples
    --------
    >>> printable("red \x1b[31m, two\nlines")
    'red \\x1b[31m, two\nlines'
    """
    return STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def repeated(names: Iterable[str]) -> str | None:
    """First name that an input gives twice (a column, a key, an option), or ``None``.

    Examples
    --------
    >>> repeated(["text", "label", "text"]), repeated(["text"])
    ('text', None)
    """
    return next((name for name, count in Counter(names).items() if count > 1), None)


def checked(text: str, name: str) -> str:
    """Return the text unless it holds an unpaired surrogate, which no file can store."""
    if not is_storable(text):
        place = next(i for i, c in enumerate(text) if not is_storable(c))
        raise DataError(f"{name} holds half a surrogate pair at character {place}")
    return text


def must_be_storable(cells: Mapping[str, Any]) -> None:
    """Raise if a name or a text in cells, at any depth, holds half a surrogate pair.

    All data from files and objects pass here once, so that nothing behind meets such a text.

    Raises
    ------
    DataError
        With the name of the cell.
    """
    for name, value in cells.items():
        for text in _texts_in(value):
            if not is_storable(text):
                checked(text, name)


def _texts_in(value: Any) -> Iterator[str]:
    """Texts of a JSON value: its keys, too; in reading order."""
    held = [value]
    while held:
        one = held.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            held += [*one.values(), *one][::-1]
        elif isinstance(one, list | tuple):
            held += one[::-1]


def writable(text: str | None) -> str | None:
    r"""Text fit for tables: lone surrogates are written as ``\udc80``.

    Examples
    --------
    >>> print(writable("a\ud800b"))
    a\ud800b
    """
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()
