"""Stored answers: ``predictions:file.jsonl``, ``.csv``, ``.tsv``, ``.parquet``.

A row is found by the item's ``id`` and, where the file has such columns, by its ``variant`` and
its texts (columns named as the task's fields). It holds a ``label``, or ``probabilities`` (a
mapping from labels, a list in the order of ``#labels=a|b``, or columns ``p_LABEL``), or both; for
tagging ``tags`` or ``spans``; for translation and question answering an ``answer``. Options behind
the ``#`` rename the columns: ``id=``, ``variant=``, ``label=``, ``probabilities=``, ``answer=``.
"""

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.answers.label_and_spans import LABEL, SPANS
from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.columns.item_columns import ItemColumns
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import BAD, AnswerError, first_failure_raised
from scrutiny.models.answers.returned_answers import from_tags, given_answer
from scrutiny.models.answers.returned_labels import answered_label
from scrutiny.models.row_files import FileRow
from scrutiny.models.stored_rows import Key, RowsOfTable, StoredRows, stored_rows
from scrutiny.models.strings.adapters import Adapter, IdentifiedModel
from scrutiny.models.strings.model_families import natural_key
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
from scrutiny.store.files import hash_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_VERSION: Final = "predictions@1"
_COLUMNS: Final = ("id", "variant", "label", "probabilities", "answer")
_PREFIX: Final = "p_"


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
        self,
        rows: StoredRows,
        task: Task,
        source: ModelSource,
        *,
        identity: str,
        has_variants: bool,
    ) -> None:
        self._rows = rows
        self._fields = task.fields
        self.answers_other_texts = has_variants
        self._columns = {name: source.options.get(name, name) for name in _COLUMNS}
        self._kind = task.answer_type
        self.labels = source.labels() or self._stated_labels()
        known_by = canonical_json([self.labels, task.name])
        super().__init__(source.text, task.name, digest(_VERSION, identity, known_by))
        #: Hash of the texts that each row was asked for: 0 for none.
        self._asked = array("q", bytes(8 * len(rows)))
        self._columns_of_items: tuple[ItemColumns, Any] | None = None

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
        keys = [(one.id, str(one.attributes.get("variant", ""))) for one in examples]
        places = self._rows.places(keys)
        return [self._answer(*one) for one in zip(examples, keys, places, strict=True)]

    def answer_codes(self, items: ItemColumns, start: int, stop: int) -> "NDArray[np.int64] | None":
        """Codes of the labels of items; None unless a table tells them by the identity alone."""
        if not isinstance(self._rows, RowsOfTable) or self._kind not in (None, LABEL):
            return None
        if self._columns_of_items is None or self._columns_of_items[0] is not items:
            self._columns_of_items = items, self._codes(self._rows, items)
        columns = self._columns_of_items[1]
        if columns is None or (places := columns[0][start:stop]).min() < 0:
            return None
        told = [name for name in self._fields if name in self._rows.names(0)]
        if not set(told) <= set(items.fields):
            return None
        for name in told:
            if not self._rows.says(name, places, items.fields[name].slice(start, stop - start)):
                return None
        if not told and not self._are_first_texts(items.part(start, stop), places):
            return None
        return columns[1][places]

    def _codes(
        self, rows: RowsOfTable, items: ItemColumns
    ) -> "tuple[NDArray[np.int64], NDArray[np.int64]] | None":
        """Row of each item, and the code of the label of each row."""
        name, names = self._columns, rows.names(0) if len(rows) else ()
        others = (name["variant"], name["probabilities"])
        if any(one in others or one.startswith(_PREFIX) for one in names):
            return None
        places, codes = rows.found(name["id"], items.ids), rows.codes(name["label"])
        return None if places is None or codes is None else (places, codes)

    def _are_first_texts(self, items: ItemColumns, places: "NDArray[np.int64]") -> bool:
        """Whether rows have been asked for no other texts than these."""
        names = tuple(items.fields)
        for place, texts in zip(places.tolist(), items.texts(), strict=True):
            asked = hash(tuple(zip(names, texts, strict=True))) or 1
            if self._asked[place] not in (0, asked):
                return False
            self._asked[place] = asked
        return True

    def _answer(self, example: Example, key: Key, place: int) -> Prediction:
        """Stored prediction of one example."""
        variant = key[1]
        if place < 0:
            what = f"item {example.id!r}" + (f", variant {variant!r}" if variant else "")
            raise AnswerError("no_prediction", f"{self.source} has no row for {what}")
        row, at = self._rows[place], self._rows.place(place)
        texts = [(name, text) for name in self._fields if (text := row.get(name)) is not None]
        if any(example.fields.get(name) != str(text) for name, text in texts):
            raise AnswerError(
                "no_prediction",
                f"{at} is for another text of item {example.id!r}",
            )
        if not texts and not variant and not self._is_first_text(example, place):
            raise ModelError(
                f"Item {example.id!r} was asked with two texts, and {at} does not say "
                f"which it is for. Add the columns {', '.join(example.fields)} to the file, so "
                "that an answer to the original is never taken for one to a changed text."
            )
        if self._kind is None or self._kind is LABEL:
            return Prediction(self._label(row), scores=self._scores(row, at))
        if self._kind is SPANS:
            answer = row.get("spans")
            answer = row.get("tags") if answer is None else answer
            if not isinstance(answer, list):
                raise AnswerError(
                    BAD,
                    f"{at} has neither a list of spans nor a list of tags.",
                )
            found = from_tags([answer], [example], source=at, has_words=True)
            return first_failure_raised(found)[0]
        column = self._columns["answer"]
        if column not in row:
            names = ", ".join(map(str, self._rows.names(place)))
            raise AnswerError(
                BAD,
                f"{at} has no {column!r}. Its columns are: {names}. Rename with #answer=COLUMN.",
            )
        return given_answer(row[column], example, self._kind, source=at)

    def _is_first_text(self, example: Example, place: int) -> bool:
        """Whether a row has been asked for no other text than this one."""
        asked = hash(tuple(example.fields.items())) or 1
        known = self._asked[place]
        self._asked[place] = asked
        return known in (0, asked)

    def _label(self, row: FileRow) -> str | None:
        """Label of one row, if it has one."""
        label = row.get(self._columns["label"])
        return None if label is None or label == "" else answered_label(label)

    def _scores(self, row: FileRow, at: str) -> tuple[float, ...] | None:
        """Probabilities of one row, in the order of the labels."""
        answer = row.get(self._columns["probabilities"])
        if answer is None:
            cells = {
                name.removeprefix(_PREFIX): value
                for name, value in row.items()
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
            raise AnswerError(BAD, f"{at} has no probability of {error.args[0]!r}.") from error
        except (TypeError, ValueError) as error:
            raise AnswerError(BAD, f"{at}: probabilities cannot be read: {error}") from error

    def _stated_labels(self) -> tuple[str, ...]:
        """Labels in the file: of its probabilities, or else all that occur."""
        if self._kind not in (None, LABEL):
            return ()
        seen: dict[str, None] = {}
        column = self._columns["probabilities"]
        first = self._rows.names(0) if len(self._rows) else ()
        has_scores = column in first or any(name.startswith(_PREFIX) for name in first)
        kind = column if has_scores else self._columns["label"]
        for place in self._rows.kinds(kind):
            row, at = self._rows[place], self._rows.place(place)
            answer = row.get(self._columns["probabilities"])
            if isinstance(answer, Mapping):
                return tuple(str(label) for label in answer)
            if isinstance(answer, list):
                raise ModelError(
                    f"{at} lists probabilities without saying of which labels. Add "
                    "them in order behind the file name: #labels=negative|positive."
                )
            columns = [name for name in row if name.startswith(_PREFIX)]
            if columns:
                return tuple(name.removeprefix(_PREFIX) for name in columns)
            label = self._label(row)
            if label is None:
                names = ", ".join(map(str, self._rows.names(place)))
                raise ModelError(
                    f"{at} has no {self._columns['label']!r} and no probabilities: a "
                    f"mapping from labels in {self._columns['probabilities']!r}, or columns "
                    f"{_PREFIX}LABEL. Its columns are: {names}. Rename "
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
    columns = {name: source.options.get(name, name) for name in _COLUMNS}
    read = {*columns.values(), "tags", "spans", *task.fields}
    rows = stored_rows(path, lambda name: name in read or name.startswith(_PREFIX))
    variants = {""}

    def key_of(rows: StoredRows, number: int) -> Key:
        row = rows[number]
        name, variant = row.get(id_column), row.get(variant_column)
        if name is None:
            raise ModelError(
                f"{rows.place(number)} has no {id_column!r}, the item's identifier. Its columns "
                f"are: {', '.join(map(str, rows.names(number)))}. Rename with #id=COLUMN."
            )
        if variant is None:
            return str(name), ""
        variants.add(str(variant))
        return str(name), str(variant)

    has_names = len(rows) and variant_column not in rows.names(0)
    if (twice := rows.index(key_of, column=id_column if has_names else None)) is not None:
        first, second = map(rows.place, twice)
        name, variant = key_of(rows, twice[1])
        raise ModelError(
            f"{second} and {first} are both for item {name!r}"
            + (f", variant {variant!r}." if variant else ".")
        )
    identity = digest(hash_file(path), canonical_json(source.options_of_answers()))
    has_variants = len(variants) > 1
    return StoredPredictions(rows, task, source, identity=identity, has_variants=has_variants)


ADAPTER: Final = Adapter(load)
