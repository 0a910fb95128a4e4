"""``--dry-run`` and ``scrutiny check``: cost of a plan before it runs."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click

from scrutiny.cli.running.streams import prints_on_stderr
from scrutiny.cli.wrapping import narrowed, printed_line
from scrutiny.core.boundary.canonical import plain
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.plan import Plan
from scrutiny.run.budgeting.budget import resolved_within
from scrutiny.run.budgeting.cost import cost_of
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.opened import Opened
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.training.trained import with_stand_ins


def say_cost(
    plan: Plan,
    models: LoadedModels,
    *,
    opened: Opened | None = None,
    price: float,
    as_json: bool,
    budget: float | None = None,
    named: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Print the cost of a plan, as lines or as one JSON object; nothing is written.

    Parameters
    ----------
    plan
        Read, not resolved; what it trains is stood in for.
    models
        Models of this process.
    opened
        What the command has open already.
    price
        Money for each text.
    as_json
        Whether as an object.
    budget
        Seconds that it has to fit into, if any.
    named
        Further members of the object.
    """
    left_out: tuple[str, ...] = ()
    opened = opened or Opened(models)
    with prints_on_stderr(), with_stand_ins(plan, options=models.options) as (made, trainings):
        resolved = resolve(made, opened=opened)
        if budget is not None:
            resolved = resolved_within(resolved, budget, models=models)
            left_out = resolved.plan.budget.left_out if resolved.plan.budget else ()
        left_out = (*resolved.plan.left_out, *left_out)
        cost = cost_of(resolved, models=models, price=price)
    if as_json:
        train = [plain(training) for training in trainings]
        found = {**named, "train": train, **cost.to_json(), "left_out": left_out}
        click.echo(json_line(found))
        return
    if "plan" in named:
        click.echo(f"{named['plan']} is a valid plan.")
    for line in (*(line for training in trainings for line in training.lines()), *cost.lines()):
        click.echo(printed_line(line))
    for sentence in left_out:
        click.echo(narrowed(sentence))
