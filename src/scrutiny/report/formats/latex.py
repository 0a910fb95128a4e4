"""LaTeX: the audit table for a paper, with booktabs."""

from collections.abc import Sequence
from typing import Final

from scrutiny.parts import seeds
from scrutiny.parts.charts.tables import Chart
from scrutiny.parts.run.estimates import main_estimates
from scrutiny.parts.run.rows import AuditRow, audit_rows
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import distinct_labels, one_line
from scrutiny.parts.wording.numbers import interval, out_of
from scrutiny.parts.wording.verdicts import OUTCOME_MARKS, headline

_SPECIAL: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\N{MINUS SIGN}": "$-$",
        "\N{EN DASH}": "--",
        "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
        "\N{MIDDLE DOT}": r"\textperiodcentered{}",
        "\N{PLUS-MINUS SIGN}": r"$\pm$",
        "\N{BLACK UP-POINTING TRIANGLE}": r"$\uparrow$",
        "\N{BLACK DOWN-POINTING TRIANGLE}": r"$\downarrow$",
        "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
    }
)
_HEADER: Final = ("Claim", "Estimate", "Against control", "Seeds", "Choices", "Datasets", "$n$")


def render_latex(view: RunView) -> str:
    r"""Return a ``table`` environment that needs ``\usepackage{booktabs}`` and UTF-8 input."""
    rows = audit_rows(view)
    body = _audit_rows(rows) if rows else _number_rows(view)
    header = (*_HEADER, "Verdict") if rows else ("Of", "Estimate", "$n$", "Status")
    columns = "p{0.3\\linewidth}rrccccl" if rows else "lrrl"
    facts = view.facts
    how = f"{100 * facts.level:.0f} % intervals, {facts.method}, {facts.draws} draws."
    said = f"{escape(headline(view.findings, view.families))} {escape(how)}"
    lines = [r"% \usepackage{booktabs}", *_table(said, columns, " & ".join(header), body)]
    return "\n".join([*lines, *_seeds(view), ""])


def _table(caption: str, columns: str, header: str, rows: Sequence[str]) -> list[str]:
    """A table environment around rows that are written out."""
    return [
        r"\begin{table}",
        rf"\caption{{{caption}}}",
        r"\small",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        rf"{header} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _seeds(view: RunView) -> list[str]:
    """Seeds tables: groups by replicates, mean and standard deviation."""
    made = seeds.part(view)
    return [] if made is None else [line for c in made.charts for line in _chart_table(c)]


def _chart_table(chart: Chart) -> list[str]:
    """Table of a chart; values whose own interval excludes the reference value are bold."""
    table = chart.table
    rows = []
    for at, row in enumerate(table.rows):
        cells = [escape(cell) for cell in row]
        cells = [
            rf"\textbf{{{cell}}}" if (at, i) in table.marks else cell
            for i, cell in enumerate(cells)
        ]
        rows.append(" & ".join(cells) + r" \\")
    caption = escape(f"{chart.title}. {chart.caption}".rstrip())
    caption += " Bold: the replicate's own interval excludes the reference value."
    header = " & ".join(escape(name) for name in table.header)
    return _table(caption, "l" + "r" * (len(table.header) - 1), header, rows)


def escape(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return one_line(text).translate(_SPECIAL)


def _audit_rows(rows: Sequence[AuditRow]) -> list[str]:
    lines: list[str] = []
    previous = ""
    for row in rows:
        if row.title != previous:
            lines += [r"\addlinespace"] if lines else []
            lines.append(rf"\multicolumn{{8}}{{l}}{{\emph{{{escape(row.title)}}}}} \\")
            previous = row.title
        lines.append(_audit_row(row))
    return lines


def _audit_row(row: AuditRow) -> str:
    outcomes = (OUTCOME_MARKS.get(o, "?") for o in (row.seeds, row.choices, row.datasets))
    label = row.label + (" (post hoc)" if row.finding.claim.post_hoc else "")
    verdict = f"{row.verdict}: {row.scope}"
    cells = label, row.estimate, row.control, *outcomes, row.denominator, verdict
    return " & ".join(escape(cell) for cell in cells) + r" \\"


def _number_rows(view: RunView) -> list[str]:
    estimates = main_estimates(view)
    labels = distinct_labels([e.key for e in estimates], without=frozenset()) if estimates else []
    return [
        " & ".join(escape(c) for c in (label, interval(e), out_of(e), e.status)) + r" \\"
        for e, label in zip(estimates, labels, strict=True)
    ]
