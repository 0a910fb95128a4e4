"""``scrutiny check``: what a plan would do."""

import json
from pathlib import Path

import click

from scrutiny.cli.narrow import fitted
from scrutiny.cli.options import load_options, model_options
from scrutiny.cli.running.streams import prints_on_stderr


@click.command("check")
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@model_options
def command(
    plan: Path, device: str, batch: str, model_settings: tuple[str, ...], *, as_json: bool
) -> int:
    """Resolve and validate a plan and say what it would ask; runs nothing."""
    from scrutiny.cli.running.asked import models_of_plan

    models_of_plan(plan)
    from scrutiny.core.boundary.canonical import plain
    from scrutiny.run.checking import cost_of
    from scrutiny.run.planning.file import read_plan
    from scrutiny.run.planning.resolve import resolve
    from scrutiny.run.training.trained import with_stand_ins

    options = load_options(device, batch, model_settings)
    stand_ins = with_stand_ins(read_plan(plan), options=options)
    with prints_on_stderr(), stand_ins as (made, trainings):
        cost = cost_of(resolve(made, options=options))
    if as_json:
        train = [plain(training) for training in trainings]
        found = {"plan": str(plan), "queries": cost.queries, "train": train, **plain(cost)}
        click.echo(json.dumps(found, ensure_ascii=False))
        return 0
    click.echo(f"{plan} is a valid plan.")
    for line in (*(line for training in trainings for line in training.lines()), *cost.lines()):
        click.echo(fitted(line))
    return 0
