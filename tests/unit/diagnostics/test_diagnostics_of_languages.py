"""What robustness, attacks and transfer ask of data that are not in English."""

from collections import Counter

import pytest
from design_inputs import inputs_of
from toy_runs import resolve_only, run

from scrutiny.core.errors import PlanError
from scrutiny.diagnostics.attack.attacks import Attacks
from scrutiny.diagnostics.attack.attempts import AttackParams, TransferParams
from scrutiny.diagnostics.attack.transfer import Transfer
from scrutiny.diagnostics.robustness.robustness import Robustness
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.run.planning.doubtful_data import left_out_of
from scrutiny.store.run_tables import variants_of
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import ConstantClassifier, KeywordClassifier

TASK = load_task("text-classification")
GERMAN = [
    {"text": f"Der Film ist nicht gut, sagte Person {k}.", "label": ("negative", "positive")[k % 2]}
    for k in range(12)
]
ENGLISH = [
    {"text": f"The film is not good, said person {k}.", "label": ("negative", "positive")[k % 2]}
    for k in range(12)
]
WIDE = "reverse_negation@1(plain=false)"
REVERSED, TYPED = (WIDE, "ok"), ("typos@1", "ok")


def inputs(*languages, is_audit=True):
    known = {"languages": frozenset(languages), "is_audit": is_audit, "dataset": "dev"}
    return inputs_of(TASK, **known, capabilities=frozenset({"predict"}))


def names(languages):
    return {recipe.name for recipe in RobustnessParams().recipes(TASK, frozenset(languages))}


def test_robustness_asks_what_knows_a_language_of_the_data():
    assert {"tense@1", "contraction@1", "keyboard@1", "typos@1"} <= names({"en"})
    assert names({"de"}) == {"ocr@1", "punctuation@1", "typos@1", "word_case@1"}
    assert names({"es"}) == names({"de"}) | {"keyboard@1"}
    assert names({"ru"}) == names({"de"}) - {"ocr@1"}
    assert names({"ja"}) == {"punctuation@1"} == names({"und"})
    assert names({"de", "en"}) == names({"en"})


def test_what_is_left_out_is_said_and_so_is_why():
    (said,) = Robustness().design(RobustnessParams(), inputs("de")).left_out
    assert said.startswith("9 changes left out of dev, whose texts are in German (de), which they")
    assert "tense changed" in said
    assert "synonyms (word vectors)" not in said  # not asked of English either, for want of vectors
    assert Robustness().design(RobustnessParams(), inputs("en")).left_out == ()
    assert Robustness().design(RobustnessParams(), inputs("de", "en")).left_out == ()


@pytest.mark.parametrize("recipe", ["tense", "reverse_negation", "typos+tautology", "keyboard"])
def test_a_named_change_that_does_not_know_the_language_is_refused(recipe):
    params = RobustnessParams(transformations=(recipe,))
    with pytest.raises(PlanError, match=r"is for texts in English.*'dev' is German .*language=en"):
        Robustness().design(params, inputs("de", is_audit=False))
    assert Robustness().design(params, inputs("de", "en", is_audit=False)).conditions


def test_attacks_that_do_not_know_the_language_are_left_out_or_refused():
    params = AttackParams(recipes=("deepwordbug", "pwws"), budget=5)
    design = Attacks().design(params, inputs("de"))
    assert {condition["recipe"] for condition in design.conditions} == {"deepwordbug@1"}
    assert design.left_out[0].startswith("1 attack left out of dev, whose texts are in German")
    assert len(Attacks().design(params, inputs("en")).conditions) == 2
    with pytest.raises(PlanError, match=r"The attack pwws@1 is for texts in English"):
        Attacks().design(params, inputs("de", is_audit=False))


def test_transfer_of_attacks_likewise():
    params = TransferParams(recipes=("deepwordbug",), budget=5)
    known = {"reference": "r", "dataset": "dev"}
    made = Transfer().design(params, inputs_of(TASK, languages=frozenset({"de"}), **known))
    assert (len(made.conditions), made.left_out) == (1, ())
    audit = inputs_of(TASK, languages=frozenset({"zh"}), is_audit=True, **known)
    assert Transfer().design(params, audit).left_out[0].startswith("1 attack left out of dev")


def test_a_plan_is_refused_before_anything_is_asked():
    model = ConstantClassifier("negative", labels=("negative", "positive"))
    with pytest.raises(PlanError, match=r"transformation tense is for texts in English \(en\)"):
        resolve_only(model, GERMAN, params={"transformations": ["tense"]})
    resolved = resolve_only(model, GERMAN)
    assert left_out_of(resolved)[0].startswith("9 changes left out of x, whose texts are in German")
    assert left_out_of(resolve_only(model, ENGLISH)) == []


def test_in_mixed_data_each_item_is_changed_by_what_knows_its_language(tmp_path):
    model = KeywordClassifier()
    params = {"transformations": [WIDE, "typos"], "control": False}
    folder = run("robustness", model, [*GERMAN, *ENGLISH], tmp_path / "run", **params)
    variants = [v for found in variants_of(folder.variants()).values() for v in found]
    found = Counter((v.recipe, v.status, v.reason) for v in variants)
    assert found[WIDE, "skipped", "language"] == 12
    assert sum(n for (name, status, _), n in found.items() if (name, status) == REVERSED) == 12
    assert sum(n for (name, status, _), n in found.items() if (name, status) == TYPED) == 24
