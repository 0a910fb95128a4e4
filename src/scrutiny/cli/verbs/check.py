"""``scrutiny check``: what a plan would ask."""

from pathlib import Path

import click

from scrutiny.cli.options import PRICE, load_options, model_options


@click.command("check")
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--price", **PRICE)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@model_options
def command(
    plan: Path,
    price: float,
    device: str,
    batch: str,
    model_settings: tuple[str, ...],
    *,
    as_json: bool,
) -> int:
    """Check a plan and estimate what it would ask; only a few items are asked."""
    from scrutiny.cli.running.early_checks import must_lead

    must_lead({}, plan)
    from scrutiny.cli.running.costs import say_cost
    from scrutiny.run.planning.file import read_plan
    from scrutiny.run.planning.loading import LoadedModels

    models = LoadedModels(load_options(device, batch, model_settings))
    say_cost(read_plan(plan), models, price=price, as_json=as_json, named={"plan": str(plan)})
    return 0
