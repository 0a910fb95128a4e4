"""Planned comparisons and rules as lines of a terminal and as JSON objects."""

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import number
from scrutiny.blocks.section import Part
from scrutiny.blocks.terminal_and_markdown import part_lines, wrapped
from scrutiny.core.boundary.printable import percent, whole_percent
from scrutiny.core.boundary.printable import points as margin_of
from scrutiny.core.plugin_base import unversioned
from scrutiny.report.compare.sections import LEVELS
from scrutiny.run.comparing.certificate import POWER
from scrutiny.run.comparing.planned_comparison import PlannedLevel
from scrutiny.run.comparing.planned_power import DesignPower
from scrutiny.run.estimating.planned_rules import PlannedRule, RuleChances


def plan_lines(found: PlannedLevel, *, margin: float, price: float = 0.0) -> Iterator[Text]:
    """What decides, in a sentence, and a table of designs.

    Parameters
    ----------
    found
        The designs.
    margin
        Largest loss that does not matter.
    price
        Of one text; without one, no cost is shown.
    """
    yield from wrapped(_lead(found, margin, price), style="bold")
    yield from wrapped(_presumed(found), hanging=2)
    finds = f"finds {margin_of(2 * margin)}"
    header = ("items", "repeats", "texts to ask", "cost", "decides if unchanged", finds)
    rows = tuple(
        (
            f"{one.items:,}",
            f"{one.repeats}",
            f"{found.texts(one):,}",
            f"{price * found.texts(one):,.2f}" if price else "",
            whole_percent(one.same),
            whole_percent(one.found),
        )
        for one in found.designs
    )
    table = ChartTable(header, rows, 0).told()
    chart = Chart("designs", "Designs", "", table)
    yield from part_lines(Part("plan", "Items and repeats of both", "", (chart,), chapter=LEVELS))


def plan_objects(found: PlannedLevel, *, price: float = 0.0) -> Iterator[dict[str, Any]]:
    """One object for each design, with the chances of its outcomes."""
    own = {name: getattr(found, name) for name in ("dataset", "metric", "level", "noise")}
    for one in found.designs:
        sizes = {"items": one.items, "repeats": one.repeats, "texts": found.texts(one)}
        cost = {"cost": price * found.texts(one)} if price else {}
        chances = {"same": one.same, "found": one.found, "alarms": one.alarms}
        yield {"part": "design", **own, "is_known": found.is_known, **sizes, **cost, **chances}


def _lead(found: PlannedLevel, margin: float, price: float) -> str:
    """The cheapest design that decides both ways, or that none does."""
    what = f"a loss of {margin_of(margin)}"
    enough = [one for one in found.designs if one.same >= POWER]
    if not enough:
        largest = max(found.designs, key=lambda one: one.texts)
        return (
            f"None of these designs excludes {what} in 80 of 100 comparisons of an unchanged "
            f"system; {_size(largest)} do in {whole_percent(largest.same)}. State a larger margin."
        )
    best = min(enough, key=lambda one: (found.texts(one), one.repeats))
    cost = f", {price * found.texts(best):,.2f} to pay" if price else ""
    return (
        f"{_size(best)} exclude {what} in {whole_percent(best.same)} of the comparisons of an "
        f"unchanged system ({found.texts(best):,} texts to ask{cost})."
    )


def _size(design: DesignPower) -> str:
    times = "once" if design.repeats == 1 else f"{design.repeats} times each"
    return f"{design.items:,} items, asked {times},"


def _presumed(found: PlannedLevel) -> str:
    """Score and noise that the plan rests on."""
    where = f" on {found.dataset}" if found.dataset else ""
    said = f"{unversioned(found.metric)} {percent(found.level)}{where}; {percent(found.noise)} of "
    said += "the items flip when asked again"
    if found.is_known:
        return f"For {said}."
    return (
        f"For {said}: supposed, as no noise floor is known. State it with --noise, or give --again."
    )


def rule_lines(found: PlannedRule) -> Iterator[Text]:
    """Lines on a rule of a gate: how many items decide it, in a sentence and a table."""
    enough = next((one for one in found.chances if max(one.passes, one.fails) >= POWER), None)
    if enough is None:
        said = f"{found.chances[-1].items:,} items do not decide it in 80 of 100 runs either."
    else:
        chance, does = max((enough.passes, "pass"), (enough.fails, "fail"))
        said = f"{enough.items:,} items {does} it in {whole_percent(chance)} of the runs."
    yield from wrapped(f"{found.rule}: {said}", style="bold")
    what = f"the true value is {number(found.value)}, as in this run"
    if found.is_alike:
        what = "the two models do not differ"
    of = f" The least certain of {found.n_numbers} numbers decides." * (found.n_numbers > 1)
    yield from wrapped(f"If {what}.{of}", hanging=2)
    header = ("items", "passes", "fails", "undecided")
    rows = tuple(
        (f"{one.items:,}", *map(whole_percent, (one.passes, one.fails, _left(one))))
        for one in found.chances
    )
    chart = Chart("rule", "Chances", "", ChartTable(header, rows, 0))
    yield from part_lines(
        Part("rule", "Items of a run like this one", "", (chart,), chapter=LEVELS)
    )


def rule_objects(found: PlannedRule) -> Iterator[dict[str, Any]]:
    """One object for each number of items, with the chances of a rule."""
    own = {"rule": found.rule, "value": found.value, "is_alike": found.is_alike}
    for one in found.chances:
        chances = {"passes": one.passes, "fails": one.fails, "undecided": _left(one)}
        yield {"part": "design", **own, "items": one.items, **chances}


def _left(one: RuleChances) -> float:
    return max(0.0, 1.0 - one.passes - one.fails)
