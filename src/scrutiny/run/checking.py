"""What a plan would cost, timed on a handful of items; nothing is written."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import Any, Final

from scrutiny.core.boundary.canonical import canonical_json, digest
from scrutiny.core.diagnostic import ChangesTexts
from scrutiny.core.model import Model
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.strings.lineage import checkpoint_folder
from scrutiny.models.strings.source import UNTRAINED, parse
from scrutiny.run.asking.desk import ForgetfulDesk
from scrutiny.run.executing.perform import Performer
from scrutiny.run.planning.loading import load_given, load_replicate
from scrutiny.run.planning.resolved import Measurement, Resolved
from scrutiny.run.planning.tasks import TaskSpec
from scrutiny.store.journal import to_bytes

#: Stretches that are timed: items, where they lie from the start (0) to the end (1), and the
#: seconds that they may be expected to take.
_ROUNDS: Final = ((1, 0.5, inf), (2, 0.0, 5.0), (8, 1.0, 2.0), (32, 0.5, 1.0), (128, 0.0, 1.0))
Work = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a plan would ask.

    Parameters
    ----------
    parts
        (measurement, family, dataset, items, replicates, queries at most, claims); what a
        reference is asked while variants are searched for is a part of its own.
    seconds
        Estimated time in the models, from a sample of the items.
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


def cost_of(resolved: Resolved, *, models: Mapping[str, Any] | None = None) -> Cost:
    """Cost of a resolved plan; times a few of the items on the first replicate of each family.

    Parameters
    ----------
    resolved
        The plan.
    models
        Objects that stand behind names of the plan.
    """
    timer = _Timer(resolved, models or {})
    parts = []
    seconds = 0.0
    for measurement in resolved.measurements.values():
        for data in measurement.plan.data if measurement.references else ():
            items, replicates = len(resolved.datasets[data]), len(measurement.references)
            queries = items * replicates * _most_search(measurement, data)
            name = f"searching with {measurement.plan.reference}"
            seconds += timer.searching(measurement, data=data)
            if queries:
                parts.append((measurement.plan.id, name, data, items, replicates, queries, 0))
        for (family, data), design in measurement.designs.items():
            items = len(resolved.datasets[data])
            replicates = len(measurement.cells[family])
            queries = items * replicates * design.queries_per_item
            seconds += timer.seconds(measurement, family=family, data=data)
            claims = len(design.claims)
            parts.append((measurement.plan.id, family, data, items, replicates, queries, claims))
    total = sum(part[5] for part in parts)
    return Cost(tuple(parts), seconds, 400 * total)


def _most_search(measurement: Measurement, data: str) -> int:
    """Questions to the reference for each item while variants are prepared, at most."""
    found = (d.search_per_item for (_, name), d in measurement.designs.items() if name == data)
    return max(found, default=0)


class _Timer:
    """Times measurements: of all models that are equally fast, the first one alone."""

    def __init__(self, resolved: Resolved, given: Mapping[str, Any]) -> None:
        self._resolved = resolved
        self._given = given
        self._each: dict[tuple[Hashable, ...], float] = {}
        self._last: tuple[tuple[str, str], Model] | None = None

    def seconds(self, measurement: Measurement, *, family: str, data: str) -> float:
        """Estimated time in the model of one measurement of a family on a dataset."""
        resolved = self._resolved
        queries = measurement.designs[family, data].queries_per_item
        items, replicates = len(resolved.datasets[data]), len(measurement.cells[family])
        if not queries or not items:
            return 0.0
        is_predicted = resolved.tasks[data].scored_by is not None
        each = self._seconds_each(measurement if not is_predicted else None, family, data)
        return items * replicates * each * (queries if is_predicted else 1)

    def searching(self, measurement: Measurement, *, data: str) -> float:
        """Estimated time in the reference while the variants of a dataset are prepared."""
        items, asked = len(self._resolved.datasets[data]), _most_search(measurement, data)
        if not items * asked or self._resolved.tasks[data].scored_by is None:
            return 0.0
        each = self._seconds_each(None, measurement.plan.reference, data)
        return items * len(measurement.references) * asked * each

    def _seconds_each(self, measurement: Measurement | None, family: str, data: str) -> float:
        """Seconds of an item: of a measurement, or without one of a prediction."""
        source = self._resolved.families[family].replicates[0].source
        alike = family if family in self._given else equally_fast(source)
        offers = self._resolved.pairings[family, data].capabilities
        key = ("" if measurement is None else measurement.kind, data, alike, offers)
        if key not in self._each:
            model = self._model(family, data)
            work = (
                self._predicting(model, data)
                if measurement is None
                else self._measuring(model, measurement, family=family, data=data)
            )
            self._each[key] = seconds_each(work, len(self._resolved.datasets[data]))
        return self._each[key]

    def _model(self, family: str, data: str) -> Model:
        """First replicate of a family, loaded; the last one is kept."""
        task = self._resolved.tasks[data]
        if family in self._given:
            return load_given(self._given[family], task)
        source = self._resolved.families[family].replicates[0].source
        if self._last is None or self._last[0] != (source, task.name):
            self._last = None  # never two at a time
            model = load_replicate(source, task, self._resolved.options)
            self._last = (source, task.name), model
        return self._last[1]

    def _predicting(self, model: Model, data: str) -> Work:
        """Predict items as they are."""
        examples = self._resolved.datasets[data].examples

        def work(start: int, stop: int) -> None:
            predict_or_fail(model, examples[start:stop])

        return work

    def _measuring(self, model: Model, measurement: Measurement, *, family: str, data: str) -> Work:
        """Measure items for which nothing is predicted, as a run would."""
        desk = ForgetfulDesk()

        def work(start: int, stop: int) -> None:
            # a performer keeps the items of a shard by where it starts: each stretch has its own
            performer = Performer(self._resolved, desk, run_id="check", models={family: model})
            first = measurement.cells[family][0]
            task = TaskSpec(
                "check",
                "measure",
                measurement.plan.id,
                data,
                start,
                stop,
                family,
                replicate=first.position,
                reference=measurement.beside(first),
            )
            prepared = None
            if isinstance(measurement.diagnostic, ChangesTexts):
                variants = performer.perform(replace(task, stage="prepare"))["variants"]
                prepared = to_bytes(variants)
            performer.perform(task, prepared)

        return work


def equally_fast(source: str) -> str:
    """What models share that take the same time: their configuration, or else their own string.

    Replicates, checkpoints on the way to them, and untrained networks are of one kind.
    """
    parsed = parse(source)
    options = {name: value for name, value in parsed.options.items() if name != "seed"}
    folder = checkpoint_folder(parsed.target if parsed.scheme == UNTRAINED else source)
    config = None if folder is None else folder / "config.json"
    if config is None or not config.is_file():
        return source
    return digest(config.read_bytes(), canonical_json(options))


def seconds_each(work: Work, count: int) -> float:
    """Seconds of one item of so many, from as few as tell.

    Parameters
    ----------
    work
        Does the items of a stretch: start and stop.
    count
        How many items there are, one at least.

    Notes
    -----
    One item warms up. Then come more and more, from the start, the end and the middle (data that
    comes in tests or categories has short texts in one place and long ones in another), as long as
    the next stretch is not expected to take more than a second or two. What is slow is timed on
    few items, and on the first one alone if two more would take very long.
    """
    timed: list[tuple[int, float]] = []
    for size, place, most_s in _ROUNDS:
        items = min(size, count)
        if timed and items * timed[-1][1] / timed[-1][0] > most_s:
            break
        start = round(place * (count - items))
        begun = perf_counter()
        work(start, start + items)
        timed.append((items, perf_counter() - begun))
        if items == count and len(timed) > 1:
            break
    told = timed[1:] or timed
    return sum(took for _, took in told) / sum(items for items, _ in told)
