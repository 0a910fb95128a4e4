"""What ``scrutiny compare`` found, as lines, as objects and as a page."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scrutiny.cli.compare.words import outcome_words
from scrutiny.cli.narrow import narrowed
from scrutiny.core.storable import printable

if TYPE_CHECKING:
    from scrutiny.cli.compare.sides import Opened
    from scrutiny.run.comparing.levels import SideBySide


def printed(found: "SideBySide", flags: Mapping[str, Any]) -> None:
    """Print objects, or lines whose first one says what changed."""
    from scrutiny.cli.compare.lines import findings_of, headline, lines_of
    from scrutiny.cli.compare.objects import objects_of
    from scrutiny.cli.compare.shared_lines import shared_lines

    if flags["as_json"]:
        for one in objects_of(found, top=flags["top"]):
            click.echo(json.dumps(one, ensure_ascii=False))
        return
    click.secho(narrowed(headline(found)), bold=True)
    if found.outcome_of_levels is not None:
        click.echo(f"{outcome_words(found.outcome_of_levels)} {flags['margin']:g}.")
    for level in found.levels:
        for line in lines_of(level, top=flags["top"], show_all=flags["show_all"]):
            click.echo(printable(line))
    for line in shared_lines(found.shared):
        click.echo(printable(line))
    for line in findings_of(found.comparison, show_all=flags["show_all"]):
        click.echo(printable(line))
    for text in found.comparison.differences:
        click.echo(narrowed(f"The runs also differ in {text}."))
    if flags["out"] is not None:
        click.echo(f"Kept in {Path(flags['out'])}")
    if flags["html"] is not None:
        click.echo(f"Page: {flags['html']}")


def write_page(found: "SideBySide", sides: "Opened", flags: Mapping[str, Any]) -> None:
    """Write the page of a comparison."""
    from scrutiny.cli.compare.page import view_of
    from scrutiny.report.compare.html import render_compare_html
    from scrutiny.store.files import save_text

    save_text(Path(flags["html"]), render_compare_html(view_of(found, sides, flags)))
