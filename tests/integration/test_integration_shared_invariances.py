"""The example of shared invariances: both directions, and the same file for any worker."""

from dataclasses import replace
from pathlib import Path

import pytest

from scrutiny.core.plan import Plan, Resampling
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.plan_file import read_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.run_folder import RunFolder

EXAMPLES = Path(__file__).parents[2] / "examples"
TABLES = ("items", "variants", "records", "outputs", "estimates")


def example(limit: int) -> Plan:
    plan = read_plan(EXAMPLES / "shared_invariances.toml")
    data = tuple(replace(d, limit=limit) for d in plan.data)
    return replace(plan, data=data, resampling=Resampling(draws=200))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return run_plan(resolve(example(24)), tmp_path_factory.mktemp("scope") / "out")


def test_both_directions_and_the_ceiling_are_measured(folder: RunFolder) -> None:
    found = {(e.key.subject, e.key.reference) for e in folder.estimates()}
    assert found == {
        ("first", "first"),
        ("others", "first"),
        ("first", "others"),
        ("others", "others"),
    }
    claimed = {(f.estimate.key.subject, f.estimate.key.reference) for f in folder.findings()}
    assert claimed == {("others", "first"), ("first", "others")}


def test_a_single_target_stands_against_every_replicate_of_the_reference(
    folder: RunFolder,
) -> None:
    one = next(
        e
        for e in folder.estimates()
        if (e.key.subject, e.key.reference, e.key.metric) == ("first", "others", "scope_lift@1")
    )
    assert sorted(one.by_replicate) == [f'{{"seed":"{s}"}}' for s in (2, 3, 4)]


def test_the_ceiling_is_one(folder: RunFolder) -> None:
    own = [
        e
        for e in folder.estimates()
        if e.key.subject == e.key.reference and e.key.metric == "hard_scope@1"
    ]
    assert len(own) == 4
    assert {e.value for e in own} == {1.0}


def test_the_plan_compares_both_capabilities(folder: RunFolder) -> None:
    contrasts = [e.key.condition for e in folder.estimates() if e.key.role == "contrast"]
    (contrast,) = [c for c in contrasts if c["capability"] == "synonym - typo"]
    assert contrast["reference"] == "first"


def test_both_directions_are_one_claim_on_the_same_items_and_replicates(folder: RunFolder) -> None:
    less = [f for f in folder.findings() if "/less/" in f.claim.id]
    assert [f.claim.id.partition("less/")[2] for f in less] == ["synonym/1", "typo/1"]
    for finding in less:
        assert finding.estimate is not None
        assert finding.control is not None
        assert finding.estimate.key.condition["reference"] == "first - others"
        assert sorted(finding.estimate.by_replicate) == [f'{{"seed":"{s}"}}' for s in (2, 3, 4)]
        assert finding.control.key.metric == "scope_lift@1"


def test_workers_give_the_same_bytes(folder: RunFolder, tmp_path: Path) -> None:
    options = RunOptions(workers=2, executor="processes")
    many = run_plan(resolve(example(24)), tmp_path / "many", options=options)
    for name in TABLES:
        file = f"{name}.parquet"
        assert (many.path / file).read_bytes() == (folder.path / file).read_bytes(), name


def test_the_example_for_sst2_reads() -> None:
    plan = read_plan(EXAMPLES / "shared_invariances_sst2.toml")
    assert [m.id for m in plan.measure] == ["scope", "scope-from-small", "as published", "ways"]
    assert {m.reference for m in plan.measure} == {"large", "small"}
