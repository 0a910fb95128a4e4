"""A finished run is small: its journal is packed; issued again, it asks nothing all the same."""

from dataclasses import replace

import pytest
from small_runs import plan, rows, run

from scrutiny.core.plan import Resampling
from scrutiny.store.database import Journal
from scrutiny.testing import FlakyClassifier

TABLES = ("items", "variants", "records", "outputs", "estimates", "timings")
DATA = {"x": rows(120)}


def robustness(draws=200, level=0.95):
    params = {"transformations": ["typos"]}
    made = plan("python:object:F", diagnostic="robustness", params=params)
    return replace(made, resampling=Resampling(draws=draws, level=level))


def issued(tmp_path, model, made=None, *, cache=True):
    cached = tmp_path / "cache.sqlite" if cache else None
    where = tmp_path / "out"
    return run(made or robustness(), where, data=DATA, models={"m": model}, cache=cached)


def bytes_of(folder):
    return {name: (folder.path / f"{name}.parquet").read_bytes() for name in TABLES}


def journal_of(folder):
    return Journal(folder.path / "journal.sqlite")


@pytest.fixture
def model():
    return FlakyClassifier(())


def test_the_journal_of_a_finished_run_is_a_small_part_of_its_folder(tmp_path, model):
    folder = issued(tmp_path, model)
    sizes = {p.name: p.stat().st_size for p in folder.path.rglob("*") if p.is_file()}
    assert sizes["journal.sqlite"] < 100_000
    assert not {name for name in sizes if name.endswith(("-wal", "-shm", ".tmp"))}
    journal = journal_of(folder)
    done = journal.done()
    assert len(done) > 1
    assert not any(journal.parts(task) for task in done)
    journal.close()


def test_a_finished_run_asks_and_writes_nothing_again(tmp_path, model):
    folder = issued(tmp_path, model)
    before, asked = bytes_of(folder), len(model.calls)
    times = {name: (folder.path / f"{name}.parquet").stat().st_mtime_ns for name in ("records",)}
    again = issued(tmp_path, model)
    assert len(model.calls) == asked
    assert bytes_of(again) == before
    assert {n: (again.path / f"{n}.parquet").stat().st_mtime_ns for n in times} == times


def test_estimates_are_redone_from_a_packed_run(tmp_path, model):
    issued(tmp_path, model)
    asked = len(model.calls)
    folder = issued(tmp_path, model, robustness(draws=300, level=0.8))
    assert len(model.calls) == asked
    assert {e.level for e in folder.estimates() if e.low is not None} == {0.8}


@pytest.mark.parametrize("name", ["records.parquet", "timings.parquet"])
@pytest.mark.parametrize("how", ["lost", "cut"])
def test_a_table_that_was_damaged_is_made_again_from_the_cache(tmp_path, model, name, how):
    folder = issued(tmp_path, model)
    before, asked = bytes_of(folder), len(model.calls)
    path = folder.path / name
    if how == "lost":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-9])
    again = bytes_of(issued(tmp_path, model))
    assert len(model.calls) == asked
    for table in TABLES[:-1]:  # what took how long is another matter
        assert again[table] == before[table]


def test_a_lost_list_of_estimates_is_made_again_without_a_shard(tmp_path, model):
    folder = issued(tmp_path, model, cache=False)
    before, asked = bytes_of(folder), len(model.calls)
    (folder.path / "estimates.parquet").unlink()
    (folder.path / "findings.json").unlink()
    assert bytes_of(issued(tmp_path, model, cache=False)) == before
    assert len(model.calls) == asked


def test_a_kill_before_the_packing_loses_nothing(tmp_path, model, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "pack", killed)
        with pytest.raises(KeyboardInterrupt):
            issued(tmp_path, model)
    asked = len(model.calls)
    folder = issued(tmp_path, model)
    assert len(model.calls) == asked
    assert folder.manifest["status"] == "done"
    journal = journal_of(folder)
    assert journal.packed()
    journal.close()


def test_memos_that_a_later_start_needs_are_kept(tmp_path):
    journal = Journal(tmp_path / "journal.sqlite")
    for key in ("again/m", "fingerprint/m", "search/1", "kept"):
        journal.set_memo(key, 1)
    journal.pack({"records.parquet": {"bytes": 1, "digest": "d"}}, keep=("again/", "fingerprint/"))
    assert [journal.memo(key)[0] for key in ("again/m", "fingerprint/m", "search/1", "kept")] == [
        True,
        True,
        False,
        False,
    ]
    assert journal.packed() == {"records.parquet": {"bytes": 1, "digest": "d"}}
    journal.forget()
    assert journal.packed() is None
    journal.close()
