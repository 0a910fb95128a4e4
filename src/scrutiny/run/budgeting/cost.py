"""Cost of a plan before the first query; sentences about what a time budget left out of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from scrutiny.core.boundary.json_text import plain
from scrutiny.core.plan import MeasurePlan
from scrutiny.core.record import grouped
from scrutiny.run.budgeting.durations import in_words, rounded_up
from scrutiny.run.budgeting.timing import Timer
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.measurements import measurement_of
from scrutiny.run.planning.resolved import Measurement, Resolved

_BYTES: Final = 400  # of a record in memory


class MeasurementCost(NamedTuple):
    """Cost of one measurement of a family on a dataset.

    Parameters
    ----------
    measure, subject, data
        Names of the plan; what a reference is asked while variants are searched for is a part of
        its own.
    items, replicates
        How many are measured.
    queries
        Texts at most, before the cache.
    claims
        How many claims it makes.
    texts, seconds
        Texts and time that are to be expected, from a sample of the items.
    """

    measure: str
    subject: str
    data: str
    items: int
    replicates: int
    queries: int
    claims: int
    texts: int
    seconds: float

    def lines(self) -> Iterator[str]:
        """Lines for a terminal of 80 columns."""
        claims = "1 claim" if self.claims == 1 else f"{self.claims} claims"
        yield f"{self.measure}: {self.subject} on {self.data}; {claims}"
        yield (
            f"  {self.items:,} items x {self.replicates} replicates: about {self.texts:,} texts "
            f"(at most {self.queries:,}), {in_words(self.seconds)}"
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a plan.

    Parameters
    ----------
    parts
        Measurement by measurement.
    price
        Money for each text, if it costs any.
    """

    parts: tuple[MeasurementCost, ...]
    price: float = 0.0

    @property
    def queries(self) -> int:
        """Largest number of texts, before the cache."""
        return sum(part.queries for part in self.parts)

    @property
    def texts(self) -> int:
        """Expected number of texts, before the cache."""
        return sum(part.texts for part in self.parts)

    @property
    def seconds(self) -> float:
        """Expected time, from a sample of the items."""
        return sum((part.seconds for part in self.parts), 0.0)

    @property
    def bytes_at_most(self) -> int:
        """Largest size of the records in memory."""
        return _BYTES * self.queries

    @property
    def money(self) -> float:
        """Expected money."""
        return self.price * self.texts

    def lines(self) -> Iterator[str]:
        """Lines for a terminal of 80 columns."""
        for part in self.parts:
            yield from part.lines()
        yield (
            f"In all about {self.texts:,} texts (at most {self.queries:,}) before the cache: "
            f"{in_words(self.seconds)},"
        )
        yield f"and {self.bytes_at_most / 1e6:,.0f} MB of records at most."
        if self.price:
            most = self.price * self.queries
            yield f"To pay: about {self.money:,.2f} (at most {most:,.2f}) at {self.price:g} a text."

    def to_json(self) -> dict[str, Any]:
        """Plain values; parts by the names of their fields."""
        names = ("queries", "texts", "seconds", "money", "bytes_at_most")
        parts = [part._asdict() for part in self.parts]
        return {"parts": parts, **{name: getattr(self, name) for name in names}}


def cost_of(resolved: Resolved, *, models: LoadedModels | None = None, price: float = 0.0) -> Cost:
    """Cost of a resolved plan, by timing a few items on the first replicate of each family.

    Parameters
    ----------
    resolved
        The plan.
    models
        Models of this process.
    price
        Money for each text.
    """
    timer = Timer(resolved, models or LoadedModels(resolved.options))
    measurements = resolved.measurements.values()
    return Cost(tuple(part for m in measurements for part in parts_of(m, resolved, timer)), price)


def parts_of(
    measurement: Measurement, resolved: Resolved, timer: Timer, *, like: Measurement | None = None
) -> Iterator[MeasurementCost]:
    """Cost of one measurement, family by family.

    ``like`` is one that is as fast, where that is known already.
    """
    plan = measurement.plan
    for data in plan.data if measurement.references else ():
        items, replicates = len(measurement.examples[data]), len(measurement.references)
        searched = [d.search_per_item for (_, of), d in measurement.designs.items() if of == data]
        queries = items * replicates * max(searched, default=0)
        is_timed = queries and resolved.tasks[data].must_be_answered
        seconds = queries * timer.predicting(plan.reference, data) if is_timed else 0.0
        who = f"searching with {plan.reference}"
        if queries:
            yield MeasurementCost(
                plan.id, who, data, items, replicates, queries, 0, queries, seconds
            )
    for (family, data), design in measurement.designs.items():
        items, replicates = len(measurement.examples[data]), len(measurement.cells[family])
        queries = items * replicates * design.queries_per_item
        speed = timer.speed(like or measurement, family=family, data=data)
        texts, seconds = round(queries * speed.texts), queries * speed.seconds
        claims = len(design.claims)
        yield MeasurementCost(
            plan.id, family, data, items, replicates, queries, claims, texts, seconds
        )


def risk_names(measurement: Measurement) -> dict[str, str]:
    """Names for people of the risks of a measurement, by claim: what a budget may leave out."""
    claims = (claim for design in measurement.designs.values() for claim in design.claims)
    return {claim.id: claim.risk.what for claim in claims if claim.risk is not None}


def left_out(
    resolved: Resolved,
    chosen: Sequence[MeasurePlan],
    *,
    seconds: float,
    too_much: Sequence[tuple[Measurement, float]],
) -> Iterator[str]:
    """A sentence for measurements that are reduced alike, and for each that is left out.

    Parameters
    ----------
    resolved
        The requested plan.
    chosen
        What is measured of it.
    seconds
        The time budget.
    too_much
        Of measurements that are left out, the smallest that was worth asking, and its seconds.
    """
    lead = f"For a budget of {in_words(seconds)}, "
    pairs = [(resolved.measurements[one.id], measurement_of(one, resolved)) for one in chosen]
    for said, names in grouped((_reduced(*pair), pair[0].plan.id) for pair in pairs).items():
        if said:
            *others, last = names
            who = f"{', '.join(others)} and {last} have" if others else f"{last} has"
            yield f"{lead}{who} {said}"
    for one, needed in too_much:
        first = ", ".join(risk_names(one).values())
        what = f"{first} on {items_in(one):,} items" if first else f"{items_in(one):,} items"
        yield f"{lead}{one.plan.id} was left out: {what} would take about {in_words(needed)}."


def too_little(few: Measurement, seconds: float, enough: float, whole: float) -> str:
    """Sentences: a budget is too little, which one would do, and what all of it takes.

    Parameters
    ----------
    few
        Measurement that would have too few items.
    seconds
        The budget.
    enough, whole
        Seconds that would do, and that everything takes.
    """
    enough, whole = rounded_up(enough), rounded_up(whole)
    last = "" if enough >= whole else f" Everything takes about {in_words(whole)}."
    return (
        f"A budget of {in_words(seconds)} is too little: {few.plan.id} would have "
        f"{items_in(few):,} items, from which nothing can be told. About {in_words(enough)} would "
        f"do.{last} Nothing was asked but what was timed: give a larger budget, or none."
    )


def _reduced(asked: Measurement, made: Measurement) -> str:
    """What a measurement has of what was requested; empty if all of it."""
    said = []
    if items_in(made) < items_in(asked):
        said.append(f"{items_in(made):,} of {items_in(asked):,} items")
    before, now = plain(asked.params), plain(made.params)
    for param, word in (("draws", "draws"), ("budget", "texts of each search")):
        if now.get(param) != before.get(param):
            said.append(f"{now[param]} of {before[param]} {word}")
    if before.get("control") and not now.get("control"):
        said.append("no random changes to compare with")
    kept = risk_names(made)
    gone = [title for claim, title in risk_names(asked).items() if claim not in kept]
    if gone:
        said.append(f"{len(kept)} of {len(kept) + len(gone)} risks ({', '.join(kept.values())})")
    why = f" Not asked, because each needs enough items: {', '.join(gone)}." if gone else ""
    return f"{', '.join(said)}.{why}" if said else ""


def items_in(measurement: Measurement) -> int:
    """Number of items of the largest dataset, or as many as the measurement draws of it."""
    most = plain(measurement.params).get("items")
    found = max(map(len, measurement.examples.values()))
    return min(found, most) if isinstance(most, int) else found
