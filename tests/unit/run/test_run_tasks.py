"""Shards: cut by items, complete, and the same for everybody."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.example import Example
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.resolved import shard_size, shards_of
from scrutiny.store.database import to_bytes
from scrutiny.store.run_tables import variants_table


@given(st.integers(1, 5000), st.integers(1, 3000))
def test_shards_cover_every_item_once(items, size):
    tasks = shards_of("prepare", "m", "d", items, size=size)
    covered = [i for t in tasks for i in range(t.start, t.stop)]
    assert covered == list(range(items))
    assert all(t.stop - t.start <= size for t in tasks)
    assert len({t.id for t in tasks}) == len(tasks)
    sizes = [t.stop - t.start for t in tasks]
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == math.ceil(items / size)


@given(st.integers(1, 300), st.integers(1, 100))
def test_a_measuring_task_finds_what_prepared_its_items(items, size):
    prepared = {t.id: (t.start, t.stop) for t in shards_of("prepare", "m", "d", items, size=size)}
    for replicate in range(2):
        tasks = shards_of("measure", "m", "d", items, size=size, of=("f", replicate))
        assert {t.prepared_by: (t.start, t.stop) for t in tasks} == prepared


def test_no_two_tasks_share_a_name():
    tasks = [
        t.id
        for family in "fg"
        for replicate in range(3)
        for t in shards_of("measure", "m", "d", 30, size=10, of=(family, replicate))
    ]
    tasks += [t.id for t in shards_of("prepare", "m", "d", 30, size=10)]
    assert len(set(tasks)) == len(tasks) == 21


@pytest.mark.parametrize(
    ("queries", "whole", "size"),
    [(1, None, 1024), (0, None, 1024), (16, None, 1024), (10**6, None, 16), (5, 77, 77), (5, 0, 1)],
)
def test_a_shard_is_about_ten_seconds_of_work(queries, whole, size):
    assert shard_size(queries, whole=whole) == size


def test_variants_are_read_once_for_all_replicates_whatever_else_is_measured():
    items = tuple(Example(f"i{i}", {"text": "so good"}) for i in range(4))
    measured = SimpleNamespace(examples={"d": items})
    resolved = SimpleNamespace(measurements=dict.fromkeys("mabcdef", measured))
    runner = TaskRunner(resolved, None, None, run_id="r")
    prepared = to_bytes(variants_table("m", "d", []))
    found = []
    for replicate in range(2):
        for name in "abcdef":
            for task in shards_of("measure", name, "d", 4, size=2, of=("f", replicate)):
                assert runner._batch(task, None).examples == items[task.start : task.stop]
        tasks = shards_of("measure", "m", "d", 4, size=2, of=("f", replicate))
        found.append([runner._batch(task, prepared) for task in tasks])
    assert [batch.examples for batch in found[0]] == [items[:2], items[2:]]
    assert all(a is b for a, b in zip(*found, strict=True))
