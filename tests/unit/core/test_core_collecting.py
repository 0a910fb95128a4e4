"""Collections of garbage, put off for as long as anybody is inside."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from scrutiny.core.example import Example
from scrutiny.core.long_runs import PATIENCE, left_alone, seldom_collected, usually_collected
from scrutiny.perturb.characters.typos import Typos
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.problem import Search, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.perturb.search.space import Space
from scrutiny.testing import LinearClassifier


@pytest.fixture
def usual():
    before = gc.get_threshold()
    gc.set_threshold(901, 7, 5)
    yield (901, 7, 5)
    gc.set_threshold(*before)


def test_the_thresholds_are_back_afterwards_even_after_an_error(usual):
    inside = []

    def fail():
        with seldom_collected():
            inside.append(gc.get_threshold())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert inside == [(PATIENCE, 7, 5)]
    assert gc.get_threshold() == usual


def test_the_last_one_out_puts_them_back(usual):
    with seldom_collected():
        with seldom_collected():
            pass
        assert gc.get_threshold()[0] == PATIENCE
    assert gc.get_threshold() == usual


def test_threads_share_them(usual):
    both, out = Barrier(2), Barrier(2)

    def stay():
        with seldom_collected():
            both.wait(10)
            out.wait(10)
        return True

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(lambda _: stay(), range(2)))
    assert gc.get_threshold() == usual


@pytest.mark.parametrize("own", [(0, 10, 10), (10**6, 10, 10)])
def test_who_collects_less_is_left_alone(usual, own):
    gc.set_threshold(*own)
    with seldom_collected():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_models_are_asked_under_the_usual_thresholds(usual):
    model, seen = LinearClassifier({"good": 1}), []

    def ask(examples):
        seen.append(gc.get_threshold())
        return model.predict(examples)

    item = Example("1", {"text": "A good film"}, gold="positive")
    search = Search(Space.of(Typos(), most=1), Untargeted(), GreedyRanked())
    for _ in search_all([item], search, victim=Victim(ask, model.labels)):
        assert gc.get_threshold() == usual
    assert len(seen) > 1
    assert set(seen) == {usual}


def test_code_of_others_runs_under_the_usual_thresholds(usual):
    with usually_collected():
        assert gc.get_threshold() == usual  # outside there is nothing to undo
    with seldom_collected():
        with usually_collected():
            assert gc.get_threshold() == usual
            with seldom_collected():  # a search that a model runs inside
                pass
            assert gc.get_threshold() == usual
        assert gc.get_threshold()[0] == PATIENCE
    assert gc.get_threshold() == usual


class Node:
    """An object that holds itself."""

    def __init__(self):
        self.own = self


def test_what_was_there_is_left_alone_and_what_is_made_is_looked_through():
    with left_alone():
        new = weakref.ref(Node())
        with left_alone():  # a run that a model starts
            pass
        assert gc.get_freeze_count() > 0
        gc.collect()
        assert new() is None
    assert gc.get_freeze_count() == 0


def test_objects_that_others_froze_stay_frozen():
    gc.freeze()
    try:
        with left_alone():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
