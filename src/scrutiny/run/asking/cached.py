"""Keys of cached answers: digests of all that changes an answer."""

import json
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final

from scrutiny.core.boundary.canonical import canonical_json, digest, length_prefixed
from scrutiny.core.example import Example


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
