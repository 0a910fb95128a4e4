"""Formats of the report, by name and by file suffix."""

from pathlib import Path
from typing import Final

from scrutiny.core.errors import PlanError
from scrutiny.parts.run.view import RunView

FORMATS: Final = ("text", "html", "md", "latex", "csv", "json", "junit")
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
}


def format_of(path: Path) -> str:
    """Format of a file's suffix; text if it has none.

    Raises
    ------
    PlanError
        For a suffix that names none.
    """
    found = _BY_SUFFIX.get(path.suffix.lower())
    if found is None and path.suffix:
        raise PlanError(
            f"The suffix of {path.name!r} names no format: use {', '.join(_BY_SUFFIX)}, or "
            "--format."
        )
    return found or "text"


def render(view: RunView, name: str) -> str:
    """Report in one of the `FORMATS`; its dependencies are imported on demand."""
    if name == "html":
        from scrutiny.report.formats.html import render_html

        return render_html(view)
    if name == "md":
        from scrutiny.report.formats.markdown import render_markdown

        return render_markdown(view)
    if name == "latex":
        from scrutiny.report.formats.latex import render_latex

        return render_latex(view)
    if name == "csv":
        from scrutiny.report.formats.delimited import render_csv

        return render_csv(view)
    if name == "json":
        from scrutiny.report.formats.ndjson import render_ndjson

        return render_ndjson(view)
    if name == "junit":
        from scrutiny.report.formats.junit import render_junit

        return render_junit(view)
    from scrutiny.report.terminal.page import plain_text

    return plain_text(view)
