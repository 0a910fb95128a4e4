"""Dealing: workers go on with the models that they have, and few models are loaded twice."""

import pytest
from small_runs import plan, rows

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan
from scrutiny.run.executing.executor import Dealer
from scrutiny.run.planning.loading import KEPT
from scrutiny.run.planning.resolve import resolve

SEEDS = "builtin:sentiment/seed-{seed}"


FAMILY = (ModelPlan("m", SEEDS),)


def resolved(*measures, models=FAMILY, items=40):
    made = plan(models=models, measure=measures, data=(DataPlan("x", "object:x"),))
    return resolve(made, data={"x": rows(items)})


@pytest.fixture(scope="module")
def five():
    both = (
        MeasurePlan("d", "performance", ("m",), ("x",)),
        MeasurePlan("e", "calibration", ("m",), ("x",)),
    )
    return resolved(*both, items=5_000)  # five shards each


def dealt(dealer, tasks, of, *, quick=()):
    """Tasks in the order in which workers get them, who takes turns, some of them three at once."""
    dealer.deal(tasks, of)
    workers = list(dealer_workers := range(len(dealer._has)))
    found = []
    while workers:
        for worker in list(workers):
            for _ in range(3 if worker in quick else 1):
                task = dealer.next(worker)
                if task is None:
                    workers = [other for other in workers if other != worker]
                    break
                found.append((worker, task))
    assert len(dealer_workers) >= len({worker for worker, _ in found})
    return found


def loads(found, of):
    """Models that workers load, each of which keeps the last two."""
    has, loaded = {}, []
    for worker, task in found:
        kept = has.setdefault(worker, [])
        for model in of.models_of(task):
            if model in kept:
                kept.remove(model)
            else:
                loaded.append(model)
            kept.append(model)
            del kept[:-KEPT]
    return loaded


@pytest.mark.parametrize("quick", [(), (0,), (1,)], ids=["alike", "first quick", "second quick"])
@pytest.mark.parametrize("workers", [1, 2, 3, 4, 7])
def test_all_is_dealt_once_and_few_models_are_loaded_twice(five, workers, quick):
    tasks = list(five.shards("measure"))
    assert len(tasks) == 5 * 5 * 2
    dealer = Dealer(workers)
    planned = next(five.models_of(task)[0] for task in tasks)
    assert dealer.planner(planned) == 0
    found = dealt(dealer, tasks, five, quick=quick)
    assert sorted(task.id for _, task in found) == sorted(task.id for task in tasks)
    loaded = loads(found, five)
    assert len(set(loaded)) == 5
    assert len(loaded) <= 5 + workers - 1
    assert five.models_of(found[0][1]) == [planned]  # its planner has it already


def test_the_last_replicate_is_shared_so_that_nobody_waits(five):
    tasks = list(five.shards("measure"))
    found = dealt(Dealer(2), tasks, five)
    shares = [sum(worker == number for worker, _ in found) for number in (0, 1)]
    assert shares == [25, 25]
    one = [task for task in tasks if task.replicate == 0]
    assert {worker for worker, _ in dealt(Dealer(3), one, five)} == {0, 1, 2}


def test_what_needs_no_model_is_anybodys():
    made = resolved(MeasurePlan("d", "robustness", ("m",), ("x",), {"transformations": ["typos"]}))
    tasks = list(made.shards("prepare"))
    assert made.models_of(tasks[0]) == []
    assert [task for _, task in dealt(Dealer(3), tasks, made)] == tasks


def test_a_reference_stays_with_each_worker():
    models = (ModelPlan("r", "builtin:sentiment/seed-1"), ModelPlan("m", SEEDS))
    made = resolved(
        MeasurePlan("d", "similarity.outputs", ("r", "m"), ("x",), reference="r"),
        MeasurePlan("e", "performance", ("r", "m"), ("x",)),
        models=models,
        items=1_500,
    )
    tasks = list(made.shards("measure"))
    reference = next(made.models_of(t)[1] for t in tasks if t.reference)
    for workers in (1, 2, 3):
        loaded = loads(dealt(Dealer(workers), tasks, made), made)
        assert loaded.count(reference) <= workers
        assert len(loaded) - loaded.count(reference) <= 5 + workers - 1


def test_planning_fills_one_worker_after_the_other():
    made = resolved(MeasurePlan("d", "performance", ("m",), ("x",)))
    keys = [made.models_of(task)[0] for task in made.shards("measure")]
    dealer = Dealer(2)
    assert [dealer.planner(key) for key in keys] == [0, 0, 1, 1, 0]
    assert [dealer.planner(key) for key in (keys[4], keys[2])] == [0, 1]  # who has them


def test_more_models_than_can_be_kept_are_all_measured():
    made = resolved(MeasurePlan("d", "performance", ("m",), ("x",)))
    tasks = list(made.shards("measure"))
    dealer = Dealer(1)
    for task in tasks:
        dealer.planner(*made.models_of(task))
    found = [task for _, task in dealt(dealer, tasks, made)]
    assert sorted(t.replicate for t in found) == [0, 1, 2, 3, 4]
    assert {t.replicate for t in found[:KEPT]} == {3, 4}  # those that are still there
