"""Checkpoints whose own record says that they learned too little."""

import json
import sys
from pathlib import Path

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.model import Family, Replicate
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.presuppositions import _gates_of, gates_on_record, refusal_of_claims
from scrutiny.run.planning.resolve import resolve

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))


@pytest.fixture
def family(tmp_path):
    """Three seeds at two steps; seed 2 has failed a gate at step 10, seed 3 has no record."""
    _gates_of.cache_clear()
    replicates = []
    for seed, step in [(s, t) for s in "123" for t in ("10", "20")]:
        folder = tmp_path / f"seed-{seed}-{step}"
        folder.mkdir()
        passed = not (seed == "2" and step == "10")
        record = {"gates": {"fivegram": passed, "next_sentence": False}}
        if seed != "3":
            (folder / "competence.json").write_text(json.dumps(record))
        replicates.append(Replicate(f"hf:{folder}", {"seed": seed}, {"step": step}))
    return Family("m", "hf:x", tuple(replicates))


def test_a_failed_gate_refuses_and_names_the_replicate(family):
    said = refusal_of_claims(family, {"step": "10"}, ("fivegram",))
    assert said == 'below the gate \'fivegram\' of the competence record: {"seed":"2"}'


@pytest.mark.parametrize(
    ("step", "gates"), [("20", ("fivegram",)), ("10", ()), ("10", ("agreement",))]
)
def test_other_steps_and_other_gates_do_not(family, step, gates):
    assert refusal_of_claims(family, {"step": step}, gates) == ""


def test_each_failed_gate_is_named(family):
    said = refusal_of_claims(family, {"step": "10"}, ("fivegram", "next_sentence"))
    assert said.count("below the gate") == 2
    assert said.count('{"seed":"1"}') == 1  # seed 1 has failed the second only


def test_a_record_that_does_not_read_is_no_pass(family, tmp_path):
    (tmp_path / "seed-1-10" / "competence.json").write_text("{}")
    with pytest.raises(ModelError, match="is no competence record"):
        refusal_of_claims(family, {"step": "10"}, ("fivegram",))


def test_models_without_a_checkpoint_have_no_record():
    toy = Family("m", "builtin:x", (Replicate("builtin:sentiment/seed-1", {"seed": "1"}),))
    assert refusal_of_claims(toy, {}, ("fivegram",)) == ""


def test_gates_are_on_record_where_every_replicate_has_them(family):
    gates = ("agreement", "fivegram")
    assert gates_on_record(family, {"step": "10"}, gates) == ()  # seed 3 has no record
    recorded = Family("m", "hf:x", tuple(r for r in family.replicates if r.random["seed"] != "3"))
    assert gates_on_record(recorded, {"step": "10"}, gates) == ("fivegram",)
    assert gates_on_record(recorded, {"step": "30"}, gates) == ()


def test_claims_of_a_plan_presuppose_what_the_diagnostic_does(tmp_path):
    """Numbers of a checkpoint below a gate are refused to a plan, whatever relates them."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_language import make_language_model

    _gates_of.cache_clear()
    for seed, step in [(s, t) for s in (1, 2) for t in (10, 20)]:
        made = make_language_model(tmp_path / f"seed-{seed}-step-{step}", "Bert")
        record = {"gates": {"fivegram": step == 20, "agreement": True, "next_sentence": False}}
        (made / "competence.json").write_text(json.dumps(record))
    where = {"variant": "pll-shared", "group": "all"}
    relates, claims = [], []
    for step in ("10", "20"):
        side = {"from": "pairs", "metric": "stereotype_score", "where": {**where, "step": step}}
        relates.append({"id": f"apart at {step}", "how": "difference", "a": side})
        claims.append({"id": step, "says": "x", "estimate": f"apart at {step}", "rule": "> 0"})
    stated = {
        "models": {
            "m": {"source": f"hf:{tmp_path}/seed-{{seed}}-step-{{step}}", "random": ["seed"]}
        },
        "data": {"d": {"source": "builtin:stereotypes", "limit": 20}},
        "measure": [
            {
                "id": "pairs",
                "diagnostic": "stereotypes.pairs@1",
                "models": ["m"],
                "data": ["d"],
                "nulls": 0,
            }
        ],
        "relate": relates,
        "claim": claims,
    }
    refused = {c.id: c.refused for c in resolve(plan_of(stated)).claims if c.id in ("10", "20")}
    assert refused["20"] == ""  # next sentences are not what these pairs are about
    assert refused["10"].startswith("m, step 10: below the gate 'fivegram' of the competence")
