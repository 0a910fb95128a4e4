"""``scrutiny compare``: two runs, two logs or two models, paired."""

import json
from pathlib import Path
from typing import Any, Final

import click

from scrutiny.cli.narrow import narrowed
from scrutiny.cli.options import running_options

_CODES: Final = {"no regression": 0, "regression": 1, "undecided": 4}
_WORDS: Final = {
    "no regression": "PASS  the loss is shown to lie within",
    "regression": "FAIL  a loss is shown to lie beyond",
    "undecided": "UNDECIDED  nothing is shown about a loss of",
}


@click.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--margin",
    type=click.FloatRange(0.0),
    help="Largest loss that does not matter (0.02); decides the exit code.",
)
@click.option(
    "--again", metavar="RUN", help="Another run or log of the first model: the noise floor."
)
@click.option(
    "--word", "words", multiple=True, metavar="W", help="Also look at inputs with W; repeatable."
)
@click.option("--top", default=5, show_default=True, help="Inputs to list that differ most.")
@click.option(
    "--paired/--unpaired",
    default=None,
    help="Whether replicate k belongs to replicate k; by default if the models are the same.",
)
@click.option("--all", "show_all", is_flag=True, help="Also print what does not differ.")
@click.option("--data", "data", multiple=True, metavar="STRING", help="For models; repeatable.")
@click.option("--task", default="", metavar="NAME", help="Where the columns do not tell.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="For models; performance unless told.",
)
@click.option(
    "--with", "transformations", default="", metavar="A,B", help="Of --measure robustness."
)
@click.option("--draws", type=click.IntRange(100), help="Resamples of the items.")
@running_options
def command(**flags: Any) -> int:
    r"""Compare B with A: two runs, two logs, or two models on data.

    \b
    scrutiny compare runs/v1 runs/v2
    scrutiny compare results/acme__v1 results/acme__v2 --margin 0.02
    scrutiny compare hf:./v1 hf:./v2 --data csv:dev.csv#text=sentence,label=label

    The exit code is 0. With --margin: 0 no regression, 1 a regression shown, 4 undecided.
    """
    from scrutiny.cli.compare_sides import opened
    from scrutiny.run.comparing_levels import CompareOptions
    from scrutiny.run.comparing_whole import compare_side_by_side

    with opened(flags) as sides:
        options = CompareOptions(
            paired=flags["paired"],
            margin=flags["margin"],
            words=flags["words"],
            noise=sides.noise,
            again=sides.again,
        )
        found = compare_side_by_side(sides.first, sides.second, options)
    _print(found, flags)
    return 0 if found.outcome is None else _CODES[found.outcome]


def _print(found: Any, flags: dict[str, Any]) -> None:
    """Print objects, or lines whose first one says what changed."""
    from scrutiny.cli.compare_json import objects_of
    from scrutiny.cli.compare_lines import findings_of, headline, lines_of

    if flags["as_json"]:
        for one in objects_of(found, top=flags["top"]):
            click.echo(json.dumps(one, ensure_ascii=False))
        return
    click.secho(narrowed(headline(found)), bold=True)
    if found.outcome is not None:
        click.echo(f"{_WORDS[found.outcome]} {flags['margin']:g}.")
    for level in found.levels:
        for line in lines_of(level, top=flags["top"], show_all=flags["show_all"]):
            click.echo(line)
    for line in findings_of(found.comparison, show_all=flags["show_all"]):
        click.echo(line)
    for text in found.comparison.differences:
        click.echo(narrowed(f"The runs also differ in {text}."))
    if flags["out"] is not None:
        click.echo(f"Kept in {Path(flags['out'])}")
