"""``scrutiny compare --plan`` and ``gate --plan``: what would decide, before anything is asked."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from scrutiny.blocks.terminal_and_markdown import write_lines
from scrutiny.cli.output import prints_on_stderr
from scrutiny.cli.stored_sides import folder_of, kind_of
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import PlanError
from scrutiny.report.compare.plan_table import (
    plan_lines,
    plan_objects,
    rule_lines,
    rule_objects,
)
from scrutiny.run.comparing.comparison_results import CompareOptions
from scrutiny.run.comparing.planned_comparison import (
    PlannedLevel,
    plan_from_baseline,
    plan_from_numbers,
)


def say_plan(flags: Mapping[str, Any]) -> int:
    """Print which designs of a comparison would decide; nothing is asked.

    Raises
    ------
    PlanError
        If there is no margin, no baseline, or two sides.
    """
    margin, price = flags["margin"], flags["price"]
    if not margin:
        raise PlanError("--plan asks what decides about a loss: say which, as in --margin 0.02.")
    if flags["second"] is not None:
        raise PlanError(
            "--plan takes the baseline alone, as nothing is compared yet: leave out "
            f"{flags['second']!r}."
        )
    if (flags["first"] is None) == (flags["accuracy"] is None):
        raise PlanError(
            "--plan takes either a baseline, which is a run or a log, or its --accuracy (with "
            "--noise, the share of items that flip when it is asked again)."
        )
    with prints_on_stderr():
        found = [*_planned(flags)]
    for one in found:
        if flags["as_json"]:
            for each in plan_objects(one, price=price):
                click.echo(json_line(each))
        else:
            write_lines([*plan_lines(one, margin=margin, price=price)])
    return 0


def say_rules(flags: Mapping[str, Any]) -> int:
    """Print how often so many items decide the rules of a gate; nothing is judged.

    Raises
    ------
    PlanError
        If there is no rule, or something to be judged or written.
    """
    from scrutiny.run.estimating.planned_rules import plan_rules
    from scrutiny.store.run_folder import RunFolder

    beside = next((one for one in ("risks", "accept", "junit", "sarif") if flags[one]), None)
    if beside is not None:
        raise PlanError(f"--plan judges nothing: leave out --{beside}.")
    folder = RunFolder.open(flags["run"])
    found = [*plan_rules(folder, flags["rules"], group=flags["group"])]
    if not found:
        raise PlanError("No number of these rules has limits, so that nothing can be planned.")
    for one in found:
        if flags["as_json"]:
            for each in rule_objects(one):
                click.echo(json_line(each))
        else:
            write_lines([*rule_lines(one)])
    return 0


def _planned(flags: Mapping[str, Any]) -> Iterator[PlannedLevel]:
    """Designs from the baseline, or from stated numbers."""
    margin, noise, text = flags["margin"], flags["noise"], flags["first"]
    if text is None:
        limit = flags["limit"]
        if limit is not None and not (limit.isdecimal() and int(limit)):
            raise PlanError(f"--limit {limit!r}: of numbers alone, --plan takes a count of items.")
        items, seed = None if limit is None else int(limit), flags["seed"] or 0
        yield plan_from_numbers(
            flags["accuracy"], margin=margin, noise=noise, items=items, seed=seed
        )
        return
    if kind_of(text) == "model":
        raise PlanError(
            f"{text!r} is a model, and --plan asks none: give a run or a log of it, or state its "
            "--accuracy."
        )
    with TemporaryDirectory(prefix="scrutiny-compare-") as kept:
        out = Path(kept)
        again = None if flags["again"] is None else folder_of(flags["again"], out / "again", flags)
        options = CompareOptions(
            paired=False, margin=margin, where=flags["where"], baseline_rerun=again
        )
        yield from plan_from_baseline(folder_of(text, out / "first", flags), options, noise=noise)
