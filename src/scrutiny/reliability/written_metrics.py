"""Metrics and rules as they are written: the sides of a metric, and what a rule compares.

=====================  ============================================================================
written                sides
=====================  ============================================================================
``accuracy``           one
``recall(spam)``       one: recall where its axis, the label, is spam
``gain(m)``            m of the second model, and m of the first
``a - b``, ``a / b``   two metrics of one selection
``nfr(old, new)``      a metric of two models' measures: its level of the first, and of the second
``each(topic, ...)``   those of what stands behind, for each value of an axis
=====================  ============================================================================

A rule is ``drop(accuracy) <= 0.05 where transformation=typos``.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.claim import COMPARISONS
from scrutiny.core.errors import PlanError, ScrutinyError
from scrutiny.core.estimate import says
from scrutiny.core.expressions import (
    EACH,
    GAIN,
    OPERATORS,
    Expression,
    names_metric,
    parse_expression,
    subtracted,
)
from scrutiny.core.registry import registry
from scrutiny.core.slice_syntax import parted
from scrutiny.core.statistic import Statistic

#: Metric of one model whose records hold what metrics of two models take, and what that is.
_LEVEL, _OF_LEVEL = "accuracy", "hit"


class AskedMetric(NamedTuple):
    """One or two metrics, each with what it is asked of, and what is done with two.

    Parameters
    ----------
    sides
        Metric and selector of each.
    how
        "-" or "/", or the name of a metric of the measures of both; empty for one side, and for
        one metric of two selections.
    each
        Axis for whose values it is asked one by one: a condition, or an attribute of the items;
        empty for none.
    """

    sides: tuple[tuple[str, dict[str, Any]], ...]
    how: str = ""
    each: str = ""

    def between(self, one: str, other: str) -> str:
        """Operator between two metrics; empty for the difference of one in two selections."""
        return "" if self.how == "-" and one == other else self.how

    def of_own(self, names: Callable[[str], Collection[str]]) -> "AskedMetric":
        """Sides of two metrics, each asked only of what its numbers are told apart by.

        ``drop(accuracy) / accuracy where transformation=typos``: the level has no transformation.

        Parameters
        ----------
        names
            Names in the conditions of a metric's numbers.
        """
        if not self.how:
            return self
        has = [set(names(metric)) for metric, _ in self.sides]
        either = has[0] | has[1]
        return self._replace(
            sides=tuple(
                (metric, {n: v for n, v in where.items() if n in own or n not in either})
                for (metric, where), own in zip(self.sides, has, strict=True)
            )
        )


def asked_of(
    metric: str, where: Mapping[str, Any], *, models: Sequence[str] = (), text: str
) -> AskedMetric:
    """Sides of a metric as it is written.

    Parameters
    ----------
    metric
        As it is written; what cannot be read is one side, for others to find or refuse.
    where
        What it is asked of.
    models
        Measured models, for gains.
    text
        Where it stands, for messages.

    Raises
    ------
    PlanError
        If a gain does not name its models, or there is an axis within an axis.
    """
    try:
        whole = parse_expression(metric)
    except PlanError:
        return AskedMetric(((metric, dict(where)),))
    if whole.name == EACH and len(whole.arguments) == 2:
        axis, of_each = whole.arguments
        found = asked_of(of_each.text, where, models=models, text=text)
        if found.each:
            raise PlanError(f"{text}: each stands outside and is of one axis; {metric} has two.")
        return found._replace(each=axis.text.strip('"'))
    if len(whole.arguments) == 2 and _slot_of(whole.name):
        full = registry().resolve("statistic", whole._replace(arguments=()).text)
        if _slot_of(whole.name) != (_OF_LEVEL,):
            raise PlanError(
                f"{text}: {whole.name} is of answers in one order of labels, which the records of "
                "single models do not have: measure the models with similarity.outputs, or use "
                "`scrutiny compare`."
            )
        models_named = (one.text.strip('"') for one in whole.arguments)
        sides = tuple((_LEVEL, {**where, "subject": name}) for name in models_named)
        return AskedMetric(sides, full)
    if whole.name in OPERATORS:
        return AskedMetric(tuple(_placed(side, where) for side in whole.arguments), whole.name)
    if not _is_gain(whole):
        name, placed = _placed(whole, where)
        return AskedMetric(((metric if placed == where else name, placed),))
    (inner,) = whole.arguments
    of = inner._replace(version=whole.version or inner.version)
    second, first, rest = _two_models(where, models, text=text)
    return AskedMetric(tuple(_placed(of, {**rest, "subject": model}) for model in (second, first)))


def asks_more(metric: str) -> bool:
    """Whether a metric that is asked for is more than one name: two sides, or a value of its axis.

    Examples
    --------
    >>> [asks_more(text) for text in ("gain(accuracy)", "accuracy - recall", "drop(accuracy)")]
    [True, True, False]
    """
    try:
        whole = parse_expression(metric)
    except PlanError:
        return False
    is_of_both = len(whole.arguments) == 2 and bool(_slot_of(whole.name))
    is_several = whole.name in (*OPERATORS, EACH) or _is_gain(whole) or is_of_both
    return is_several or bool(_placed(whole, {})[1])


def _is_gain(whole: Expression) -> bool:
    """Whether an expression is of two models, the second minus the first."""
    return whole.name == GAIN and len(whole.arguments) == 1


def _placed(whole: Expression, where: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Metric without the value of its axis, and a selector with it."""
    found = _registered(whole.name) if len(whole.arguments) == 1 else None
    axis = found.axis if found else ""
    if not axis:
        return whole.text, dict(where)
    value = whole.arguments[0].text.strip('"')
    return whole._replace(arguments=()).text, {**where, axis: value}


def _registered(name: str) -> Statistic | None:
    """Registered metric without a parameter; None if there is none of this name."""
    try:
        found = registry().load("statistic", registry().resolve("statistic", name))
    except ScrutinyError:
        return None
    return found if isinstance(found, Statistic) else None


def _slot_of(name: str) -> tuple[str, ...]:
    """Measures that a metric takes of each of two selections; empty for others."""
    found = _registered(name)
    return found.slot if found else ()


def _two_models(
    where: Mapping[str, Any], models: Sequence[str], *, text: str
) -> tuple[str, str, dict[str, Any]]:
    """Second and first model of a gain, and the rest of its selector.

    Those that the selector names as ``subject`` and ``reference``, else the only two.
    """
    second, first = where.get("subject"), where.get("reference")
    if len(models) == 2:
        second, first = second or models[1], first or models[0]
    if not second or not first:
        raise PlanError(
            f"{text}: a gain is of two models, and there are {len(models)} "
            f"({', '.join(models)}). Say which: subject=SECOND, reference=FIRST."
        )
    rest = {n: v for n, v in where.items() if n not in ("subject", "reference")}
    return second, first, rest


def partner(
    own: Mapping[str, Any], others: Sequence[Mapping[str, Any]], asked: AskedMetric
) -> Iterator[int]:
    """Positions of the numbers that a metric of two sides pairs with one.

    They agree with it in all that both have, but for what the sides state apart.
    """
    one, other = (where for _, where in asked.sides)
    apart = {name for name in {**one, **other} if one.get(name) != other.get(name)}
    for at, has in enumerate(others):
        if all(has.get(name, own[name]) == own[name] for name in own if name not in apart):
            yield at


_RULE: Final = re.compile(
    r"^\s*(?P<metric>.*?[^<>=\s])?\s*(?P<operator><=|>=|<|>)\s*(?P<limit>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
    r"(?P<percent>\s*%)?\s*(?:where\s+(?P<where>.+))?$"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Comparison of a metric with a limit, under a condition.

    ``where`` holds what the condition of an estimate must contain, as text, or columns of the
    items; ``slice`` is the rest of what stands behind ``where``: what the items must be. ``minus``
    is the same of what is subtracted, behind ``minus``.
    """

    metric: str
    operator: str
    limit: float
    where: Mapping[str, str] = field(default_factory=dict)
    slice: str = ""
    minus: tuple[Mapping[str, str], str] | None = None

    def fits(self, metric: str, condition: Mapping[str, object]) -> bool:
        """Whether the rule selects an estimate of this metric and condition."""
        if not names_metric(self.metric, metric):
            return False
        return all(
            name in condition and says(condition[name], text) for name, text in self.where.items()
        )


def parse_rule(text: str) -> Rule:
    """Parse a rule.

    Raises
    ------
    PlanError
        If it cannot be read, or its limit is no finite number.

    Examples
    --------
    >>> rule = parse_rule("drop(accuracy) <= 5% where transformation=typos, length > 20")
    >>> rule.metric, rule.operator, rule.limit, dict(rule.where), rule.slice
    ('drop(accuracy)', '<=', 0.05, {'transformation': 'typos'}, 'length > 20')
    """
    found = _RULE.match(text)
    if found is None or not found["metric"]:
        raise PlanError(
            f"The rule {text!r} cannot be read. It is METRIC OPERATOR LIMIT, for instance "
            "'drop(accuracy) <= 0.05' or 'flip_rate < 10% where transformation=typos'; operators "
            f"are {', '.join(COMPARISONS)}."
        )
    limit = float(found["limit"]) / (100 if found["percent"] else 1)
    refuse_odd_values(limit, where=f"The limit {found['limit']} of the rule {text!r}")
    where, minus = subtracted(found["where"] or "")
    side = parted(minus) if minus else None
    return Rule(found["metric"], found["operator"], limit, *parted(where), side)
