"""What a plan would cost: timed on a handful of items, on one model of each kind."""

from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np
import pytest

from scrutiny.core.design import Design
from scrutiny.core.diagnostic import ChangesTexts, Diagnostic
from scrutiny.core.edit import Variant
from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.record import Measure, Row
from scrutiny.core.registry import registry
from scrutiny.run.budgeting.cost import cost_of
from scrutiny.run.budgeting.timing import equally_fast, seconds_each
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing import KeywordClassifier

timing = import_module("scrutiny.run.budgeting.timing")


class Clock:
    """Time that passes only when something says that it worked."""

    def __init__(self):
        self.now = 0.0
        self.stretches = []

    def __call__(self):
        return self.now

    def working(self, each, *, first=0.0):
        """Work that takes so long an item, and longer the first time."""

        def work(start, stop):
            self.now += each * (stop - start) + (0.0 if self.stretches else first)
            self.stretches.append((start, stop))

        return work


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(timing, "perf_counter", clock)
    return clock


# -- how many items tell ---------------------------------------------------------------------------


def test_what_warms_up_is_left_out(clock):
    assert seconds_each(clock.working(0.01, first=0.4), 5000) == pytest.approx(0.01)
    assert clock.stretches == [(2500, 2501), (0, 2), (4992, 5000), (2484, 2516)]


def test_what_is_quick_is_timed_on_more_items(clock):
    seconds_each(clock.working(0.001), 5000)
    assert sum(stop - start for start, stop in clock.stretches) == 1 + 2 + 8 + 32 + 128


@pytest.mark.parametrize(("each", "items"), [(2.0, 3), (30.0, 1)])
def test_what_is_slow_is_timed_on_few(clock, each, items):
    assert seconds_each(clock.working(each), 5000) == pytest.approx(each)
    assert sum(stop - start for start, stop in clock.stretches) == items


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_few_items_are_not_timed_over_and_over(clock, count):
    assert seconds_each(clock.working(0.001, first=1.0), count) == pytest.approx(0.001)
    assert all(0 <= start < stop <= count for start, stop in clock.stretches)
    assert clock.stretches.count((0, count)) <= 2


# -- one model of each kind ------------------------------------------------------------------------


def test_models_of_one_configuration_are_equally_fast(tmp_path):
    for name, config in (("seed-1", "{}"), ("seed-2", "{}"), ("large", '{"layers": 24}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(config)
    one = equally_fast(f"hf:{tmp_path}/seed-1")
    assert equally_fast(f"hf:{tmp_path}/seed-2") == one
    assert equally_fast(f"untrained:hf:{tmp_path}/seed-1#seed=4") == one
    others = {
        equally_fast(text)
        for text in (
            f"hf:{tmp_path}/large",
            f"hf:{tmp_path}/seed-1#dtype=float16",
            f"hf:{tmp_path}/nowhere",
            "builtin:sentiment",
        )
    }
    assert len(others | {one}) == 5


@dataclass(frozen=True)
class Params:
    word: str = "a"


class Reading(Diagnostic):
    """Reads passages; nothing is predicted."""

    id, Params = "reading@1", Params
    tasks, scope = frozenset({"passages"}), "dataset"
    measures = (Measure("length"),)
    queries = 3

    def design(self, params, inputs):
        return Design(queries_per_item=self.queries)

    def measure(self, params, cell, batch, ctx):
        for example in batch.examples:
            ctx.model.read(example)
            yield Row(example.id, None, "measured", "{}", "ok", None, (1.0,))


class Shouting(Reading, ChangesTexts):
    """Changes the texts first."""

    id = "shouting@1"

    def prepare(self, params, examples, ctx):
        return [Variant(e.id, "loud", "measured", None, "loud", (), None) for e in examples]

    def measure(self, params, cell, batch, ctx):
        for example in batch.examples:
            (variant,) = batch.variants[example.id]
            ctx.model.read(example)
            yield Row(example.id, variant.name, "measured", "{}", "ok", None, (1.0,))


class Silent(Reading):
    """Asks nothing of any model."""

    id = "silent@1"
    queries = 0


class Reader(Model):
    """A model that takes a tenth of a second for each passage."""

    is_batch_invariant, labels, task = True, (), "passages"
    capabilities = frozenset({"tokenizes"})

    def __init__(self, source, clock, read):
        self.source, self._clock, self._read = source, clock, read

    def fingerprint(self):
        return self.source

    def predict(self, examples):
        self._clock.now += 0.01 * len(examples)
        self._read += [(self.source, example.id) for example in examples]
        return KeywordClassifier().predict(examples)

    def read(self, example):
        self._clock.now += 0.1
        self._read.append((self.source, example.id))


@pytest.fixture
def timed(monkeypatch, clock):
    """What was loaded and what was read when a plan of toy readers is checked."""
    loaded, read = [], []

    def load(source, task, options, hashes):
        loaded.append(source)
        reader = Reader(source, clock, read)
        if task.scored_by is not None:
            reader.labels = KeywordClassifier().labels
        return reader

    known = {d.id: d for d in (Reading, Shouting, Silent)}
    usual = registry()

    class Registry:
        def resolve(self, kind, name):
            return name if name in known else usual.resolve(kind, name)

        def load(self, kind, name):
            return known[name] if name in known else usual.load(kind, name)

    for module in ("beside_seeds", "measurements", "presuppositions"):
        monkeypatch.setattr(import_module(f"scrutiny.run.planning.{module}"), "registry", Registry)
    monkeypatch.setattr(import_module("scrutiny.run.planning.loading"), "_load_replicate", load)

    def check(*diagnostics, task="passages", families=("m",), kinds=equally_fast):
        monkeypatch.setattr(timing, "equally_fast", kinds)
        models = tuple(
            ModelPlan(name, f"python:{name}:Toy#seed={{seed}}", seeds=(1, 2, 3))
            for name in families
        )
        plan = Plan(
            data=(DataPlan("x", "object:x", task),),
            models=models,
            measure=tuple(MeasurePlan(name, name, families, ("x",)) for name in diagnostics),
        )
        rows = [{"id": f"i{n}", "text": f"good {n}", "label": "positive"} for n in range(400)]
        if task == "passages":
            rows = [{"id": row["id"], "text": row["text"]} for row in rows]
        resolved = resolve(plan, data={"x": rows})
        loaded.clear()
        return cost_of(resolved), loaded, read

    return check


@pytest.mark.parametrize("name", ["reading@1", "shouting@1"])
def test_what_predicts_nothing_is_timed_by_measuring_it(timed, name):
    cost, loaded, read = timed(name)
    assert cost.seconds == pytest.approx(400 * 3 * 0.1)
    assert len(read) == 1 + 2 + 8
    assert loaded == ["python:m:Toy#seed=1"]  # one replicate, and no other


def test_predictions_are_timed_by_predicting(timed):
    cost, loaded, read = timed("performance@1", task="text-classification")
    assert cost.seconds == pytest.approx(400 * 3 * 0.01)
    assert len(read) == 1 + 2 + 8 + 32
    assert loaded == ["python:m:Toy#seed=1"]


def test_a_kind_of_model_is_timed_once_for_each_diagnostic(timed):
    cost, loaded, read = timed(
        "reading@1", "shouting@1", families=("m", "n", "o"), kinds=lambda source: "alike"
    )
    assert cost.seconds == pytest.approx(2 * 3 * 400 * 3 * 0.1)
    assert loaded == ["python:m:Toy#seed=1"]
    assert len(read) == 2 * (1 + 2 + 8)
    assert len(cost.parts) == 6


def test_others_are_timed_by_themselves(timed):
    _, loaded, read = timed("reading@1", families=("m", "n"))
    assert loaded == ["python:m:Toy#seed=1", "python:n:Toy#seed=1"]
    assert len(read) == 2 * (1 + 2 + 8)


def test_predictions_are_timed_once_for_all_diagnostics(timed):
    cost, _, read = timed("performance@1", "calibration@1", task="text-classification")
    assert (
        [part.texts for part in cost.parts] == [part.queries for part in cost.parts] == [1200] * 2
    )
    assert len(read) == 1 + 2 + 8 + 32
    assert cost.seconds == pytest.approx(2400 * 0.01)


def test_what_makes_its_own_texts_is_measured_on_a_few_items(timed):
    cost, loaded, read = timed("performance@1", "robustness@1", task="text-classification")
    _, changed = cost.parts
    predicted = 1 + 2 + 8 + 32
    items = len({item for _, item in read[predicted:]})
    assert 1 + 2 <= items <= 1 + 2 + 8
    # equal texts are asked once: fewer than at most, and the time is that of those
    asked = len(read[predicted:])
    assert changed.texts == round(changed.queries * asked / (items * changed.queries / 1200))
    assert changed.texts < changed.queries
    assert changed.seconds == pytest.approx(changed.texts * 0.01, rel=0.2)
    assert loaded == ["python:m:Toy#seed=1"]


def test_what_would_take_long_for_one_item_is_timed_by_a_prediction(timed, monkeypatch):
    monkeypatch.setattr(timing, "_SLOW", 0.1)
    cost, _, read = timed("robustness@1", task="text-classification")
    assert len(read) == 1 + 2 + 8 + 32
    assert cost.texts == cost.queries
    assert cost.seconds == pytest.approx(cost.queries * 0.01)


def test_money_is_what_texts_cost(timed):
    cost, *_ = timed("performance@1", task="text-classification")
    assert cost.money == 0.0
    assert not any(line.startswith("To pay") for line in cost.lines())
    paid = replace(cost, price=0.002)
    assert list(paid.lines())[-1] == "To pay: about 2.40 (at most 2.40) at 0.002 a text."
    assert paid.to_json()["money"] == pytest.approx(2.4)
    assert paid.to_json()["parts"][0]["texts"] == 1200


def test_what_asks_nothing_is_not_timed(timed):
    cost, loaded, read = timed("silent@1")
    assert (cost.seconds, cost.queries, loaded, read) == (0.0, 0, [], [])


def test_objects_are_timed_themselves(clock):
    model = KeywordClassifier()
    plan = Plan(
        data=(DataPlan("x", "object:x"),),
        models=(ModelPlan("m", "python:object:Toy"),),
        measure=(MeasurePlan("d", "performance", ("m",), ("x",)),),
    )
    rows = [{"text": f"a good film {n}", "label": "positive"} for n in range(5)]
    given = {"m": model}
    cost = cost_of(resolve(plan, data={"x": rows}, models=given), models=LoadedModels(given=given))
    assert (cost.queries, cost.seconds) == (5, 0.0)  # the clock stands still
    assert np.isfinite(cost.bytes_at_most)


def test_what_takes_long_to_begin_is_not_taken_for_slow(clock):
    assert seconds_each(clock.working(0.4, first=4.0), 872) == pytest.approx(0.4)
    assert clock.stretches == [(436, 437), (0, 2)]
