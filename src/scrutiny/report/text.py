"""The report as text: in a terminal of 80 columns, and as a comment in Markdown.

The terminal's text is the same with and without color. Of a comment, verdict and table are open,
the rest is folded.
"""

import errno
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import IO, Final

from rich.console import Console
from rich.text import Text

from scrutiny.blocks.run_estimates import main_estimates, single_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import left_out, parts, registered
from scrutiny.blocks.terminal_and_markdown import WIDTH, code, escape, folded, table, wrapped
from scrutiny.core.plugin_base import unversioned
from scrutiny.report.cases.shown import small_suite_lines
from scrutiny.report.findings.audit_rows import COLUMNS, audit_rows
from scrutiny.report.findings.text import (
    MOST_ROWS,
    audit_cells,
    left_out_lines,
    number_lines,
    number_table,
    reason_folds,
    reason_lines,
    table_lines,
)
from scrutiny.report.first_screen.front import Front, front_with_cases
from scrutiny.report.first_screen.text import case_folds, front_blocks, front_lines
from scrutiny.report.sections.published import published_lines
from scrutiny.report.sections.seeds import tests_lines
from scrutiny.report.signs import signs_of
from scrutiny.report.signs_shown import sign_blocks, signs_lines
from scrutiny.report.trust import CONDITIONS, trusted_lines, trusted_table
from scrutiny.report.wording import footer_lines, headline, mark, report_command, sentences


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
    yield from front_lines(front, [*small_suite_lines(view)])
    yield from _told(view)
    rows = [row for row in audit_rows(view) if not row.finding.claim.is_front]
    if rows:
        yield Text()
        yield from table_lines(rows[:MOST_ROWS])
        yield from left_out_lines(rows[MOST_ROWS:])
    yield Text()
    asked = next((risk for risk in front.risks if risk.n_cases and risk.change), None)
    yield from _ways_on(view, quote(unversioned(asked.change)) if asked is not None else "", page)


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
        lines += table_lines(rows[:most_rows])
        lines += left_out_lines(rows[most_rows:])
        lines += reason_lines(rows[:most_rows])
        lines += trusted_lines(view)
        lines += [Text(), *published_lines(view)] if view.published else []
    else:
        lines += [*published_lines(view), Text()] if view.published else []
        numbers = main_estimates(view)
        lines += number_lines(numbers) if numbers or not single_estimates(view) else []
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


_MOST_ROWS: Final = 30
#: Characters: a comment on a pull request may have 65,536.
_LARGEST: Final = 60_000


def render_markdown(view: RunView) -> str:
    """Verdict, audit table, and what stands behind them in folds, as many as fit a comment."""
    rows, front = audit_rows(view), front_with_cases(view)
    blocks = _opening_blocks(view) if front is None else front_blocks(front)
    blocks += [f"Labels of {escape(match)}" for match in view.facts.labels]
    blocks += [f"> **Warning:** {escape(warning)}" for warning in view.facts.warnings]
    blocks += map(escape, view.facts.left_out)
    audited = table(COLUMNS, [audit_cells(row) for row in rows], right=(2, 3, 7))
    claims = audited if rows else number_table(view)
    blocks += [claims] if front is None else []
    footer = "<br>\n".join(f"`{code(line)}`" for line in footer_lines(view))
    room = _LARGEST - sum(map(len, blocks)) - len(footer)
    own = (
        [] if front is None else [*case_folds(front), folded("Every claim with its checks", claims)]
    )
    folds, left = _fitting([*own, *reason_folds(rows), *_trusted(view), *_parts(view)], room)
    blocks += [*folds, left, footer]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _opening_blocks(view: RunView) -> list[str]:
    """What a run without risks has found, the first sentence in bold."""
    said = sentences(view.findings, view.families) or ("No claim was made.",)
    signs = signs_of(view)
    if signs is not None:
        return [*sign_blocks(signs), *map(escape, said)]
    return [f"**{escape(said[0])}**", *(escape(s) for s in said[1:])]


def _fitting(folds: Sequence[str], room: int) -> tuple[list[str], str]:
    """Folds that fit, in their order, and a sentence on those that do not."""
    kept = []
    for fold in folds:
        if len(fold) <= room:
            kept.append(fold)
            room -= len(fold)
    missing = len(folds) - len(kept)
    said = f"{missing} of {len(folds)} sections do not fit into a comment; see the page."
    return kept, said if missing else ""


def _trusted(view: RunView) -> list[str]:
    """Claims that can be reported, one by one."""
    found = trusted_table(view)
    if found is None:
        return []
    cells = [
        (
            escape(row.row.found),
            f"{mark('supported')} {row.standing}" if row.is_trusted else row.standing,
            *(escape(outcome) for outcome in row.outcomes),
        )
        for row in found.rows
    ]
    header = ("finding", "can be reported", *CONDITIONS)
    title = "Which findings can I report?"
    return [folded(title, escape(found.sentence), table(header, cells))]


def _parts(view: RunView) -> list[str]:
    """Tables of the parts."""
    folds = []
    for part in parts(view):
        blocks: list[str] = []
        for chart in part.charts:
            shown = chart.table.rows[:_MOST_ROWS]
            cells = [[escape(cell) for cell in row] for row in shown]
            header = [escape(name) or " " for name in chart.table.header]
            right = tuple(range(chart.table.numeric, len(header)))
            note = left_out(len(chart.table.rows), _MOST_ROWS, "rows")
            blocks += [f"**{escape(chart.title)}** {escape(chart.caption)}".rstrip()]
            blocks += [table(header, cells, right=right), escape(note)]
        folds.append(folded(part.title, *blocks))
    return folds
