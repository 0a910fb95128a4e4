"""Requested slices: each main number over the items of a slice, and inside minus elsewhere.

The main numbers of a diagnostic are those that its claims are about, and the level that it starts
from. In a slice of fewer than `FEWEST` items none is computed.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from scrutiny.blocks.labels import metric_in_words
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.claim import IN_SLICES, Claim, Component
from scrutiny.core.errors import PlanError, UserError
from scrutiny.core.plan import Plan
from scrutiny.core.slice_syntax import canonical, complement, joined
from scrutiny.data.item_values import COLUMNS, FEWEST, Items
from scrutiny.reliability.assignment import Assignment, PlacedContrast
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.row_statistics import on_rows
from scrutiny.run.planning.resolved import Resolved, SliceSize

#: An assignment, a difference, or either.
One = TypeVar("One", Assignment, PlacedContrast, Assignment | PlacedContrast)


@dataclass(frozen=True, slots=True)
class AskedSlices:
    """Estimates, contrasts and claims on the requested slices of a plan."""

    sizes: tuple[SliceSize, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    contrasts: tuple[PlacedContrast, ...] = ()
    claims: tuple[Claim, ...] = ()


def with_slices(plan: Plan, where: Sequence[str]) -> Plan:
    """Plan with these slices added to all measurements."""
    return replace(plan, where=(*plan.where, *where))


def too_small(resolved: Resolved) -> Iterator[str]:
    """Sentences on slices without a number, which have, or leave, too few items."""
    for one in resolved.slices:
        if min(one.inside, one.elsewhere) < FEWEST:
            what = "no number" if one.inside < FEWEST else "no difference from elsewhere"
            yield (
                f"{one.dataset}: {one.inside:,} items are in the slice {one.where!r} and "
                f"{one.elsewhere:,} elsewhere; with fewer than {FEWEST} there is {what}."
            )


def asked_slices(
    resolved: Resolved, designed: Sequence[Assignment], claims: Sequence[Claim]
) -> AskedSlices:
    """Everything computed on the slices of a plan.

    Parameters
    ----------
    resolved
        The plan, looked up.
    designed, claims
        Estimates and claims of the designs, under full names.

    Raises
    ------
    PlanError, UnknownNameError
        If a slice cannot be read, or no dataset has its attributes.
    """
    sizes = {(one.dataset, one.where): one for one in _sizes(resolved)}
    inside: list[Assignment] = []
    gaps: list[PlacedContrast] = []
    worse: list[Claim] = []
    for number in _main(resolved, designed, claims):
        for where in _asked_of(resolved, number.measure):
            size = sizes.get((number.dataset, where))
            if size is None or size.inside < FEWEST:
                continue
            within = replace(over(number, where), id=f"{number.id} where {where}")
            inside.append(within)
            if size.elsewhere < FEWEST or not _has_gap(number.metric):
                continue
            name = f"{within.id}, minus elsewhere"
            other = replace(over(number, complement(where)), id=f"{name}/elsewhere")
            gaps.append(PlacedContrast(name, within, other, is_paired=True))
            worse += _worse(number, where, name)
    return AskedSlices(tuple(sizes.values()), tuple(inside), tuple(gaps), tuple(worse))


def _asked_of(resolved: Resolved, measure: str) -> list[str]:
    """Slices of a measurement: the plan's and its own, in canonical form."""
    own = resolved.measurements[measure].plan.where
    return list(dict.fromkeys(map(canonical, (*resolved.plan.where, *own))))


def _sizes(resolved: Resolved) -> Iterator[SliceSize]:
    """Size of every slice on every dataset with its attributes."""
    asked: dict[str, dict[str, None]] = {}
    for name, measurement in resolved.measurements.items():
        for where in _asked_of(resolved, name):
            asked.setdefault(where, {}).update(dict.fromkeys(measurement.plan.data))
    datasets = dict.fromkeys(chain.from_iterable(asked.values()))
    known = {name: items_of(resolved, name) for name in datasets}
    for name, items in known.items():
        items.look_at(where for where, datasets in asked.items() if name in datasets)
    for where, datasets in asked.items():
        refused: list[UserError] = []
        for name in datasets:
            try:
                items = known[name]
                items.must_have(where, where=f"The slice {where!r}: no item of {name!r}")
                found = items.which(where).counts()
            except UserError as error:  # data that a diagnostic brings itself have other columns
                refused.append(error)
                continue
            yield SliceSize(name, where, found[True], found[False])
        if len(refused) == len(datasets):
            raise refused[0]


def _main(
    resolved: Resolved, designed: Sequence[Assignment], claims: Sequence[Claim]
) -> Iterator[Assignment]:
    """Main numbers of the measurements with slices, each once."""
    named = {claim.components[0].estimate for claim in claims if claim.components}
    claimed = {a.measure for a in designed if a.id in named}
    seen: set[tuple[str, ...]] = set()
    for one in designed:
        is_whole = one.group == "all" and not (one.at or one.along or one.beside)
        is_level = one.role == "baseline" and not one.condition
        is_main = one.id in named or is_level or one.measure not in claimed
        if not (_asked_of(resolved, one.measure) and is_whole and is_main):
            continue
        if resolved.families[one.subject].role != "measured" or one.role == "control":
            continue
        place = (one.subject, one.dataset, one.metric, canonical_json(dict(one.whole_condition)))
        if place not in seen:  # the level stands in several diagnostics
            seen.add(place)
            yield one


def _has_gap(metric: str) -> bool:
    """Whether a metric can be compared between slices of one dataset."""
    try:
        on_rows(metric_of(metric), np.ones(1, dtype=np.bool_))
    except PlanError:
        return False
    return True


def _worse(number: Assignment, where: str, gap: str) -> Iterator[Claim]:
    """Claim that a number is worse in a slice."""
    known = {"better": ("<", "lower"), "worse": (">", "higher")}
    operator, word = known.get(metric_of(number.metric, number.measures).higher_is, ("", ""))
    if not operator:
        return
    place, said = _place(number.whole_condition), metric_in_words(number.metric, number.measures)
    yield Claim(
        id=gap,
        says=f"{place}{said} is {word} where {where} than elsewhere",
        diagnostic=number.kind.partition("@")[0],
        components=(Component(gap, 0.0, "elsewhere", operator),),
        family=f"{number.id}{IN_SLICES}",
        needs_control=False,
    )


def _place(condition: Mapping[str, object]) -> str:
    """Condition of a number as a prefix, in words."""
    said = " ".join(str(value).partition("@")[0] for value in condition.values() if value != 0)
    return f"{said}: " if said else ""


def items_of(resolved: Resolved, dataset: str) -> Items:
    """Items of a dataset of a plan, with attributes for slices."""
    plan = resolved.plan.dataset(dataset)
    return Items.of(
        resolved.datasets[dataset].examples,
        partial(resolved.training.of, plan.training, resolved.tasks[dataset].name)
        if plan.training
        else None,
    )


def split_selector(
    where: Mapping[str, Any], *, names: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Conditions ``name = value`` of a plan's selector, and the rest of it.

    ``names`` are further names of attributes and columns.

    Examples
    --------
    >>> split_selector({"a_topic": "film", "draw": "0"})
    ({'a_topic': 'film'}, {'draw': '0'})
    """
    columns = {n: v for n, v in where.items() if n.startswith(COLUMNS) or n in names}
    return columns, {name: value for name, value in where.items() if name not in columns}


def over(number: One, where: str) -> One:
    """Number over the items of a slice; of a difference, both sides.

    Raises
    ------
    PlanError
        If these are slices already.
    """
    if not where:
        return number
    if isinstance(number, Assignment):
        return replace(number, where=joined(number.where, where), group=canonical(where))
    if number.is_of_slices:
        raise PlanError(
            f"{number.id} compares two slices already, {number.a.group} and "
            f"{number.b.group}. Leave {where} out."
        )
    return replace(number, a=over(number.a, where), b=over(number.b, where))
