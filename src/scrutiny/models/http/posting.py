"""Posting: what a request may hold, one request, and its reply read up to a limit.

Addresses, headers and JSON are checked before anything is sent. What stands in an address behind
:// up to an @ may be a password, and headers hold keys: neither is quoted here.

A redirect is followed only where the same request may be sent again on the same server (statuses
307 and 308). Another host would get the texts and every header, and the other statuses turn a
request into one without its text, whose reply says nothing of it.
"""

import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.errors import ModelError
from scrutiny.models.http.reply_reading import BadReply

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


#: Bytes of a reply that are read at most, packed and unpacked.
LARGEST: Final = 8 * 2**20
#: What replies may be packed with; nothing else is asked for, nor unpacked.
ACCEPTED: Final = "gzip"
_BEGINNING: Final = 2**16  # bytes of what is too large
_AGAIN: Final = frozenset({307, 308})
_HOPS: Final = 5
_PORTS: Final = {"http": 80, "https": 443}
_EITHER: Final = 32 + zlib.MAX_WBITS  # of gzip or zlib
_SHOWN: Final = 300  # letters of an address


class RedirectError(Exception):
    """A server sends requests elsewhere, where they are not sent."""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """Reply of a server.

    Parameters
    ----------
    address
        Where it came from.
    status, headers
        Of HTTP.
    raw
        Bytes, unpacked; the first of a reply that is too large.
    is_whole
        Whether these are all.
    charset
        Encoding that it states, if it states one.
    """

    address: str
    status: int
    headers: Mapping[str, str]
    raw: bytes
    is_whole: bool = True
    charset: str | None = None


async def posted(client: Any, address: str, body: bytes) -> ServerAnswer:
    """Answer to a request of an ``httpx2.AsyncClient``.

    Raises
    ------
    RedirectError
        If the server sends it elsewhere.
    BadReply
        If the reply cannot be unpacked.
    """
    at = address
    for _ in range(_HOPS + 1):
        async with client.stream("POST", at, content=body) as reply:
            if 300 <= reply.status_code < 400:
                at = _redirected(at, reply.status_code, reply.headers.get("location"))
                continue
            raw, is_whole = await _read(reply)
            return ServerAnswer(
                at, reply.status_code, reply.headers, raw, is_whole, reply.charset_encoding
            )
    raise RedirectError(
        f"{address} redirects {_HOPS + 1} times in a row, last to {_short(at)}. Write the address "
        "at which it answers, then re-issue the same command."
    )


async def _read(reply: Any) -> tuple[bytes, bool]:
    """Bytes of a reply and True; of one beyond the limit, its beginning and False."""
    unpacked = _unpacking(reply.headers.get("content-encoding", ""))
    kept, came = bytearray(), 0
    async for chunk in reply.aiter_raw():
        came += len(chunk)
        kept += unpacked(chunk, LARGEST + 1 - len(kept))
        if len(kept) > LARGEST or came > LARGEST:
            return bytes(kept[:_BEGINNING]), False
    return bytes(kept), True


def _unpacking(stated: str) -> Callable[[bytes, int], bytes]:
    """Function that unpacks the next bytes, to so many at most."""
    encoding = stated.strip().lower()
    if encoding in ("", "identity"):
        return lambda chunk, most: chunk[:most]
    if encoding not in (ACCEPTED, "x-gzip", "deflate"):
        raise BadReply(
            f"it is packed with {encoding[:_SHOWN]!r}, and only {ACCEPTED} was asked for"
        )
    unpacking = zlib.decompressobj(_EITHER)

    def unpacked(chunk: bytes, most: int) -> bytes:
        try:
            return unpacking.decompress(chunk, most)
        except zlib.error as error:
            raise BadReply(f"it cannot be unpacked ({error})") from None

    return unpacked


def _redirected(address: str, status: int, location: str | None) -> str:
    """Where a redirect leads, if the same request may be sent there.

    Raises
    ------
    RedirectError
        If not.
    """
    says = f"{address} redirects (status {status})"
    if not location:
        raise RedirectError(f"{says} without saying where to. Look at the address.")
    try:
        target = urljoin(address, location)
        is_same = _origin(urlsplit(target)) == _origin(urlsplit(address))
    except ValueError:
        raise RedirectError(
            f"{says} to {_short(location)}, which is no address. Look at the server."
        ) from None
    if is_same and status in _AGAIN:
        return target
    why = (
        "A request would be sent there again without its text, so it is not"
        if is_same
        else "That is another server, which would get the texts and the keys, so it gets nothing"
    )
    raise RedirectError(
        f"{says} to {_short(target)}. {why}. If you trust that address, write it in place of the "
        "other, then re-issue the same command."
    )


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    """Scheme, host and port."""
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _short(address: str) -> str:
    return repr(address if len(address) <= _SHOWN else address[: _SHOWN - 1] + "…")
