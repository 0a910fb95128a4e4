"""Dataset in memory: examples, labels, rows left out, a fingerprint; items that two share.

What holds on two datasets that share items is no independent finding.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import combinations, islice
from pathlib import PurePath
from typing import Any, Final

from scrutiny.core.answers.answer import labels_in, renamed
from scrutiny.core.boundary.json_text import length_prefixed, value_digest
from scrutiny.core.columns.item_columns import (
    BLOCK,
    Items,
    attribute_column,
    attribute_names,
    counted_golds,
    golds_of,
    language_counts_of,
    with_golds,
)
from scrutiny.core.columns.item_packing import ItemBlock, Packing
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.data.doubts import BadRow, doubt_answers, left_out, lookalikes, refuse_same_labels
from scrutiny.data.labels import LabelMatch, no_gold_among, several_in_one, sort_labels
from scrutiny.data.opening import models_named, open_data, with_models
from scrutiny.data.readers.suites import must_fit
from scrutiny.data.reading import OnBadRow, Reading, parse_limit
from scrutiny.tasks.cells import READ_SEVERAL
from scrutiny.tasks.item_hashes import content_key
from scrutiny.tasks.tasks import load_task

#: Share of the items below which a language is none of the data's.
_RARE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Dataset:
    """Examples of one source, with their labels and how they were read.

    Parameters
    ----------
    name
        Name in the plan, or of the file.
    source
        The data string, as given.
    task
        Name of the task.
    examples
        In file order.
    labels
        Gold labels that occur (types of entities, for tagging), in a fixed order.
    label_map
        New names of labels that the data string states.
    bad_rows
        Rows that were left out, with the reason.
    fingerprint
        32 hexadecimal digits that depend on identifiers, texts and gold, in order; not on the
        names of files, columns or labels. Where a task has no labels, the columns of its items
        count as gold.
    notes
        Sentences about how the data were read.
    columns
        Column by role.
    data_string
        The data string with guessed columns stated; empty for an object.
    warnings
        Sentences about possible mistakes in the file: labels that look alike, a language that could
        not be told.
    doubts
        A sentence for each kind of doubtful rows that were kept: how many, and the first.
    is_suite
        Whether its items are cases of a suite, and the items that these were made of.
    language_note
        Sentence about languages that were found and are not all English; also in the notes.
    """

    name: str
    source: str
    task: str
    examples: Items
    labels: tuple[str, ...]
    label_map: Mapping[str, str]
    bad_rows: tuple[BadRow, ...]
    fingerprint: str
    notes: tuple[str, ...]
    columns: Mapping[str, str]
    data_string: str = ""
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    is_suite: bool = False
    language_note: str = ""

    def __len__(self) -> int:
        """Number of examples."""
        return len(self.examples)

    @property
    def golds(self) -> list[Any]:
        """Gold answers, in order."""
        return golds_of(self.examples)

    @property
    def language_counts(self) -> Mapping[str, int]:
        """How many examples are in each language, the commonest first."""
        counts = language_counts_of(self.examples)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def languages(self) -> frozenset[str]:
        """Languages of the examples: the commonest, and those of one in twenty or more."""
        counts = self.language_counts
        least = min(_RARE * len(self.examples), max(counts.values(), default=0))
        return frozenset(code for code, n in counts.items() if n >= least)

    @property
    def to_look_at(self) -> tuple[str, ...]:
        """Sentences about rows to check: those left out, and doubtful ones, by kind."""
        return (*left_out(self.bad_rows), *self.doubts)

    def with_labels(self, match: LabelMatch) -> "Dataset":
        """Return the dataset with the model's names for its gold labels.

        The fingerprint stays: it is of the data as read.
        """
        names = match.mapping
        examples = with_golds(self.examples, lambda gold: renamed(gold, names.__getitem__))
        labels = tuple(names[label] for label in self.labels)
        notes = (*self.notes, match.note)
        return replace(self, examples=examples, labels=labels, label_map=names, notes=notes)

    def unit_column(self, unit: str) -> str:
        """Column of the items that is the unit of resampling.

        The given one; else the first ``u_`` column with several values (one document is no sample
        of documents); else "item".

        Raises
        ------
        PlanError
            If the items have no such column.
        """
        names = attribute_names(self.examples)
        if unit == "item":
            for name in names:
                if name.startswith("u_") and len({*attribute_column(self.examples, name)}) > 1:
                    return name
            return "item"
        for name in (unit, f"u_{unit}"):
            if name in names:
                return name
        raise PlanError(
            f"data {self.name!r}: unit {unit!r} is no column of the items; they have "
            f"{', '.join(names) or 'none'}. Map one in the data string: #unit={unit}."
        )


def load_dataset(
    source: Any,
    *,
    task: str | None = None,
    limit: int | str | None = None,
    on_bad_row: OnBadRow = "skip",
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Dataset:
    """Load a dataset from a data string, a path or an object that holds a table.

    Parameters
    ----------
    source
        A data string (``csv:dev.csv#text=sentence,label=label``), a path, a pandas or polars data
        frame, a pyarrow table, a ``datasets.Dataset``, a list of dicts or a dict of columns.
    task
        Name of the task; default: identified by the columns.
    limit
        Number of examples, or a range of them (``"100:200"``), among the rows that can be read; of
        a suite, of its groups: an item with all cases that change it.
    on_bad_row
        ``skip`` counts and lists rows that cannot be read; ``fail`` stops at the first.
    name
        Name of the dataset; default: made from the source.
    columns
        Options of the data string as a mapping (``{"text": "sentence"}``).

    Raises
    ------
    DataError
        If the source, or every row of it, cannot be read.

    Examples
    --------
    >>> data = load_dataset("builtin:reviews", limit=4)
    >>> len(data), data.labels
    (4, ('negative', 'positive'))
    """
    parse_limit(limit)  # refused before anything is opened
    reading = open_data(source, task=task, on_bad_row=on_bad_row, columns=columns)
    read, fingerprint = _read(reading, limit)
    if not read:
        raise DataError(f"The limit {limit} selects no example of {reading.source}.")
    if reading.table.is_suite:
        must_fit(read)
    examples = _without_marks(read, reading)
    if models_named(reading.source):
        examples = tuple(with_models(examples, reading.source))
    labels = _labels(examples, reading)
    refuse_same_labels(labels, str(reading.source))
    if reading.permute is None:
        doubt_answers(examples, reading.doubts)
    return Dataset(
        name=name or _name(reading),
        source=str(reading.source),
        task=reading.task.name,
        examples=examples,
        labels=labels,
        label_map=reading.label_map,
        bad_rows=tuple(reading.bad_rows),
        fingerprint=fingerprint,
        notes=reading.notes,
        warnings=tuple(filter(None, (*lookalikes(examples), reading.languages.warning))),
        columns=reading.columns.roles,
        data_string=""
        if reading.source.scheme == "object"
        else str(reading.source.stating({**reading.columns.guesses, **reading.languages.stated})),
        doubts=tuple(reading.doubts.said()),
        is_suite=reading.table.is_suite,
        language_note=reading.languages.note,
    )


def _blocks(
    reading: Reading, limit: int | str | None
) -> Iterator[tuple[Sequence[Example] | ItemBlock, list[bytes]]]:
    """Items in file order, many at once, with the key of the content of each."""
    if reading.table.batches is not None and limit is None:
        from scrutiny.data.column_reading import blocks_of, reads_columns  # it imports pyarrow

        if reads_columns(reading):
            n = 0
            for block, keys in reading.languages.told(blocks_of(reading)):
                n += len(keys)
                yield block, keys
            reading.must_have_read(n)
            return
    pairs = reading.keyed(limit)
    while some := [*islice(pairs, BLOCK)]:
        yield [example for example, _ in some], [key for _, key in some]


def _read(reading: Reading, limit: int | str | None) -> tuple[Items, str]:
    """All items of a source, and their fingerprint."""
    fingerprint = blake2b(digest_size=16, person=b"scrutiny.data.1")
    packing = Packing()
    for items, keys in _blocks(reading, limit):
        packing.add(items)
        if isinstance(items, ItemBlock):
            parts = zip(keys, items.ids, strict=True)
            fingerprint.update(b"".join(key + name.encode() + b"\0" for key, name in parts))
            continue
        for example, key in zip(items, keys, strict=True):
            fingerprint.update(key)
            fingerprint.update(example.id.encode() + b"\0")
            if not reading.task.must_be_answered:
                fingerprint.update(columns_key(example))
            if example.case is not None:
                fingerprint.update(value_digest(example.case).encode())
    return packing.items(), fingerprint.hexdigest()


def columns_key(example: Example) -> bytes:
    """Texts and columns of an item, as bytes: the identity of an item without gold."""
    columns = [f"{name}={value!r}" for name, value in sorted(example.attributes.items())]
    texts = [part for field in example.fields.items() for part in field]
    return length_prefixed(*texts, *columns)


def _without_marks(examples: Items, reading: Reading) -> Items:
    """Examples, without gold where a label says that there is none; each is a doubtful row."""
    if not reading.task.gives_labels or reading.label_map:
        return examples
    golds = {gold for gold, _ in counted_golds(examples)}
    if several := several_in_one(golds):
        raise DataError(
            f"{reading.source}: the label {several!r} is several labels of one item: "
            f"{READ_SEVERAL}, as in {reading.task.answer}=NAME; if it is one class, name all "
            "classes by labels=."
        )
    marks = no_gold_among(golds)
    if not marks:
        return examples
    for example in examples:
        if example.gold in marks:
            said = f"have no gold label ({example.gold}): kept, but not scored"
            reading.doubts.add(said, example.source)
    return with_golds(examples, lambda gold: None if gold in marks else gold)


def _labels(examples: Items, reading: Reading) -> tuple[str, ...]:
    """Distinct labels: in the order of the label map or of the file's classes, else sorted."""
    found = {label for gold, _ in counted_golds(examples) for label in labels_in(gold)}
    column = reading.columns.roles.get(reading.task.answer, "")
    stated = reading.table.class_names.get(column, ())
    known = dict.fromkeys(reading.label_map.values() or stated)
    return tuple(label for label in known if label in found) or tuple(sort_labels(list(found)))


def _name(reading: Reading) -> str:
    """Short name of a source: the file's without its suffix, the split of a hub data set."""
    name = reading.source.target
    if reading.source.scheme == "hf":
        base = name.partition("@")[0].partition("[")[0]
        name = base.rpartition("/")[2].replace(":", "-")
    elif reading.source.scheme not in ("builtin", "object"):
        name = PurePath(name.replace("\\", "/")).stem
    return name if reading.permute is None else f"{name}-permuted-{reading.permute}"


@dataclass(frozen=True, slots=True)
class SharedItems:
    """Number of items that two datasets of one task share, whatever their identifiers.

    Parameters
    ----------
    a, b
        Names of the data sets.
    shared
        Items of the smaller one that are also in the other, with the same gold or another.
    smaller
        Size of the smaller.
    is_same
        Whether both are the same items with the same gold, in any order.
    """

    a: str
    b: str
    shared: int
    smaller: int
    is_same: bool

    @property
    def is_half(self) -> bool:
        """Whether at least half of the smaller dataset is shared."""
        return 2 * self.shared >= self.smaller


def shared_items(datasets: list[Dataset]) -> list[SharedItems]:
    """Pairs of datasets of one task that share items, and how many."""
    tasks = Counter(dataset.task for dataset in datasets)
    several = [dataset for dataset in datasets if tasks[dataset.task] > 1]
    # counts of items by their key without gold, with their columns if a task has no labels
    asked = {}
    for dataset in several:
        needs_columns = not load_task(dataset.task).must_be_answered
        asked[id(dataset)] = Counter(
            content_key(Example(one.id, one.fields, None, one.spans))
            + (columns_key(one) if needs_columns else b"")
            for one in dataset.examples
        )
    found = []
    for a, b in combinations(several, 2):
        if a.task == b.task and (both := (asked[id(a)] & asked[id(b)]).total()):
            is_same = both == len(a) == len(b) and _answered(a) == _answered(b)
            found.append(SharedItems(a.name, b.name, both, min(len(a), len(b)), is_same))
    return found


def _answered(dataset: Dataset) -> Counter[bytes]:
    """Counts of items by their key with gold."""
    return Counter(content_key(example) for example in dataset.examples)
