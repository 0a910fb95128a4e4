"""Metrics by expression: registered ones, parametric ones, and metrics of other metrics.

=============  ====================================================================================
written        what it is
=============  ====================================================================================
``accuracy``   a registered metric
``NAME(x)``    a registered metric with a parameter (`Parametric`), such as ``success_within(100)``
``drop(m)``    m before minus m after, over the rows that have both
``excess(m)``  the drop of m beyond that under the control: m under the control minus m after, over
               the rows that have all three
``gap(m)``     m of a first order of things minus m of another one
``mean(x)``    the mean of a measure of the records; `scrutiny.reliability.statistics`
``beyond(m)``  m minus what stands for chance (`scrutiny.core.statistic.Chance`): m of the
               control, or a measure of the same rows that holds it
``a - b``      of the same items, metric a minus metric b; ``a / b``, divided by it
               (`scrutiny.reliability.composed_metrics`)
=============  ====================================================================================
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

from scrutiny.core.errors import PlanError, ScrutinyError, UnknownNameError
from scrutiny.core.expressions import (
    GAIN,
    OPERATORS,
    Expression,
    metric_of_metric,
    parse_expression,
)
from scrutiny.core.plugin_base import Told
from scrutiny.core.record import Measure
from scrutiny.core.registry import registry
from scrutiny.core.statistic import Statistic, must_be_statistic
from scrutiny.reliability.composed_metrics import MACROS, of_two
from scrutiny.reliability.row_statistics import Additive
from scrutiny.reliability.statistics import USUAL, OfMeasure, measures_of

#: What all metrics of a parameter are.
Kind = TypeVar("Kind", bound=Statistic)


@dataclass(frozen=True, slots=True)
class Parametric(Told, Generic[Kind]):
    """Metrics with one parameter.

    Parameters
    ----------
    id
        Versioned name, without the parameter.
    usual
        Values that diagnostics compute; others are as good.
    make
        The metric of a value, and of its whole name; raises ValueError or KeyError for a value that
        cannot be. Its ``stream`` is NAME_VALUE@VERSION if it states none.
    needs_value
        Description of a value: "a number of texts".
    """

    id: str
    usual: tuple[str, ...]
    make: Callable[[str, str], Kind]
    needs_value: str

    def sentence(self) -> str:
        """Label of the first usual metric, and the other usual values."""
        first, *others = self.usual
        said = self.of(first).says
        return f"{said} (or: {', '.join(others)})" if others else said

    def of(self, value: str) -> Kind:
        """Metric for a value of the parameter.

        Raises
        ------
        PlanError
            For a value that cannot be.
        """
        stem, _, version = self.id.partition("@")
        try:
            found = self.make(value, f"{stem}({value})@{version}")
        except (KeyError, ValueError) as error:
            raise PlanError(
                f"{stem}({value}) is no metric: the parameter of {stem} is "
                f"{self.needs_value}, for instance {stem}({self.usual[0]})."
            ) from error
        return replace(found, stream=found.stream or f"{stem}_{value}@{version}")


def one_of(name: str, made: Mapping[str, Kind]) -> Parametric[Kind]:
    """Metrics of one name with a few choices; each is made with the name of its random stream.

    Examples
    --------
    >>> from scrutiny.reliability.statistics import ACCURACY
    >>> one_of("right", {"all": ACCURACY}).of("all").id
    'right(all)@1'
    """
    return Parametric(
        f"{name}@1",
        tuple(made),
        lambda value, full: replace(made[value], id=full, stream=made[value].drawn_as),
        f"one of {', '.join(made)}",
    )


@lru_cache(maxsize=4096)  # asked for every answer of a suite
def metric_name(text: str) -> str:
    """Full name of a metric from a name with or without version: the newest by default.

    Raises
    ------
    PlanError
        If it cannot be read, or lacks its parameter, or has one too many.
    UnknownNameError
        If there is no such metric; the message lists similar names.

    Examples
    --------
    >>> metric_name("drop(accuracy)"), metric_name("accuracy@1")
    ('drop(accuracy)@1', 'accuracy@1')
    """
    return _named(parse_expression(text))


def metric_of(text: str, measures: Sequence[Measure] = ()) -> Statistic:
    """Metric from its expression: additive, weighted or refit (`scrutiny.core.statistic`).

    Parameters
    ----------
    text
        What is written, in full or without the version.
    measures
        Measures of the records that it is asked of: what ``mean(tau)`` is, tau says.

    Raises
    ------
    PlanError, UnknownNameError, ConformanceError
        As `metric_name` does; or if a plug-in registers something else.

    Examples
    --------
    >>> metric_of("excess(accuracy)").needs
    ('before.hit', 'after.hit', 'control.hit')
    """
    name = metric_name(text)
    whole = parse_expression(name)
    if whole.name in OPERATORS:
        one, other = (metric_of(side.text, measures) for side in whole.arguments)
        return of_two(whole.name, one, other)
    if whole.name in MACROS:
        inner = whole.arguments[0]._replace(version=whole.version)
        return _composed(whole.name, metric_of(inner.text, measures), name)
    found = _loaded(f"{whole.name}@{whole.version}")
    if isinstance(found, OfMeasure):
        of = whole.arguments[0].text if whole.arguments else USUAL
        measure = next((one for one in measures if one.name == of), Measure(of))
        return _of_measure(found, replace(measure, axes=()), name)
    return _with_value(found, whole.arguments[0].text) if isinstance(found, Parametric) else found


@lru_cache(maxsize=4096)
def no_effect_of(metric: str, diagnostic: str = "") -> float | None:
    """Value of a metric that means "no difference"; `None` for levels and unknown names."""
    try:
        return metric_of(metric, measures_of(diagnostic)).no_effect
    except ScrutinyError:
        return None


def usual_metrics() -> list[str]:
    """Names of all metrics that diagnostics compute: registered, parametric, differences.

    Metrics of a measure stand for all of them (``mean``).
    """
    names = registry()
    scored = [names.load("task", name).scored_by for name in names.names("task")]
    levels = sorted({name for one in scored if one is not None for name in (one.level, *one.also)})
    found = [metric_of_metric(macro, level) for macro in ("drop", "excess") for level in levels]
    for name in names.names("statistic"):
        one = _loaded(name)
        stem, _, version = name.partition("@")
        usual = one.usual if isinstance(one, Parametric) else ()
        own = [f"{stem}({value})@{version}" for value in usual] or [name]
        found += [
            *own,
            *(metric_of_metric("beyond", each) for each in own if metric_of(each).chance),
        ]
    return sorted(found)


# Estimates that share a metric share its draws, so one text has to give one object.
@lru_cache(maxsize=1024)
def _composed(macro: str, of: Statistic, name: str) -> Additive:
    if not isinstance(of, Additive) or of.cells or any("." in need for need in of.needs):
        raise PlanError(
            f"{name} does not exist: {of.id} is no sum over rows of one text, so no difference "
            "between texts can be made of it."
        )
    return MACROS[macro](of, name)


_of_measure = lru_cache(maxsize=1024)(OfMeasure.of)
_with_value = lru_cache(maxsize=1024)(Parametric.of)


def _named(whole: Expression) -> str:
    """Full name of an expression."""
    if whole.name in OPERATORS:
        return f" {whole.name} ".join(map(_named, whole.arguments))
    if whole.name in MACROS:
        if len(whole.arguments) != 1:
            raise PlanError(
                f"{whole.text!r}: {whole.name} is of one metric, as {whole.name}(accuracy) is."
            )
        inner = whole.arguments[0]
        version = inner.version if whole.version is None else whole.version
        stem, _, known = _named(inner._replace(version=version)).rpartition("@")
        return f"{whole.name}({stem})@{known}"
    if whole.name == GAIN:
        raise PlanError(
            f"{whole.text!r} is of two models, the second minus the first: it is asked of a run, "
            "in a plan, a rule or run.estimate(...)."
        )
    given = whole._replace(arguments=())
    try:
        full = registry().resolve("statistic", given.text)
    except UnknownNameError:
        if "-" not in given.name:
            raise
        raise PlanError(
            f"There is no metric {given.name!r}. Between two metrics, - and / stand between "
            f"spaces: {given.name.replace('-', ' - ')}."
        ) from None
    found = _loaded(full)
    stem, _, known = full.partition("@")
    if isinstance(found, OfMeasure):
        if len(whole.arguments) > 1:
            raise PlanError(f"{whole.text!r}: {stem} is of one measure, as {stem}(hit) is.")
        return whole._replace(version=int(known)).text
    if not isinstance(found, Parametric):
        if whole.arguments:
            raise PlanError(f"{whole.text!r}: {stem} has no parameter; write {stem}.")
        return full
    if len(whole.arguments) != 1:
        raise PlanError(
            f"{whole.text!r}: {stem} needs one parameter, {found.needs_value}, for instance "
            f"{stem}({found.usual[0]})."
        )
    return f"{stem}({whole.arguments[0].text})@{known}"


def _loaded(full: str) -> Statistic | Parametric[Any] | OfMeasure:
    found = registry().load("statistic", full)
    is_kind = isinstance(found, Parametric | OfMeasure)
    return found if is_kind else must_be_statistic(found, full)
