"""Rationales in ERASER's format: annotations that point into documents, token by token.

A folder has ``docs/`` (a file a document, a sentence a line, tokens between spaces) or
``docs.jsonl``, and a file of annotations for each split. A token is counted from the begin of its
document.

References
----------
J. DeYoung et al. (2020). ERASER: a benchmark to evaluate rationalized NLP models. ACL.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import json_line, parse_json
from scrutiny.core.errors import DataError
from scrutiny.core.example import EVIDENCE, Example, Span
from scrutiny.data.readers.files import existing_file, lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, reader_defaults
from scrutiny.store.files import save_text
from scrutiny.tasks.classification import TextClassification, TextPairClassification

_COLUMNS: Final = ("id", "text", "label", EVIDENCE)
_PAIR: Final = "text_pair"


def read(source: DataSource) -> Table:
    """Annotations of ERASER: ``eraser:movies/val.jsonl``, with the documents beside the file.

    A text is the document of an annotation. With a query that is no document, or with two
    documents, as in e-SNLI, it is a pair of texts. Spans of evidence are what people marked.

    Raises
    ------
    DataError
        If the documents cannot be read.
    """
    folder = existing_file(source).parent
    known = documents_of(folder)
    rows = [*_rows(source, known)]
    is_pair = any(_PAIR in row.values for row in rows)
    columns = (*_COLUMNS, _PAIR) if is_pair else _COLUMNS
    task = TextPairClassification.name if is_pair else TextClassification.name
    defaults = {**reader_defaults(task, columns), EVIDENCE: EVIDENCE}
    return Table(columns, iter(rows), source.target, defaults=defaults)


def documents_of(folder: Path) -> Mapping[str, str]:
    """Text of each document by its name, or a mapping that reads them as they are asked for."""
    joined = folder / "docs.jsonl"
    if joined.is_file():
        try:
            with joined.open(encoding="utf-8") as file:
                rows = [parse_json(line) for line in file if line.strip()]
            return {str(one["docid"]): str(one["document"]) for one in rows}
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{joined} holds no documents of ERASER, a line each with a docid and a document: "
                f"{error!r}."
            ) from None
    return _Folder(folder / "docs")


class _Folder(dict[str, str]):
    """Documents of a folder, read when they are asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, name: str) -> str:
        path = self._folder / name
        if not path.is_file() or path.parent != self._folder:
            raise DataError(f"there is no document {name!r} in {self._folder}")
        self[name] = path.read_text(encoding="utf-8")
        return self[name]


@cache
def token_places(text: str) -> tuple[tuple[int, int], ...]:
    """Places of the tokens of a document: whatever stands between spaces."""
    return tuple(found.span() for found in re.finditer(r"\S+", text))


def _rows(source: DataSource, known: Mapping[str, str]) -> Iterator[RawRow]:
    """A row for each annotation."""
    for number, line in enumerate(lines(source), 1):
        if not line.strip():
            continue
        try:
            yield RawRow(number, _cells(parse_json(line), known))
        except (DataError, KeyError, IndexError, TypeError, ValueError) as error:
            said = str(error) or type(error).__name__
            yield RawRow(number, {}, problem=f"it is no annotation of ERASER: {said}")


def annotated_texts(path: Path) -> dict[str, dict[str, tuple[str, str]]]:
    """Documents of each annotation of a file, as items have them.

    Returns
    -------
    dict
        By the annotation's name, and by the field of its item: name of the document, and its text.

    Raises
    ------
    DataError
        If the file or a document cannot be read.
    """
    known = documents_of(path.parent)
    try:
        rows = [parse_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        return {
            str(one["annotation_id"]): {
                field: (name, known[name])
                for field, name in zip(("text", _PAIR), _names(one), strict=False)
            }
            for one in rows
        }
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} cannot be read as annotations of ERASER: {error!r}.") from None


def _names(one: Mapping[str, Any]) -> list[str]:
    """Names of an annotation's documents: those stated, those of its evidence, or its own."""
    evidence = {str(span["docid"]) for group in one["evidences"] for span in group}
    stated = one.get("docids") or sorted(evidence)
    return [str(name) for name in stated] or [str(one["annotation_id"])]


def _cells(one: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, Any]:
    """Cells of an annotation."""
    evidence = [span for group in one["evidences"] for span in group]
    names = _names(one)
    query = str(one.get("query") or "")
    texts = [known[name] for name in names]
    if len(names) == 1 and query:
        texts.append(query)
    if len(texts) > 2:
        raise DataError(f"it has {len(texts)} documents, and a pair of texts has two")
    fields = dict(zip(("text", _PAIR), texts, strict=False))
    own = dict(zip(names, fields, strict=False))
    places = [_place(span, own[str(span["docid"])], fields) for span in evidence]
    label = one["classification"]
    return {"id": str(one["annotation_id"]), "label": label, EVIDENCE: places, **fields}


def _place(span: Mapping[str, Any], field: str, fields: Mapping[str, str]) -> Sequence[Any]:
    """Field and code points of a span of tokens."""
    tokens = token_places(fields[field])
    first, last = int(span["start_token"]), int(span["end_token"]) - 1
    if not 0 <= first <= last < len(tokens):
        raise DataError(f"its tokens {first} to {last + 1} are not in a text of {len(tokens)}")
    return [field, tokens[first][0], tokens[last][1]]


def write(examples: Sequence[Example], folder: Path, name: str) -> None:
    """Write items with their evidence in ERASER's format, as `read` reads them.

    A file of annotations (``val.jsonl``), and ``docs.jsonl`` with a document for each text: its
    name is that of the item and of the field. Evidence goes in whole tokens, as they stand between
    spaces.

    Parameters
    ----------
    examples
        Items with labels, of one text or of two.
    folder
        Where both files are written.
    name
        Name of the file of annotations.
    """
    folder.mkdir(parents=True, exist_ok=True)
    documents = [
        {"docid": _document(one, field), "document": text}
        for one in examples
        for field, text in one.fields.items()
    ]
    annotations = [
        {
            "annotation_id": one.id,
            "query": "",
            "classification": one.gold,
            "docids": [_document(one, field) for field in one.fields],
            "evidences": [
                [_in_tokens(one, span)]
                for span in one.spans
                if span.label.startswith(EVIDENCE)
                and one.fields[span.field][span.start : span.end].strip()
            ],
        }
        for one in examples
    ]
    for path, rows in (("docs.jsonl", documents), (name, annotations)):
        save_text(folder / path, "".join(json_line(row) + "\n" for row in rows))


def _document(example: Example, field: str) -> str:
    return f"{example.id}_{field}"


def _in_tokens(example: Example, span: Span) -> dict[str, Any]:
    """Evidence of ERASER: from the first token that a span touches to the last."""
    text = example.fields[span.field]
    places = token_places(text)
    touched = [i for i, (start, end) in enumerate(places) if start < span.end and span.start < end]
    first, last = touched[0], touched[-1]
    return {
        "docid": _document(example, span.field),
        "text": text[places[first][0] : places[last][1]],
        "start_token": first,
        "end_token": last + 1,
        "start_sentence": -1,
        "end_sentence": -1,
    }
