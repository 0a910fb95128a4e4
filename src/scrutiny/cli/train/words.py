"""Shared parts of ``scrutiny train attention``, ``linear`` and ``recurrent``."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from scrutiny.cli.options import Folder, whole_numbers

F = TypeVar("F", bound=Callable[..., Any])


def word_options(function: F) -> F:
    """Add the options of data, seeds and output."""
    for option in reversed(
        [
            click.option("--data", required=True, metavar="STRING", help="Data to train on."),
            click.option("--rows", metavar="FROM:TO", help="Rows of it, such as 0:440."),
            click.option(
                "--dev",
                default="",
                metavar="STRING",
                help="Dev data; default: split off from --data.",
            ),
            click.option(
                "--reported",
                multiple=True,
                metavar="STRING",
                help="Evaluation data, whose rows are refused for training.",
            ),
            click.option("--seeds", default="1,2,3", show_default=True, metavar="A,B"),
            click.option("--out", required=True, type=Folder(path_type=Path), help="Folder."),
            click.option(
                "--limit", type=click.IntRange(1), help="Number of rows, drawn at random."
            ),
            click.option(
                "--dev-share",
                type=float,
                help="Share of the rows for dev data if there is no --dev; 0.1.",
            ),
            click.option("--least", type=click.IntRange(1), help="Minimum frequency of a word; 2."),
            click.option("--json", "as_json", is_flag=True, help="NDJSON: one model a line."),
        ]
    ):
        function = option(function)
    return function


def train(recipe: Any, scheme: str, flags: dict[str, Any]) -> int:
    """Train the family of a recipe, and report the results."""
    from scrutiny.data.dataset import load_dataset
    from scrutiny.training.words.job import train_words

    data, rows = flags["data"], flags["rows"]
    tell = None if flags["as_json"] else click.echo
    found = train_words(
        data if rows is None else load_dataset(data, limit=rows),
        flags["out"],
        recipe=recipe,
        seeds=whole_numbers("seeds", flags["seeds"]),
        dev=flags["dev"],
        reported=flags["reported"],
        tell=tell,
    )
    for one in found if flags["as_json"] else ():
        line = {"folder": str(one.folder), **one.record}
        click.echo(json.dumps(line, ensure_ascii=False))
    if tell is not None:
        tell(f"model: {scheme}:{flags['out']}/seed-{{seed}}")
    return 0


def chosen(flags: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The given options among these names."""
    return {name: flags[name] for name in names if flags[name] is not None}
