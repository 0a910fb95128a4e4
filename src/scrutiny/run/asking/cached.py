"""Answers as the cache keeps them: a key for all that changes an answer, and the answer's bytes."""

import json
import struct
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from math import isfinite
from typing import Any, Final

from scrutiny.core.answers.stored import from_json, to_json
from scrutiny.core.boundary.canonical import canonical_json, digest, length_prefixed
from scrutiny.core.example import Example
from scrutiny.core.queries.remote import Replies, Reply
from scrutiny.core.task import Prediction

_ONE, _ROW, _ROWS = b"1", b"r", b"t"  # what an answer of numbers begins with: its shape
_CLASS: Final = b"c"  # what a label and its probabilities begin with; JSON begins with a bracket
_FLOATS: Final = [struct.Struct(f"<{count}d") for count in range(256)]


def answer_keys(
    examples: Iterable[Example], *, fingerprint: str, capability: str, label_map: str, draw: int = 0
) -> list[bytes]:
    """Cache keys of a model's answers to these examples.

    Parameters
    ----------
    examples
        Only the texts, the token borders and the language count: identical texts share an answer.
    fingerprint
        The model's own digest of everything that changes an answer.
    capability
        Capability that is called ("predict").
    label_map
        Digest of the mapping of labels.
    draw
        Repetition, for models that answer at random.
    """
    model = digest(canonical_json([fingerprint, capability, label_map, draw]))
    return [blake2b(_asked(model, example), digest_size=16).digest() for example in examples]


def _asked(model: str, example: Example) -> bytes:
    """Bytes that identify a request: the model, and all that it sees of an example."""
    chunks = [_repeated(model), _repeated(example.language), _repeated(str(len(example.fields)))]
    for field, text in example.fields.items():
        borders = (example.tokens or {}).get(field)
        written = "" if borders is None else str([f"{a}-{b}" for a, b in borders])
        chunks += [_repeated(field), length_prefixed(text), length_prefixed(written)]
    return b"".join(chunks)


@lru_cache(maxsize=256)
def _repeated(part: str) -> bytes:
    """`length_prefixed`, cached for parts that many requests share."""
    return length_prefixed(part)


_ascii_json: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def encode(prediction: Prediction) -> bytes:
    r"""Prediction as bytes; floats round-trip exactly.

    A label with its probabilities, the answer of classifiers, takes a few bytes; all else is JSON.

    Examples
    --------
    >>> encode(Prediction("good", (0.25, 0.75)))[:6], encode(Prediction("good"))
    (b'c\x02good', b'["good",null,null]')
    """
    label, scores, said = prediction
    if label.__class__ is not str or scores is None or said is not None:
        return as_json(prediction).encode()
    count = len(scores)
    is_short = 0 < count < len(_FLOATS)
    if not is_short or set(map(type, scores)) != {float} or not isfinite(sum(scores)):
        return as_json(prediction).encode()
    return _start_of(label, count) + _FLOATS[count].pack(*scores)


def as_json(prediction: Prediction) -> str:
    """Prediction as JSON; floats round-trip exactly."""
    return _ascii_json((to_json(prediction.answer), prediction.scores, prediction.said))


def decode(data: bytes) -> Prediction:
    """Stored prediction from `encode`'s bytes, or from JSON."""
    if data[:1] == _CLASS:
        floats = _FLOATS[data[1]]
        split = len(data) - floats.size
        return Prediction(_label(data[2:split]), floats.unpack_from(data, split))
    answer, scores, said = json.loads(data)
    return Prediction(from_json(answer), None if scores is None else tuple(scores), said)


@lru_cache(maxsize=1024)
def _start_of(label: str, count: int) -> bytes:
    """First bytes of a classifier's answer: the number of probabilities, and the label."""
    return _CLASS + bytes([count]) + label.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=1024)
def _label(data: bytes) -> str:
    """Label from its bytes."""
    return data.decode("utf-8", "surrogatepass")


def query_keys(queries: Iterable[Any], *, fingerprint: str, capability: str) -> list[bytes]:
    """Cache keys of a model's answers to queries of `scrutiny.core.queries.language`.

    Parameters
    ----------
    queries
        Numbers, texts and tuples of them; equal ones share an answer.
    fingerprint
        The model's own digest of everything that changes an answer.
    capability
        Capability that is called ("masked_logprobs").
    """
    start = blake2b(
        length_prefixed(digest(canonical_json([fingerprint, capability]))), digest_size=16
    )
    keys = []
    for query in queries:
        key = start.copy()
        key.update(_plain_json(query).encode("utf-8", "surrogatepass"))
        keys.append(key.digest())
    return keys


# `canonical_json` of numbers, texts and tuples, without its walk over every number in Python
_plain_json: Final = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode


def encode_numbers(given: Any) -> bytes:
    """Numeric answer (a number, a row or rows) as bytes; float64, so it round-trips exactly.

    Examples
    --------
    >>> decode_numbers(encode_numbers(((-0.5, -2.0), ())))
    ((-0.5, -2.0), ())
    """
    if isinstance(given, (float, int)):
        return _ONE + struct.pack("<d", given)
    if given and isinstance(given[0], tuple):
        values = list(chain.from_iterable(given))
        counts = [len(row) for row in given]
        shape = struct.pack(f"<I{len(counts)}I", len(counts), *counts)
        return _ROWS + shape + struct.pack(f"<{len(values)}d", *values)
    return _ROW + struct.pack(f"<{len(given)}d", *given)


def decode_numbers(data: bytes) -> Any:
    """Numeric answer from `encode_numbers`' bytes."""
    kind, body = data[:1], data[1:]
    if kind != _ROWS:
        row = struct.unpack(f"<{len(body) // 8}d", body)
        return row[0] if kind == _ONE else row
    count = struct.unpack_from("<I", body)[0]
    counts = struct.unpack_from(f"<{count}I", body, 4)
    values = iter(struct.unpack_from(f"<{sum(counts)}d", body, 4 + 4 * count))
    return tuple(tuple(islice(values, n)) for n in counts)


def encode_replies(replies: Replies) -> bytes:
    """Replies of a remote model as the cache keeps them: bytes of JSON."""
    return json.dumps([one.plain() for one in replies], separators=(",", ":")).encode()


def decode_replies(data: bytes) -> Replies:
    """Replies of a remote model from `encode_replies`' bytes."""
    found = json.loads(data)
    rows = [{**one, "scores": tuple(one["scores"])} if "scores" in one else one for one in found]
    return tuple(Reply(**one) for one in rows)
