"""Formats of the report, by name and by file suffix."""

from pathlib import Path
from pkgutil import resolve_name
from typing import Final

from scrutiny.core.errors import PlanError
from scrutiny.parts.run.view import RunView

#: What writes each format; it is imported on demand, with what it depends on.
_WRITERS: Final = {
    "text": "terminal.page:plain_text",
    "html": "formats.html:render_html",
    "md": "formats.markdown:render_markdown",
    "latex": "formats.latex:render_latex",
    "csv": "formats.delimited:render_csv",
    "json": "formats.ndjson:render_ndjson",
    "junit": "formats.junit:render_junit",
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
    """Report in one of the `FORMATS`."""
    return str(resolve_name(f"scrutiny.report.{_WRITERS[name]}")(view))
