"""The same command gives the same file: over workers, executors, kills and batches."""

import random
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.run_folder import RunFolder
from warm_command import WarmCommand

COMMAND = [
    *("run", "robustness", "--model", "builtin:sentiment"),
    *("--data", "builtin:reviews", "--limit", "100", "--display", "none", "--draws", "100"),
    *("--with", "typos,ocr,contraction,synonym_wordnet,word_case(case=upper)"),
]
TABLES = ("items", "variants", "records", "outputs", "estimates")


def plan(limit: int = 60, **params: object) -> Plan:
    measure = MeasurePlan(
        "robustness",
        "robustness",
        ("sentiment",),
        ("reviews",),
        {"transformations": ["typos", "ocr+contraction"], **params},
    )
    return Plan(
        data=(DataPlan("reviews", "builtin:reviews", limit=limit),),
        models=(ModelPlan("sentiment", "builtin:sentiment"),),
        measure=(measure,),
    )


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.parquet").read_bytes() for name in TABLES}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files of the plan, run by one process that keeps no answers."""
    return files(run_plan(resolve(plan()), tmp_path_factory.mktemp("one") / "run").path)


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_give_the_same_bytes(
    tmp_path: Path, expected: dict[str, bytes], workers: int
) -> None:
    options = RunOptions(workers=workers, executor="processes")
    many = run_plan(resolve(plan()), tmp_path / "many", options=options)
    assert files(many.path) == expected


@pytest.mark.slow
def test_ray_gives_the_same_bytes(tmp_path: Path, enable_ray: None) -> None:
    one = run_plan(resolve(plan(limit=30)), tmp_path / "one")
    options = RunOptions(workers=2, executor="ray")
    with closing(options.crew(LoadedModels())) as crew:
        resolved = resolve(plan(limit=30), opened=Opened(crew))
        many = run_plan(resolved, tmp_path / "ray", options=options, crew=crew)
        assert crew.models.slowest == 0  # the driver has loaded nothing
    assert files(one.path) == files(many.path)


@pytest.fixture
def enable_ray(socket_enabled: None) -> object:
    ray = pytest.importorskip("ray")
    yield None
    ray.shutdown()


@pytest.mark.slow
def test_killed_four_times_and_reissued_gives_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm: WarmCommand
) -> None:
    """Two kills of a run with one worker, two of one with two: each goes on where it was."""

    def run(out: Path, workers: str = "1", killed_after: float | None = None) -> bool:
        """Whether it finished."""
        monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(out.with_suffix(".cache")))
        given = (*COMMAND, "--out", str(out), "--workers", workers)
        done = warm.run(*given, killed_after=killed_after)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        return done.returncode == 0

    warm.run("--version")  # from here on all is imported
    began = time.monotonic()
    assert run(tmp_path / "whole")
    whole_s = time.monotonic() - began
    expected = files(tmp_path / "whole")
    rng = random.Random(0)
    for workers in ("1", "2"):
        killed = attempts = 0
        out = tmp_path / workers
        while killed < 2:
            attempts += 1
            assert attempts <= 12, f"only {killed} of {attempts} runs were still going when killed"
            if not run(out, workers, killed_after=whole_s * rng.uniform(0.2, 0.95)):
                killed += 1
                continue
            # a quieter machine, or little was left to do: aim earlier, at another run
            whole_s *= 0.8
            assert files(out) == expected, f"finished in attempt {attempts}"
            out = tmp_path / f"{workers}-{attempts}"
        assert run(out, workers)
        assert files(out) == expected, f"{workers} workers, after {killed} kills"


def test_reissuing_a_finished_command_asks_nothing(
    tmp_path: Path, expected: dict[str, bytes]
) -> None:
    resolved = resolve(plan())
    cache = tmp_path / "answers.sqlite"
    run_plan(resolved, tmp_path / "run", options=RunOptions(cache=cache))
    assert files(tmp_path / "run") == expected
    folder = run_plan(resolved, tmp_path / "run", options=RunOptions(cache=cache))
    assert files(folder.path) == expected
    other = run_plan(resolved, tmp_path / "other", options=RunOptions(cache=cache))
    assert files(other.path) == expected
    timings = other.table("timings").to_pylist()
    assert sum(row["asked"] for row in timings) == 0
    assert sum(row["cached"] for row in timings) > 0


def test_batches_do_not_matter(tmp_path: Path, expected: dict[str, bytes]) -> None:
    from scrutiny.run.asking import client as asking

    kept = asking.CHUNK
    try:
        asking.CHUNK = 7
        other = run_plan(resolve(plan()), tmp_path / "other")
    finally:
        asking.CHUNK = kept
    assert files(other.path) == expected


def test_planned_is_the_sum_of_all_statuses_everywhere(tmp_path: Path) -> None:
    folder = run_plan(resolve(plan(draws=2)), tmp_path / "run")
    records = folder.records().to_pylist()
    planned = len({(r["condition"], r["role"]) for r in records}) * 60 * 5
    assert len(records) == planned
    for row in records:
        assert (row["values"] is None) == (row["status"] != "ok")
    for estimate in folder.estimates():
        counts = estimate.counts
        parts = (counts.n, counts.undefined, counts.failed, counts.skipped, counts.refused)
        assert counts.planned == sum(parts)
        if estimate.key.metric != "mcnemar@1":
            assert counts.planned in (60, counts.n)


def test_another_plan_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    from scrutiny.core.errors import PlanError

    run_plan(resolve(plan(limit=10)), tmp_path / "run")
    with pytest.raises(PlanError, match="run of another plan"):
        run_plan(resolve(plan(limit=11)), tmp_path / "run")


def test_claims_added_after_the_first_query_are_post_hoc(tmp_path: Path) -> None:
    from dataclasses import replace

    from scrutiny.core.claim import Claim, Component

    first = plan(limit=10)
    run_plan(resolve(first), tmp_path / "run")
    estimate = "robustness/sentiment/reviews/level"
    late = Claim("late", "accuracy is high", "plan", (Component(estimate, 0.2),))
    folder = run_plan(resolve(replace(first, claim=(late,))), tmp_path / "run")
    marks = {f.claim.id: f.claim.post_hoc for f in folder.findings()}
    assert marks["late"] is True
    assert sum(marks.values()) == 1


def test_open_says_what_is_wrong_with_a_folder(tmp_path: Path) -> None:
    from scrutiny.core.errors import DataError

    with pytest.raises(DataError, match="no run folder"):
        RunFolder.open(tmp_path / "nothing")
    with pytest.raises(DataError, match="holds no run"):
        RunFolder.open(tmp_path)
