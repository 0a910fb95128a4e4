"""Texts that fool one model, asked of another."""

import json

import pytest

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.diagnostics.attack.attempts import TransferParams
from scrutiny.diagnostics.attack.transfer import Transfer
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing import LinearClassifier, check_diagnostic
from scrutiny.testing.checking import ToyContext

TEXTS = ("a good film", "a good plan", "a film of note", "a bad story")
GOLD = ("positive", "positive", "positive", "negative")


def examples():
    return [
        Example(str(i), {"text": t}, gold=g)
        for i, (t, g) in enumerate(zip(TEXTS, GOLD, strict=True))
    ]


def asked(target, reference, **params):
    """Rows by (item, role), and the variants."""
    task = registry().load("task", "text-classification")()
    held = TransferParams(**{"recipes": ("deepwordbug",), **params})
    preparing = ToyContext(task, reference=reference)
    variants = {}
    for variant in Transfer().prepare(held, examples(), preparing):
        variants.setdefault(variant.item, []).append(variant)
    batch = Batch(tuple(examples()), {item: tuple(found) for item, found in variants.items()})
    context = ToyContext(task, target, reference=reference)
    rows = Transfer().measure(held, Cell("s", None, "d", reference="r"), batch, context)
    found = {}
    for row in rows:
        key = row.item, row.role, json.loads(row.condition).get("recipe", "")
        assert key not in found
        found[key] = row
    return found, variants


REFERENCE = LinearClassifier({"good": 2, "film": 1})


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(Transfer())


def test_texts_are_found_against_the_reference_and_named_after_it():
    _, variants = asked(LinearClassifier({"good": 1}), REFERENCE)
    own, random = variants["1"]
    assert own.status == random.status == "ok"
    assert own.name == "deepwordbug@1/reference"
    assert random.name == "deepwordbug@1/reference/random"
    assert (random.role, random.control_of) == ("control", own.name)
    assert own.gold == "positive"
    withstood = variants["3"]  # whatever is done to it, a tie is negative
    assert {(v.status, v.reason) for v in withstood} == {("skipped", "not_fooled")}


def test_a_text_carries_over_if_both_look_at_the_same_word():
    rows, _ = asked(LinearClassifier({"good": 1, "film": 1}), REFERENCE)
    (measured,) = (r for k, r in rows.items() if k[:2] == ("1", "measured"))
    assert measured.values == (0.0, 1.0, 1.0)
    other, _ = asked(LinearClassifier({"plan": 1, "film": 1}, bias=1), REFERENCE)
    (measured,) = (r for k, r in other.items() if k[:2] == ("1", "measured"))
    assert measured.values == (1.0, 1.0, 0.0)


def test_what_the_target_gets_wrong_is_not_counted():
    rows, _ = asked(LinearClassifier({"plan": -9}), REFERENCE)
    found = {k: (r.status, r.reason) for k, r in rows.items() if k[0] == "1"}
    assert found["1", "baseline", ""] == ("ok", None)
    assert found["1", "measured", "deepwordbug@1"] == ("skipped", "already_wrong")
    assert found["1", "control", "deepwordbug@1"] == ("skipped", "already_wrong")


def test_a_random_text_changes_as_many_words():
    _, variants = asked(LinearClassifier({}), REFERENCE)
    for own, random in variants.values():
        if own.status == "ok" and random.status == "ok":
            assert len(random.edits) <= len(own.edits)


def test_items_that_were_not_drawn_have_no_variants():
    rows, variants = asked(LinearClassifier({"good": 1}), REFERENCE, items=2)
    assert len(variants) == 2
    left_out = [r for k, r in rows.items() if k[0] not in variants]
    assert {(r.role, r.status, r.reason) for r in left_out} == {
        ("baseline", "skipped", "not_drawn")
    }


def test_it_needs_a_reference():
    task = registry().load("task", "text-classification")()
    with pytest.raises(PlanError, match="reference"):
        list(Transfer().prepare(TransferParams(), examples(), ToyContext(task)))


def test_what_the_attack_needs_is_the_references_to_have():
    class Closed(LinearClassifier):
        capabilities = frozenset({"predict"})

    with pytest.raises(PlanError, match="gradients"):
        asked(REFERENCE, Closed({"good": 1}), recipes=("hotflip",))
    asked(Closed({"good": 1}), REFERENCE, recipes=("hotflip",))


ROWS = [
    {"text": f"a good {word}", "label": "positive", "id": word}
    for word in ("film", "plan", "day", "tale", "book", "song")
]


def test_through_a_run(tmp_path):
    plan = Plan(
        data=(DataPlan("x", "object:x"),),
        models=(ModelPlan("m", "python:object:Toy"), ModelPlan("r", "python:object:Toy")),
        measure=(
            MeasurePlan(
                "t", "attack.transfer", ("m",), ("x",), {"recipes": ["deepwordbug"]}, reference="r"
            ),
        ),
        resampling=Resampling(draws=200),
    )
    models = {
        "m": LinearClassifier({"good": 1, "film": 1}),
        "r": LinearClassifier({"good": 2}),
    }
    made = resolve(plan, data={"x": ROWS}, models=models)
    folder = run_plan(made, tmp_path / "run", models=models)
    found = {e.key.metric: e for e in folder.estimates() if e.key.role == "measured"}
    # of six texts that fool the reference one has a second word that the target knows
    assert found["transfer_rate@1"].value == pytest.approx(5 / 6)
    assert found["transfer_rate@1"].key.reference == "r"
    assert found["beyond(transfer_rate)@1"].value is not None
    assert {claim.id.split("/")[1] for claim in made.claims} == {"m"}, [c.id for c in made.claims]
