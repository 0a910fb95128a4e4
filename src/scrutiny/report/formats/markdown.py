"""Markdown for a comment on a pull request: verdict and table open, the rest folded."""

from collections.abc import Sequence
from typing import Final

from scrutiny.parts.part import left_out
from scrutiny.parts.run.estimates import main_estimates
from scrutiny.parts.run.rows import COLUMNS, AuditRow, audit_rows
from scrutiny.parts.run.view import RunView
from scrutiny.parts.seed_signs import signs_of
from scrutiny.parts.wording.labels import distinct_labels
from scrutiny.parts.wording.numbers import interval, out_of
from scrutiny.parts.wording.verdicts import OUTCOME_MARKS, mark, sentences
from scrutiny.report.formats.comment import case_folds, front_blocks, sign_blocks
from scrutiny.report.formats.markup import code, escape, folded, table
from scrutiny.report.parts import parts
from scrutiny.report.reading.small_suites import front_with_cases
from scrutiny.report.table.footer import footer_lines
from scrutiny.report.table.trusted import CONDITIONS, trusted_table

_MOST_ROWS: Final = 30
#: Characters: a comment on a pull request may have 65,536.
_LARGEST: Final = 60_000


def render_markdown(view: RunView) -> str:
    """Verdict, audit table, and what stands behind them in folds, as many as fit a comment."""
    rows, front = audit_rows(view), front_with_cases(view)
    blocks = _opening(view) if front is None else front_blocks(front)
    blocks += [f"Labels of {escape(match)}" for match in view.facts.labels]
    blocks += [f"> **Warning:** {escape(warning)}" for warning in view.facts.warnings]
    blocks += map(escape, view.facts.left_out)
    audited = table(COLUMNS, [_cells(row) for row in rows], right=(2, 3, 7))
    claims = audited if rows else _number_table(view)
    blocks += [claims] if front is None else []
    footer = "<br>\n".join(f"`{code(line)}`" for line in footer_lines(view))
    room = _LARGEST - sum(map(len, blocks)) - len(footer)
    own = (
        [] if front is None else [*case_folds(front), folded("Every claim with its checks", claims)]
    )
    folds, left = _fitting([*own, *_reasons(rows), *_trusted(view), *_parts(view)], room)
    blocks += [*folds, left, footer]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _opening(view: RunView) -> list[str]:
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
    return table(("diagnostic", "of", "estimate", "n/planned", "status"), cells, right=(2, 3))


def _reasons(rows: Sequence[AuditRow]) -> list[str]:
    lines = [
        f"- {mark(row.verdict)} {escape(row.label)}: {escape(row.finding.reason)}"
        for row in rows
        if row.finding.reason
    ]
    return [folded("Reasons", "\n".join(lines))] if lines else []
