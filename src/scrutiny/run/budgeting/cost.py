"""Cost of a plan: texts, seconds and money, before the first query."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from scrutiny.run.budgeting.durations import in_words
from scrutiny.run.budgeting.timing import Timer
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.resolved import Measurement, Resolved

_BYTES: Final = 400  # of a record in memory


class Part(NamedTuple):
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

    parts: tuple[Part, ...]
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
) -> Iterator[Part]:
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
            yield Part(plan.id, who, data, items, replicates, queries, 0, queries, seconds)
    for (family, data), design in measurement.designs.items():
        items, replicates = len(measurement.examples[data]), len(measurement.cells[family])
        queries = items * replicates * design.queries_per_item
        speed = timer.speed(like or measurement, family=family, data=data)
        texts, seconds = round(queries * speed.texts), queries * speed.seconds
        claims = len(design.claims)
        yield Part(plan.id, family, data, items, replicates, queries, claims, texts, seconds)
