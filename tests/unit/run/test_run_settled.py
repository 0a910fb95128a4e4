"""A finished run that is issued again computes nothing, and mends what was damaged."""

from dataclasses import replace

import pytest
from small_runs import family, plan, rows

from scrutiny.run import driver
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve


@pytest.fixture
def issued(tmp_path, monkeypatch):
    """Runs a plan in one folder; gives the folder and how often estimates were computed."""
    computed, estimate = [], driver.estimate_all

    def counted(*given, **more):
        computed.append(1)
        return estimate(*given, **more)

    monkeypatch.setattr(driver, "estimate_all", counted)
    source = family(tmp_path)

    def run(change=None, command="scrutiny run"):
        made = plan(source, seeds=(1, 2))
        resolved = resolve(made if change is None else change(made), data={"x": rows(20)})
        return run_plan(resolved, tmp_path / "out", options=RunOptions(command=command))

    return run, computed


def times(folder):
    return {p.name: p.stat().st_mtime_ns for p in folder.path.glob("*") if p.suffix != ".sqlite"}


def test_a_settled_run_computes_and_writes_nothing(issued):
    run, computed = issued
    before = times(run())
    folder = run()
    assert len(computed) == 1
    after = times(folder)
    assert {n: t for n, t in after.items() if n in ("manifest.json", "estimates.parquet")} == {
        n: t for n, t in before.items() if n in ("manifest.json", "estimates.parquet")
    }
    assert folder.manifest["status"] == "done"


@pytest.mark.parametrize("name", ["estimates.parquet", "findings.json", "records.parquet"])
@pytest.mark.parametrize("is_gone", [True, False])
def test_a_damaged_file_is_made_anew(issued, name, is_gone):
    run, computed = issued
    folder = run()
    path = folder.path / name
    whole = path.read_bytes()
    if is_gone:
        path.unlink()
    else:
        path.write_bytes(whole[:-9] + b"123456789")
    run()
    assert len(computed) == 2
    assert path.read_bytes() == whole


def test_other_resampling_and_another_command_are_no_settled_run(issued):
    run, computed = issued
    run()
    run(lambda p: replace(p, resampling=replace(p.resampling, draws=300)))
    assert len(computed) == 2
    folder = run(command="scrutiny run again")
    assert len(computed) == 3
    assert folder.manifest["command"] == "scrutiny run again"


def test_a_manifest_that_does_not_read_settles_nothing(issued):
    run, computed = issued
    folder = run()
    (folder.path / "manifest.json").write_text("{")
    run()
    assert len(computed) == 2
    assert folder.manifest["status"] == "done"
