"""Reading a data source: its examples one at a time, with notes on what was found.

Labels can be exchanged at random: a null on which every finding must fail.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from scrutiny.core.answers.answer import labels_in, renamed
from scrutiny.core.boundary.printable import must_be_storable
from scrutiny.core.errors import DataError
from scrutiny.core.example import GROUP, Example, new_example
from scrutiny.core.randomness import generator, stream_of
from scrutiny.core.task import ExchangesLabels, Task
from scrutiny.data.columns import Columns, named
from scrutiny.data.doubts import BadRow, Doubts
from scrutiny.data.hashes import Identifiers
from scrutiny.data.item_languages import Languages
from scrutiny.data.labels import with_named_labels
from scrutiny.data.readers.suites import item_of_suite, with_case
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.cells import label_in_cell
from scrutiny.tasks.item_hashes import content_key

if TYPE_CHECKING:
    from scrutiny.tasks.tasks import ByColumns

OnBadRow = Literal["skip", "fail"]
_MOST_LABELS = 20
#: Columns in which annotation tools keep spans of a text.
_OF_SPANS = ("spans", "entities")
_UNLABELED = "have no label: kept (unlabeled=keep), but not scored"
_MINUS_ONE = "have the label -1, which marks unlabeled rows, and have no gold"
REPEATS = "repeat an earlier one exactly"


@dataclass(slots=True)
class Reading:
    """Open data source; iterate once to get its examples.

    Parameters
    ----------
    source
        The data string.
    table
        Raw rows.
    columns
        Roles of the columns.
    task
        Task that parses the rows.
    label_map
        New names of labels.
    on_bad_row
        Whether a bad row is left out and listed, or ends the reading.
    permute
        Seed of a random exchange of labels; None for no exchange.
    keeps_unlabeled
        Whether rows whose label or tags are empty are read without gold; else they are bad rows.
    bad_rows, doubts, identifiers, renamed, permutation, languages
        Filled while examples are read: rows left out, doubts, names, renamed labels, exchange,
        languages of the texts.
    """

    source: DataSource
    table: Table
    columns: Columns
    task: Task
    label_map: Mapping[str, str] = field(default_factory=dict)
    on_bad_row: OnBadRow = "skip"
    permute: int | None = None
    keeps_unlabeled: bool = False
    bad_rows: list[BadRow] = field(default_factory=list)
    doubts: Doubts = field(default_factory=Doubts)
    identifiers: Identifiers = field(default_factory=Identifiers)
    renamed: set[str] = field(default_factory=set)
    permutation: str = ""
    languages: Languages = field(default_factory=Languages)

    def __iter__(self) -> Iterator[Example]:
        """Examples in file order."""
        return self.limited(None)

    def limited(self, limit: int | str | None) -> Iterator[Example]:
        """Examples in file order, as many as `parse_limit` reads from a limit."""
        return (example for example, _ in self.keyed(limit))

    def keyed(self, limit: int | str | None = None) -> Iterator[tuple[Example, bytes]]:
        """Examples in file order, each with the key of its content in the file.

        No row behind the limit is read; those within it say in which language the texts are. Of a
        suite, groups are counted: an item, and all cases that change it, wherever they stand.
        """
        pairs = self._read() if self.permute is None else self._permuted(self.permute)
        few = _groups_of if self.table.is_suite else islice
        return self.languages.given(few(pairs, *parse_limit(limit)))

    def _permuted(self, seed: int) -> Iterator[tuple[Example, bytes]]:
        """Examples with labels exchanged at random by the task; all are held in memory."""
        pairs = list(self._read())
        before = tuple(example for example, _ in pairs)
        after = permuted(self.task, before, seed=seed)
        moved = sum(a != b for a, b in zip(before, after, strict=True))
        self.permutation = (
            f"Labels were exchanged at random (permute={seed}), which changed {moved:,} of "
            f"{len(pairs):,} items: a null, on which no finding should hold."
        )
        yield from ((e, key) for e, (_, key) in zip(after, pairs, strict=True))

    def _read(self) -> Iterator[tuple[Example, bytes]]:
        n = 0
        for pair in self.parsed(self.table.rows):
            n += 1
            yield pair
        self.must_have_read(n)

    def parsed(self, rows: Iterable[RawRow]) -> Iterator[tuple[Example, bytes]]:
        """Examples of raw rows with their keys; bad rows are left out and listed."""
        parse = self._parse
        for raw in rows:
            try:
                pair = parse(raw)
            except DataError as error:
                self.reject(self._place(raw), str(error))
                continue
            yield pair

    def must_have_read(self, n: int) -> None:
        """Raise if not one row could be read."""
        if n:
            return
        shown = "; ".join(f"{bad.source}: {bad.reason}" for bad in self.bad_rows[:3])
        place, count = self.table.place, len(self.bad_rows)
        raise DataError(
            f"None of the {count} rows of {place} reads. {shown}."
            if count
            else f"{place} is empty: it holds no rows."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how the source was read, so far."""
        notes = [self.permutation, *self.table.notes, self.columns.note]
        notes += [self._without_answers(), self.languages.note]
        absent = [label for label in self.label_map if label not in self.renamed]
        shown = ", ".join(map(repr, absent[:_MOST_LABELS]))
        notes.append(f"labels= renames {shown}, which no row that was read has." if absent else "")
        return tuple(filter(None, notes))

    def _without_answers(self) -> str:
        """Note that the table has no column of gold answers; empty if it has or needs none."""
        answer = self.task.answer
        if not answer or answer in self.columns.roles:
            return ""
        said = "There is no column of gold answers, so answers are not scored."
        if answer in self.source.options:
            return said
        spans = next((name for name in _OF_SPANS if name in self.table.columns), "")
        if spans:
            told = f"spans:{self.source.target} reads them"
            return f"{said} {spans} may hold spans of the text: {told}."
        known = next(role.names for role in self.task.roles if role.name == answer)
        return f"{said} None has a known name ({', '.join(known)}): add {answer}=NAME."

    def _parse(self, raw: RawRow) -> tuple[Example, bytes]:
        """Example and content key of a raw row, with its identifier and label names.

        The key is of the gold as the file has it, so that renaming labels keeps identifiers.
        """
        if raw.problem:
            raise DataError(raw.problem)
        if self.table.is_suite:
            must_be_storable(raw.values)
        if self.table.is_whole:
            place, order = self._place(raw), self.task.fields
            example, doubts = item_of_suite(raw.values, source=place, order=order), []
        else:
            row = self.columns.mapped(raw.values)
            must_be_storable(row)
            doubts = list(self._name_answer(row))
            example = self.task.parse(row, source=self._place(raw))
            doubts += self.task.doubts(row, example)
        key = content_key(example)
        if example.id:
            name = self.identifiers.of_user(example.id, line=raw.line)
        else:
            name = self.identifiers.of_content(key, line=raw.line)
            doubts += [REPEATS] if "-" in name else []
        gold, attributes = example.gold, example.attributes
        if self.label_map:
            gold = self._renamed(gold)
            attributes = with_named_labels(attributes, self.task, self.label_map)
        for doubt in doubts:
            self.doubts.add(doubt, example.source)
        is_told = self.table.is_whole or label_in_cell(row.get("language")) is not None
        example = new_example(
            name,
            example.fields,
            gold,
            example.spans,
            example.tokens,
            example.protected,
            example.source,
            attributes,
            (example.language if is_told else ""),
            example.case,
        )
        return (with_case(example, raw.values) if self.table.is_suite else example), key

    def _name_answer(self, row: dict[str, Any]) -> Iterator[str]:
        """Replace integer classes by the names in the file, and drop answers that are missing.

        Rows without an answer are doubtful, and so are unlabeled splits of the hub, which have -1.
        """
        role = self.task.answer
        if role not in row:
            return
        names = self.table.class_names.get(self.columns.roles[role])
        cells = row[role] if isinstance(row[role], list | tuple) else [row[role]]
        if self.keeps_unlabeled and all(label_in_cell(cell) is None for cell in cells):
            del row[role]
            if not self.table.is_suite:  # whose cases may do without
                yield _UNLABELED
        elif names and row[role] == -1:
            del row[role]
            yield _MINUS_ONE
        elif names:
            row[role] = named(row[role], names)

    def _renamed(self, gold: Any) -> Any:
        """Gold under the names of the label map; a label that the map lacks raises."""
        try:
            self.renamed.update(labels_in(gold))
            return renamed(gold, self.label_map.__getitem__)
        except KeyError as error:
            known = "|".join(f"{k}:{v}" for k, v in self.label_map.items())
            raise DataError(f"the label {error.args[0]!r} is not in labels={known}") from None

    def answer_of(self, cell: Any) -> Any:
        """Gold answer in a cell without doubt, by its name in the file.

        Raises
        ------
        DataError
            If it cannot be read, or a row with it would be doubtful.
        """
        row = {self.task.answer: cell}
        for doubt in self._name_answer(row):
            raise DataError(doubt)
        return cast("ByColumns", self.task).gold(row, ())

    def renamed_or_none(self, gold: Any) -> tuple[Any, bool]:
        """Gold under the name of the label map, and whether the map has it."""
        try:
            return (self._renamed(gold) if self.label_map else gold), True
        except DataError:
            return None, False

    def place(self, line: int, file: str = "") -> str:
        """Place of a line: of the table's file, unless another one is named."""
        place, unit = file or self.table.place, self.table.numbers
        return f"{place}: {unit} {line}" if unit else f"{place}:{line}"

    def _place(self, raw: RawRow) -> str:
        return self.place(raw.line, raw.place)

    def reject(self, where: str, reason: str) -> None:
        """List a bad row, or end the reading with it."""
        if self.on_bad_row == "fail":
            raise DataError(
                f"{where}: {reason}. Correct the row, or leave bad rows out "
                "(on-bad-row skip counts them)."
            )
        self.bad_rows.append(BadRow(where, reason))


def _groups_of(
    pairs: Iterable[tuple[Example, bytes]], start: int, stop: int | None
) -> Iterator[tuple[Example, bytes]]:
    """Items and cases of the groups with these numbers, in the order of their first rows."""
    numbers: dict[object, int] = {}
    for pair in pairs:
        number = numbers.setdefault(pair[0].attributes.get(GROUP), len(numbers))
        if start <= number and (stop is None or number < stop):
            yield pair


def parse_limit(limit: int | str | None) -> tuple[int, int | None]:
    """First example and the one after the last, counted from 0 among the readable rows.

    Raises
    ------
    DataError
        If it is neither a positive number nor ``a:b`` with a before b.

    Examples
    --------
    >>> parse_limit(200), parse_limit("100:200"), parse_limit(None)
    ((0, 200), (100, 200), (0, None))
    """
    if limit is None:
        return 0, None
    low, colon, high = str(limit).strip().partition(":")
    try:
        start = min(int(low or 0), sys.maxsize) if colon else 0
        stop = (int(high) if high else None) if colon else int(low)
        stop = None if stop is None else min(stop, sys.maxsize)
    except ValueError:
        start, stop = -1, None
    if start < 0 or (stop is not None and stop <= start):
        raise DataError(
            f"The limit {limit!r} cannot be read: it is a number of examples (200) or a range "
            "(100:200, from 0, without the last)."
        )
    return start, stop


_MOST_DIGITS: Final = 18


def permutation_seed(source: DataSource, task: Task) -> int | None:
    """Seed stated by ``permute=``, or ``None``.

    Raises
    ------
    DataError
        If it is no number, or the task has no labels to exchange.
    """
    given = source.option("permute")
    if not given:
        return None
    if not given.isdecimal() or len(given) > _MOST_DIGITS:
        raise DataError(
            f"permute={given[:40]} in {source.target}: it is a seed, a whole number from 0."
        )
    if not isinstance(task, ExchangesLabels):
        raise DataError(
            f"permute={given} in {source}: items of {task.name} have no labels that could be "
            "exchanged; it is for classification, sentence pairs, triples and association tests."
        )
    return int(given)


def permuted(task: Task, examples: Sequence[Example], *, seed: int) -> tuple[Example, ...]:
    """Examples, in order, with labels exchanged at random by the task's ``permute``."""
    rng = generator(seed, "permute", name=stream_of(task, task.name), item="")
    return cast("ExchangesLabels", task).permute(examples, rng)
