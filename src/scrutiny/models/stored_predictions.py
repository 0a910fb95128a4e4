"""Stored answers: ``predictions:file.jsonl``, ``.csv``, ``.tsv``, ``.parquet``.

A row is found by the item's ``id`` and, where the file has such columns, by its ``variant`` and
its texts (columns named as the task's fields). It holds a ``label``, or ``probabilities`` (a
mapping from labels, a list in the order of ``#labels=a|b``, or columns ``p_LABEL``), or both; for
tagging ``tags`` or ``spans``; for translation and question answering an ``answer``. Options behind
the ``#`` rename the columns: ``id=``, ``variant=``, ``label=``, ``probabilities=``, ``answer=``.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.label_and_spans import LABEL, SPANS
from scrutiny.core.boundary.json_text import canonical_json, digest, parse_json
from scrutiny.core.boundary.printable import repeated
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import BAD, AnswerError, first_failure_raised
from scrutiny.models.answers.returned_answers import from_tags, given_answer
from scrutiny.models.answers.returned_labels import answered_label
from scrutiny.models.strings.adapters import Adapter, IdentifiedModel
from scrutiny.models.strings.model_families import natural_key
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
from scrutiny.store.files import hash_file

FileRow = Mapping[str, Any]


def read_rows(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Rows of a JSON Lines, CSV, TSV or Parquet file, each with its ``file:line``.

    Raises
    ------
    ModelError
        If the file is not there, has another ending, or cannot be read.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ModelError(
            f"{str(path)!r} has the ending {path.suffix!r}; its rows are read from "
            f"{', '.join(_READERS)} files."
        )
    if not path.is_file():
        there = sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))[:12]
        hint = f" Such files there: {', '.join(there)}." if there else ""
        raise ModelError(f"There is no file {str(path)!r}.{hint}")
    try:
        yield from reader(path)
    except (ValueError, csv.Error, OSError) as error:
        raise ModelError(f"{str(path)!r} cannot be read: {error}") from error


def _json_lines(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"{path.name}:{number}"
            try:
                row = parse_json(line)
            except ValueError as error:
                raise ModelError(f"{place} is no JSON: {error}") from error
            if not isinstance(row, dict):
                raise ModelError(f"{place} is no JSON object.")
            yield place, row


def _delimited(delimiter: str) -> Callable[[Path], Iterator[tuple[str, FileRow]]]:
    """Reader of delimited files with a header."""

    def read(path: Path) -> Iterator[tuple[str, FileRow]]:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, delimiter=delimiter)
            _must_differ(rows.fieldnames or (), path)
            for row in rows:
                place = f"{path.name}:{rows.line_num}"
                if None in row or None in row.values():
                    raise ModelError(f"{place} has more or fewer cells than the header.")
                yield place, row

    return read


def _must_differ(columns: Sequence[str], path: Path) -> None:
    """Refuse two columns with one name."""
    twice = repeated(columns)
    if twice is not None:
        raise ModelError(f"{str(path)!r} has two columns named {twice!r}; rename one of them.")


def _parquet(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Rows of a Parquet file."""
    from scrutiny.store.arrow import ForeignParquet, UnpacksToTooMuchError  # they import pyarrow

    number = 0
    whole = ForeignParquet(path)
    _must_differ(whole.schema.names, path)
    try:
        for batch in whole.batches():
            for row in batch.to_pylist():
                number += 1
                yield f"{path.name}:{number}", row
    except UnpacksToTooMuchError as error:
        raise ModelError(f"{str(path)!r} {error}") from None


_READERS: Final[Mapping[str, Callable[[Path], Iterator[tuple[str, FileRow]]]]] = {
    ".jsonl": _json_lines,
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".parquet": _parquet,
    ".ndjson": _json_lines,
}
_VERSION: Final = "predictions@1"
_COLUMNS: Final = ("id", "variant", "label", "probabilities", "answer")
_PREFIX: Final = "p_"
Key = tuple[str, str]  # item, variant


class StoredRow(NamedTuple):
    """A stored row: its position, its texts by field, and its cells."""

    place: str
    texts: Mapping[str, str]
    row: FileRow


class StoredPredictions(IdentifiedModel):
    """A model that only knows the answers to the examples of a file.

    An example without a row fails with ``no_prediction``. Variants of an item are told apart by
    ``example.attributes["variant"]`` and by their texts; where the file has neither column, an
    item can have one text only.
    """

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})
    has_stored_answers_only = True

    def __init__(
        self, rows: Mapping[Key, StoredRow], task: Task, source: ModelSource, *, identity: str
    ) -> None:
        self._rows = rows
        self.answers_other_texts = any(variant for _, variant in rows)
        self._columns = {name: source.options.get(name, name) for name in _COLUMNS}
        self._kind = task.answer_type
        self.labels = source.labels() or self._stated_labels()
        known_by = canonical_json([self.labels, task.name])
        super().__init__(source.text, task.name, digest(_VERSION, identity, known_by))
        self._asked: dict[str, Mapping[str, str]] = {}

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Stored predictions, in order.

        Raises
        ------
        AnswerError
            ``no_prediction`` if one of the examples has no row, ``bad_answer`` if a row cannot be
            read.
        ModelError
            If an item is asked with two texts and the file does not say which of them its row is
            for.
        """
        return [self._answer(example) for example in examples]

    def _answer(self, example: Example) -> Prediction:
        """Stored prediction of one example."""
        variant = str(example.attributes.get("variant", ""))
        stored = self._rows.get((example.id, variant))
        if stored is None:
            what = f"item {example.id!r}" + (f", variant {variant!r}" if variant else "")
            raise AnswerError("no_prediction", f"{self.source} has no row for {what}")
        if any(example.fields.get(name) != text for name, text in stored.texts.items()):
            raise AnswerError(
                "no_prediction", f"{stored.place} is for another text of item {example.id!r}"
            )
        is_of_any_text = not stored.texts and not variant
        if is_of_any_text and self._asked.setdefault(example.id, example.fields) != example.fields:
            raise ModelError(
                f"Item {example.id!r} was asked with two texts, and {stored.place} does not say "
                f"which it is for. Add the columns {', '.join(example.fields)} to the file, so "
                "that an answer to the original is never taken for one to a changed text."
            )
        if self._kind is None or self._kind is LABEL:
            return Prediction(self._label(stored), scores=self._scores(stored))
        if self._kind is SPANS:
            answer = stored.row.get("spans")
            answer = stored.row.get("tags") if answer is None else answer
            if not isinstance(answer, list):
                raise AnswerError(
                    BAD, f"{stored.place} has neither a list of spans nor a list of tags."
                )
            found = from_tags([answer], [example], source=stored.place, has_words=True)
            return first_failure_raised(found)[0]
        column = self._columns["answer"]
        if column not in stored.row:
            raise AnswerError(
                BAD,
                f"{stored.place} has no {column!r}. Its columns are: "
                f"{', '.join(map(str, stored.row))}. Rename with #answer=COLUMN.",
            )
        return given_answer(stored.row[column], example, self._kind, source=stored.place)

    def _label(self, stored: StoredRow) -> str | None:
        """Label of one row, if it has one."""
        label = stored.row.get(self._columns["label"])
        return None if label is None or label == "" else answered_label(label)

    def _scores(self, stored: StoredRow) -> tuple[float, ...] | None:
        """Probabilities of one row, in the order of the labels."""
        answer = stored.row.get(self._columns["probabilities"])
        if answer is None:
            cells = {
                name.removeprefix(_PREFIX): value
                for name, value in stored.row.items()
                if name.startswith(_PREFIX) and value not in (None, "")
            }
            if not cells:
                return None
            answer = cells
        try:
            if isinstance(answer, Mapping):
                return tuple(float(answer[label]) for label in self.labels)
            return tuple(float(value) for value in answer)
        except KeyError as error:
            raise AnswerError(
                BAD, f"{stored.place} has no probability of {error.args[0]!r}."
            ) from error
        except (TypeError, ValueError) as error:
            raise AnswerError(
                BAD, f"{stored.place}: probabilities cannot be read: {error}"
            ) from error

    def _stated_labels(self) -> tuple[str, ...]:
        """Labels in the file: of its probabilities, or else all that occur."""
        if self._kind not in (None, LABEL):
            return ()
        seen: dict[str, None] = {}
        for stored in self._rows.values():
            answer = stored.row.get(self._columns["probabilities"])
            if isinstance(answer, Mapping):
                return tuple(str(label) for label in answer)
            if isinstance(answer, list):
                raise ModelError(
                    f"{stored.place} lists probabilities without saying of which labels. Add "
                    "them in order behind the file name: #labels=negative|positive."
                )
            columns = [name for name in stored.row if name.startswith(_PREFIX)]
            if columns:
                return tuple(name.removeprefix(_PREFIX) for name in columns)
            label = self._label(stored)
            if label is None:
                raise ModelError(
                    f"{stored.place} has no {self._columns['label']!r} and no probabilities: a "
                    f"mapping from labels in {self._columns['probabilities']!r}, or columns "
                    f"{_PREFIX}LABEL. Its columns are: {', '.join(map(str, stored.row))}. Rename "
                    "with #label=COLUMN or #probabilities=COLUMN."
                )
            seen[label] = None
        return tuple(sorted(seen, key=natural_key))


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Model of a file of stored answers.

    Raises
    ------
    ModelError
        If the file cannot be read, lacks the id, or has two rows for one example.
    """
    source.refuse_unknown_options((*_COLUMNS, "labels", TRAINING))
    path = Path(source.target).expanduser()
    id_column, variant_column = (source.options.get(name, name) for name in ("id", "variant"))
    rows: dict[Key, StoredRow] = {}
    for place, row in read_rows(path):
        if row.get(id_column) is None:
            raise ModelError(
                f"{place} has no {id_column!r}, the item's identifier. Its columns are: "
                f"{', '.join(map(str, row))}. Rename with #id=COLUMN."
            )
        variant = row.get(variant_column)
        found = str(row[id_column]), "" if variant is None else str(variant)
        if found in rows:
            raise ModelError(
                f"{place} and {rows[found].place} are both for item {found[0]!r}"
                + (f", variant {found[1]!r}." if found[1] else ".")
            )
        texts = {name: str(row[name]) for name in task.fields if row.get(name) is not None}
        rows[found] = StoredRow(place, texts, row)
    identity = digest(hash_file(path), canonical_json(source.options_of_answers()))
    return StoredPredictions(rows, task, source, identity=identity)


ADAPTER: Final = Adapter(load)
