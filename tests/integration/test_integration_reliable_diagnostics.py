"""The study of reliable diagnostics and its short variant at their smallest, on the zoo."""

import os
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.training import with_trained
from scrutiny.store.files import cache_file
from scrutiny.store.run_folder import RunFolder

pytestmark = [pytest.mark.slow, pytest.mark.extra("hf")]

ROOT = Path(__file__).parents[2]
ZOO = ROOT / "packages" / "scrutiny-zoo" / "src" / "scrutiny_zoo"
DATA = (
    "sst2",
    "snli",
    "ud_english_ewt",
    "crows_pairs",
    "word_filling_controls",
    "stereoset",
    "sent_bias",
    "wikitext2",
    "glue",
)
ITEMS = {
    "crows": "468:479",  # of all nine categories
    "stereoset": "2076:2114",
    "qnli": "4000:4008",
    "qnli-train": "0:16",
    "text": 2,
}
PARAMS = {
    "crows": {"variants": ["pll-shared"]},
    "stereoset": {"variants": ["log-mean", "nsp"]},
    "seat": {"representations": ["cls"], "claimed": "cls"},
    "clusters": {"starts": 2, "representations": ["cls"], "claimed": "cls", "parts": ["targets"]},
    "clusters-over-steps": {"starts": 2, "parts": ["targets"]},
    "landscape": {"directions": 1, "iterations": 1},
    "probe": {"n_training": 12, "epochs": 1},
}
SEEDS = [1, 2, 3]


def smallest(name: str, data: Path) -> dict:
    """A plan of the examples with few items, two or three seeds, and hardly any training."""
    text = (ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8")
    plan = tomllib.loads(text.replace("../shared/data", str(data)))
    for key, one in plan["data"].items():
        if key.startswith("seat"):
            one["source"] = f"sent-bias:{data}/sent_bias/tests#tests=sent-weat6"
        else:
            one["limit"] = ITEMS.get(key, 16 if key.endswith("train") else 8)
    plan["data"]["agreement"] = {"source": "builtin:agreement", "limit": 20}  # of competence
    for key, one in plan["models"].items():
        one["seeds"] = SEEDS if key == "bert" else SEEDS[:2]
    for node in plan["train"]:
        node["params"] = {"epochs": 1}
        if "from" not in node:
            node["runs"] = 3
    for measure in plan["measure"]:
        measure["params"] = measure.get("params", {}) | PARAMS.get(measure["id"], {})
        measure["nulls"] = 0
    return plan | {"resampling": {"draws": 100}}


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    """Folder of trained networks and answers: what one plan has, the other need not make again."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module", params=["reliable_diagnostics_short", "reliable_diagnostics"])
def folder(request, cache, tmp_path_factory) -> RunFolder:
    data = Path(os.environ.get("SCRUTINY_DATA", ROOT.parent / "shared" / "data"))
    absent = [name for name in DATA if not (data / name).exists()]
    if absent:
        pytest.skip(f"{absent[0]} is not under SCRUTINY_DATA")
    if not (ZOO / "weights").exists():
        pytest.skip("packages/scrutiny-zoo has no weights yet")
    with pytest.MonkeyPatch.context() as patched:  # a module's fixture comes before a test's
        patched.setenv("SCRUTINY_CACHE_DIR", str(cache))
        patched.setenv("SCRUTINY_ZOO", str(ZOO))
        plan = with_trained(plan_of(smallest(request.param, data)))
        options = RunOptions(cache=cache_file())
        return run_plan(resolve(plan), tmp_path_factory.mktemp("run"), options=options)


def test_every_finding_of_the_paper_has_a_verdict(folder):
    own = {f.claim.id: f for f in folder.findings() if f.claim.diagnostic == "plan"}
    findings = [r for r in folder.published() if r.figure.claim]
    assert {r.figure.claim for r in findings} == {name for name in own if "SNLI" not in name}
    assert {r.outcome for r in findings} <= {"seen", "not seen", "can't tell", "refused"}
    for task in ("SST-2", "RTE"):  # nothing was learned, so nothing is said
        assert own[f"seeds apart on {task}"].verdict in ("refused", "undecided")
    assert own["seeds apart on CrowS-Pairs"].scope == "these checkpoints"
    for name in [name for name in own if "StereoSet" in name]:  # next sentences are not learned
        assert own[name].verdict == "refused"
        assert "lms" in own[name].reason or "language modeling" in own[name].reason


def test_the_final_weights_are_the_last_point_of_every_curve(folder):
    condition = {"part": "targets", "representation": "cls"}.items()
    aligned = [
        e
        for e in folder.estimates()
        if e.key.metric == "cluster_alignment@1" and condition <= e.key.condition.items()
    ]
    (final,) = (e for e in aligned if e.key.subject == "bert")
    found = {int(e.key.condition["step"]): e for e in aligned if e.key.subject == "steps"}
    assert len(found) >= 3
    last = found[max(found)].by_replicate
    assert set(last) == {'{"seed":"1"}', '{"seed":"2"}'}
    assert last == {name: final.by_replicate[name] for name in last}


def test_figures_of_the_tables_stand_beside_the_runs(folder):
    figures = [r for r in folder.published() if r.figure.source.startswith("Table")]
    if not figures:
        pytest.skip("the short variant has no tables")
    assert len(figures) == 72
    assert {r.outcome for r in figures} <= {"beside", "missing"}  # of so few items
    whole = [r for r in figures if " all (" in r.figure.id or r.figure.source == "Table 2"]
    assert len(whole) == 20
    assert {r.outcome for r in whole} == {"beside"}
    pooled = next(r for r in figures if r.figure.id == "StereoSet all (4226), LARGE")
    assert pooled.low <= pooled.value <= pooled.high


def test_seeds_whose_association_is_significant_are_counted(folder):
    counts = [r for r in folder.published() if r.figure.of == "count"]
    assert {r.figure.id for r in counts} >= {f"SEAT-{n}, seeds with p < .01" for n in (6, 7, 8)}
    measured = [r for r in counts if r.figure.id.startswith("SEAT-6")]
    assert {r.ours.partition(" of ")[2] for r in measured} <= {"2", "3"}  # seeds of each size
    assert {r.outcome for r in counts if r not in measured} == {"missing"}  # SEAT-6 alone is there


def test_next_sentences_are_refused_without_the_skill(folder):
    inter = [f for f in folder.findings() if "/intersentence " in f.claim.id]
    assert inter
    assert {f.verdict for f in inter} <= {"refused", "undecided"}
