"""Timing of models on a few items; no result is stored."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import Final

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.diagnostic import ChangesTexts
from scrutiny.core.model import Model
from scrutiny.core.queries.remote import RemoteModel
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.strings.model_strings import UNTRAINED, parse
from scrutiny.models.strings.training_records import checkpoint_folder
from scrutiny.run.asking.answer_store import forgetful_store
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.measurements import inputs_of
from scrutiny.run.planning.resolved import Measurement, Resolved, TaskSpec
from scrutiny.store.database import to_bytes

#: Stretches that are timed: items, where they lie from the start (0) to the end (1), and the
#: seconds that they may be expected to take.
_ROUNDS: Final = ((1, 0.5, inf), (2, 0.0, 10.0), (8, 1.0, 2.0), (32, 0.5, 2.0), (128, 0.0, 1.0))
#: Seconds that one item may take to be measured; what is slower is timed by a prediction.
_SLOW: Final = 12.0
_FEW: Final = 2  # texts of an item that are simply predicted
TimedWork = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Speed:
    """Cost per text of a measurement.

    Parameters
    ----------
    texts
        Texts that are asked: most searches end early, and many changes give the same text.
    seconds
        Time that it takes, changing texts and scoring answers among it.
    """

    texts: float = 1.0
    seconds: float = 0.0


class Timer:
    """Times measurements; models that are equally fast are timed once.

    Parameters
    ----------
    resolved
        The plan.
    models
        Models of this process.
    most_s
        Seconds that one more stretch of items may be expected to take.
    """

    def __init__(self, resolved: Resolved, models: LoadedModels, *, most_s: float = inf) -> None:
        self._most_s = most_s
        self._resolved = resolved
        self._models = models
        self._each: dict[tuple[Hashable, ...], float] = {}
        self._speeds: dict[tuple[Hashable, ...], Speed] = {}

    def speed(self, measurement: Measurement, *, family: str, data: str) -> Speed:
        """Speed of a measurement of a family on a dataset.

        What makes its own texts is measured on a few items, as long as one of them takes no
        more than some seconds; what asks about the items alone is timed by predicting them.
        """
        queries = measurement.designs[family, data].queries_per_item
        if not queries or not measurement.examples[data]:
            return Speed()
        key = (measurement.kind, *self._alike(family, data))
        if key not in self._speeds:
            self._speeds[key] = self._speed(measurement, family, data, queries)
        return self._speeds[key]

    @property
    def loading(self) -> float:
        """Seconds that loading every replicate takes, each as long as the slowest so far.

        What is loaded for the first time brings its packages with it, so the time is no less.
        """
        given = self._models.given
        named = [f for name, f in self._resolved.families.items() if name not in given]
        return self._models.slowest * sum(len(family.replicates) for family in named)

    def predicting(self, family: str, data: str) -> float:
        """Seconds of a prediction of one item."""
        key = self._alike(family, data)
        if key not in self._each:
            examples, model = self._resolved.datasets[data].examples, self._model(family, data)

            def work(start: int, stop: int) -> None:
                predict_or_fail(model, examples[start:stop])

            if isinstance(model, RemoteModel):  # texts may cost money: few, and as if at one time
                few = examples[: model.at_once]
                self._each[key] = seconds_each(work, min(_FEW, len(few))) / len(few)
            else:
                self._each[key] = seconds_each(work, len(examples))
        return self._each[key]

    def _speed(self, measurement: Measurement, family: str, data: str, queries: int) -> Speed:
        if self._resolved.pairings[family, data].is_remote:
            return Speed(seconds=self.predicting(family, data))
        if not self._resolved.tasks[data].must_be_answered:
            return Speed(seconds=self._measured(measurement, family, data)[1] / queries)
        each = self.predicting(family, data)
        inputs = inputs_of(measurement.plan, self._resolved, family=family, data=data)
        alone = replace(inputs, data=replace(inputs.data, n_items=1))
        most = measurement.diagnostic.design(measurement.params, alone).queries_per_item
        if most <= _FEW or most * each > _SLOW or measurement.plan.reference:
            return Speed(seconds=each)
        asked, seconds = self._measured(measurement, family, data)
        return Speed(min(1.0, asked / most), seconds / most)

    def _alike(self, family: str, data: str) -> tuple[Hashable, ...]:
        """Key shared by models that are equally fast on a dataset."""
        source = self._resolved.families[family].replicates[0].source
        alike = family if family in self._models.given else equally_fast(source)
        return data, alike, self._resolved.pairings[family, data].capabilities

    def _model(self, family: str, data: str) -> Model:
        """First replicate of a family."""
        source = self._resolved.families[family].replicates[0].source
        return self._models.get(family, source, self._resolved.tasks[data])[0]

    def _measured(self, measurement: Measurement, family: str, data: str) -> tuple[float, float]:
        """Texts and seconds per item, measured as in a run."""
        store = forgetful_store()
        first = measurement.cells[family][0]
        is_known_before = isinstance(measurement.diagnostic, ChangesTexts)
        in_model: list[tuple[int, float]] = []
        asked = items = 0

        def work(start: int, stop: int) -> None:
            nonlocal asked, items
            # a runner keeps the items of a shard by where it starts: each stretch has its own
            runner = TaskRunner(self._resolved, store, self._models, run_id="check")
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
            if is_known_before:
                variants = runner.execute(replace(task, stage="prepare"))["variants"]
                prepared = to_bytes(variants)
            (timing,) = runner.execute(task, prepared)["timings"].to_pylist()
            asked, items = asked + timing["asked"], items + stop - start
            in_model.append((stop - start, timing["model_seconds"]))

        seconds = seconds_each(work, len(measurement.examples[data]), most_s=self._most_s)
        if is_known_before and self._resolved.tasks[data].must_be_answered:
            # a run asks them in larger batches than these few
            own = max(0.0, seconds - _each(in_model))
            seconds = min(seconds, own + asked / items * self.predicting(family, data))
        return asked / items, seconds


def equally_fast(source: str) -> str:
    """Key shared by equally fast models: their configuration, or else the model string.

    Replicates, checkpoints on the way to them, and untrained networks are of one kind.
    """
    parsed = parse(source)
    options = {name: value for name, value in parsed.options.items() if name != "seed"}
    folder = checkpoint_folder(parsed.target if parsed.scheme == UNTRAINED else source)
    config = None if folder is None else folder / "config.json"
    if config is None or not config.is_file():
        return source
    return digest(config.read_bytes(), canonical_json(options))


def seconds_each(work: TimedWork, count: int, *, most_s: float = inf) -> float:
    """Seconds per item, from as few items as suffice.

    Parameters
    ----------
    work
        Does the items of a stretch: start and stop.
    count
        How many items there are, one at least.
    most_s
        Seconds that a stretch after the first one may be expected to take.

    Notes
    -----
    One item warms up, and two say whether more may be tried; where they may, those count alone,
    for few are slower than the batches of a run. They come from the start, the end and the middle
    (data that comes in tests or categories has short texts in one place and long ones in another),
    more and more, as long as the next stretch is not expected to take more than a second or two.
    What is slow is timed on few items, and on the first one alone if two more would take very long.
    """
    timed: list[tuple[int, float]] = []
    for size, place, usual_s in _ROUNDS:
        items = min(size, count)
        if timed and items * timed[-1][1] / timed[-1][0] > min(usual_s, most_s):
            break
        start = round(place * (count - items))
        begun = perf_counter()
        work(start, start + items)
        timed.append((items, perf_counter() - begun))
        if items == count and len(timed) > 1:
            break
    return _each(timed)


def _each(timed: Sequence[tuple[int, float]]) -> float:
    """Seconds per item of the stretches that count."""
    told = timed[2:] or timed[1:] or timed
    return sum(took for _, took in told) / sum(items for items, _ in told)
