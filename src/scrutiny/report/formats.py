"""Formats of a report by name and suffix; LaTeX for papers, CSV and NDJSON for programs."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

from scrutiny.blocks.labels import one_line
from scrutiny.blocks.numbers import interval
from scrutiny.blocks.run_estimates import main_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.core.boundary.json_text import canonical_json, json_line, plain
from scrutiny.core.boundary.printable import printable
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.report.findings.audit_rows import AuditRow, audit_rows, number_rows
from scrutiny.report.sections import leaderboard, seeds
from scrutiny.report.trust import trusted_table
from scrutiny.report.wording import OUTCOME_MARKS, headline
from scrutiny.store.files import save_text
from scrutiny.store.run_tables import ESTIMATES, estimate_to_row

#: What writes each format; it is imported on demand, with what it depends on.
_WRITERS: Final = {
    "text": "scrutiny.report.text:plain_text",
    "html": "scrutiny.report.page:render_html",
    "md": "scrutiny.report.text:render_markdown",
    "latex": "scrutiny.report.formats:render_latex",
    "csv": "scrutiny.report.formats:render_csv",
    "json": "scrutiny.report.formats:render_ndjson",
    "junit": "scrutiny.report.findings.risks:render_junit",
    "sarif": "scrutiny.report.exports.sarif:render_sarif",
    "model-card": "scrutiny.report.exports.model_card:render_model_card",
    "evidence": "scrutiny.report.exports.evidence:render_evidence",
    # of another tool: no reports, but the numbers and scores of a run for programs
    "eee": "scrutiny.report.exports.every_eval_ever:render_aggregate",
    "eee-samples": "scrutiny.report.exports.every_eval_ever:render_samples",
}
FORMATS: Final = tuple(_WRITERS)
_BY_SUFFIX: Final = {
    ".html": "html",
    ".md": "md",
    ".tex": "latex",
    ".csv": "csv",
    ".json": "json",
    ".ndjson": "json",
    ".jsonl": "json",
    ".txt": "text",
    ".xml": "junit",
    ".sarif": "sarif",
}


#: Ends of names that say more than the suffix: files of Every Eval Ever.
_BY_END: Final = {".eee.json": "eee", "_samples.jsonl": "eee-samples"}


def format_of(path: Path) -> str:
    """Format of a file's suffix, or of the end of its name; text if it has none.

    Raises
    ------
    PlanError
        For a suffix that names none.
    """
    ends = (form for end, form in _BY_END.items() if path.name.lower().endswith(end))
    found = next(ends, _BY_SUFFIX.get(path.suffix.lower()))
    if found is None and path.suffix:
        raise PlanError(
            f"The suffix of {path.name!r} names no format: use {', '.join(_BY_SUFFIX)}, or "
            "--format."
        )
    return found or "text"


def render(view: RunView, name: str) -> str:
    """Report in one of the `FORMATS`."""
    return str(resolve_name(_WRITERS[name])(view))


def write_report(view: RunView, path: Path, name: str) -> dict[Path, str]:
    """Write a report; the samples of Every Eval Ever stand in a file beside the aggregate.

    Parameters
    ----------
    view
        The run.
    path
        File of the report.
    name
        One of the `FORMATS`.

    Returns
    -------
    dict
        The files that were written, with their texts.
    """
    texts = {path: render(view, name)}
    if name == "eee":
        texts[path.with_name(f"{path.stem}_samples.jsonl")] = render(view, "eee-samples")
    for place, text in texts.items():
        save_text(place, text)
    return texts


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
_LATEX_HEADER: Final = (
    "Claim",
    "Estimate",
    "Against control",
    "Seeds",
    "Choices",
    "Datasets",
    "$n$",
)


def render_latex(view: RunView) -> str:
    r"""Return a ``table`` environment that needs ``\usepackage{booktabs}`` and UTF-8 input."""
    rows = audit_rows(view)
    body = _audit_rows(rows)
    if not rows:
        numbers = number_rows(main_estimates(view))
        told = [(r.label, interval(r.estimate), r.n, r.estimate.status) for r in numbers]
        body = [" & ".join(map(escape, cells)) + r" \\" for cells in told]
    header = (*_LATEX_HEADER, "Verdict") if rows else ("Of", "Estimate", "$n$", "Status")
    columns = "p{0.3\\linewidth}rrccccl" if rows else "lrrl"
    facts = view.facts
    how = f"{100 * facts.level:.0f} % intervals, {facts.method}, {facts.draws} draws."
    said = f"{escape(headline(view.findings, view.families))} {escape(how)}"
    lines = [r"% \usepackage{booktabs}", *_table(said, columns, " & ".join(header), body)]
    made = seeds.part(view)
    for chart in made.charts if made else ():
        rows_of_chart = []
        for at, row in enumerate(chart.table.rows):
            cells = [
                rf"\textbf{{{escape(cell)}}}" if (at, i) in chart.table.marks else escape(cell)
                for i, cell in enumerate(row)
            ]
            rows_of_chart.append(" & ".join(cells) + r" \\")
        caption = escape(f"{chart.title}. {chart.caption}".rstrip())
        caption += " Bold: the replicate's own interval excludes the reference value."
        names = " & ".join(map(escape, chart.table.header))
        aligned = "l" + "r" * (len(chart.table.header) - 1)
        lines += _table(caption, aligned, names, rows_of_chart)
    return "\n".join([*lines, ""])


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
        outcomes = (OUTCOME_MARKS.get(o, "?") for o in (row.seeds, row.choices, row.datasets))
        label = row.label + (" (post hoc)" if row.finding.claim.post_hoc else "")
        verdict = f"{row.verdict}: {row.scope}"
        cells = label, row.estimate, row.control, *outcomes, row.denominator, verdict
        lines.append(" & ".join(escape(cell) for cell in cells) + r" \\")
    return lines


#: First columns of ``estimates.parquet``, in their order: what every reader may rely on.
ESTIMATE_COLUMNS: Final = tuple(ESTIMATES.names[: ESTIMATES.names.index("status") + 1])
#: Further keys of a line of its own: permutation tests and Holm's correction stand in ``across``.
DETAILS: Final = ("across", "variance", "by_replicate", "n_replicates", "divided_by", "reason")

#: Numbers behind a verdict.
_EVIDENCE: Final = ("p_supported", "p_not_supported", "minimum_detectable_effect")


def render_ndjson(view: RunView) -> str:
    """Estimates, findings, published figures, leaderboards, one on each line; never NaN."""
    objects = [
        estimate_object(e) | {name: plain(getattr(e, name)) for name in DETAILS}
        for e in view.all_estimates
    ]
    for f in view.all_findings:
        claim = f.claim
        objects.append(
            {
                "claim": claim.says,
                "estimate": None if f.estimate is None else estimate_object(f.estimate),
                "verdict": f.verdict,
                "scope": f.scope,
                "reason": f.reason,
                "checks": plain(f.checks),
                "control": None if f.control is None else estimate_object(f.control),
                "claim_id": claim.id,
                "diagnostic": claim.diagnostic,
                "family": claim.family,
                "post_hoc": claim.post_hoc,
                **{name: getattr(f, name) for name in _EVIDENCE},
            }
        )
    for p in view.published:
        figure = plain(p.figure)
        objects.append(
            {
                "published": figure.pop("id"),
                "outcome": p.outcome,
                "printed": figure.pop("printed"),
                "ours": p.ours or None,
                **{name: getattr(p, name) for name in ("value", "low", "high", "reason")},
                **figure,
            }
        )
    objects += leaderboard.board_objects(view)
    return "".join(f"{json_line(one)}\n" for one in objects)


def estimate_object(estimate: Estimate) -> dict[str, Any]:
    """Columns of one estimate; ``condition`` is an object, and no value is null."""
    row = estimate_to_row(estimate)
    row["condition"] = plain(dict(estimate.key.condition))
    return {name: row[name] for name in ESTIMATE_COLUMNS}


REPLICATE_COLUMNS: Final = ("n_replicates", "divided_by", "by_replicate", "across", "variance")
FINDING_COLUMNS: Final = ("claim", "verdict", "scope", "reason", "trusted", "why_not")
#: How a formula of a spreadsheet begins, also in the wide letters of Chinese and Japanese.
_FORMULA: Final = (*"=+-@", "\t", "\r", "\n", *"\uff1d\uff0b\uff0d\uff20")
_CSV_HEADER: Final = (*ESTIMATE_COLUMNS, *REPLICATE_COLUMNS, *FINDING_COLUMNS)


def render_csv(view: RunView) -> str:
    """Columns of ``estimates.parquet``, then those of the claim if there is one.

    ``divided_by`` is the denominator of the value; ``by_replicate``, ``across`` and ``variance``
    are JSON. ``trusted`` is yes or no by the rule of `scrutiny.report.trust`, and empty
    where there are no replicates to trust. Every finding has a row: that of its estimate, or one
    of its own where it has none.
    """
    handle = io.StringIO(newline="")
    writer = csv.DictWriter(handle, _CSV_HEADER, lineterminator="\n")
    writer.writeheader()
    table = trusted_table(view)
    rows = () if table is None else table.rows
    rule = {row.row.finding.claim.id: ("yes" if row.is_trusted else "no", row.why) for row in rows}
    waiting = []
    for finding in view.all_findings:
        trusted = rule.get(finding.claim.id, ("", ""))
        values = finding.claim.says, finding.verdict, finding.scope, finding.reason, *trusted
        waiting.append((dict(zip(FINDING_COLUMNS, values, strict=True)), finding))
    for estimate in view.all_estimates:
        row = _flat(estimate)
        claims = [f for f in waiting if f[1].estimate == estimate]
        waiting = [f for f in waiting if f[1].estimate != estimate]
        for extra, _ in claims:
            writer.writerow(_safe(row | extra))
        if not claims:
            writer.writerow(_safe(row))
    for extra, finding in waiting:
        own = {} if finding.estimate is None else _flat(finding.estimate)
        writer.writerow(_safe({"diagnostic": finding.claim.diagnostic} | own | extra))
    return handle.getvalue()


def _safe(row: Mapping[str, Any]) -> dict[str, Any]:
    """Cells of a row that neither steer a terminal nor are formulas of a spreadsheet.

    A text that a spreadsheet would take for a formula begins with an apostrophe; numbers stay.
    """
    return {name: cell(value) if isinstance(value, str) else value for name, value in row.items()}


def cell(text: str) -> str:
    """Text of somebody else as a cell.

    Examples
    --------
    >>> cell("=1+1"), cell("-0.5"), cell("a=b"), cell("@name")
    ("'=1+1", "'-0.5", 'a=b', "'@name")
    """
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def _flat(estimate: Estimate) -> dict[str, Any]:
    row = estimate_object(estimate)
    row |= {name: getattr(estimate, name) for name in REPLICATE_COLUMNS}
    return {n: canonical_json(dict(v)) if isinstance(v, Mapping) else v for n, v in row.items()}
