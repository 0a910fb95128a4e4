"""Canonical JSON and digests: the same value always gives the same bytes."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any, Final

_AS_THEY_ARE: Final = frozenset({str, int, float, bool, type(None)})
_ENCODER: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def plain(value: Any) -> Any:
    """Value of dataclasses, mappings, sets and tuples as plain JSON types.

    Raises
    ------
    TypeError
        For anything that JSON cannot express, such as keys that are not text; values are never
        replaced by their ``repr``.
    """
    if type(value) in _AS_THEY_ARE:  # nearly all, and not worth the questions below
        return value
    if isinstance(value, (list, tuple)):
        return [v if type(v) in _AS_THEY_ARE else plain(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {_key(k): plain(v) for k, v in value.items()}
    if isinstance(value, (frozenset, set)):
        return sorted(plain(v) for v in value)
    if isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"{type(value).__name__} has no canonical JSON form")


def _key(key: object) -> str:
    if not isinstance(key, str):  # 1 and "1" would be the same key
        raise TypeError(f"{key!r} is a key and not text, so it has no canonical JSON form")
    return key


def canonical_json(value: Any) -> str:
    """Canonical JSON: one line with sorted keys and no spaces; NaN raises.

    Examples
    --------
    >>> canonical_json({"b": 1, "a": (True, None)})
    '{"a":[true,null],"b":1}'
    """
    return _ENCODER.encode(plain(value))


def digest(*parts: str | bytes, size: int = 16) -> str:
    """Hexadecimal BLAKE2b digest of length-prefixed parts.

    The prefix keeps ``("ab", "c")`` and ``("a", "bc")`` apart.

    Parameters
    ----------
    parts
        Text (hashed as UTF-8; lone surrogates pass) or bytes.
    size
        Bytes of the digest, 1 to 64.
    """
    return blake2b(length_prefixed(*parts), digest_size=size).hexdigest()


def length_prefixed(*parts: str | bytes) -> bytes:
    """Bytes of all parts, each prefixed by its length as eight little-endian bytes."""
    chunks = []
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        chunks += [len(data).to_bytes(8, "little"), data]
    return b"".join(chunks)


def value_digest(value: Any, *, size: int = 3) -> str:
    """Digest of a value's canonical JSON: six hexadecimal digits by default."""
    return digest(canonical_json(value), size=size)
