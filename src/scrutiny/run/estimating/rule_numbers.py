"""Numbers of a finished run that a rule of a gate may select."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from scrutiny.core.errors import PlanError, UnknownNameError, UserError
from scrutiny.core.estimate import DRAW, of_all_draws
from scrutiny.core.expressions import names_metric
from scrutiny.core.slice_syntax import slice_of_values
from scrutiny.reliability.assignment import Number, PlacedContrast, assignments_in, differences_in
from scrutiny.reliability.metrics import metric_name
from scrutiny.reliability.written_metrics import Rule
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.run.planning.plan_slices import over
from scrutiny.store.run_folder import RunFolder


def numbers_of_run(folder: RunFolder) -> list[Number]:
    """All numbers that a rule may select."""
    manifest = folder.manifest
    placed = [one for whole in assignments_in(manifest) for one in whole.at_each()]
    return [*placed, *differences_in(manifest)]


def number_over(number: Number, where: str) -> Number:
    """The number on the items of a slice, under a name of its own."""
    return replace(over(number, where), id=f"{number.id}/{where}")


def of_each(number: Number, axis: str, estimator: Estimator) -> Iterator[Number]:
    """The number for each value of an axis; itself if it is of one value already."""
    if axis in where_of(number):
        yield number
        return
    for value in estimator.slices.of(number.key.dataset).values(axis):
        yield number_over(number, slice_of_values({axis: value}))


def is_named(number: Number, name: str) -> bool:
    """Whether a number belongs to a named estimate of the plan."""
    is_designed = number.id.startswith(f"{number.measure}/{number.key.subject}")
    return number.id == name or (number.id.startswith(f"{name}/") and not is_designed)


def where_of(number: Number) -> dict[str, object]:
    """Names and values that a rule may select a number by."""
    key = number.key
    reference = {} if key.reference is None else {"reference": key.reference}
    return {"subject": key.subject, "dataset": key.dataset, **reference, **key.condition}


def said_of(number: Number) -> str:
    """Condition of a number, in words."""
    key, minus = number.key, ""
    if isinstance(number, PlacedContrast) and number.is_of_slices:
        minus = f" on {number.a.group} minus {number.b.group}"
    elif key.reference not in (None, key.subject):
        is_minus = isinstance(number, PlacedContrast) and not number.how
        minus = f" {'minus' if is_minus else 'beside'} {key.reference}"
    parts = [f"{name} {value}" for name, value in key.condition.items()]
    parts += [key.group] * (not minus and key.group not in ("all", "changed"))
    return ", ".join([key.subject + minus, key.dataset, *parts])


def picked(rule: Rule, text: str, known: Sequence[Number], group: str) -> list[Number]:
    """Numbers that a rule selects."""
    named = [number for number in known if is_named(number, rule.metric)]
    if named:
        found = [number for number in named if rule.fits(rule.metric, where_of(number))]
    else:
        found = _of_metric(rule, known)
    in_group = [number for number in found if number.key.group == group] or found
    if DRAW not in rule.where:
        in_group = of_all_draws(in_group, lambda number: number.key)
    if not in_group:
        conditions = sorted({f"{k}={v}" for number in known for k, v in where_of(number).items()})
        raise PlanError(
            f"No estimate of this run fits the rule {text!r}; conditions are "
            f"{', '.join(conditions[:12]) or 'none'}."
        )
    return in_group


def not_in_run(metric: str, known: Iterable[str]) -> UnknownNameError:
    """Error of a metric that a run has not computed; of one that there is, how it is asked for."""
    remedy = ""
    with suppress(UserError):  # no metric at all: the similar names say more
        metric_name(metric)
        remedy = (
            "A metric that the run was not asked for stands in a plan, and the plan is run: "
            f"[[estimate]] with from = the measurement that has its records, metric = {metric!r}."
        )
    bare = {name.partition("@")[0] for name in known}
    return UnknownNameError("metric in this run", metric, bare, remedy=remedy)


def _of_metric(rule: Rule, known: Sequence[Number]) -> list[Number]:
    """Numbers of the metric that a rule names.

    Raises
    ------
    UnknownNameError
        If there is no such metric, or the run has not computed it.
    """
    metrics = sorted({number.key.metric for number in known})
    if not any(names_metric(rule.metric, m) for m in metrics):
        metric_name(rule.metric)
        raise not_in_run(rule.metric, metrics)
    fitting = [number for number in known if rule.fits(number.key.metric, where_of(number))]
    # the level of the originals is a baseline beside drops, and differences stand beside the levels
    # that they are made of: each is meant where nothing before it is
    by_role = (
        [n for n in fitting if n.key.role == r] for r in ("measured", "baseline", "contrast")
    )
    return next(filter(None, by_role), [])
