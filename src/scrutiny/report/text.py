"""The report as text: in a terminal of 80 columns, and as a comment in Markdown.

The terminal's text is the same with and without color. Of a comment, verdict and table are open,
the rest is folded.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import IO, Final

from rich.text import Text

from scrutiny.blocks.run_estimates import main_estimates, single_estimates
from scrutiny.blocks.run_view import RunFacts, RunView
from scrutiny.blocks.section import parts, registered
from scrutiny.blocks.terminal_and_markdown import (
    block_lines,
    code,
    escape,
    folded,
    part_fold,
    table,
    wrapped,
    write_lines,
)
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
from scrutiny.report.first_screen.content import FirstScreen, first_screen_of
from scrutiny.report.first_screen.text import case_folds, risk_blocks, risk_lines
from scrutiny.report.sections.published import published_lines
from scrutiny.report.sections.seeds import tests_in_short
from scrutiny.report.signs import sign_blocks, signs_lines
from scrutiny.report.trust import CONDITIONS, trusted_lines, trusted_table
from scrutiny.report.wording import footer_lines, mark, report_command


def write_terminal(view: RunView, stream: IO[str] | None = None) -> None:
    """Write the report to a stream, in color only where that is a terminal.

    ``NO_COLOR`` is honored; characters that the stream cannot encode are replaced by ASCII.
    """
    write_lines(_terminal_lines(view), stream)


def write_first_screen(
    view: RunView, stream: IO[str] | None = None, page: Path | None = None
) -> None:
    """Write what a reader needs first; the whole report of a run without risks and signs.

    Where a page was written, its path stands last.
    """
    write_lines(screen_lines(view, page), stream)


def screen_lines(view: RunView, page: Path | None = None) -> Iterator[Text]:
    """The first screen; then what else was claimed, and how to go on."""
    screen = first_screen_of(view)
    if not screen.risks and screen.signs is None:
        yield from _terminal_lines(view)
        yield from [_page(page)] if page else []
        return
    yield from _opening(screen, [*small_suite_lines(screen.cases)])
    yield from _told(screen.facts)
    if screen.risks:
        rows = [row for row in audit_rows(view) if not row.finding.claim.is_front]
        if rows:
            yield Text()
            yield from table_lines(rows[:MOST_ROWS])
            yield from left_out_lines(rows[MOST_ROWS:])
    yield Text()
    report = report_command(view.facts.path)
    yield from wrapped(f"the rest: {report}", style="dim", hanging=2)
    asked = next((risk for risk in screen.risks if risk.n_cases and risk.change), None)
    if asked is not None:
        cases = f"cases: {report} --cases {quote(unversioned(asked.change))}"
        yield from wrapped(cases, style="dim", hanging=2)
    if page is not None:
        yield _page(page)
    else:
        yield from wrapped(f"page: {report} -o report.html", style="dim", hanging=2)
    if view.facts.status != "complete":
        yield from wrapped(f"status: {view.facts.status}", style="bold yellow")


def _page(page: Path) -> Text:
    return Text(f"page: {page}", style="dim")


def _opening(screen: FirstScreen, cases: Sequence[Text] = ()) -> Iterator[Text]:
    """What a run has found: its risks, its signs over seeds, or its claims in sentences."""
    if screen.risks:
        yield from risk_lines(screen, cases)
        return
    if screen.signs is not None:
        yield from signs_lines(screen.signs)
        yield Text()
        rest = screen.sentences
    else:
        yield from wrapped(screen.headline, style="bold")
        rest = screen.sentences[1:]
    for sentence in (*rest, *screen.notes):
        yield from wrapped(sentence)


def _told(facts: RunFacts) -> Iterator[Text]:
    """Matching of labels, warnings, and omissions."""
    for match in facts.labels:
        yield from wrapped(f"Labels of {match}", hanging=2)
    for warning in facts.warnings:
        yield from wrapped(f"Warning: {warning}", style="bold yellow", hanging=2)
    for sentence in facts.left_out:
        yield from wrapped(sentence, hanging=2)


def plain_text(view: RunView) -> str:
    """The same report as plain text."""
    return "".join(line.plain.rstrip() + "\n" for line in _terminal_lines(view))


def _terminal_lines(view: RunView) -> Iterator[Text]:
    """Lines of the report, none wider than 80 cells."""
    rows, screen = audit_rows(view), first_screen_of(view)
    yield from _opening(screen)
    yield from _told(screen.facts)
    yield Text()
    if rows:
        yield from table_lines(rows[:MOST_ROWS])
        yield from left_out_lines(rows[MOST_ROWS:])
        yield from reason_lines(rows[:MOST_ROWS])
        yield from trusted_lines(view)
        yield from [Text(), *published_lines(view)] if view.published else []
    else:
        yield from [*published_lines(view), Text()] if view.published else []
        numbers = main_estimates(view)
        yield from number_lines(numbers) if numbers or not single_estimates(view) else []
    yield from block_lines(tests_in_short(view))
    for part in registered(view.estimates):
        yield from block_lines(part.lines(view))
    yield Text()
    for line in footer_lines(view):
        yield from wrapped(line, style="dim", hanging=6)


#: Characters: a comment on a pull request may have 65,536.
_LARGEST: Final = 60_000


def render_markdown(view: RunView) -> str:
    """Verdict, audit table, and what stands behind them in folds, as many as fit a comment."""
    rows, screen = audit_rows(view), first_screen_of(view)
    first, *rest = map(escape, screen.sentences or (screen.headline,))
    if screen.risks:
        blocks = risk_blocks(screen)
    elif screen.signs is not None:
        blocks = [*sign_blocks(screen.signs), first, *rest, *map(escape, screen.notes)]
    else:
        blocks = [f"**{first}**", *rest, *map(escape, screen.notes)]
    blocks += [f"Labels of {escape(match)}" for match in screen.facts.labels]
    blocks += [f"> **Warning:** {escape(warning)}" for warning in screen.facts.warnings]
    blocks += map(escape, screen.facts.left_out)
    audited = table(COLUMNS, [audit_cells(row) for row in rows], right=(2, 3, 7))
    claims = audited if rows else number_table(view)
    folds = [*reason_folds(rows), *_trusted(view), *map(part_fold, parts(view))]
    if screen.risks:
        folds = [*case_folds(screen), folded("Every claim with its checks", claims), *folds]
    else:
        blocks.append(claims)
    footer = "<br>\n".join(f"`{code(line)}`" for line in footer_lines(view))
    room = _LARGEST - sum(map(len, blocks)) - len(footer)
    kept = []
    for fold in folds:
        if len(fold) <= room:
            kept.append(fold)
            room -= len(fold)
    left = ""
    if missing := len(folds) - len(kept):
        left = f"{missing} of {len(folds)} sections do not fit into a comment; see the page."
    return "\n\n".join(block for block in (*blocks, *kept, left, footer) if block) + "\n"


def _trusted(view: RunView) -> list[str]:
    """Claims that can be reported, one by one."""
    found = trusted_table(view)
    if found is None:
        return []
    cells = [
        (
            escape(row.row.found),
            f"{mark('supported')} {row.standing}" if row.is_trusted else row.standing,
            *(escape(outcome) for outcome in row.outcomes.values()),
        )
        for row in found.rows
    ]
    header = ("finding", "can be reported", *CONDITIONS)
    title = "Which findings can I report?"
    return [folded(title, escape(found.sentence), table(header, cells))]
