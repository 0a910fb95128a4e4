"""Markdown: a comment on a pull request, with the verdict and its table; all else is folded."""

from collections.abc import Sequence
from html import escape as html
from typing import Final

from scrutiny.parts.part import left_out
from scrutiny.parts.run.rows import COLUMNS, AuditRow, audit_rows
from scrutiny.parts.run.sections import main_estimates
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import distinct_labels, one_line
from scrutiny.parts.wording.numbers import interval, out_of
from scrutiny.parts.wording.verdicts import OUTCOME_MARKS, mark, sentences
from scrutiny.report.parts import parts
from scrutiny.report.table.footer import footer_lines
from scrutiny.report.table.trusted import CONDITIONS, trusted_table

_MOST_ROWS: Final = 30
#: Characters: a comment on a pull request may have 65,536.
_LARGEST: Final = 60_000
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#~"})


def render_markdown(view: RunView) -> str:
    """Verdict, audit table, and what stands behind them in folds, as many as fit a comment."""
    rows = audit_rows(view)
    opening = sentences(view.findings, view.families) or ("No claim was made.",)
    blocks = [f"**{escape(opening[0])}**", *(escape(s) for s in opening[1:])]
    blocks += [f"Labels of {escape(match)}" for match in view.facts.labels]
    blocks += [f"> **Warning:** {escape(warning)}" for warning in view.facts.warnings]
    blocks += map(escape, view.facts.left_out)
    blocks.append(_audit_table(rows) if rows else _number_table(view))
    footer = "<br>\n".join(f"`{_code(line)}`" for line in footer_lines(view))
    room = _LARGEST - sum(map(len, blocks)) - len(footer)
    folds, left = _fitting([*_reasons(rows), *_trusted(view), *_parts(view)], room)
    blocks += [*folds, left, footer]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _fitting(folds: Sequence[str], room: int) -> tuple[list[str], str]:
    """Folds that fit, in their order, and a sentence on those that do not."""
    kept = []
    for fold in folds:
        if len(fold) <= room:
            kept.append(fold)
            room -= len(fold)
    missing = len(folds) - len(kept)
    said = f"{missing} of {len(folds)} sections do not fit into a comment; the page has them."
    return kept, said if missing else ""


def _fold(title: str, *blocks: str) -> str:
    """Blocks that are shown when a reader opens them."""
    body = "\n\n".join(block for block in blocks if block)
    return f"<details><summary>{html(one_line(title))}</summary>\n\n{body}\n\n</details>"


def _trusted(view: RunView) -> list[str]:
    """What may be stated, claim by claim."""
    table = trusted_table(view)
    if table is None:
        return []
    cells = [
        (
            escape(row.row.claim),
            f"{mark('supported')} {row.standing}" if row.is_trusted else row.standing,
            *(escape(outcome) for outcome in row.outcomes),
        )
        for row in table.rows
    ]
    header = ("claim", "may be stated", *CONDITIONS)
    title = "Which of these may I state?"
    return [_fold(title, escape(table.sentence), _table(header, cells))]


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
            blocks += [_table(header, cells, right=right), escape(note)]
        folds.append(_fold(part.title, *blocks))
    return folds


def escape(text: str) -> str:
    """Text that Markdown, and the HTML inside it, leave as it is."""
    return one_line(text).translate(_SPECIAL)


def _code(text: str) -> str:
    """Text that stays within a code span."""
    return one_line(text).replace("`", "'")


def _audit_table(rows: Sequence[AuditRow]) -> str:
    return _table(COLUMNS, [_cells(row) for row in rows], right=(2, 3, 7))


def _cells(row: AuditRow) -> tuple[str, ...]:
    *cells, verdict = row.cells()
    cells[:2] = escape(cells[0]), escape(cells[1])
    for place in (4, 5, 6):
        cells[place] = OUTCOME_MARKS.get(cells[place], "?")
    if row.finding.claim.post_hoc:
        cells[1] += " (post hoc)"
    return *cells, f"{mark(row.verdict)} {escape(verdict)}"


def _number_table(view: RunView) -> str:
    estimates = main_estimates(view)
    if not estimates:
        return "The run has no estimates."
    labels = distinct_labels([e.key for e in estimates], without=frozenset())
    cells = [
        (escape(e.key.diagnostic), escape(label), interval(e), out_of(e), e.status)
        for e, label in zip(estimates, labels, strict=True)
    ]
    return _table(("diagnostic", "of", "estimate", "n/planned", "status"), cells, right=(2, 3))


def _table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: tuple[int, ...] = ()
) -> str:
    rule = ["---:" if i in right else ":---" for i in range(len(header))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *rows))


def _reasons(rows: Sequence[AuditRow]) -> list[str]:
    lines = [
        f"- {mark(row.verdict)} {escape(row.label)}: {escape(row.finding.reason)}"
        for row in rows
        if row.finding.reason
    ]
    return [_fold("Reasons", "\n".join(lines))] if lines else []
