"""Rows to look at: left out because they do not read, or read and doubtful. Said by kind, once."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scrutiny.core.example import Example

_MOST_SHOWN: Final = 5
#: A label on one row is odd where labels have so many rows on average.
_MANY: Final = 20
#: What tells two reasons of one kind apart: what is quoted, and numbers.
_OWN: Final = re.compile(r"'[^']*'|\d+")


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that was left out: ``file:line`` and why."""

    source: str
    reason: str


@dataclass(slots=True)
class Doubts:
    """Rows by what makes them doubtful: how many, and the place of the first."""

    rows: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, what: str, place: str) -> None:
        """Count a row; ``what`` goes after "12 rows": it begins with a verb in the plural."""
        n, first = self.rows.get(what, (0, place))
        self.rows[what] = n + 1, first

    def said(self) -> Iterator[str]:
        """A sentence for each kind, the commonest first."""
        for what, (n, first) in sorted(self.rows.items(), key=lambda kind: -kind[1][0]):
            verb, _, rest = what.partition(" ")
            one = "1 row has" if verb == "have" else f"1 row {verb}s"
            yield f"{one if n == 1 else f'{n:,} rows {verb}'} {rest}; the first is {first}."


def left_out(rows: Iterable[BadRow]) -> Iterator[str]:
    """A sentence for each kind of reason for which bad rows were left out, the commonest first."""
    found: dict[str, list[BadRow]] = {}
    for row in rows:
        found.setdefault(_OWN.sub("", row.reason), []).append(row)
    kinds = sorted(found.values(), key=len, reverse=True)
    for kind in kinds[:_MOST_SHOWN]:
        yield _left_out(len(kind), f"the first is {kind[0].source}: {kind[0].reason}")
    if n := sum(map(len, kinds[_MOST_SHOWN:])):
        yield _left_out(n, "each for another reason")


def _left_out(n: int, why: str) -> str:
    what = "1 row does not read and was" if n == 1 else f"{n:,} rows do not read and were"
    return f"{what} left out; {why}"


def doubt_answers(examples: Sequence[Example], doubts: Doubts) -> None:
    """Add items whose texts have another answer elsewhere, and labels that stand on one row."""
    first: dict[tuple[str, ...], Any] = {}
    by_label: dict[str, list[str]] = {}
    for example in examples:
        if example.gold is None:
            continue
        if first.setdefault(tuple(example.fields.values()), example.gold) != example.gold:
            doubts.add("have the texts of an earlier one and another answer", example.source)
        if isinstance(example.gold, str):
            by_label.setdefault(example.gold, []).append(example.source)
    if sum(map(len, by_label.values())) >= _MANY * len(by_label):
        for label, places in by_label.items():
            if len(places) == 1:
                doubts.add(f"have the label {label!r}, which no other row has", places[0])
