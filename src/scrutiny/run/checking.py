"""What a plan would cost, measured on a handful of items; nothing is written."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

from scrutiny.models.checked import predict_or_fail
from scrutiny.models.load import load_model
from scrutiny.run.desk import ForgetfulDesk
from scrutiny.run.perform import Performer
from scrutiny.run.resolved import Resolved
from scrutiny.run.tasks import TaskSpec

_SAMPLE = 32


@dataclass(frozen=True, slots=True)
class Cost:
    """What a plan would ask.

    Parameters
    ----------
    parts
        (measurement, family, dataset, items, replicates, queries at most, claims).
    seconds
        Estimated time of the forward passes, from a sample of originals.
    bytes_at_most
        Estimated size of the records in memory.
    """

    parts: tuple[tuple[str, str, str, int, int, int, int], ...]
    seconds: float
    bytes_at_most: int

    @property
    def queries(self) -> int:
        """Queries at most, before the cache."""
        return sum(part[5] for part in self.parts)

    def lines(self) -> Iterator[str]:
        """Lines for a terminal of 80 columns."""
        for measure, family, data, items, replicates, queries, claims in self.parts:
            yield f"{measure}: {family} on {data}"
            yield (
                f"  {items:,} items x {replicates} replicates, at most {queries:,} queries, "
                f"{claims} claims"
            )
        yield (
            f"In all at most {self.queries:,} queries before the cache; about "
            f"{self.seconds:,.0f} s in the model, {self.bytes_at_most / 1e6:,.0f} MB of records."
        )


def cost_of(resolved: Resolved) -> Cost:
    """Cost of a resolved plan; times a sample of the originals on each family."""
    parts = []
    seconds = 0.0
    for measurement in resolved.measurements.values():
        for (family, data), design in measurement.designs.items():
            items = len(resolved.datasets[data])
            replicates = len(resolved.families[family].replicates)
            queries = items * replicates * design.queries_per_item
            seconds += _seconds(resolved, measurement.plan.id, family=family, data=data)
            claims = len(design.claims)
            parts.append((measurement.plan.id, family, data, items, replicates, queries, claims))
    total = sum(part[5] for part in parts)
    return Cost(tuple(parts), seconds, 400 * total)


def _seconds(resolved: Resolved, measure: str, *, family: str, data: str) -> float:
    """Estimated time in the model of one measurement of a family on a dataset."""
    items, replicates = len(resolved.datasets[data]), len(resolved.families[family].replicates)
    if resolved.tasks[data].scored_by is None:
        return items * replicates * _seconds_per_item(resolved, measure, family=family, data=data)
    design = resolved.measurements[measure].designs[family, data]
    queries = items * replicates * design.queries_per_item
    return queries * _seconds_per_query(resolved, family, data)


def _seconds_per_query(resolved: Resolved, family: str, data: str) -> float:
    """Time of one prediction."""
    task = resolved.tasks[data]
    source = resolved.families[family].replicates[0].source
    model = load_model(source, task, resolved.options)
    examples = resolved.datasets[data].examples[:_SAMPLE]
    predict_or_fail(model, examples[:2])
    start = perf_counter()
    predict_or_fail(model, examples)
    return (perf_counter() - start) / len(examples)


def _seconds_per_item(resolved: Resolved, measure: str, *, family: str, data: str) -> float:
    """Time of measuring one item where nothing is predicted, the model's loading left out.

    The items at the ends and in the middle are a sample of what follows: data that comes in tests
    or categories has short texts in one place and long ones in another.
    """
    count = len(resolved.datasets[data])
    performer = Performer(resolved, ForgetfulDesk(), run_id="check")
    stretch = max(1, min(_SAMPLE, count) // 3)
    times, asked = 0.0, 0
    for number, begin in enumerate((0, 0, max(0, (count - stretch) // 2), count - stretch)):
        task = TaskSpec(
            "check", "measure", measure, data, begin, begin + stretch, family=family, replicate=0
        )
        start = perf_counter()
        performer.perform(task)
        if number:  # the first loads the model
            times, asked = times + perf_counter() - start, asked + stretch
    return times / asked
