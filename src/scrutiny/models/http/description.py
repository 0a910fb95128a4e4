"""Checks of a description: addresses, headers and JSON, before anything is sent.

What stands in an address behind :// up to an @ may be a password, and headers hold keys: neither
is quoted here.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.errors import ModelError

_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")


def must_be_address(value: str, *, schemes: Sequence[str]) -> None:
    """Raise unless this is the address of a server, with one of these schemes.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> must_be_address("http://127.0.0.1:abc/v1", schemes=["http"])
    Traceback (most recent call last):
    ValueError: 'http://127.0.0.1:abc/v1' is no URL: its port is no number from 1 to 65535
    """
    begins = " or ".join(f"{one}://" for one in schemes)
    if not any(value.startswith(f"{one}://") for one in schemes):
        raise ValueError(f"{_shown(value)} is no URL: it begins with {begins}")
    if re.search(r"[\x00-\x20\x7f]", value):
        raise ValueError(f"{_shown(value)} is no URL: it holds a blank or a control character")
    try:
        parts = urlsplit(value)
        host = parts.hostname
    except ValueError:
        raise ValueError(
            f"{_shown(value)} is no URL: its host cannot be read. An address of IPv6 stands in "
            "brackets, http://[::1]:8000/v1"
        ) from None
    try:
        is_right = parts.port != 0
    except ValueError:
        is_right = False
    if not is_right:
        hint = ""
        if "@" in value:
            hint = ". A password is written with %2F for / and %40 for @, or, better, sent as a key"
        raise ValueError(f"{_shown(value)} is no URL: its port is no number from 1 to 65535{hint}")
    if not host:
        raise ValueError(f"{_shown(value)} is no URL: it names no host")


def must_be_header(name: str, value: str) -> None:
    """Raise unless a request can have this header.

    Raises
    ------
    ModelError
        If not; the value is not told.
    """
    if not _NAME.fullmatch(name):
        raise ModelError(f"{name!r} is no name of a header: letters, digits and hyphens make one.")
    if not _VALUE.fullmatch(value):
        place = next(i for i, one in enumerate(value, 1) if not _VALUE.fullmatch(one))
        raise ModelError(
            f"The header {name} cannot be sent: character {place} of its value (which is not shown "
            "here: it may be a key) is no ASCII letter, digit or mark. Was it copied with a line "
            "end, or with typographic quotation marks?"
        )


def must_be_json(value: Any) -> Any:
    """The value itself, if JSON can hold it.

    Raises
    ------
    ValueError
        If it cannot.
    """
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"it is sent as JSON, which cannot hold this: {error}") from None
    return value


def _shown(value: str) -> str:
    """Address in a message, up to what may be a password."""
    head, colon, rest = value.partition("://")
    kept = rest.rpartition("@")[2] if "@" in rest else rest
    hidden = "***@" if "@" in rest else ""
    return redacted(repr(f"{head}{colon}{hidden}{kept}" if colon else value))
