"""Answers are kept by the second or by the batch, and batches are the model's own."""

import pytest

from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.run.asking.answer_store import Pace, own_batches
from scrutiny.run.asking.client import CHUNK, ModelClient

EXAMPLES = [Example(str(n), {"text": f"text {n:05}"}) for n in range(3_000)]


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Slow(Model):
    """A model of the user's that takes so many seconds for each question."""

    source, task, labels = "python:slow", "text-classification@1", ("a", "b")
    capabilities = frozenset({"predict"})
    is_batch_invariant = False
    is_of_the_user = True

    def __init__(self, clock, seconds):
        self.clock, self.seconds, self.sizes = clock, seconds, []

    def fingerprint(self):
        return "slow"

    def predict(self, examples):
        self.sizes.append(len(examples))
        self.clock.now += self.seconds * len(examples)
        return [Prediction("a", (0.5, 0.5))] * len(examples)


class Batched(Slow):
    """A network: it cuts its batches itself, and must not be cut elsewhere."""

    is_of_the_user = False

    def batches(self, examples):
        return [list(range(at, min(at + 50, len(examples)))) for at in range(0, len(examples), 50)]


class CountingStore:
    def __init__(self, clock):
        self.kept, self.times, self.clock = [], [], clock

    def put_many(self, answers):
        self.kept.append(len(answers))
        self.times.append(self.clock.now)

    def get_many(self, keys):
        return {}


def asked(kind, seconds, count=3_000):
    clock = Clock()
    model, store = kind(clock, seconds), CountingStore(clock)
    client = ModelClient(model, store, fingerprint="f", to_data={}, digest="d", pace=Pace(clock))
    assert len(client.predict(EXAMPLES[:count])) == count
    assert sum(store.kept) == sum(model.sizes) == count
    return model, store


@pytest.mark.parametrize("seconds", [0.05, 1.0, 7.0])
@pytest.mark.parametrize("kind", [Slow, Batched])
def test_a_kill_costs_a_batch_or_a_second(kind, seconds):
    model, store = asked(kind, seconds, count=200)
    assert store.kept == model.sizes
    gaps = [b - a for a, b in zip([0.0, *store.times], store.times, strict=False)]
    first = 16 if kind is Slow else 50  # the pace is not known yet
    assert model.sizes[0] == first
    assert gaps[0] <= first * seconds
    assert max(gaps[1:]) <= max(1.0, seconds * (1 if kind is Slow else 50)) + 1e-9


def test_a_quick_model_is_soon_asked_whole_chunks():
    model, store = asked(Slow, 1e-6)
    assert model.sizes[-2:] == [CHUNK, 3_000 - 2 * CHUNK]
    assert store.kept == [3_000]  # half a second has not gone by
    model, store = asked(Batched, 1e-6)
    assert model.sizes[-2:] == [CHUNK, 3_000 - 2 * CHUNK]
    assert set(model.sizes[:-2]) <= {50, 24}


def test_a_network_that_does_not_say_how_it_cuts_is_never_cut():
    class Whole(Batched):
        batches = Model.batches

    assert asked(Whole, 0.05)[0].sizes == [CHUNK, CHUNK, 3_000 - 2 * CHUNK]


def test_cutting_that_fails_is_left_to_the_asking():
    class Broken(Batched):
        def batches(self, examples):
            raise RuntimeError

    assert own_batches(Broken(Clock(), 1), EXAMPLES[:5])([3, 1]) == [[3, 1]]
    assert asked(Broken, 0.05)[0].sizes == [CHUNK, CHUNK, 3_000 - 2 * CHUNK]


def test_a_model_that_does_not_mind_batches_is_cut_by_time():
    class Alike(Batched):
        is_batch_invariant = True

    assert asked(Alike, 0.05)[0].sizes[0] == 16
