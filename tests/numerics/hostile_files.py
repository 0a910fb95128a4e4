"""Hostile files: small valid files of every format that is read, and seeded mutations of them."""

import json
import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl import Workbook
from pyarrow import feather

from scrutiny.core.errors import ScrutinyError
from scrutiny.core.example import Example
from scrutiny.data.dataset import load_dataset
from scrutiny.models.strings.model_loading import load_model
from scrutiny.run.importing.logs import Problems
from scrutiny.tasks.tasks import load_task

ODD_VALUES: Final[tuple[Any, ...]] = (
    None, True, -1, 0, 0.5, 10**30, -(10**19), float("nan"), float("inf"), 1e308, "", " ", "0",
    "\ud800", "x\x00y", "a\u2028b", "\u202e", "e\u0301", "\U0001f600", [], {}, [[]],
    [None], [1, "a"], {"text": 5}, {"text": ["a"], "answer_start": ["0"]}, "text" * 500,
    [[0, 1], [2]], {"a": {"b": []}}, [{}], [[], [0]], {"0": "a"},
)  # fmt: skip
ODD_TEXT: Final = (
    "\x00", "\r", "\r\n", "\n", "\u2028", "\u2029", "\x85", "\x0b", "\ufeff", "\u202e", "\u0301",
    "\U0001f600", "\t", "\t\t", '"', "'", "\\", "\\ud800", ",", "|", "[", "{", "]" * 3, "[" * 3000,
    "9" * 5000, "NaN", "Infinity", "-1", "1e999", "0.5", "²", "٣", "%", "%ZZ", "%ED%A0%80", "#",
    "<", "&x;", "<!--", "<x>", "(", ")", "((((1", "=", ":", "//", "../", "\x1b[31m",
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """Kind of file: its bytes, its name, the files beside it, and what reads it."""

    content: bytes
    name: str
    read: Callable[[Path], object]
    is_json: bool = False
    beside: Mapping[str, bytes] = field(default_factory=dict)


def mutated(kind: Kind, rng: random.Random) -> bytes:
    """Content of a kind of file with one to four mutations."""
    data = kind.content
    if kind.is_json and rng.random() < 0.6:
        data = _odd_json(data.decode(), rng).encode("utf-8", "surrogatepass")
    else:
        data = _odd_bytes(data, rng)
    while rng.random() < 0.4:
        data = _odd_bytes(data, rng)
    return data


def _flip(data: bytes, rng: random.Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(rng.randrange(1, 5) if data else 0):
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
    return bytes(flipped)


def _cut(data: bytes, rng: random.Random) -> bytes:
    place, other = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:place] + (data[other:] if rng.random() < 0.5 else b"")


def _move_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    swapped = [*lines]
    swapped[a], swapped[b] = lines[b], lines[a]
    repeated = [*lines[:a], lines[b], *lines[a:]]
    return b"".join(rng.choice([swapped, repeated, [*lines[:a], *lines[a + 1 :]]]))


def _end_lines_otherwise(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", rng.choice([b"\r", b"\r\n", b"\n\n", b" ", b"\n\r"]))


def _become_another_file(data: bytes, rng: random.Random) -> bytes:
    marks = [mark + data for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"PK\x03\x04")]
    whole = [b"", b"\n", b" ", data * 2, data[::-1], data.lower(), data.upper()]
    wide = [data.decode("utf-8", "replace").encode(code) for code in ("utf-16", "utf-32-le")]
    return rng.choice([*marks, *whole, *wide])


def _replace_a_word(data: bytes, rng: random.Random) -> bytes:
    words = data.replace(b",", b" ").split()
    odd = rng.choice(ODD_TEXT).encode()
    return data.replace(rng.choice(words), odd, rng.choice([1, -1])) if words else odd


def _insert(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(ODD_TEXT).encode() + data[place:]


_CHANGES: Final = (
    _flip, _cut, _move_lines, _end_lines_otherwise, _become_another_file, _replace_a_word,
    _replace_a_word, _insert, _insert,
)  # fmt: skip


def _odd_bytes(data: bytes, rng: random.Random) -> bytes:
    return rng.choice(_CHANGES)(data, rng)


def _odd_json(text: str, rng: random.Random) -> str:
    """JSON document, or a document a line, with a value, a key or a nesting changed."""
    lines = text.splitlines()
    is_lines = len(lines) > 1 and all(line.startswith("{") for line in lines)
    place = rng.randrange(len(lines)) if is_lines else 0
    value = json.loads(lines[place] if is_lines else text)
    for _ in range(rng.randrange(1, 3)):
        _change_value(value, rng)
    written = json.dumps(value, ensure_ascii=rng.random() < 0.9)
    if is_lines:
        lines[place] = written
    return "\n".join(lines) + "\n" if is_lines else written


def _change_value(value: Any, rng: random.Random) -> None:
    held = value
    while isinstance(held, dict | list) and held:
        key = rng.choice(list(held) if isinstance(held, dict) else range(len(held)))
        inside = held[key]
        if isinstance(inside, dict | list) and inside and rng.random() < 0.8:
            held = inside
            continue
        match rng.randrange(6):
            case 0 if isinstance(held, dict):
                del held[key]
            case 1 if isinstance(held, dict):
                held[rng.choice(["\ud800", "", "id", "text", key + " "])] = held.pop(key)
            case 2:
                held[key] = [inside]
            case 3:
                held[key] = _nested(rng.choice([3, 90, 150, 700]))
            case _:
                held[key] = deepcopy(rng.choice(ODD_VALUES))
        return


def _nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def survives(kind: Kind, content: bytes, folder: Path) -> bool:
    """Whether a file reads; an error of scrutiny says so, and any other goes on its way."""
    path = folder / kind.name
    path.write_bytes(content)
    try:
        kind.read(path)
    except ScrutinyError as error:
        if not str(error).strip():
            raise RuntimeError("an error without words") from error
        return False
    return True


def fuzz(name: str, kind: Kind, n: int, folder: Path, *, seed: int = 0) -> int:
    """Number of files that read, of n mutated ones; a traceback names the file that made it."""
    for other, content in kind.beside.items():
        (folder / other).write_bytes(content)
    read = 0
    for number in range(n):
        content = mutated(kind, random.Random(f"{name}/{seed}/{number}"))
        try:
            read += survives(kind, content, folder)
        except Exception as error:
            raise AssertionError(f"{name}, number {number}: {content[:2000]!r}") from error
    return read


def data(scheme: str, options: str = "") -> Callable[[Path], object]:
    """Reader of a data string; what is read is told and summarized as `data show` does."""

    def read(path: Path) -> object:
        found = load_dataset(f"{scheme}:{path}{options}")
        return found.fingerprint, found.notes, found.doubts, found.bad_rows

    return read


def predictions(path: Path) -> object:
    """Answers of a file of predictions to two texts."""
    model = load_model(f"predictions:{path}", load_task("text-classification"))
    return model.predict([Example(str(i), {"text": f"Text {i}."}, "a") for i in range(2)])


def log_of(tool: Any) -> Callable[[Path], object]:
    """Reader of another tool's log."""

    def read(path: Path) -> object:
        logs = [one for file in tool.files_of(path, {}) for one in tool.logged(file)]
        return [[*one.read(Problems())] for one in logs]

    return read


def text_of(read: Callable[[str], object]) -> Callable[[Path], object]:
    """Reader of a text that no file holds: a data string, an expectation."""
    return lambda path: read(path.read_bytes().decode("utf-8", "surrogateescape"))


def parquet_of(rows: list[dict[str, Any]]) -> bytes:
    """Bytes of a Parquet file."""
    stream = BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def arrow_of(rows: list[dict[str, Any]]) -> bytes:
    """Bytes of an Arrow file."""
    stream = BytesIO()
    feather.write_feather(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def xlsx_of(rows: list[dict[str, Any]]) -> bytes:
    """Bytes of a workbook of one sheet."""
    book, stream = Workbook(), BytesIO()
    for row in ([*rows[0]], *([*row.values()] for row in rows)):
        book.active.append(row)
    book.save(stream)
    return stream.getvalue()


def scores_file() -> bytes:
    """Bytes of a file of published scores of heads."""
    stream = BytesIO()
    np.savez(stream, story_neg_m=np.full((1, 2, 3), 0.5))
    return stream.getvalue()


def lines_of(rows: list[Any]) -> bytes:
    """Bytes of JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
