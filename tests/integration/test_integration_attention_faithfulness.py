"""The example plan in its small version: trained here, run offline, a claim for each question."""

import tomllib
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scrutiny.data.dataset import load_dataset
from scrutiny.models.words.attention_classifier import Architecture
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.training.words.network_recipes import AttentionRecipe
from scrutiny.training.words.trainers import train_words

EXAMPLE = Path(__file__).parents[2] / "examples" / "attention_faithfulness.toml"
TEXTS = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Finished run of the example with fewer texts, steps and epochs."""
    place = tmp_path_factory.mktemp("faithfulness")
    recipe = AttentionRecipe(Architecture("projection", embedding=8, hidden=8), epochs=2, lr=0.01)
    text = EXAMPLE.read_text(encoding="utf-8").replace("runs/attention", str(place / "attention"))
    stated = tomllib.loads(text.replace("0:192", f"0:{TEXTS}"))
    rows = load_dataset(stated["data"]["agreement"]["source"], limit="192:360")
    train_words(rows, place / "attention", recipe=recipe)
    for measure in stated["measure"]:
        if measure["id"] == "adversarial":
            measure["params"] = {"steps": 20}
    stated["resampling"]["draws"] = 400
    return run_plan(resolve(plan_of(stated)), place / "run")


def test_every_question_is_asked_of_every_seed(folder):
    records = folder.records().to_pylist()
    asked = {(r["kind"].partition("#")[0], r["subject"], r["replicate"]) for r in records}
    names = [f"faithfulness.{n}@1" for n in ("erasure", "permutation", "agreement", "adversarial")]
    seeds = [f'{{"seed":"{s}"}}' for s in (1, 2, 3)]
    assert {(n, "classifier", s) for n in names for s in seeds} <= asked
    untrained = {(n, r) for n, subject, r in asked if subject == "untrained"}
    assert untrained == {(n, f'{{"seed":"{s}"}}') for n in names[:3] for s in range(5)}
    assert {r["status"] for r in records} <= {"ok", "skipped", "undefined"}
    assert len({r["item"] for r in records}) == TEXTS


def test_every_claim_has_a_verdict_and_is_held_against_untrained_networks(folder):
    findings = {
        f.claim.id.split("/", 1)[0] + "/" + f.claim.id.rsplit("/", 1)[1]: f
        for f in folder.findings()
    }
    assert set(findings) == {
        "erasure/highest",
        "erasure/highest beyond its size",
        "erasure/order",
        "erasure/as good as gradients",
        "permutation/order matters",
        "adversarial/pinned down",
        "agreement/agrees",
        "agreement/as good as gradients",
    }
    held = [c.against for c in findings["erasure/highest"].claim.components]
    assert held[-1] == "control: untrained"
    for found in findings.values():
        assert found.verdict in ("supported", "not supported", "undecided", "refused")


def test_numbers_are_where_they_can_be(folder):
    metrics = {}
    for one in folder.estimates():
        if one.value is not None:
            metrics.setdefault(one.key.metric, []).append(one.value)
    assert 0 <= min(metrics["share(flip)@1"]) <= max(metrics["share(flip)@1"]) <= 1
    assert 0 <= min(metrics["mean(js)@1"]) <= max(metrics["mean(js)@1"]) <= 0.694
    assert -1 <= min(metrics["mean(tau)@1"]) <= max(metrics["mean(tau)@1"]) <= 1
    assert 0 < min(metrics["mean(share)@1"]) <= max(metrics["mean(share)@1"]) <= 1
