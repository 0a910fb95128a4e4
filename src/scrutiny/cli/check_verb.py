"""``scrutiny check``: what a plan would do."""

from pathlib import Path

import click

from scrutiny.cli.options import load_options, model_options


@click.command("check")
@click.argument("plan", type=click.Path(path_type=Path))
@model_options
def command(plan: Path, device: str, batch: str, model_settings: tuple[str, ...]) -> int:
    """Resolve and validate a plan and say what it would ask; runs nothing."""
    from scrutiny.run.checking import cost_of
    from scrutiny.run.plan_file import read_plan
    from scrutiny.run.resolve import resolve

    options = load_options(device, batch, model_settings)
    resolved = resolve(read_plan(plan), options=options)
    click.echo(f"{plan} is a valid plan.")
    for line in cost_of(resolved).lines():
        click.echo(line)
    return 0
