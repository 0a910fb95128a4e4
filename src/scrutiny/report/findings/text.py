"""The audit table as text: in a terminal of 80 columns, and in Markdown."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from scrutiny.blocks.labels import GAP, constant_parts, shared_words
from scrutiny.blocks.numbers import interval
from scrutiny.blocks.run_estimates import main_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.terminal_and_markdown import (
    WIDTH,
    escape,
    fold,
    folded,
    side_by_side,
    table,
    wrapped,
)
from scrutiny.core.boundary.printable import and_more
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.reliability.replicates import is_test
from scrutiny.report.findings.audit_rows import AuditRow, number_rows
from scrutiny.report.wording import OUTCOME_MARKS, STYLES, VERDICTS, mark

MOST_ROWS: Final = 60
_CHECKS: Final = (("seeds", 5), ("choices", 7), ("datasets", 8))
_NUMBER: Final = 25  # "−0.0342 [−0.0511, −0.0172]" is the longest common one
_SCOPE: Final = 15
_DIGITS: Final = re.compile(r"[-\N{MINUS SIGN}]?[\d.]+")
_MANY: Final = 3  # reasons of one kind that are said together
_FEWEST_WORDS: Final = 3  # of a common beginning: "costs" alone says nothing
_MOST_NAMES: Final = 8


def table_lines(rows: Sequence[AuditRow]) -> Iterator[Text]:
    """Rows of the audit table under the heading of their group."""
    # what no row was checked for stays empty
    run = [
        n for n, _ in _CHECKS if any(_outcome(row, n) != OUTCOME_MARKS["not run"] for row in rows)
    ]
    checks = [(name if name in run else "", width) for name, width in _CHECKS]
    yield Text(side_by_side(("claim", 40), *checks, ("verdict", 17)), style="dim")
    columns = ("  estimate", _NUMBER + 2), ("against control", _NUMBER)
    yield Text(side_by_side(*columns, ("n/planned", 10), ("of what", 16)), style="dim")
    previous = ""
    for row in rows:
        if row.title != previous:
            yield Text("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * WIDTH, style="dim")
            yield from wrapped(row.title, style="bold")
            previous = row.title
        claim = row.label + (" (post hoc)" if row.finding.claim.post_hoc else "")
        first, *others = fold(claim, 38) or [""]
        checks = [(_outcome(row, name) if name in run else "", width) for name, width in _CHECKS]
        line = set_cell_size(side_by_side((f"{mark(row.verdict)} {first}", 40), *checks), 64)
        yield Text.assemble(line, (row.verdict, STYLES.get(row.verdict, "dim")))
        for piece in others:
            yield Text(f"  {piece}")
        control = row.control
        if max(cell_len(row.estimate), cell_len(control)) > _NUMBER:
            yield Text(side_by_side((f"  {row.estimate}", WIDTH)), style="dim")
            yield Text(side_by_side((f"  against control {control}", WIDTH)), style="dim")
            control = ""
        estimate = row.estimate if control else ""
        # the longest scope takes the cells that a short denominator leaves, or a line of its own
        n = max(cell_len(row.denominator), 10 - max(0, cell_len(row.scope) - _SCOPE))
        numbers = (f"  {estimate}", _NUMBER + 2), (control, _NUMBER), (row.denominator, n)
        fits = n + cell_len(row.scope) <= 10 + _SCOPE
        yield Text(side_by_side(*numbers, (row.scope if fits else "", 19)), style="dim")
        if not fits:
            yield Text(row.scope.rjust(WIDTH), style="dim")


def _outcome(row: AuditRow, check: str) -> str:
    return OUTCOME_MARKS.get(getattr(row, check), "?")


def left_out_lines(rows: Sequence[AuditRow]) -> list[Text]:
    """Sentence on the claims that the table leaves out, by verdict."""
    if not rows:
        return []
    counted = [(v, sum(row.verdict == v for row in rows)) for v in VERDICTS]
    words = ", ".join(f"{count} {verdict}" for verdict, count in counted if count)
    return wrapped(f"… and {len(rows)} more claims ({words}); `--format md` prints them all.")


def reason_lines(rows: Sequence[AuditRow]) -> Iterator[Text]:
    """Reason of every verdict; reasons that differ only in numbers are merged."""
    alike = grouped(
        ((row.verdict, _DIGITS.sub("0", row.finding.reason).partition(":")[0]), row)
        for row in rows
        if row.finding.reason
    )
    if alike:
        yield Text()
        yield Text("Reasons", style="bold")
    for (verdict, _), members in alike.items():
        if len(members) < _MANY:
            said = [([row.label], row.finding.reason) for row in members]
        else:
            labels = list(dict.fromkeys(row.label for row in members))  # of several models, once
            said = [(labels, _common([row.finding.reason for row in members]))]
        for labels, reason in said:
            who = and_more(labels, _MOST_NAMES)
            yield from wrapped(f"{mark(verdict)} {who}: {reason}", hanging=2)


def _common(reasons: Sequence[str]) -> str:
    """Common beginning of all reasons, where it says something, and where each is told."""
    if len(set(reasons)) == 1:
        return reasons[0]
    frame, _ = shared_words(reasons)
    head, gap, tail = frame.partition(GAP)
    if gap:  # without the clause that breaks off at its end
        end = max(head.rfind(one) for one in (": ", "; ", " ("))
        is_broken = end > 0 and len(head[:end].split()) >= _FEWEST_WORDS
        said = (head[:end] if is_broken else head).rstrip(" :;(")
    else:
        said = head.rstrip(" :")
    said = said or (f"{GAP}{tail}" if tail else "")
    if len(said.split()) < _FEWEST_WORDS:
        return "for the reasons that `--format md` prints"
    return f"{said} (`--format md` prints the reason of each)"


def number_lines(estimates: Sequence[Estimate]) -> Iterator[Text]:
    """Table of a run without claims; tests and single heads have tables of their own."""
    if not estimates:
        yield Text("The run has no estimates.")
        return
    count = sum(not is_test(e) for e in estimates)
    estimates = [e for e in estimates if not is_test(e)][:MOST_ROWS]
    if not estimates:
        return
    keys = [e.key for e in estimates]
    shared = ", ".join(f"{k} {v}" for k, v in constant_parts(keys).items() if k != "role")
    yield from wrapped(shared, style="dim")
    for row in number_rows(estimates):
        *above, last = fold(row.label, 40) or [""]
        yield from map(Text, above)
        yield Text(side_by_side((last, 40), (row.value, _NUMBER + 1), (row.n, 12)))
    if len(estimates) < count:
        yield from wrapped(f"… and {count - len(estimates):,} more; `--format csv` has them all.")


def audit_cells(row: AuditRow) -> tuple[str, ...]:
    """Cells of a row of the audit table, outcomes as signs."""
    *cells, verdict = row.cells()
    cells[:2] = escape(cells[0]), escape(cells[1])
    for place in (4, 5, 6):
        cells[place] = OUTCOME_MARKS.get(cells[place], "?")
    if row.finding.claim.post_hoc:
        cells[1] += " (post hoc)"
    return *cells, f"{mark(row.verdict)} {escape(verdict)}"


def number_table(view: RunView) -> str:
    """Table of the estimates of a run without claims."""
    rows = number_rows(main_estimates(view))
    if not rows:
        return "The run has no estimates."
    cells = []
    for row in rows:
        e = row.estimate
        of = escape(e.key.diagnostic), escape(row.label)
        cells.append((*of, interval(e), row.n, e.status))
    return table(("diagnostic", "of", "estimate", "n/planned", "status"), cells, right=(2, 3))


def reason_folds(rows: Sequence[AuditRow]) -> list[str]:
    """Fold with the reason of every verdict."""
    lines = [
        f"- {mark(row.verdict)} {escape(row.label)}: {escape(row.finding.reason)}"
        for row in rows
        if row.finding.reason
    ]
    return [folded("Reasons", "\n".join(lines))] if lines else []
