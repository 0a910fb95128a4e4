"""Rows to look at: bad rows, which were left out, and doubtful rows; summarized by kind."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scrutiny.core.answers.answer import label_in
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
    by_label: dict[str, list[str]] = {}
    for example in examples:
        if example.gold is None:
            continue
        if first.setdefault(tuple(example.fields.values()), example.gold) != example.gold:
            doubts.add("have the texts of an earlier one and a different answer", example.source)
        if (label := label_in(example.gold)) is not None:
            by_label.setdefault(label, []).append(example.source)
    if sum(map(len, by_label.values())) >= _MANY * len(by_label):
        for label, places in by_label.items():
            if len(places) == 1:
                doubts.add(f"have the label {label!r}, which no other row has", places[0])
