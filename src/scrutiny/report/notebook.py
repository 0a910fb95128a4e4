"""HTML for notebooks: a run or a table, verdicts first, without scripts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scrutiny.blocks.numbers import number
from scrutiny.blocks.run_estimates import main_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.report.cases.shown import case_page
from scrutiny.report.findings.audit_rows import audit_rows, number_rows
from scrutiny.report.first_screen.content import MOST_CASES, FirstScreen, first_screen_of
from scrutiny.report.wording import footer_lines

MOST_ROWS = 40
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
    screen = first_screen_of(view)
    if screen.risks:
        return _risks(screen, most_rows, footer_lines(view)[:3])
    if screen.signs is not None:
        cells = [row for panel in screen.signs.panels for row in panel.table.rows]
        said = (
            screen.signs.title,
            screen.signs.decision,
            screen.signs.counts,
            screen.signs.controls,
            *screen.sentences,
        )
        return _render(
            title=screen.signs.headline,
            others=[*filter(None, said)],
            columns=screen.signs.panels[0].table.header,
            cells=cells[:most_rows],
            n_more=max(0, len(cells) - most_rows),
            footer=footer_lines(view)[:3],
        )
    rows = audit_rows(view)
    listed = [] if rows else number_rows(main_estimates(view))
    numbers = [(row.label, row.value, row.n, row.estimate.method) for row in listed]
    return _render(
        title=screen.headline,
        others=screen.sentences[1:],
        rows=rows[:most_rows],
        columns=_NUMBERS,
        cells=numbers[:most_rows],
        n_more=max(0, len(rows) + len(numbers) - most_rows),
        footer=footer_lines(view),
    )


def _risks(screen: FirstScreen, most_rows: int, footer: Sequence[str]) -> str:
    """First screen of risks: those that hurt or are open in a table, the others in sentences."""
    told, worst = screen.open_table, screen.worst
    said = [screen.skill, *(number.says for number in screen.numbers)]
    score, *others = [one for one in said if one] or [screen.decision]
    brackets = f" In brackets: {screen.intervals}." if screen.intervals else ""
    others += [" \N{MIDDLE DOT} ".join(screen.beside), screen.decision, screen.counts + brackets]
    return _render(
        title=score,
        others=[one for one in dict.fromkeys(others) if one not in ("", score)],
        columns=told.header,
        cells=told.rows[:most_rows],
        n_more=max(0, len(told.rows) - most_rows),
        below=[*filter(None, [screen.held]), *screen.not_told],
        worst=worst,
        cases=[case_page(case) for case in worst.cases[: MOST_CASES["notebook"]]] if worst else [],
        footer=footer,
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
    texts: dict[str, list[str]] = {name: [] for name in columns}
    for name in columns:
        for value in (row[name] for row in rows):
            text = "" if value in (None, "{}") else str(value)
            text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
            texts[name].append(number(value) if isinstance(value, float) else text)
    held = {name: cells for name, cells in texts.items() if any(cells)}
    shared = [name for name, cells in held.items() if len(rows) > 1 and len(set(cells)) == 1]
    shown = [name for name in held if name not in shared]
    once = " \N{MIDDLE DOT} ".join(f"{name}: {held[name][0]}" for name in shared)
    others = [*said, once] if once else said
    cells = [*zip(*(held[name] for name in shown), strict=True)]
    return _render(title=title, others=others, columns=shown, cells=cells, n_more=n_more)


def _render(**values: object) -> str:
    from scrutiny.report.page import environment

    known: dict[str, object] = {"title": "", "others": (), "rows": (), "footer": ()}
    known |= {"below": (), "worst": None, "cases": ()}
    return environment().get_template("snippet.html.j2").render(known | values)
