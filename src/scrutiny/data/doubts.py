"""Rows and labels to look at: bad rows, doubtful rows, and labels that look alike.

Bad rows are left out, and all are summarized by kind. Labels and groups that look alike count as
two: they are reported, never merged.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scrutiny.core.answers.answer import labels_in
from scrutiny.core.columns.item_columns import (
    attribute_counts,
    counted_golds,
    first_with,
    label_counts,
    with_equal_texts,
)
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example

_MOST_SHOWN: Final = 5
#: Average rows per label from which a label with a single row is reported.
_MANY: Final = 20
#: Parts in which reasons of one kind differ: quoted text and numbers.
_OWN: Final = re.compile(r"'[^']*'|\d+")


@dataclass(frozen=True, slots=True)
class BadRow:
    """Row that was left out: ``file:line`` and the reason."""

    source: str
    reason: str


@dataclass(slots=True)
class Doubts:
    """Doubtful rows by kind: their number, and the place of the first."""

    rows: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, what: str, place: str) -> None:
        """Count a row; ``what`` continues "12 rows": it begins with a verb in the plural."""
        n, first = self.rows.get(what, (0, place))
        self.rows[what] = n + 1, first

    def said(self) -> Iterator[str]:
        """Sentences, one for each kind of doubt, most frequent first."""
        for what, (n, first) in sorted(self.rows.items(), key=lambda kind: -kind[1][0]):
            verb, _, rest = what.partition(" ")
            one = "1 row has" if verb == "have" else f"1 row {verb}s"
            yield f"{one if n == 1 else f'{n:,} rows {verb}'} {rest}; the first is {first}."


def left_out(rows: Iterable[BadRow]) -> Iterator[str]:
    """Sentences, one for each reason why rows were left out, most frequent first."""
    found: dict[str, list[BadRow]] = {}
    for row in rows:
        found.setdefault(_OWN.sub("", row.reason), []).append(row)
    kinds = sorted(found.values(), key=len, reverse=True)
    for kind in kinds[:_MOST_SHOWN]:
        yield _left_out(len(kind), f"the first is {kind[0].source}: {kind[0].reason}")
    if n := sum(map(len, kinds[_MOST_SHOWN:])):
        yield _left_out(n, "each for a different reason")


def _left_out(n: int, why: str) -> str:
    what = "1 row cannot be read and was" if n == 1 else f"{n:,} rows cannot be read and were"
    return f"{what} left out; {why}"


def doubt_answers(examples: Sequence[Example], doubts: Doubts) -> None:
    """Record items whose texts have another answer elsewhere, and labels of a single row."""
    first: dict[tuple[str, ...], Any] = {}
    for example in with_equal_texts(examples):
        if example.gold is None:
            continue
        if first.setdefault(tuple(example.fields.values()), example.gold) != example.gold:
            doubts.add("have the texts of an earlier one and a different answer", example.source)
    counts = label_counts(examples)
    if counts.total() >= _MANY * len(counts):
        for label, count in counts.items():
            if count == 1:
                place = first_with(examples, label).source
                doubts.add(f"have the label {label!r}, which no other row has", place)


_SPACES: Final = re.compile(r"\s+")
_MOST_PAIRS: Final = 5
#: A column with more values than this is no grouping.
_MOST_VALUES: Final = 500


def refuse_same_labels(labels: Iterable[str], where: str) -> None:
    """Raise for two labels of the same letters, encoded as different code points.

    Raises
    ------
    DataError
        With both.
    """
    first: dict[str, str] = {}
    for label in labels:
        other = first.setdefault(unicodedata.normalize("NFC", label), label)
        if other != label:
            raise DataError(
                f"{where}: the labels {other!a} and {label!a} are the same text, {label}, "
                "with its accents written in two ways, and would count as two classes. Write the "
                "file's labels in one form, unicodedata.normalize('NFC', label)."
            )


def lookalikes(examples: Sequence[Example]) -> Iterator[str]:
    """Sentences, one for each pair of labels, or groups of one column, that look alike."""
    labels: Counter[str] = Counter()
    for gold, n in counted_golds(examples):
        labels.update(dict.fromkeys(labels_in(gold), n))
    yield from _said("labels", labels, "classes")
    for name, values in group_counts(examples, most=_MOST_VALUES).items():
        yield from _said(f"values of {name}", values, "groups")


def _said(what: str, counts: Counter[str], count_as: str) -> Iterator[str]:
    # values paired with the first that looks like them
    pairs, known = [], dict[str, str]()
    for value in sorted(counts):
        plain = unicodedata.normalize("NFKC", value)  # one form of each letter
        seen = (c for c in plain if unicodedata.category(c) not in ("Cf", "Cc") or c.isspace())
        looks = _SPACES.sub(" ", "".join(seen)).strip().casefold()
        other = known.setdefault(looks, value)
        if other != value:
            pairs.append((other, value))
    for a, b in pairs[:_MOST_PAIRS]:
        is_case = a.casefold() == b.casefold()
        how = "case" if is_case else "spaces, forms of letters, or characters that are not seen"
        first, second = (repr(a), repr(b)) if is_case else (ascii(a), ascii(b))
        yield (
            f"The {what} {first} ({counts[a]:,} items) and {second} ({counts[b]:,}) differ only in "
            f"{how}, and count as two {count_as}. If they mean the same, give them one name in the "
            "file."
        )
    if len(pairs) > _MOST_PAIRS:
        yield f"{len(pairs) - _MOST_PAIRS} more pairs of {what} look alike."


def group_counts(examples: Sequence[Example], *, most: int) -> dict[str, Counter[str]]:
    """Counts of the values in each column of groups with so few of them."""
    found = {}
    for name, counts in attribute_counts(examples).items():
        values = Counter({value: n for value, n in counts.items() if isinstance(value, str)})
        if name.startswith("a_") and values and len(values) <= most:
            found[name.removeprefix("a_")] = values
    return found
