"""More than two sides of ``scrutiny compare``: the leaderboard of stored runs, logs and tables."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click

from scrutiny.blocks.labels import short_names
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.terminal_and_markdown import block_lines, write_lines
from scrutiny.cli.early_checks import must_be_beside
from scrutiny.cli.output import prints_on_stderr
from scrutiny.cli.stored_sides import folder_of, kind_of
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import PlanError
from scrutiny.core.record import grouped
from scrutiny.report.load import load_view
from scrutiny.report.sections.boards import boards_over
from scrutiny.report.sections.leaderboard import lines_of, objects_of
from scrutiny.store.arrow import leave_pandas_out

#: Options that are about two sides.
_OF_TWO: Final = "margin junit again invariances representations paired where".split()


def say_leaderboard(flags: Mapping[str, Any]) -> int:
    """Print the leaderboard of three or more stored sides.

    Raises
    ------
    PlanError
        If a side is a model that has to be asked, an option is about two sides, or no score is
        shared.
    """
    texts = [flags["first"], flags["second"], *flags["others"]]
    model = next((text for text in texts if kind_of(text) == "model"), None)
    if model is not None:
        raise PlanError(
            f"{model!r} is a model that has to be asked, and more than two sides are compared by "
            "what they have answered: ask all of them in one run (scrutiny run performance --model "
            "A --model B --model C --data STRING), whose report has the leaderboard."
        )
    stated = next((name for name in _OF_TWO if flags[name] not in (None, (), False)), None)
    if stated is not None:
        raise PlanError(
            f"--{stated} is about two sides, and there are {len(texts)}: compare two of them with "
            "it."
        )
    if len(set(texts)) < len(texts):
        raise PlanError("A side is named twice: a system is no rival of itself.")
    must_be_beside(flags["html"], flags["out"])
    leave_pandas_out()
    with TemporaryDirectory(prefix="scrutiny-compare-") as kept, prints_on_stderr():
        out = Path(kept if flags["out"] is None else flags["out"])
        folders = [
            folder_of(text, out / f"side-{number}", {**flags, "out": out})  # with its estimates
            for number, text in enumerate(texts, 1)
        ]
        names = short_names(texts)
        views = {names[t]: load_view(one.path) for t, one in zip(texts, folders, strict=True)}
        boards = boards_over(views)
    if not boards:
        raise PlanError(
            "There is no leaderboard: no two of these have the same score of the same items. Items "
            "pair by their ids, and scores by their names; datasets by theirs where a side has "
            "several."
        )
    doubts = [*_other_content(views)]
    for said in doubts:
        click.echo(said, err=True)
    if flags["html"] is not None:
        from scrutiny.cli.request import command_line
        from scrutiny.report.compare.leaderboard_page import leaderboard_page
        from scrutiny.store.files import save_text

        page = leaderboard_page(boards, views, doubts=doubts, command=command_line())
        save_text(Path(flags["html"]), page)
    if flags["as_json"]:
        for one in objects_of(boards):
            click.echo(json_line(one))
    else:
        write_lines(block_lines(lines_of(boards)))
        if flags["html"] is not None:
            click.echo(f"page: {flags['html']}")
    return 0


def _other_content(views: Mapping[str, RunView]) -> Iterator[str]:
    """A sentence for each dataset whose items are not the same on all sides."""
    told = [(name, view.manifest.get("data", {})) for name, view in views.items()]
    is_one = all(len(data) == 1 for _, data in told)
    for dataset, own in grouped(
        (
            "The data" if is_one else key,
            (one.get("fingerprint"), f"{name} ({one['items']:,} items)"),
        )
        for name, data in told
        for key, one in data.items()
    ).items():
        if len(by_content := grouped(own)) > 1:
            several = "; ".join(", ".join(names) for names in by_content.values())
            yield f"{dataset}: other content on some sides: {several}. Items pair by their ids."
