"""JSON: canonical text and digests of values, and strict parsing.

The same value always gives the same canonical bytes. Parsing raises errors for repeated keys, deep
nesting and huge numbers: a key that occurs twice would lose the first of its values in silence,
thousands of brackets end Python's stack, and a number of thousands of digits is refused with a hint
to Python's settings. All become a `json.JSONDecodeError`, which readers of files expect.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import blake2b
from json.encoder import encode_basestring
from typing import Any, Final, TypeVar

from scrutiny.core.boundary.printable import STEERING

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


def texts_json(texts: Mapping[str, str]) -> str:
    """JSON of texts by name, in their order: which text is the first one is part of an item.

    Examples
    --------
    >>> texts_json({"text": "naïve", "about": "a"})
    '{"text":"naïve","about":"a"}'
    """
    pairs = texts.items()
    return f"{{{','.join([f'{encode_basestring(n)}:{encode_basestring(t)}' for n, t in pairs])}}}"


def digest(*parts: str | bytes, size: int = 16) -> str:
    """Hexadecimal BLAKE2b digest of length-prefixed parts.

    The prefix keeps ``("ab", "c")`` and ``("a", "bc")`` apart.

    Parameters
    ----------
    parts
        Text (hashed as UTF-8; lone surrogates pass) or bytes.
    size
        Bytes of the digest, 1 to 64.

    Raises
    ------
    TypeError
        If a part is neither: a number is written as text first, by `str` or `canonical_json`.
    """
    return blake2b(length_prefixed(*parts), digest_size=size).hexdigest()


def length_prefixed(*parts: str | bytes) -> bytes:
    """Bytes of all parts, each prefixed by its length as eight little-endian bytes."""
    chunks = []
    for part in parts:
        if isinstance(part, str):
            data = part.encode("utf-8", "surrogatepass")
        elif isinstance(part, (bytes, bytearray, memoryview)):
            data = part
        else:
            kind = type(part).__name__
            raise TypeError(f"{part!r:.60} is {kind}; a part is text or bytes: str(…) of a number")
        chunks += [len(data).to_bytes(8, "little"), data]
    return b"".join(chunks)


def value_digest(value: Any, *, size: int = 3) -> str:
    """Digest of a value's canonical JSON: six hexadecimal digits by default."""
    return digest(canonical_json(value), size=size)


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
