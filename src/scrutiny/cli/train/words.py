"""Shared parts of ``scrutiny train attention``, ``linear``, ``recurrent`` and ``task``."""

from pathlib import Path
from typing import Any

import click

from scrutiny.cli.options import DISPLAY, Folder, several, whole_numbers
from scrutiny.core.boundary.json_text import json_line

#: Add the options of data, seeds and output.
word_options = several(
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
    click.option("--limit", type=click.IntRange(1), help="Number of rows, drawn at random."),
    click.option(
        "--dev-share",
        type=float,
        help="Share of the rows for dev data if there is no --dev; 0.1.",
    ),
    click.option("--display", **DISPLAY),
    click.option("--json", "as_json", is_flag=True, help="NDJSON: one model a line."),
)

#: Add the option of the vocabulary.
least_option = click.option(
    "--least", type=click.IntRange(1), help="Minimum frequency of a word; 2."
)


def train(recipe: Any, scheme: str, flags: dict[str, Any]) -> int:
    """Train the family of a recipe, and report the results."""
    from scrutiny.cli.running.progress import progress_of
    from scrutiny.data.dataset import load_dataset
    from scrutiny.training.words.job import outcome_of, train_words

    data, rows = flags["data"], flags["rows"]
    found = train_words(
        data if rows is None else load_dataset(data, limit=rows),
        flags["out"],
        recipe=recipe,
        seeds=whole_numbers("seeds", flags["seeds"]),
        dev=flags["dev"],
        reported=flags["reported"],
        progress=progress_of(flags["display"]),
    )
    for one in found:
        line = json_line({"folder": str(one.folder), **one.record})
        click.echo(line if flags["as_json"] else f"{one.folder}: {outcome_of(one.record)}")
    if not flags["as_json"]:
        click.echo(f"model: {scheme}:{flags['out']}/seed-{{seed}}")
    return 0


def given_options(flags: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Options of a training command that were given, among these names."""
    return {name: flags[name] for name in names if flags[name] is not None}
