"""``scrutiny report``: a finished run as a table or a page."""

from pathlib import Path
from typing import Final

import click

from scrutiny.core.errors import PlanError

_BY_SUFFIX: Final = {
    ".html": "html",
    ".md": "md",
    ".tex": "latex",
    ".csv": "csv",
    ".json": "json",
    ".ndjson": "json",
    ".jsonl": "json",
    ".txt": "text",
}


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File; its suffix tells.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "html", "md", "latex", "csv", "json"]),
    help="Text on a terminal unless told.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(run: Path, output: Path | None, form: str | None, *, as_json: bool) -> int:
    r"""Print the report of a run, or write it to a file.

    \b
    scrutiny report runs/audit-1
    scrutiny report runs/audit-1 -o report.html
    scrutiny report runs/audit-1 --format json | jq .
    """
    from scrutiny.report.load import load_view
    from scrutiny.report.terminal import write_terminal
    from scrutiny.store.files import save_text

    chosen = "json" if as_json else form or _form_of(output)
    view = load_view(run)
    if output is None and chosen == "text":
        write_terminal(view)
        return 0
    text = render(view, chosen)
    if output is None:
        click.echo(text, nl=False)
    else:
        save_text(output, text)
        click.echo(f"Wrote {output}", err=True)
    return 0


def _form_of(output: Path | None) -> str:
    if output is None:
        return "text"
    form = _BY_SUFFIX.get(output.suffix.lower())
    if form is None and output.suffix:
        raise PlanError(
            f"The suffix of {output.name!r} names no format: use {', '.join(_BY_SUFFIX)}, or say "
            "--format."
        )
    return form or "text"


def render(view: object, form: str) -> str:
    """Report in one of the formats."""
    from scrutiny.report.delimited import render_csv
    from scrutiny.report.html import render_html
    from scrutiny.report.latex import render_latex
    from scrutiny.report.markdown import render_markdown
    from scrutiny.report.ndjson import render_ndjson
    from scrutiny.report.terminal import plain_text

    makers = {
        "html": render_html,
        "md": render_markdown,
        "latex": render_latex,
        "csv": render_csv,
        "json": render_ndjson,
        "text": plain_text,
    }
    return makers[form](view)  # type: ignore[operator, no-any-return]
