"""The audit table for a terminal: at most 80 columns, the same text with and without color."""

import errno
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import IO, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from scrutiny.core.boundary.listing import and_more
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.core.plugin import unversioned
from scrutiny.parts.published import published_lines
from scrutiny.parts.run.estimates import main_estimates, single_estimates
from scrutiny.parts.run.first_screen import Front
from scrutiny.parts.run.rows import AuditRow, audit_rows
from scrutiny.parts.run.view import RunView
from scrutiny.parts.seed_signs import signs_of
from scrutiny.parts.seed_tests import tests_lines
from scrutiny.parts.terminal.layout import WIDTH, fold, side_by_side, wrapped
from scrutiny.parts.wording.labels import (
    GAP,
    capitalized,
    constant_parts,
    distinct_labels,
    shared_words,
)
from scrutiny.parts.wording.numbers import interval, out_of
from scrutiny.parts.wording.verdicts import OUTCOME_MARKS, VERDICTS, headline, mark, sentences
from scrutiny.reliability.replicates.tests import is_test
from scrutiny.report.parts import registered
from scrutiny.report.reading.small_suites import (
    OTHERS,
    few_cases,
    front_with_cases,
    outcome_of,
    outcomes_in_words,
    rule_of,
)
from scrutiny.report.table.footer import footer_lines, report_command
from scrutiny.report.terminal.cases import suite_lines
from scrutiny.report.terminal.first_screen import front_lines
from scrutiny.report.terminal.signs import signs_lines
from scrutiny.report.terminal.trust import trusted_lines

MOST_ROWS: Final = 60
_CHECKS: Final = (("seeds", 5), ("choices", 7), ("datasets", 8))
_NUMBER: Final = 25  # "−0.0342 [−0.0511, −0.0172]" is the longest common one
_SCOPE: Final = 15
_DIGITS: Final = re.compile(r"[-\N{MINUS SIGN}]?[\d.]+")
_MANY: Final = 3  # reasons of one kind that are said together
_FEWEST_WORDS: Final = 3  # of a common beginning: "costs" alone says nothing
_MOST_NAMES: Final = 8
_STYLES: Final = {
    "hurts": "bold red",
    "can't tell": "yellow",
    "holds": "green",
    "supported": "bold blue",
    "not supported": "cyan",
    "undecided": "yellow",
}


class _Console(Console):
    """A console that leaves a closed output to the command."""

    def on_broken_pipe(self) -> None:
        """Let the error pass, where rich would end the process."""
        raise BrokenPipeError(errno.EPIPE, "the reader of the output has closed it")


def write_terminal(view: RunView, stream: IO[str] | None = None) -> None:
    """Write the report to a stream, in color only where that is a terminal.

    ``NO_COLOR`` is honored; characters that the stream cannot encode are replaced by ASCII.
    """
    write_lines(_terminal_lines(view), stream)


def write_first_screen(
    view: RunView, stream: IO[str] | None = None, page: Path | None = None
) -> None:
    """Write what a reader needs first; the whole report of a run without a first screen.

    Where a page was written, its path stands last.
    """
    front, signs = front_with_cases(view), signs_of(view)
    if front is not None:
        lines: Iterable[Text] = screen_lines(view, front, page)
    elif signs is not None:
        ways = _ways_on(view, page=page)
        lines = chain(signs_lines(signs), _said(view), _told(view), [Text()], ways)
    else:
        lines = chain(_terminal_lines(view), [_page(page)] if page else ())
    write_lines(lines, stream)


def screen_lines(view: RunView, front: Front, page: Path | None = None) -> Iterator[Text]:
    """Risks first; then what else was claimed, and how to go on."""
    yield from front_lines(front, [*_small_suites(view)])
    yield from _told(view)
    rows = [row for row in audit_rows(view) if not row.finding.claim.is_front]
    if rows:
        yield Text()
        yield from _table(rows[:MOST_ROWS])
        yield from _left_out(rows[MOST_ROWS:])
    yield Text()
    asked = next((risk for risk in front.risks if risk.n_cases and risk.change), None)
    yield from _ways_on(view, quote(unversioned(asked.change)) if asked is not None else "", page)


def _small_suites(view: RunView) -> Iterator[Text]:
    """Each case of suites that are small enough to be read, test by test, under how many failed."""
    tests = few_cases(view)
    told = [rows for cases in tests.values() for rows in cases.values()]
    if told:
        said = capitalized(outcomes_in_words(map(outcome_of, told)))
        yield from wrapped(f"{said}. {rule_of(told[0])}".rstrip(), style="bold")
    for name, cases in tests.items():
        yield from suite_lines(name, [row for own in cases.values() for row in own])
    if told:
        yield Text()
        yield from wrapped(OTHERS)


def _page(page: Path) -> Text:
    return Text(f"page: {page}", style="dim")


def _ways_on(view: RunView, cases: str = "", page: Path | None = None) -> Iterator[Text]:
    """Commands that show more, and what is left to do."""
    report = report_command(view.facts.path)
    yield from wrapped(f"the rest: {report}", style="dim", hanging=2)
    if cases:
        yield from wrapped(f"cases: {report} --cases {cases}", style="dim", hanging=2)
    if page is not None:
        yield _page(page)
    else:
        yield from wrapped(f"page: {report} -o report.html", style="dim", hanging=2)
    if view.facts.status != "complete":
        yield from wrapped(f"status: {view.facts.status}", style="bold yellow")


def _told(view: RunView) -> Iterator[Text]:
    """Matching of labels, warnings, and omissions."""
    for match in view.facts.labels:
        yield from wrapped(f"Labels of {match}", hanging=2)
    for warning in view.facts.warnings:
        yield from wrapped(f"Warning: {warning}", style="bold yellow", hanging=2)
    for sentence in view.facts.left_out:
        yield from wrapped(sentence, hanging=2)


def write_lines(lines: Iterable[Text], stream: IO[str] | None = None) -> None:
    """Write lines as `write_terminal` writes those of a report."""
    stream = stream or sys.stdout
    console = _Console(file=stream, width=WIDTH, highlight=False, soft_wrap=True)
    for line in lines:
        line.plain = _encodable(line.plain, stream)
        console.print(line, soft_wrap=True)


def plain_text(view: RunView) -> str:
    """The same report as plain text."""
    return "".join(line.plain.rstrip() + "\n" for line in _terminal_lines(view))


def _terminal_lines(view: RunView, *, most_rows: int = MOST_ROWS) -> list[Text]:
    """Lines of the report, none wider than 80 cells."""
    rows, front = audit_rows(view), front_with_cases(view)
    lines = _opening(view) if front is None else list(front_lines(front))
    lines += _told(view)
    lines.append(Text())
    if rows:
        lines += _table(rows[:most_rows])
        lines += _left_out(rows[most_rows:])
        lines += _reasons(rows[:most_rows])
        lines += trusted_lines(view)
        lines += [Text(), *published_lines(view)] if view.published else []
    else:
        lines += [*published_lines(view), Text()] if view.published else []
        numbers = main_estimates(view)
        lines += _numbers(numbers) if numbers or not single_estimates(view) else []
    lines += tests_lines(view)
    for part in registered(view.estimates):
        lines += part.lines(view)
    lines.append(Text())
    for line in footer_lines(view):
        lines += wrapped(line, style="dim", hanging=6)
    return lines


def _opening(view: RunView) -> list[Text]:
    """What a run without risks has found."""
    signs = signs_of(view)
    if signs is not None:
        return [*signs_lines(signs), *_said(view)]
    lines = wrapped(headline(view.findings, view.families), style="bold")
    for sentence in sentences(view.findings, view.families)[1:]:
        lines += wrapped(sentence)
    return lines


def _said(view: RunView) -> Iterator[Text]:
    """Sentences about the claims, one for each family."""
    yield Text()
    for sentence in sentences(view.findings, view.families):
        yield from wrapped(sentence)


def _table(rows: Sequence[AuditRow]) -> Iterator[Text]:
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
        yield from _row(row, run)


def _outcome(row: AuditRow, check: str) -> str:
    return OUTCOME_MARKS.get(getattr(row, check), "?")


def _row(row: AuditRow, run: Collection[str]) -> Iterator[Text]:
    claim = row.label + (" (post hoc)" if row.finding.claim.post_hoc else "")
    first, *others = fold(claim, 38) or [""]
    checks = [(_outcome(row, name) if name in run else "", width) for name, width in _CHECKS]
    line = set_cell_size(side_by_side((f"{mark(row.verdict)} {first}", 40), *checks), 64)
    yield Text.assemble(line, (row.verdict, _STYLES.get(row.verdict, "dim")))
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


def _left_out(rows: Sequence[AuditRow]) -> list[Text]:
    if not rows:
        return []
    counted = [(v, sum(row.verdict == v for row in rows)) for v in VERDICTS]
    words = ", ".join(f"{count} {verdict}" for verdict, count in counted if count)
    return wrapped(f"… and {len(rows)} more claims ({words}); `--format md` prints them all.")


def _reasons(rows: Sequence[AuditRow]) -> Iterator[Text]:
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
            said = [([row.label for row in members], _common([r.finding.reason for r in members]))]
        for labels, reason in said:
            who = and_more(labels, _MOST_NAMES)
            yield from wrapped(f"{mark(verdict)} {who}: {reason}", hanging=2)


def _common(reasons: Sequence[str]) -> str:
    """Common beginning of all reasons, where it says something, and where each is told."""
    if len(set(reasons)) == 1:
        return reasons[0]
    frame, _ = shared_words(reasons)
    head, gap, tail = frame.partition(GAP)
    said = _whole_clauses(head) if gap else head.rstrip(" :")
    said = said or (f"{GAP}{tail}" if tail else "")
    if len(said.split()) < _FEWEST_WORDS:
        return "for the reasons that `--format md` prints"
    return f"{said} (`--format md` prints the reason of each)"


def _whole_clauses(head: str) -> str:
    """Beginning of a sentence, without the clause that breaks off at its end."""
    end = max(head.rfind(one) for one in (": ", "; ", " ("))
    is_broken = end > 0 and len(head[:end].split()) >= _FEWEST_WORDS
    return (head[:end] if is_broken else head).rstrip(" :;(")


def _numbers(estimates: Sequence[Estimate]) -> Iterator[Text]:
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
    labels = distinct_labels(keys, without=frozenset())
    for estimate, label in zip(estimates, labels, strict=True):
        *above, last = fold(label, 40) or [""]
        for piece in above:
            yield Text(piece)
        value = interval(estimate) if estimate.status == "ok" else estimate.status
        yield Text(side_by_side((last, 40), (value, _NUMBER + 1), (out_of(estimate), 12)))
    if len(estimates) < count:
        yield from wrapped(f"… and {count - len(estimates):,} more; `--format csv` has them all.")


def _encodable(text: str, stream: IO[str]) -> str:
    """Text in the stream's encoding, with unsupported signs replaced."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        signs = str.maketrans(
            {"✓": "+", "✗": "x", "–": "-", "−": "-", "─": "-", "…": "~", "→": "->"}
        )
        return text.translate(signs).encode("ascii", "replace").decode("ascii")
    return text
