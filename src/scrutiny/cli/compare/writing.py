"""Output of ``scrutiny compare``: lines, objects, or a page."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from scrutiny.cli.compare.cards import cards_of, scales_of
from scrutiny.cli.compare.headline import headline, verdicts
from scrutiny.cli.compare.objects import objects_of
from scrutiny.cli.compare.parts import parts_of
from scrutiny.cli.compare.sides import Opened
from scrutiny.cli.running.request import command_line
from scrutiny.core.boundary.json_text import json_line
from scrutiny.parts.terminal.layout import wrapped
from scrutiny.parts.terminal.part import part_lines
from scrutiny.report.formats.html import LARGEST, render_parts
from scrutiny.report.terminal.page import write_lines
from scrutiny.run.comparing.levels import SideBySide
from scrutiny.store.files import save_text
from scrutiny.store.run_folder import RunFolder

#: Sign and color of what a comparison found.
_SIGNS: Final = {
    "worse": "\N{BLACK CIRCLE}",
    "better": "\N{CHECK MARK}",
    "no difference": "\N{WHITE CIRCLE}",
}
_COLORS: Final = {"worse": "red", "better": "green", "no difference": ""}
#: Inputs of each level on a page, tried in this order until it is small enough.
INPUTS: Final = (40, 20, 10, 5, 0)


def printed(found: SideBySide, flags: Mapping[str, Any]) -> None:
    """Print objects, or lines whose first one says what changed."""
    top = 0 if flags["no_texts"] else flags["top"]
    if flags["as_json"]:
        for one in objects_of(found, top=top):
            click.echo(json_line(one))
        return
    margin, is_whole = flags["margin"], flags["show_all"]
    write_lines(lines_of(found, margin=margin, top=top, is_whole=is_whole))
    if flags["out"] is not None:
        click.echo(f"Kept in {Path(flags['out'])}")
    if flags["html"] is not None:
        click.echo(f"page: {flags['html']}")


def lines_of(found: SideBySide, *, margin: float | None, top: int, is_whole: bool) -> list[Text]:
    """Lines of a comparison, what changed first."""
    said = headline(found)
    lines = wrapped(
        f"{_SIGNS[said.found]} {said.lead}", style=f"bold {_COLORS[said.found]}".strip()
    )
    for sentence in said.rest:
        lines += wrapped(sentence, hanging=2)
    lines += map(Text, verdicts(found, margin))
    for part in parts_of(found, margin=margin, top=top, is_whole=is_whole):
        lines += part_lines(part)
    return lines


def write_page(found: SideBySide, sides: Opened, flags: Mapping[str, Any]) -> None:
    """Write the page of a comparison."""
    given = [(flags["first"], sides.first), (flags["second"], sides.second)]
    most = (0,) if flags["no_texts"] else INPUTS
    page = page_of(found, given, margin=flags["margin"], command=command_line(), inputs=most)
    save_text(Path(flags["html"]), page)


def page_of(
    found: SideBySide,
    sides: Sequence[tuple[str, RunFolder]],
    *,
    margin: float | None,
    command: str,
    inputs: Sequence[int] = INPUTS,
) -> str:
    """Page of a comparison, with as many inputs as keep it small enough.

    ``sides`` are what was given and its run, of the first and of the second.
    """
    text, ((first, one), (second, other)) = "", sides
    said = [("First", _side(one, first)), ("Second", _side(other, second))]
    for most in inputs:
        text = render_parts(
            [*parts_of(found, margin=margin, top=most, is_whole=True)],
            title=f"{second} against {first}",
            headline=headline(found),
            scales=[*scales_of(found, margin)],
            cards=[*cards_of(found)] if most else [],
            verdicts=[*verdicts(found, margin)],
            facts=said,
            command=command,
            version=version("scrutiny"),
        )
        if len(text.encode("utf-8", "backslashreplace")) < LARGEST:
            break
    return text


def _side(folder: RunFolder, given: str) -> str:
    """A side's argument, and the models of its run with their numbers of replicates."""
    models = folder.manifest["models"].items()
    counts = {name: len(one.get("replicates", "1")) for name, one in models}
    if len(counts) == 1:
        (count,) = counts.values()
        return f"{given} ({count} models)" if count > 1 else given
    return f"{given} (models: {', '.join(f'{name} {count}' for name, count in counts.items())})"
