"""Example plans that no other test runs: their data, models, estimates and claims are there."""

import os
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.report.load import load_view
from scrutiny.report.sections.change_matrix import change_matrix
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.training import with_stand_ins

pytestmark = [pytest.mark.slow, pytest.mark.extra("hf")]

ROOT = Path(__file__).parents[2]
#: Run at their smallest by tests of their own, or by those of the docs.
RUN = {
    *("attention_faithfulness", "audit", "first_plan", "negation_study", "negation_tables"),
    *("reliable_diagnostics", "reliable_diagnostics_short", "shared_invariances"),
    *("shared_invariances_causal", "shared_invariances_sst2", "shared_invariances_zoo"),
    "trained_words",
}
PLANS = sorted({path.stem for path in (ROOT / "examples").glob("*.toml")} - RUN)
DATA = Path(os.environ.get("SCRUTINY_DATA", ROOT.parent / "shared" / "data"))
SEVERAL = DATA / "scapt_semeval14"
WORDNET = Path("/usr/share/wordnet")
#: What is large, or made before, and what is as good to resolve a plan with.
SMALL = {
    'source = "minilm"': 'source = "zoo:bert-2x128/seed-1"',
    "choice:smollm2": "choice:zoo:bert-2x128/seed-1",
    "../shared/data": str(DATA),
}


def stated(name: str, place: Path) -> dict[str, Any]:
    """An example with little data, and models that are at hand."""
    text = (ROOT / "examples" / f"{name}.toml").read_text("utf-8")
    for large, small in SMALL.items():
        text = text.replace(large, small)
    (place / "prompt").write_text("{text} It was {mask}.")
    if "several_labels.py" in text:  # what its header writes first
        write = runpy.run_path(str(ROOT / "examples/several_labels.py"))["write_categories"]
        for part in ("Train_v2", "Test_Gold"):
            file = place / f"{part}.csv"
            write(SEVERAL / f"Restaurants_{part}_Implicit_Labeled.xml", file)
            file.write_text("".join(file.read_text("utf-8").splitlines(keepends=True)[:200]))
        text = text.replace("runs/T", f"{place}/T")
    plan = tomllib.loads(text)
    if "senses" in plan["data"] and not WORDNET.exists():  # as its header says
        del plan["data"]["senses"]
        plan["measure"] = [one for one in plan["measure"] if one["id"] != "senses"]
    trained_on_little(plan)
    for model in plan.get("models", {}).values():
        if "runs/m/" in model["source"]:  # trained before, with three seeds
            model |= {"source": "builtin:sentiment/seed-{seed}", "seeds": [1, 2, 3]}
        choice, at, rest = model["source"].partition("template=@")
        if at:
            choices = rest.partition(",")[2].replace("= ", "=")
            model["source"] = f"{choice}template=@{place / 'prompt'},{choices}"
    for one in plan["data"].values():
        if "limit" not in one or not isinstance(one["limit"], str):
            many = one["source"].startswith(("relations:", "conll:"))  # all classes
            one["limit"] = 600 if many else 60
    return plan


def trained_on_little(plan: dict[str, Any]) -> None:
    """Limit what training nodes read, and make the steps that are timed short."""
    for node in plan.get("train", ()):
        node["params"] = node.get("params", {}) | {"limit": 600}
        if "from" in node:
            node["params"]["batch"] = 4
        if node.get("from") == "minilm" and "minilm" not in plan.get("models", {}):
            node["from"] = "zoo:bert-2x128/seed-1"
        for key in {"data", "dev"} & {key for key, name in node.items() if ":" in str(name)}:
            plan["data"][f"{node['name']} {key}"] = {"source": node[key]}
            node[key] = f"{node['name']} {key}"


@pytest.mark.parametrize("name", PLANS)
def test_it_resolves(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (DATA / "sst2").exists():
        pytest.skip("sst2 is not under SCRUTINY_DATA")
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    plan = plan_of(stated(name, tmp_path))
    with with_stand_ins(plan) as (made, trainings):
        resolved = resolve(made)
    assert [one.name for one in trainings] == [node.name for node in plan.train]
    assert {m.plan.id for m in resolved.measurements.values()} >= {m.id for m in plan.measure}
    own = {claim.id for claim in resolved.claims if claim.diagnostic == "plan"}
    assert len(own) >= len(plan.claim)


@pytest.mark.extra("nlp")
def test_tasks_stand_side_by_side_in_one_picture(tmp_path: Path) -> None:
    """The plan of all tasks at its smallest, of the models that need no training."""
    if not (DATA / "wikigold").exists():
        pytest.skip("wikigold is not under SCRUTINY_DATA")
    plan = stated("all_tasks", tmp_path)
    kept = [one for one in plan["measure"] if one["id"] in ("entities", "coreference")]
    for one in kept:
        one |= {"items": 6, "params": {"transformations": one["params"]["transformations"][4:7]}}
    plan |= {"measure": kept, "train": [], "resampling": {"draws": 100}}
    for kind in ("models", "data"):
        asked = {name for one in kept for name in one[kind]}
        plan[kind] = {name: own for name, own in plan[kind].items() if name in asked}
    run_plan(resolve(plan_of(plan)), tmp_path / "run")
    part = change_matrix(load_view(tmp_path / "run"))
    assert part is not None
    (chart,) = part.charts
    names = {name.split(", ")[0] for name in chart.table.header[1:]}
    assert names == {"entities", "coreference"}
    assert len(chart.table.rows) == 3
