"""``scrutiny review``: what a table of published results shows."""

from pathlib import Path
from typing import Final

import click

from scrutiny.cli.early_checks import OutputFile

_TOLERANCE: Final = 0.05


@click.command("review")
@click.argument("given", metavar="FILE")
@click.option(
    "--by",
    "groups",
    multiple=True,
    metavar="COLUMN",
    help="Group rows by it; two are shown against each other. Otherwise transformation, task, ...",
)
@click.option(
    "--over",
    "clusters",
    multiple=True,
    metavar="COLUMN",
    help="Limits are of other values of it. Otherwise model, dataset, ...",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0.0, 1.0),
    default=_TOLERANCE,
    show_default=True,
    metavar="SHARE",
    help="Relative loss that does not matter.",
)
@click.option("-o", "--output", type=OutputFile(), help="Also write all tables (.md).")
@click.option("--json", "as_json", is_flag=True, help="JSON objects on stdout, a line each.")
def command(
    given: str,
    groups: tuple[str, ...],
    clusters: tuple[str, ...],
    tolerance: float,
    output: Path | None,
    *,
    as_json: bool,
) -> int:
    r"""Which results of a published table are more than chance? No model is asked.

    FILE has a row for each result: a score before and after a change, the number of items, and
    columns that say of which change, task, model and dataset. Columns are named behind #.

    \b
    scrutiny review robustness.csv
    scrutiny review "table3.csv#before=clean,after=noisy,items=n" \
        --by attack --over model
    """
    from scrutiny.blocks.terminal_and_markdown import write_lines
    from scrutiny.core.boundary.json_text import json_line
    from scrutiny.report.compare.published_table import (
        review_lines,
        review_markdown,
        review_objects,
    )
    from scrutiny.run.importing.published_review import review
    from scrutiny.run.importing.published_tables import read_published
    from scrutiny.store.files import write_text

    table = read_published(given, groups=groups, clusters=clusters)
    found = review(table, tolerance=tolerance)
    if output is not None:
        write_text(output, review_markdown(found))
    if as_json:
        for one in review_objects(found):
            click.echo(json_line(one))
        return 0
    write_lines(review_lines(found))
    return 0
