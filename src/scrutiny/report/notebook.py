"""HTML for notebooks: a run or a table, verdicts first, without scripts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scrutiny.blocks.labels import distinct_labels
from scrutiny.blocks.numbers import interval, number, out_of
from scrutiny.blocks.run_estimates import main_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.core.estimate import Estimate
from scrutiny.report.cases.shown import case_page
from scrutiny.report.findings.audit_rows import AuditRow, audit_rows
from scrutiny.report.first_screen.front import Front, front_with_cases
from scrutiny.report.wording import OUTCOME_MARKS, footer_lines, headline, mark, sentences

MOST_ROWS = 40
_RISKS: Final = ("", "risk", "what it costs", "more than random change", "true of, or would decide")
_SHOWN: Final = ("hurts", "can't tell", "not tested", "not asked")
_CASES: Final = 2
_NUMBERS: Final = ("of", "estimate", "n/planned", "method")
#: Characters of a text in a cell.
_LONGEST: Final = 120


def render_snippet(view: RunView, *, most_rows: int = MOST_ROWS) -> str:
    """Return a fragment of HTML for ``_repr_html_``: it brings its style and touches no other.

    It fits a page of 900 pixels: the score and the decision, risks worst first, cases of the worst;
    for a run without risks, each claim behind its verdict.

    Parameters
    ----------
    view
        The run.
    most_rows
        Rows shown; the rest is counted.
    """
    front = front_with_cases(view)
    if front is not None:
        return _first_screen(view, front, most_rows)
    rows = audit_rows(view)
    estimates = [] if rows else list(main_estimates(view))
    return _render(
        title=headline(view.findings, view.families),
        others=sentences(view.findings, view.families)[1:],
        rows=rows[:most_rows],
        columns=_NUMBERS,
        cells=_numbers(estimates[:most_rows]),
        n_more=max(0, len(rows) + len(estimates) - most_rows),
        footer=footer_lines(view),
    )


def _first_screen(view: RunView, front: Front, most_rows: int) -> str:
    """First screen of a run: risks that hurt or cannot be told in a table, the others in a line."""
    told = [risk for state in _SHOWN for risk in front.of(state)]
    held = "; ".join(f"{risk.name} {risk.costs}" for risk in front.of("holds"))
    worst = next((risk for risk in front.of("hurts") if risk.cases), None)
    said = [front.skill] if front.skill else []
    score, *others = [*said, *(number.says for number in front.numbers)] or [front.decision]
    counts = f"{front.counts} In brackets: {front.intervals}." if front.intervals else front.counts
    said = [" \N{MIDDLE DOT} ".join(front.beside), front.decision, counts]
    return _render(
        title=score,
        others=[one for one in dict.fromkeys([*others, *said]) if one not in ("", score)],
        columns=_RISKS,
        cells=[
            (f"{mark(r.state)} {r.state}", r.name, r.costs, r.more, r.scope)
            for r in told[:most_rows]
        ],
        n_more=max(0, len(told) - most_rows),
        held=held and f"{mark('holds')} holds: {held}",
        worst=worst,
        cases=[] if worst is None else [case_page(case) for case in worst.cases[:_CASES]],
        footer=footer_lines(view)[:3],
    )


def table_snippet(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    *,
    title: str = "",
    said: Sequence[str] = (),
    n_more: int = 0,
) -> str:
    """Return a fragment of HTML for rows of a table, below a title and sentences.

    What is the same in all rows is said once above them; columns without any value are left out.
    """
    texts = {name: [_cell(row[name]) for row in rows] for name in columns}
    held = {name: cells for name, cells in texts.items() if any(cells)}
    shared = [name for name, cells in held.items() if len(rows) > 1 and len(set(cells)) == 1]
    shown = [name for name in held if name not in shared]
    once = " \N{MIDDLE DOT} ".join(f"{name}: {held[name][0]}" for name in shared)
    others = [*said, once] if once else said
    cells = [*zip(*(held[name] for name in shown), strict=True)]
    return _render(title=title, others=others, columns=shown, cells=cells, n_more=n_more)


def _cell(value: Any) -> str:
    """Value in a cell: numbers with three decimals, long texts cut."""
    if isinstance(value, float):
        return number(value)
    text = "" if value in (None, "{}") else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _survived(row: AuditRow) -> str:
    """Outcomes of the checks that were run: "seeds yes, choices ?"."""
    outcomes = (("seeds", row.seeds), ("choices", row.choices), ("datasets", row.datasets))
    run = [(name, outcome) for name, outcome in outcomes if outcome != "not run"]
    return ", ".join(f"{name} {OUTCOME_MARKS.get(outcome, '?')}" for name, outcome in run)


def _render(**values: object) -> str:
    from scrutiny.report.page import environment

    known: dict[str, object] = {"title": "", "others": (), "rows": (), "footer": ()}
    known |= {"survived": _survived, "held": "", "worst": None, "cases": ()}
    return environment().get_template("snippet.html.j2").render(known | values)


def _numbers(estimates: list[Estimate]) -> list[tuple[str, str, str, str]]:
    if not estimates:
        return []
    labels = distinct_labels([e.key for e in estimates], without=frozenset())
    return [
        (label, interval(e) if e.status == "ok" else e.status, out_of(e), e.method)
        for e, label in zip(estimates, labels, strict=True)
    ]
