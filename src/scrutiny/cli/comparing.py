"""The two sides of ``scrutiny compare``: runs, logs, or models that are asked about data."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from scrutiny.blocks.terminal_and_markdown import write_lines
from scrutiny.cli.options import split_option
from scrutiny.cli.stored_sides import OpenedSides, folder_of, kind_of
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import PlanError
from scrutiny.report.compare.output import lines_of, objects_of
from scrutiny.run.comparing.comparison_results import (
    MARGIN,
    SideBySide,
    Wanted,
)
from scrutiny.store.arrow import leave_pandas_out
from scrutiny.store.files import save_text


@contextmanager
def opened(flags: Mapping[str, Any]) -> Iterator[OpenedSides]:
    """Both sides as run folders: read, imported or run.

    Raises
    ------
    PlanError
        If models come without data, or a model beside something that cannot be asked again.
    """
    texts = [flags["first"], flags["second"]]
    known = [text for text in texts if kind_of(text) != "model"]
    # requested comparisons in addition to answers
    stated = flags["invariances"]
    names = tuple(split_option(stated or ""))
    if stated is not None and not names:
        raise PlanError(
            f"--invariances {stated!r} names no change: write --invariances synonym,typo, or a "
            "recipe that `scrutiny list transformations` prints."
        )
    margins = (flags["invariance_margin"], flags["margin"], MARGIN)
    margin = next(one for one in margins if one is not None)
    wanted = Wanted(names, margin, flags["representations"])
    if known and wanted.is_any:
        raise PlanError(
            f"{known[0]!r} only has stored answers and cannot be asked about changed texts: "
            "--invariances and --representations need two models that can be run, with --data."
        )
    with TemporaryDirectory(prefix="scrutiny-compare-") as kept:
        out = Path(kept if flags["out"] is None else flags["out"])
        if len(known) < 2:
            from scrutiny.cli.asked_sides import asked_sides  # imports all that asks models

            yield asked_sides(texts, flags, wanted, out / "again")
            return
        leave_pandas_out()
        again = None if flags["again"] is None else folder_of(flags["again"], out / "again", flags)
        first, second = (
            folder_of(text, out / name, flags)
            for text, name in zip(texts, ("first", "second"), strict=True)
        )
        try:
            yield OpenedSides(first, second, again)
        except PlanError as error:  # it names folders, which are temporary ones of logs
            said = str(error)
            for text, folder in zip(texts, (first, second), strict=True):
                said = said.replace(str(folder.path), text)
            raise PlanError(said) from error


def printed(found: SideBySide, flags: Mapping[str, Any], gate: str | None = None) -> None:
    """Print objects, or lines whose first one says what changed.

    ``gate`` is what the outcome comes to: "pass", "fail" or "undecided".
    """
    top = 0 if flags["no_texts"] else flags["top"]
    if flags["as_json"]:
        for one in objects_of(found, top=top):
            is_last = one.get("part") == "outcome" and gate is not None
            click.echo(json_line({**one, "gate": gate} if is_last else one))
        return
    margin, is_whole = flags["margin"], flags["show_all"]
    write_lines(lines_of(found, margin=margin, top=top, is_whole=is_whole))
    if found.outcome == "undecided" and gate != "undecided":
        click.echo(f"{(gate or '').upper()}  as --undecided {gate} says")
    if flags["out"] is not None:
        click.echo(f"Kept in {Path(flags['out'])}")
    if flags["html"] is not None:
        click.echo(f"page: {flags['html']}")


def write_page(found: SideBySide, sides: OpenedSides, flags: Mapping[str, Any]) -> None:
    """Write the page of a comparison."""
    from scrutiny.cli.request import command_line
    from scrutiny.report.compare.page import INPUTS, page_of

    given = [(flags["first"], sides.first), (flags["second"], sides.second)]
    most = (0,) if flags["no_texts"] else INPUTS
    page = page_of(found, given, margin=flags["margin"], command=command_line(), inputs=most)
    save_text(Path(flags["html"]), page)


def write_junit(found: SideBySide, flags: Mapping[str, Any]) -> None:
    """Write what the margin decides as JUnit XML."""
    from scrutiny.report.compare.judged import judged_cases
    from scrutiny.report.findings.risks import junit

    cases = [*judged_cases(found, flags["margin"], flags["undecided"])]
    save_text(flags["junit"], junit(f"{flags['first']} {flags['second']}", cases))
