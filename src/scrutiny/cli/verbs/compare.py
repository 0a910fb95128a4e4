"""``scrutiny compare``: two runs, two logs or two models, paired."""

from dataclasses import replace
from typing import Any, Final

import click

from scrutiny.cli.failures import say
from scrutiny.cli.options import DRAWS, completed, running_options, task_of_data
from scrutiny.cli.running.output_paths import OutputFile, must_be_beside
from scrutiny.cli.running.progress import say_warnings
from scrutiny.cli.running.streams import prints_on_stderr

_CODES: Final = {"no regression": 0, "regression": 1, "undecided": 4}


@click.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--margin",
    type=click.FloatRange(0.0),
    help="Largest accepted loss (e.g. 0.02); decides the exit code.",
)
@click.option(
    "--again", metavar="RUN", help="Another run or log of the first model, for the noise floor."
)
@click.option(
    "--top", default=5, show_default=True, help="Number of inputs that differ most to list."
)
@click.option(
    "--paired/--unpaired",
    default=None,
    help="Whether replicate k belongs to replicate k; by default if the models are the same.",
)
@click.option("--all", "show_all", is_flag=True, help="Also print numbers that do not differ.")
@click.option(
    "--data",
    "data",
    multiple=True,
    metavar="STRING",
    help="Data string, if A and B are models; repeatable.",
)
@task_of_data
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    shell_complete=completed("diagnostic"),
    help="Diagnostic, if A and B are models; default: performance.",
)
@click.option(
    "--with",
    "transformations",
    default="",
    metavar="A,B",
    shell_complete=completed("transformation"),
    help="Transformations, for --measure robustness.",
)
@click.option(
    "--invariances",
    metavar="A,B",
    help="Of two models: also ask whether changes (synonym,typo) that keep one's answers keep the "
    "other's.",
)
@click.option(
    "--invariance-margin",
    type=click.FloatRange(0.0, 1.0, max_open=True),
    metavar="M",
    help="Largest loss of those that does not matter; that of --margin, or 0.02.",
)
@click.option(
    "--representations",
    is_flag=True,
    help="Of two models: also how alike their vectors of the last layers are.",
)
@click.option("--html", type=OutputFile(), metavar="PAGE", help="Write a page.")
@click.option("--draws", type=DRAWS, help="Number of bootstrap resamples.")
@running_options
def command(**flags: Any) -> int:
    r"""Compare B with A: two runs, two logs, or two models on data.

    \b
    scrutiny compare runs/v1 runs/v2
    scrutiny compare results/acme__v1 results/acme__v2 --margin 0.02
    scrutiny compare hf:./v1 hf:./v2 --data csv:dev.csv#text=sentence,label=label

    A model beside a run folder is asked what the run asked.

    \b
    scrutiny compare runs/v1 hf:./v2 --html upgrade.html

    The exit code is 0. With --margin: 0 no regression, 1 a regression shown, 4 undecided.
    """
    from scrutiny.cli.compare.sides import opened
    from scrutiny.cli.compare.writing import printed, write_page
    from scrutiny.core.slice_syntax import canonical
    from scrutiny.data.slices import FEWEST
    from scrutiny.run.comparing.levels import CompareOptions
    from scrutiny.run.comparing.whole import compare_side_by_side

    must_be_beside(flags["html"], flags["out"])
    with prints_on_stderr(), opened(flags) as sides:
        for side in (sides.first, sides.second):
            say_warnings(side.manifest)
        options = CompareOptions(
            paired=flags["paired"],
            margin=flags["margin"],
            where=flags["where"],
            training=flags["training"],
            noise=sides.noise,
            baseline_rerun=sides.baseline_rerun,
            asked_again=sides.asked_again,
        )
        found = compare_side_by_side(sides.first, sides.second, options)
        found = replace(found, shared=sides.shared)
        if flags["html"] is not None:
            write_page(found, sides, flags)
    looked_at = {change.name for level in found.levels for change in level.changes}
    for where in map(canonical, flags["where"]):
        if where not in looked_at:
            say(f"The slice {where!r} has fewer than {FEWEST} items, or leaves fewer: no number.")
    printed(found, flags)
    return 0 if found.outcome is None else _CODES[found.outcome]
