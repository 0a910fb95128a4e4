"""Claims that can be reported, and differences between replicates, for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from scrutiny.core.boundary.listing import and_more
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.run.view import RunView
from scrutiny.parts.terminal.layout import fold, side_by_side, wrapped
from scrutiny.parts.wording.numbers import NO_VALUE, decimals_for, mean_and_sd, number
from scrutiny.parts.wording.verdicts import mark
from scrutiny.report.table.trusted import (
    CONDITIONS,
    TrustedRow,
    TrustedTable,
    trusted_table,
)

_MOST_NAMES: Final = 8
_MOST_SEEDS: Final = 12
_MOST_TRUSTED: Final = 20
_MOST_REASONS: Final = 8
_WHAT: Final = {
    "interval": "interval",
    "choices": "analysis choices",
    "seeds": "seeds",
    "controls": "validity control",
    "skill": "skill",
}


def trusted_lines(view: RunView) -> Iterator[Text]:
    """Claims that can be reported, reasons for the others, and results by seed.

    Nothing for runs of single checkpoints.
    """
    table = trusted_table(view)
    if table is None:
        return
    yield Text()
    yield Text("Which findings can I report?", style="bold")
    yield from wrapped(table.sentence)
    yield from _trusted([row for row in table.rows if row.is_trusted])
    yield from _others(table)
    yield from _seeds(table)


def _trusted(rows: Sequence[TrustedRow]) -> Iterator[Text]:
    sign = mark("supported")
    for row in rows[:_MOST_TRUSTED]:
        beside = f"; {row.beside}" if row.beside else ""
        yield from wrapped(f"{sign} {row.row.found} ({row.row.context}{beside})", hanging=2)
    if len(rows) > _MOST_TRUSTED:
        yield Text(f"  … and {len(rows) - _MOST_TRUSTED} more")


def _others(table: TrustedTable) -> Iterator[Text]:
    """Claims that cannot be reported: by the first failed condition, or the gate."""
    tested = [row for row in table.rows if not (row.is_trusted or row.row.finding.is_stopped)]
    for name in CONDITIONS:
        rows = [row for row in tested if row.failed[0] == name]
        if rows:
            yield from _listed(f"condition not met, {_WHAT[name]}", rows)
    stopped = grouped((row.why, row) for row in table.rows if row.row.finding.is_stopped)
    for why, rows in list(stopped.items())[:_MOST_REASONS]:
        yield from _listed(why, rows)
    if len(stopped) > _MOST_REASONS:
        count = sum(len(rows) for rows in list(stopped.values())[_MOST_REASONS:])
        yield from wrapped(f"  not tested for other reasons: {count} more", hanging=4)


def _listed(why: str, rows: Sequence[TrustedRow]) -> Iterator[Text]:
    """A reason, the number of claims with it, and the first of their names."""
    who = and_more([row.row.label for row in rows], _MOST_NAMES)
    yield from wrapped(f"  {why} ({len(rows)}): {who}", hanging=4)


def _seeds(table: TrustedTable) -> Iterator[Text]:
    """Mean and standard deviation over replicates, trusted claims first."""
    ordered = sorted(table.rows, key=lambda row: not row.is_trusted)
    found = [(row, row.row.finding.estimate) for row in ordered]
    shown = [(row, e) for row, e in found if e is not None and len(e.by_replicate) > 1]
    if not shown:
        return
    yield Text()
    yield Text("Results by seed", style="bold")
    header = (
        ("claim", 34),
        ("mean \N{PLUS-MINUS SIGN} sd", 17),
        (("min\N{EN DASH}max"), 17),
        ("sign", 6),
    )
    yield Text(side_by_side(*header), style="dim")
    for row, e in shown[:_MOST_SEEDS]:
        first, *others = fold(row.row.label, 34) or [""]
        yield Text(side_by_side((first, 34), *_cells(e)))
        for piece in others:
            yield Text(piece)
    if len(shown) > _MOST_SEEDS:
        rest = f"… and {len(shown) - _MOST_SEEDS} more; `-o report.html` has every seed."
        yield from wrapped(rest)


def _cells(e: Estimate) -> tuple[tuple[str, int], ...]:
    decimals = decimals_for(e.low, e.high, e.value)
    values = list(e.by_replicate.values())
    span = f"{number(min(values), decimals)} … {number(max(values), decimals)}"
    share = e.across.get("sign_agreement")
    sign = NO_VALUE if share is None else f"{round(share * len(values))}/{len(values)}"
    return (mean_and_sd(e.by_replicate, decimals), 17), (span, 17), (sign, 6)
