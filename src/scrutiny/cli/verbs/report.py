"""``scrutiny report``: a finished run as a table or a page."""

from pathlib import Path

import click

from scrutiny.cli.failures import tell
from scrutiny.cli.options import NO_TEXTS
from scrutiny.cli.running.output_paths import OutputFile
from scrutiny.core.errors import PlanError


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=OutputFile(), help="Output file; its suffix chooses the format."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "html", "md", "latex", "csv", "json", "junit"]),
    help="Output format; default: text.",
)
@click.option("--cases", "change", metavar="NAME", help="Print the cases of one change or attack.")
@click.option("--no-texts", **NO_TEXTS)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(
    run: Path,
    output: Path | None,
    form: str | None,
    *,
    change: str | None,
    no_texts: bool,
    as_json: bool,
) -> int:
    r"""Print the report of a run, or write it to a file.

    \b
    scrutiny report runs/audit-1
    scrutiny report runs/audit-1 --cases typos
    scrutiny report runs/audit-1 -o report.html
    scrutiny report runs/audit-1 --format json | jq .
    """
    from scrutiny.report.formats.named import format_of, render
    from scrutiny.report.reading.load import load_view
    from scrutiny.report.terminal.page import write_terminal
    from scrutiny.store.files import save_text

    if change is not None:
        return _cases(run, change, is_allowed=output is None and form is None and not no_texts)
    suffix = "text" if output is None else format_of(output)
    chosen = "json" if as_json else form or suffix
    view = load_view(run)
    if no_texts:
        view = view.without_texts()
    if output is not None:
        save_text(output, render(view, chosen))
        tell(f"Wrote {output}")
    elif chosen == "text":
        write_terminal(view)
    else:
        click.echo(render(view, chosen), nl=False)
    return 0


def _cases(run: Path, change: str, *, is_allowed: bool) -> int:
    """Print the cases of one change."""
    from scrutiny.report.reading.cases import cases_of
    from scrutiny.report.reading.found import found_texts
    from scrutiny.report.terminal.cases import cases_lines
    from scrutiny.report.terminal.page import write_lines
    from scrutiny.store.run_folder import RunFolder

    if not is_allowed:
        raise PlanError("--cases prints texts to the terminal: leave out -o, --format, --no-texts.")
    folder = RunFolder.open(run)
    table = cases_of(folder, change, found_texts(folder.path, folder.estimates()))
    write_lines(cases_lines(change, table.to_pylist()))
    return 0
