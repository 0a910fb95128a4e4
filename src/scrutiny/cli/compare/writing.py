"""What ``scrutiny compare`` found, printed as lines or objects, and written as a page."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from scrutiny.cli.compare.headline import headline, verdicts
from scrutiny.cli.compare.objects import objects_of
from scrutiny.cli.compare.parts import parts_of
from scrutiny.cli.compare.sides import Opened
from scrutiny.cli.running.request import command_line
from scrutiny.parts.lines import part_lines
from scrutiny.parts.wording.layout import wrapped
from scrutiny.report.formats.html import LARGEST, render_parts
from scrutiny.report.terminal.page import write_lines
from scrutiny.run.comparing.levels import SideBySide
from scrutiny.store.files import save_text
from scrutiny.store.run_folder import RunFolder

#: Inputs of each level on a page, tried in this order until it is small enough.
INPUTS: Final = (40, 20, 10, 5, 0)


def printed(found: SideBySide, flags: Mapping[str, Any]) -> None:
    """Print objects, or lines whose first one says what changed."""
    if flags["as_json"]:
        for one in objects_of(found, top=flags["top"]):
            click.echo(json.dumps(one, ensure_ascii=False))
        return
    margin, top, is_whole = flags["margin"], flags["top"], flags["show_all"]
    lines = [*wrapped(headline(found), style="bold"), *map(Text, verdicts(found, margin))]
    for part in parts_of(found, margin=margin, top=top, is_whole=is_whole):
        lines += part_lines(part)
    write_lines(lines)
    if flags["out"] is not None:
        click.echo(f"Kept in {Path(flags['out'])}")
    if flags["html"] is not None:
        click.echo(f"Page: {flags['html']}")


def write_page(found: SideBySide, sides: Opened, flags: Mapping[str, Any]) -> None:
    """Write the page of a comparison; inputs are left out until it is small enough."""
    text, names = "", ("first", "second")
    said = [
        (name.capitalize(), _side(folder, flags[name]))
        for name, folder in zip(names, (sides.first, sides.second), strict=True)
    ]
    for most in INPUTS:
        text = render_parts(
            [*parts_of(found, margin=flags["margin"], top=most, is_whole=True)],
            title=f"{flags['second']} against {flags['first']}",
            headline=headline(found),
            verdicts=[*verdicts(found, flags["margin"])],
            facts=said,
            command=command_line(),
            version=version("scrutiny"),
        )
        if len(text.encode("utf-8", "backslashreplace")) < LARGEST:
            break
    save_text(Path(flags["html"]), text)


def _side(folder: RunFolder, given: str) -> str:
    """What was given for a side, and the models of its run with how many replicates."""
    models = folder.manifest["models"].items()
    counted = (f"{name}: {len(one.get('replicates', '1'))}" for name, one in models)
    return f"{given} (replicates of {', '.join(counted)})"
