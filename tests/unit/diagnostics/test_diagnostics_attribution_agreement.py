"""Agreement of explanations: of seeds, of methods, with shuffled weights; and with rationales."""

import json
from dataclasses import replace

import numpy as np
import pytest
from toy_runs import estimate, run

from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Case, Example, Span
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.data.readers.eraser import write
from scrutiny.diagnostics.attribution.attribution_curves import OVERSTABILITY
from scrutiny.diagnostics.attribution.gold_rationales import gold_places
from scrutiny.diagnostics.attribution.likeness import likeness
from scrutiny.diagnostics.attribution.plausibility import (
    area_under_precision,
    f1,
    overlap,
    span_f1,
    span_hits,
    token_scores,
    words_in,
)
from scrutiny.diagnostics.attribution.rationales import sentences_of
from scrutiny.diagnostics.attribution.read_texts import read_text
from scrutiny.models.words.linear_classifier import BITS, LinearParts, LinearWordModel
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.tasks.classification import TextClassification

WORDS = (*"abcdefghij", "good", "bad")


def parts_of(seed=0, *, scale=0.02):
    """Words that mean little, and two that decide; other seeds have other small weights."""
    rng = np.random.default_rng(seed)
    weights = (scale * rng.normal(size=(len(WORDS), 2)) * 2**BITS).astype(np.int64)
    weights[-2:] = np.array([[-2, 2], [2, -2]]) << BITS
    return LinearParts(WORDS, ("neg", "pos"), weights, np.zeros(2, int))


def linear(seed=0, *, scale=0.02):
    return LinearWordModel(parts_of(seed, scale=scale), "linear:x")


def reviews(n=30):
    rng = np.random.default_rng(3)
    rows = []
    for i in range(n):
        words = [*rng.choice([*"abcdefghij"], size=9)]
        words[int(rng.integers(9))] = "good" if i % 2 else "bad"
        rows.append({"text": " ".join(words), "label": "pos" if i % 2 else "neg"})
    return rows


def verdicts(folder):
    return {one.claim.id.rpartition("/")[2]: one.verdict for one in folder.findings()}


def test_two_seeds_that_share_their_reasons_name_the_same_words(tmp_path):
    plan = Plan(
        data=(DataPlan("x", "object:x"),),
        models=(ModelPlan("m", "python:object:A"), ModelPlan("n", "python:object:B")),
        measure=(
            MeasurePlan(
                "d",
                "attribution.seeds",
                ("m",),
                ("x",),
                {"methods": ["integrated_gradients"]},
                reference="n",
            ),
        ),
        resampling=Resampling(draws=400),
    )
    models = {"m": linear(1), "n": linear(2)}
    made = resolve(plan, data={"x": reviews()}, models=models)
    folder = run_plan(made, tmp_path / "run", models=models)
    shared = estimate(folder, "mean(shared)", method="integrated_gradients")
    null = estimate(folder, "mean(shared)", role="control")
    assert 0.5 <= shared.value < 1  # one of two words decides, the other is of the seed
    assert null.value < 0.4
    assert estimate(folder, "mean(tau)", method="integrated_gradients").value < 0.8


def test_random_weights_change_what_a_gradient_says_and_nothing_changes_the_text(tmp_path):
    names = ["integrated_gradients", "occlusion"]
    folder = run("attribution.weights", linear(), reviews(), tmp_path / "run", methods=names)
    assert verdicts(folder) == {"integrated_gradients": "supported", "occlusion": "supported"}
    for name in names:
        assert estimate(folder, "mean(shared)", method=name, layers=1.0).value < 0.4


def test_methods_of_a_linear_model_agree(tmp_path):
    names = ["integrated_gradients", "gradient_x_input", "occlusion"]
    folder = run("attribution.methods", linear(), reviews(12), tmp_path / "run", methods=names)
    one = estimate(folder, "mean(shared)", between="gradient_x_input, occlusion")
    assert one.value == 1
    with pytest.raises(PlanError, match="Two methods are compared"):
        run("attribution.methods", linear(), reviews(4), tmp_path / "b", methods=names[:1])


def test_a_planted_word_is_found_and_a_random_order_finds_it_by_chance(tmp_path):
    rows = []
    for row in reviews():
        at = next(row["text"].index(w) for w in ("good", "bad") if w in row["text"])
        end = at + len(row["text"][at:].split()[0])
        rows.append({**row, "evidence": [[at, end]]})
    names = ["integrated_gradients", "occlusion"]
    source = "object:x#evidence=evidence"
    folder = run(
        "attribution.rationales", linear(), rows, tmp_path / "run", source=source, methods=names
    )
    for name in names:
        assert estimate(folder, "mean(precision_at_1)", method=name).value >= 0.95
        assert estimate(folder, "mean(auprc)", method=name).value >= 0.95
    null = estimate(folder, "mean(precision_at_1)", role="control")
    assert null.low <= 1 / 9 <= null.high
    assert verdicts(folder) == dict.fromkeys(names, "supported")


def test_a_model_of_two_words_needs_no_others(tmp_path):
    """The curve is at 1 as soon as both words are there, and random words come later."""
    params = {"methods": ["integrated_gradients"], "kept": [0, 4, 12], "few": 4}
    folder = run("attribution.overstability", linear(), reviews(60), tmp_path / "run", **params)
    own = {k: estimate(folder, "mean(same)", kept=k).value for k in (0, 4, 12)}
    assert own[0] < 0.7
    assert own[4] == own[12] == 1
    assert estimate(folder, "mean(hit)", kept=4).value == 1
    assert estimate(folder, "mean(same)", role="control", kept=4).value < 0.9
    assert estimate(folder, "mean(same)", role="control", kept=12).value == 1
    (finding,) = folder.findings()
    assert finding.verdict == "supported"
    view = load_view(folder.path)
    (chart,) = OVERSTABILITY.make(view).charts
    assert [row[0] for row in chart.table.rows] == ["0", "4", "12"]
    assert chart.table.rows[1][1].startswith("1.0")
    drawn = {(p["series"], p["words"]): p["value"] for p in chart.spec["data"]["values"]}
    assert drawn["words named most often", "4"] == 1
    assert drawn["random words", "4"] < 0.9
    (told,) = OVERSTABILITY.lines(view)
    assert told.text.startswith("With 4 words left of all texts, 100 %")
    with pytest.raises(PlanError, match="is one of them"):
        run("attribution.overstability", linear(), reviews(4), tmp_path / "b", few=3)


def test_items_without_rationales_are_refused(tmp_path):
    with pytest.raises(PlanError, match="no rationales"):
        run("attribution.rationales", linear(), reviews(4), tmp_path / "run")


def test_what_was_changed_to_flip_a_label_is_the_rationale_of_both_versions():
    a = Example("1", {"text": "a good film , really"}, gold="pos")
    case = Case(of="1", test="t", expect="gold")
    b = Example("1/1", {"text": "a bad film , really"}, gold="neg", case=case)
    same = Example("1/2", {"text": "a good movie , really"}, gold="pos", case=case)
    marked = Span("text", 2, 3, "evidence")
    own = Example("1/3", {"text": "no b film , really"}, "neg", (marked,), case=case)
    assert gold_places([a, b, same, own]) == {
        "1": {("text", 0, 1), ("text", 2, 6)},
        "1/1": {("text", 2, 5)},
        "1/3": {("text", 2, 3)},
    }
    assert gold_places([b]) == {}


def test_a_contrast_set_has_rationales_of_its_own(tmp_path):
    for name, at in (("old", 0), ("new", 1)):
        pairs = ("good\tpos", "bad\tneg"), ("bad\tneg", "good\tpos")
        lines = [f"{'abcdef'[i % 6]} c b {pairs[at][i % 2]}" for i in range(24)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(["text\tlabel", *lines]) + "\n")
    plan = Plan(
        data=(DataPlan("x", f"contrast:{tmp_path / 'new.tsv'}#originals=old.tsv"),),
        models=(ModelPlan("m", "python:object:A"),),
        measure=(MeasurePlan("d", "attribution.rationales", ("m",), ("x",), _ONE),),
        resampling=Resampling(draws=400),
    )
    models = {"m": linear()}
    folder = run_plan(resolve(plan, models=models), tmp_path / "run", models=models)
    found = estimate(folder, "mean(precision_at_1)", method="occlusion")
    assert (found.value, found.counts.n) == (1, 48)


_ONE = {"methods": ["occlusion"]}


def test_words_that_tie_across_the_border_are_not_named():
    one, other = np.array([3.0, 0, 0, 0, 0, 0]), np.array([0, 3.0, 0, 0, 0, 0])
    assert likeness(one, other)[0] == 0  # and not the second word of both, which is any
    assert likeness(one, one) == (1, 1)
    assert likeness(one, np.array([1.0, 1, 1, 0, 0, 0])).reason == "only_ties"


def test_texts_are_drawn_among_those_with_a_rationale(tmp_path):
    rows = [{**row, "evidence": [[0, 1]] if i % 10 == 0 else []} for i, row in enumerate(reviews())]
    folder = run(
        "attribution.rationales", linear(), rows, tmp_path / "run",
        source="object:x#evidence=evidence", texts=2, **_ONE,
    )  # fmt: skip
    assert estimate(folder, "mean(auprc)", method="occlusion").counts.n == 2


def test_one_text_has_no_other_that_names_its_words(tmp_path):
    params = {"methods": ["occlusion"], "kept": [0, 1], "few": 1}
    folder = run("attribution.overstability", linear(), reviews(1), tmp_path / "run", **params)
    assert estimate(folder, "mean(same)", kept=1).value is None


def test_sentences_of_all_texts_are_numbered_in_a_row_and_the_highest_holds_the_rationale(tmp_path):
    fields = {"text": "It is long. It is good.", "text_pair": "Really? Yes"}
    text = read_text(Example("1", fields), Prediction("a"), ["a"])
    assert sentences_of(text).tolist() == [0] * 4 + [1] * 4 + [2] * 2 + [3]
    rows = []
    for row in reviews(24):
        first, last = "c d e f .", f"{row['text']} ."
        at = len(first) + 1
        rows.append({**row, "text": f"{first} {last}", "evidence": [[at, at + len(last)]]})
    rows += [{**row, "evidence": [[0, 1]]} for row in reviews(4)]  # of one sentence
    folder = run(
        "attribution.rationales", linear(), rows, tmp_path / "run",
        source="object:x#evidence=evidence", **_ONE,
    )  # fmt: skip
    own = estimate(folder, "mean(sentence_at_1)", method="occlusion")
    null = estimate(folder, "mean(sentence_at_1)", role="control")
    assert own.value == 1
    assert 0.3 < null.value < 0.8
    gap = estimate(folder, "gap(mean(sentence_at_1))", method="occlusion - random")
    assert gap.value == pytest.approx(own.value - null.value)


def test_erasers_numbers_are_those_of_its_scorer():
    """Worked by hand from the released scorer's rules."""
    gold, found = [(2, 5), (8, 10)], [(3, 6), (8, 9)]
    assert [max(overlap(one, other) for other in gold) for one in found] == [0.5, 0.5]
    assert span_f1(gold, found) == 1
    assert token_scores(words_in(gold), words_in(found)) == pytest.approx((0.75, 0.6, 2 / 3))
    scores = np.array([0.9, 0.8, 0.7, 0.1])
    assert area_under_precision([True, False, True, False], scores) == pytest.approx(0.79166667)
    assert area_under_precision([False] * 4, scores) == 0
    own, met = span_hits([(0, 4)], [(0, 2), (2, 4)])
    assert (own, met) == (2, 1)  # the released recall divides the first by one gold span: 2.0
    assert f1(0, 0) == 0


def eraser(folder, *, query=""):
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (docs / "d1").write_text("a good film .\nreally good\n", encoding="utf-8")
    span = {"docid": "d1", "text": "good film", "start_token": 1, "end_token": 3}
    rows = [
        {"annotation_id": "d1", "query": query, "classification": "POS", "evidences": [[span]]},
        {
            "annotation_id": "x",
            "query": query,
            "classification": "POS",
            "evidences": [],
            "docids": ["lost"],
        },
    ]
    path = folder / "val.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return f"eraser:{path}"


@pytest.mark.parametrize("query", ["", "is it good ?"])
def test_erasers_files_are_items_with_evidence(tmp_path, query):
    found = load_dataset(eraser(tmp_path, query=query))
    (one,) = found.examples
    (span,) = one.spans
    assert one.text[span.start : span.end] == "good film"
    assert (one.gold, span.label) == ("POS", "evidence")
    assert len(one.fields) == 1 + bool(query)
    assert "lost" in str(found.bad_rows)


@pytest.mark.parametrize("pair", [{}, {"text_pair": "is it\u2028good ?"}])
def test_what_is_written_for_eraser_reads_as_the_same_items(tmp_path, pair):
    spans = (Span("text", 2, 6, "evidence"), Span("text", 1, 2, "evidence"))
    known = Example("1", {"text": "a good, long film", **pair}, "POS", spans)
    write([known], tmp_path / "out", "val.jsonl")
    (one,) = load_dataset(f"eraser:{tmp_path / 'out' / 'val.jsonl'}").examples
    assert (one.id, one.fields, one.gold) == ("1", known.fields, "POS")
    assert [one.text[s.start : s.end] for s in one.spans] == ["good,"]  # tokens between spaces


def test_a_file_of_other_documents_is_refused(tmp_path):
    source = eraser(tmp_path)
    (tmp_path / "docs.jsonl").write_text('{"name": "d1"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="holds no documents of ERASER"):
        load_dataset(source)


def test_evidence_outside_of_its_text_is_a_bad_row():
    row = {"text": "good", "label": "a", "evidence": [[0, 9]]}
    with pytest.raises(DataError, match=r"a place is \[start, end\]"):
        TextClassification().parse(row, source="x")


def test_several_seeds_of_a_model_are_compared_beside_it(tmp_path):
    """Of one model, or where a plan says what is compared, nothing is added."""
    for seed in (1, 2, 3):
        (tmp_path / f"seed-{seed}").mkdir()
        parts_of(seed).write(tmp_path / f"seed-{seed}")
    family = ModelPlan("m", f"linear:{tmp_path}/seed-{{seed}}")
    own = MeasurePlan("d", "attribution", ("m",), ("x",), {"draws": 1, **_ONE})
    plan = Plan(
        data=(DataPlan("x", "object:x"),),
        models=(family,),
        measure=(own,),
        resampling=Resampling(draws=400),
    )
    resolved = resolve(plan, data={"x": reviews(16)})
    assert [one.diagnostic.id for one in resolved.measurements.values()] == [
        "attribution@1",
        "attribution.seeds@1",
    ]
    again = resolve(resolved.plan, data={"x": reviews(16)})
    assert again.plan == resolved.plan
    alone = replace(plan, models=(replace(family, source=f"linear:{tmp_path}/seed-1"),))
    assert len(resolve(alone, data={"x": reviews(16)}).measurements) == 1
    folder = run_plan(resolved, tmp_path / "run")
    said = {f.claim.id.rpartition("/")[2]: f.claim.says for f in folder.findings()}
    assert "the same words in every seed" in said["occlusion"]
    shared = estimate(folder, "mean(shared)", method="occlusion")
    assert shared.n_replicates == 3
    assert shared.value > estimate(folder, "mean(shared)", role="control").value


def test_scores_of_a_sum_stay_when_a_word_is_left_out_and_random_ones_do_not(tmp_path):
    """Integrated gradients of a linear model are its weights, whatever else stands there."""
    names = ["integrated_gradients", "occlusion"]
    folder = run(
        "attribution.sensitivity", linear(), reviews(12), tmp_path / "run",
        methods=names, neighbors=2,
    )  # fmt: skip
    assert estimate(folder, "mean(sensitivity)", method=names[0]).value < 1e-6
    assert estimate(folder, "mean(shared)", method=names[0]).value == 1
    null = estimate(folder, "mean(sensitivity)", role="control")
    assert 0.65 < null.value < 0.95  # the larger of two, each about the root of a half
    own = estimate(folder, "mean(sensitivity)", method=names[1])
    gap = estimate(folder, "gap(mean(sensitivity))", method=f"{names[1]} - random")
    assert 0 < own.value < null.value
    assert gap.value == pytest.approx(own.value - null.value)


def test_the_largest_distance_of_neighbors_counts():
    from scrutiny.diagnostics.attribution.sensitivity import _largest

    text = np.array([3.0, 4.0, 0.0])
    near, far = np.array([3.0, 4.0, 0.5]), np.array([4.0, 3.0, 0.0])
    found = _largest([(text, near), (text, far)])
    assert found == pytest.approx((2**0.5 / 10, 0.0, 1 / 3))
    assert _largest([]).reason == "other_answer"
    assert _largest([(0 * text, near)]).reason == "only_ties"
