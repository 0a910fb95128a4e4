"""What a notebook shows of a run: verdict and audit table, without any script."""

from scrutiny.core.estimate import Estimate
from scrutiny.parts.run.rows import audit_rows
from scrutiny.parts.run.sections import main_estimates
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import distinct_labels
from scrutiny.parts.wording.numbers import interval, out_of
from scrutiny.parts.wording.verdicts import headline, sentences
from scrutiny.report.table.footer import footer_lines

MOST_ROWS = 40


def render_snippet(view: RunView, *, most_rows: int = MOST_ROWS) -> str:
    """Return a fragment of HTML for ``_repr_html_``: it brings its style and touches no other.

    Parameters
    ----------
    view
        The run.
    most_rows
        Rows shown; the rest is counted.
    """
    rows = audit_rows(view)
    estimates = [] if rows else list(main_estimates(view))
    return _render(
        title=headline(view.findings, view.families),
        others=sentences(view.findings, view.families)[1:],
        rows=rows[:most_rows],
        numbers=_numbers(estimates[:most_rows]),
        n_more=max(0, len(rows) + len(estimates) - most_rows),
        footer=footer_lines(view),
    )


def estimates_snippet(estimates: list[Estimate], *, title: str = "") -> str:
    """Return a fragment of HTML for a list of estimates, with intervals and denominators."""
    shown = estimates[:MOST_ROWS]
    return _render(
        title=title,
        others=(),
        rows=(),
        numbers=_numbers(shown),
        n_more=len(estimates) - len(shown),
        footer=[],
    )


def _render(**values: object) -> str:
    from scrutiny.report.formats.html import (
        environment,  # jinja2: not needed before a notebook asks
    )

    return environment().get_template("snippet.html.j2").render(**values)


def _numbers(estimates: list[Estimate]) -> list[tuple[str, str, str, str]]:
    if not estimates:
        return []
    labels = distinct_labels([e.key for e in estimates], without=frozenset())
    return [
        (label, interval(e) if e.status == "ok" else e.status, out_of(e), e.method)
        for e, label in zip(estimates, labels, strict=True)
    ]
