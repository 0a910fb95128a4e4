"""Stored forms, and back: answers as bytes of the cache, edits as JSON.

Floats of answers round-trip exactly; edits have pieces only where one states any.
"""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from json.encoder import encode_basestring
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.answer import from_json, to_json
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.edit import Copy, Edit, Piece
from scrutiny.core.example import Span
from scrutiny.core.queries.gradients import PathGradients
from scrutiny.core.queries.remote import Replies, Reply
from scrutiny.core.task import Prediction

_ONE, _ROW, _ROWS = b"1", b"r", b"t"  # what an answer of numbers begins with: its shape
_CLASS: Final = b"c"  # what a label and its probabilities begin with; JSON begins with a bracket
_FLOATS: Final = [struct.Struct(f"<{count}d") for count in range(256)]
_ascii_json: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def encode(prediction: Prediction) -> bytes:
    r"""Prediction as stored bytes; floats round-trip exactly.

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
    """Stored prediction in its longer form, JSON; floats round-trip exactly."""
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


def encode_numbers(given: Any) -> bytes:
    """Numeric answer (a number, a row or rows) as stored bytes: float64, which round-trips exactly.

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
    """Stored numeric answer from `encode_numbers`' bytes."""
    kind, body = data[:1], data[1:]
    if kind != _ROWS:
        row = struct.unpack(f"<{len(body) // 8}d", body)
        return row[0] if kind == _ONE else row
    count = struct.unpack_from("<I", body)[0]
    counts = struct.unpack_from(f"<{count}I", body, 4)
    values = iter(struct.unpack_from(f"<{sum(counts)}d", body, 4 + 4 * count))
    return tuple(tuple(islice(values, n)) for n in counts)


def decode_path(data: bytes) -> PathGradients:
    """Stored attributions along a path from `encode_numbers`' bytes."""
    return PathGradients.of_numbers(decode_numbers(data))


def encode_replies(replies: Replies) -> bytes:
    """Replies of a remote model as stored bytes: JSON."""
    return json.dumps([one.plain() for one in replies], separators=(",", ":")).encode()


def decode_replies(data: bytes) -> Replies:
    """Stored replies of a remote model from `encode_replies`' bytes."""
    found = json.loads(data)
    rows = [{**one, "scores": tuple(one["scores"])} if "scores" in one else one for one in found]
    return tuple(Reply(**one) for one in rows)


def edits_json(edits: Sequence[Edit]) -> str:
    """Canonical JSON of edits: the bytes of `canonical_json`, written directly.

    Examples
    --------
    >>> edits_json((Edit("text", 0, 1, "b"),))
    '[["text",0,1,"b",[],false]]'
    """
    if not edits:
        return "[]"
    written = []
    for field, start, end, text, spans, inside, pieces, copies in edits:
        if spans or pieces or copies is not None:
            return canonical_json([_stated(edit) for edit in edits])
        truth = "true" if inside else "false"
        written.append(
            f"[{encode_basestring(field)},{start},{end},{encode_basestring(text)},[],{truth}]"
        )
    return f"[{','.join(written)}]"


def _stated(edit: Edit) -> tuple[Any, ...]:
    """Members of an edit that are stored: its last ones only where they say something."""
    if edit.copies is not None:
        return edit
    return edit[:-1] if edit.pieces else edit[:-2]


def packed(rows: Sequence[Mapping[str, Any]]) -> NDArray[np.uint8]:
    """JSON rows as an array of bytes that a shard keeps."""
    return np.frombuffer(canonical_json(rows).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def packed_in(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """JSON rows of a run's arrays of this name, shard by shard in the order of their names."""
    for path in sorted((folder / "arrays").rglob(f"{name}.npy")):
        yield from packed_rows(path)


def packed_rows(path: Path) -> list[dict[str, Any]]:
    """JSON rows of one array that `packed` made."""
    data = np.load(path, allow_pickle=False).tobytes()
    rows: list[dict[str, Any]] = json.loads(data.decode("utf-8", "surrogatepass"))
    return rows


def edits_of(column: Sequence[str]) -> list[tuple[Edit, ...]]:
    r"""Edits of each text made by `edits_json`, parsed together.

    Examples
    --------
    >>> edits_of(['[["text",0,1,"b",[],false]]', "[]"])
    [(Edit(field='text', start=0, end=1, text='b', spans=(), inside=False, pieces=(), \
copies=None),), ()]
    """
    return [tuple([_edit(e) for e in edits]) for edits in json.loads(f"[{','.join(column)}]")]


def _edit(value: list[Any]) -> Edit:
    """Edit from its JSON array."""
    field, start, end, text, spans, inside, *stated = value
    annotated = tuple([Span(*s) for s in spans]) if spans else ()
    pieces = tuple([Piece(a, b, tuple(of), *new) for a, b, of, *new in stated[0]]) if stated else ()
    copies = tuple([Copy(*c) for c in stated[1]]) if len(stated) > 1 else None
    return Edit(field, start, end, text, annotated, inside, pieces, copies)
