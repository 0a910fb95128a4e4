"""Robustness on models whose every answer can be worked out on paper."""

import json
from dataclasses import replace

import pytest
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Batch
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.robustness.robustness import Robustness
from scrutiny.diagnostics.robustness.robustness_claims import _signs
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.store.run_tables import variants_of
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import (
    ConstantClassifier,
    FlakyClassifier,
    GazetteerTagger,
    KeywordClassifier,
    check_diagnostic,
)
from scrutiny.text.edits import apply_edits

UPPER = "word_case(case=upper)"


class SmallLetters(KeywordClassifier):
    """Knows "good" in small letters only: capitals break it, and nothing else does."""

    def predict(self, examples):
        found = ["good" in e.text.split() for e in examples]
        return [Prediction(self.labels[hit], (1.0 - hit, float(hit))) for hit in found]


#: Right before and wrong after, wrong before and right after, right both times.
KINDS = {"broken": ("a good film", "positive"), "mended": ("a good try", "negative")}
KINDS["kept"] = ("a poor film", "negative")


def reviews(broken=6, mended=2, kept=4, unchanged=0):
    counts = {"broken": broken, "mended": mended, "kept": kept}
    rows = [
        {"id": f"{kind}{n}", "text": f"{KINDS[kind][0]} about case {n}", "label": KINDS[kind][1]}
        for kind, count in counts.items()
        for n in range(count)
    ]
    # nothing to turn upper: no letters
    return rows + [
        {"id": f"u{n}", "text": f"{n} :-)", "label": "negative"} for n in range(unchanged)
    ]


@pytest.fixture
def upper(tmp_path):
    model = SmallLetters()
    rows = reviews(12, 4, 8, unchanged=8)
    return run("robustness", model, rows, tmp_path, transformations=[UPPER])


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(Robustness())


def test_a_drop_is_what_it_is_by_hand(upper):
    # 32 items: before 12 + 8 + 8 = 28 right, after 4 + 8 + 8 = 20
    drop = estimate(upper, "drop(accuracy)")
    assert drop.value == pytest.approx(28 / 32 - 20 / 32)
    assert (drop.counts.n, drop.counts.planned) == (32, 32)
    assert estimate(upper, "accuracy", role="baseline").value == pytest.approx(28 / 32)


def test_items_that_cannot_change_leave_the_drop_over_changed_items(upper):
    drop = estimate(upper, "drop(accuracy)", group="changed")
    assert drop.value == pytest.approx(8 / 24)
    assert (drop.counts.n, drop.counts.skipped) == (24, 8)


def test_flips_go_both_ways(upper):
    shares = {
        metric: estimate(upper, metric, group="changed").value
        for metric in ("flip_rate", "broken_rate", "mended_rate")
    }
    assert shares == pytest.approx(
        {"flip_rate": 16 / 24, "broken_rate": 12 / 24, "mended_rate": 4 / 24}
    )


def test_coverage_is_the_share_of_items_that_changed(upper):
    found = estimate(upper, "coverage")
    assert found.value == pytest.approx(24 / 32)
    assert found.counts.n == 32


def test_mcnemar_counts_what_was_gained_and_lost(upper):
    found = estimate(upper, "mcnemar")
    assert (found.across["gained"], found.across["lost"]) == (4, 12)
    assert found.n_units == 16
    assert found.key.replicate == "{}"
    assert 0.03 < found.value < 0.06  # mid-p of 4 among 16
    assert found.across["smallest_p"] < 0.001


def test_without_room_for_a_control_the_excess_is_missing_and_the_drop_is_told_all_the_same(upper):
    # all letters are turned: there are no others to turn at random
    excess = estimate(upper, "excess(accuracy)")
    assert (excess.counts.n, excess.counts.undefined) == (8, 24)
    found = upper.findings()[0]
    assert found.verdict in ("hurts", "holds", "can't tell")
    assert "control" not in found.reason
    assert {"control", "baseline", "measured"} == set(upper.records()["role"].to_pylist())


def test_a_drop_is_what_the_variants_make_of_the_model(tmp_path):
    model = KeywordClassifier()
    rows = [
        {"id": f"i{n}", "text": f"{w} story {w} {n}", "label": label}
        for n in range(20)
        for w, label in (("good", "positive"), ("bad", "negative"))
    ]
    rows = [{**r, "id": f"{r['id']}-{k}"} for k, r in enumerate(rows)]
    folder = run("robustness", model, rows, tmp_path, transformations=["typos(share=0.6)"])
    items = {r["id"]: Example(r["id"], {"text": r["text"]}, gold=r["label"]) for r in rows}
    wrong = {"measured": 0, "control": 0}
    for item, variants in variants_of(folder.variants()).items():
        for variant in variants:
            changed = apply_edits(items[item], variant.edits)
            answer = model.predict([changed])[0].answer
            wrong[variant.role] += answer != items[item].gold
            assert variant.status == "ok"
            assert changed.text != items[item].text
    assert wrong["measured"] > 0
    assert estimate(folder, "accuracy", role="baseline").value == 1.0
    assert estimate(folder, "drop(accuracy)").value == pytest.approx(wrong["measured"] / 40)
    assert estimate(folder, "drop(accuracy)", role="control").value == pytest.approx(
        wrong["control"] / 40
    )
    assert estimate(folder, "excess(accuracy)").value == pytest.approx(
        (wrong["measured"] - wrong["control"]) / 40
    )


def test_controls_change_as_much_as_their_treatment_and_say_of_which(tmp_path):
    folder = run("robustness", KeywordClassifier(), reviews(), tmp_path, transformations=["typos"])
    for variants in variants_of(folder.variants()).values():
        treatment, control = variants
        assert (treatment.role, control.role) == ("measured", "control")
        assert control.control_of == treatment.name
        assert control.recipe == treatment.recipe


def test_draws_are_conditions_and_their_mean_is_what_a_change_costs(tmp_path):
    draws = {"transformations": ["typos"], "tolerance": 0.05}
    model, rows = KeywordClassifier(), reviews()
    folder = run("robustness", model, rows, tmp_path, **draws, draws=2)
    (found,) = folder.findings()
    assert [c.estimate.rpartition("typos@1")[2] for c in found.claim.components] == ["", ""]
    assert (found.claim.components[0].limit, found.claim.risk.tolerance) == (0.0, 0.05)
    each = [e for e in folder.estimates() if e.key.metric == "drop(accuracy)@1"]
    alone = [
        e.value
        for e in each
        if "draw" in e.key.condition and e.key.group == "all" and e.key.role == "measured"
    ]
    assert len(alone) == 2
    assert found.estimate.value == pytest.approx(sum(alone) / 2)
    assert found.limits[0].n_rows == 1


def test_one_draw_is_the_number_itself(tmp_path):
    folder = run("robustness", KeywordClassifier(), reviews(), tmp_path, transformations=["typos"])
    (found,) = folder.findings()
    assert [c.against for c in found.claim.components] == ["reference", "control: random change"]
    assert found.estimate.key.condition["draw"] == 0


@pytest.mark.parametrize("draws", [1, 2])
def test_without_controls_the_drop_is_the_same_and_nothing_stands_beside(tmp_path, draws):
    given = {"transformations": ["typos"], "draws": draws}
    alone, beside = (
        run("robustness", KeywordClassifier(), reviews(), tmp_path / name, control=kept, **given)
        for name, kept in (("alone", False), ("beside", True))
    )
    (found,), (other,) = alone.findings(), beside.findings()
    assert [c.against for c in found.claim.components] == ["reference"]
    assert found.estimate == replace(other.estimate, key=found.estimate.key)
    assert found.verdict == other.verdict
    assert {e.key.role for e in alone.estimates()} == {"baseline", "measured"}
    assert {v["role"] for v in alone.table("variants").to_pylist()} == {"measured"}


@pytest.mark.parametrize("label", ["positive", "negative"])
def test_a_model_that_says_one_thing_only_is_refused(tmp_path, label):
    model = ConstantClassifier(label)
    rows = reviews(broken=30, mended=0, kept=20)
    folder = run("robustness", model, rows, tmp_path, transformations=["typos", "ocr"])
    assert {f.verdict for f in folder.findings()} == {"not tested"}
    assert "no skill" in folder.findings()[0].reason


def test_a_constant_model_that_answers_only_what_it_gets_right_is_not_let_through(tmp_path):
    rows = reviews(broken=20, mended=0, kept=20)
    silent = {r["id"] for r in rows if r["label"] == "negative"}
    model = FlakyClassifier(silent, inner=ConstantClassifier("positive"))
    folder = run("robustness", model, rows, tmp_path, transformations=["typos"])
    assert folder.findings()[0].verdict in ("not asked", "can't tell")


def test_a_failing_call_fails_its_rows_and_coverage_does_not_call_it_unchanged(tmp_path):
    model = FlakyClassifier({"kept0"})
    folder = run("robustness", model, reviews(), tmp_path, transformations=["typos"])
    drop = estimate(folder, "drop(accuracy)")
    assert (drop.counts.n, drop.counts.failed) == (11, 1)
    assert estimate(folder, "coverage").counts.failed == 1
    failed = [r for r in folder.records().to_pylist() if r["status"] == "failed"]
    assert {(r["role"], r["item"]) for r in failed} == {
        (role, "kept0") for role in ("baseline", "measured", "control")
    }


def test_recipes_that_may_change_the_gold_answer_get_flips_and_no_claim(tmp_path):
    folder = run(
        "robustness", SmallLetters(), reviews(), tmp_path, transformations=["antonym_swap", UPPER]
    )
    assert [f.claim.id for f in folder.findings()] == ["d/m/x/word_case@1"]
    metrics = {
        e.key.metric
        for e in folder.estimates()
        if str(e.key.condition.get("transformation", "")).startswith("antonym_swap")
    }
    assert metrics == {"coverage@1", "flip_rate@1"}
    notes = folder.manifest["measure"]["d"]["notes"]
    assert any("antonym_swap may change the gold answer" in note for note in notes)


@pytest.mark.parametrize(
    ("label", "recipe", "is_said"),
    [
        ("spam", "social_media", True),
        ("Phishing mail", "social_media(abbreviations=false)", True),
        ("spam", "social_media(handle=none)", False),
        ("spam", "typos", False),
        ("adventure", "social_media", False),
    ],
)
def test_a_change_that_may_be_the_sign_of_a_class_is_said_so(label, recipe, is_said):
    notes = list(_signs([parse_recipe(recipe)], ["ham", label]))
    assert len(notes) == is_said
    assert all(f"may itself be a sign of {label}:" in note for note in notes)


PAIRS = [
    {"id": f"p{n}", "text": "a man sleeps", "text_pair": f"he is good {n}", "label": "positive"}
    for n in range(10)
] + [
    {"id": f"q{n}", "text": "a man sleeps", "text_pair": f"he runs {n}", "label": "negative"}
    for n in range(10)
]


def test_pairs_of_texts(tmp_path):
    task = "text-pair-classification"
    model = KeywordClassifier(task=task)
    folder = run("robustness", model, PAIRS, tmp_path, task=task, transformations=["typos"])
    assert estimate(folder, "accuracy", role="baseline").value == 1.0
    edits = [json.loads(e) for e in folder.variants()["edits"].to_pylist()]
    assert {edit[0] for variant in edits for edit in variant} <= {"text", "text_pair"}
    drop = estimate(folder, "drop(accuracy)")
    assert drop.counts.n == 20


NAMES = {"Ada Lovelace": "PER", "London": "LOC"}


def sentences(count=12):
    return [
        {
            "id": f"s{n}",
            "tokens": ["Ada", "Lovelace", "saw", "London", "in", "case", str(n)],
            "tags": ["B-PER", "I-PER", "O", "B-LOC", "O", "O", "O"],
        }
        for n in range(count)
    ]


def test_tagging_counts_entities_with_spans_carried_along(tmp_path):
    folder = run(
        "robustness",
        GazetteerTagger(NAMES),
        sentences(),
        tmp_path,
        task="token-tagging",
        transformations=["typos(share=0.4)", "typos(share=0.4,where=within)"],
    )
    assert estimate(folder, "entity_f1", role="baseline").value == 1.0
    by_recipe = {
        e.key.condition["transformation"]: e
        for e in folder.estimates()
        if e.key.metric == "drop(entity_f1)@1"
        and (e.key.role, e.key.group) == ("measured", "changed")
    }
    around, within = by_recipe["typos@1(share=0.4)"], by_recipe["typos@1(share=0.4,where=within)"]
    # edits around the names move them in the text; the gold spans move along, so nothing drops
    assert around.value == 0.0
    assert around.counts.n > 0
    tagger = GazetteerTagger(NAMES)
    tp = fp = fn = 0
    task = registry().load("task", "token-tagging")()
    for row in sentences():
        example = task.parse(row, source="x")
        for variant in variants_of(folder.variants())[row["id"]]:
            if variant.role == "measured" and "within" in variant.recipe:
                changed = apply_edits(example, variant.edits)
                assert changed.gold == variant.gold
                found = tagger.predict([changed])[0]
                hit, extra, miss = task.score(changed.gold, found, labels=tagger.labels)
                tp, fp, fn = tp + hit, fp + extra, fn + miss
    assert within.value == pytest.approx(1 - 2 * tp / (2 * tp + fp + fn))
    assert within.value > 0.3
    assert not any("flip_rate" in e.key.metric for e in folder.estimates())


def test_a_tagger_that_finds_nothing_is_refused(tmp_path):
    folder = run(
        "robustness",
        GazetteerTagger({"Nowhere": "LOC", "Nobody": "PER"}),
        sentences(),
        tmp_path,
        task="token-tagging",
        transformations=["typos"],
    )
    assert {f.verdict for f in folder.findings()} == {"not tested"}


@pytest.mark.parametrize("bad", [{"draws": 0}, {"tolerance": 1.0}, {"tolerance": -0.1}])
def test_parameters_that_make_no_sense(bad):
    with pytest.raises(PlanError, match="must"):
        RobustnessParams(**bad)


def test_recipes_are_taken_once_and_in_order():
    task = registry().load("task", "text-classification")()
    params = RobustnessParams(("typos", "ocr", "typos@1"))
    names = [r.name for r in params.recipes(task, frozenset({"en"}))]
    assert names == ["typos@1", "ocr@1"]
    assert "typos@1" in [r.name for r in RobustnessParams().recipes(task, frozenset({"en-GB"}))]


def test_the_audit_looks_at_two_draws():
    task = registry().load("task", "text-classification")()
    assert Robustness().audit_params(task).draws == 2


def test_the_most_useful_changes_come_first_and_own_ones_as_they_were_written():
    task, english = registry().load("task", "text-classification")(), frozenset({"en"})

    def ranked(*names):
        params = RobustnessParams(transformations=names)
        return [without_versions(recipe.name) for recipe in params.ranked(task, english)]

    assert ranked()[:2] == ["typos", "word_case"]
    assert sorted(ranked()) == [
        without_versions(recipe.name) for recipe in RobustnessParams().recipes(task, english)
    ]
    assert ranked("ocr", "typos") == ["ocr", "typos"]


def test_changed_texts_are_made_once_and_go_with_their_batch():
    made = Robustness()
    batches = [Batch((Example(str(n), {"text": "a good film"}),)) for n in range(2)]
    first = made._asked_of(batches[0])
    assert made._asked_of(batches[0]) is first
    assert made._asked_of(batches[1]) is not first
    batches.clear()
    assert not made._kept


def test_what_is_not_asked_for_want_of_a_resource_is_said():
    asked = load_task("text-classification"), frozenset({"en"})
    assert RobustnessParams().left_out(*asked) == {
        "synonym_vectors@1": ["vectors"],
    }
    held = RobustnessParams(resources={"translator": "hf:a", "masked_lm": "hf:b", "vectors": "c"})
    assert held.left_out(*asked) == RobustnessParams(transformations=("ocr",)).left_out(*asked)
