"""Attributions: in closed form, beside other implementations, and what removing words does."""

import json
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from toy_runs import estimate, run

from scrutiny.core.claim import Claim, Finding
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import PathGradient
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attribution.erasing import WordOrder, erased, sizes_of
from scrutiny.diagnostics.attribution.explained import AttributionParams, explain
from scrutiny.diagnostics.attribution.methods.kernel_shap import KernelShap, coalitions, shapley_of
from scrutiny.diagnostics.attribution.methods.lime import nearness, weighted_ridge
from scrutiny.diagnostics.attribution.methods.listed import METHODS, methods_for
from scrutiny.diagnostics.attribution.methods.method import Effort
from scrutiny.diagnostics.attribution.read_texts import read_text
from scrutiny.models.words.linear_classifier import BITS, LinearParts, LinearWordModel
from scrutiny.tasks.classification import TextClassification, TextPairClassification
from scrutiny.testing import KeywordClassifier
from scrutiny.testing.checking import ToyContext
from scrutiny.text.tokens import token_texts

WORDS = ("good", "bad", "film", "a", "not")
WEIGHTS = np.array([[-1, 2], [1, -1], [0, 0], [0, 0], [3, 0]]) << BITS
TEXT = "a good film , not a bad film"


def linear():
    parts = LinearParts(WORDS, ("neg", "pos"), WEIGHTS, np.array([0, 1]) << BITS)
    return LinearWordModel(parts, "linear:here")


def read(text, model, *, task=TextClassification):
    context = ToyContext(task(), model)
    example = Example("1", {"text": text} if isinstance(text, str) else text)
    return read_text(example, context.predict([example])[0], model.labels), context


def scores_of(name, text, model, **effort):
    one, context = read(text, model)
    (found,) = METHODS[name]().scores([one], context, Effort(**effort))
    return found


def test_of_a_linear_model_integrated_gradients_are_its_weights():
    """The answer is 'neg': the weights of that label, whatever the number of steps."""
    expected = [0, -1, 0, 0, 3, 0, 1, 0]
    for steps in (1, 7):
        np.testing.assert_array_equal(
            scores_of("integrated_gradients", TEXT, linear(), steps=steps), expected
        )
    mean = WEIGHTS[:, 0].mean() / 2**BITS
    np.testing.assert_allclose(
        scores_of("integrated_gradients/mean", TEXT, linear()), np.array(expected) - mean
    )


def test_a_product_shares_its_gain_equally():
    torch = pytest.importorskip("torch")
    from scrutiny.models.hf.gradient_queries import along_one_path

    sums, ends = along_one_path(
        PathGradient((("text", "a b"),), "x", steps=4),
        torch.tensor([[[3.0], [2.0]]], dtype=torch.float64),
        start=0.0,
        moves=torch.ones(1, 2, dtype=torch.bool),
        score=lambda points: points[:, 0, 0] * points[:, 1, 0],
    )
    assert sums == pytest.approx([3, 3])
    assert ends == pytest.approx([0, 6])


def test_gradients_are_those_of_the_answer():
    """log p(neg) rises with a weight of neg by p(pos), and falls with one of pos by as much."""
    model = linear()
    p = model.predict([Example("1", {"text": TEXT})])[0].scores[1]
    by_word = {"good": (-1, 2), "bad": (1, -1), "not": (3, 0)}
    rows = [by_word.get(word, (0, 0)) for word in token_texts(TEXT)]
    np.testing.assert_allclose(
        scores_of("gradient_x_input", TEXT, model), [p * (a - b) for a, b in rows]
    )
    np.testing.assert_allclose(scores_of("gradient", TEXT, model), np.sqrt(2) * p)


def test_occlusion_is_the_loss_without_each_word():
    model = KeywordClassifier()
    found = scores_of("occlusion", "a good film", model)
    assert found == pytest.approx([0, 2 / 3 - 1 / 2, 0])


def test_shapley_values_are_the_mean_over_all_orders():
    model, text = KeywordClassifier(), "good bad good a"
    one, _ = read(text, model)

    def value(words):
        return model.predict([one.only(words)])[0].scores[model.labels.index(one.target)]

    n = len(one)
    expected = np.zeros(n)
    for i in range(n):
        for size in range(n):
            for others in combinations([k for k in range(n) if k != i], size):
                weight = factorial(size) * factorial(n - size - 1) / factorial(n)
                expected[i] += weight * (value({*others, i}) - value(others))
    np.testing.assert_allclose(scores_of("kernel_shap", text, model), expected, atol=1e-12)


def test_drawn_shapley_values_of_a_sum_are_its_parts():
    rng = np.random.default_rng(0)
    parts = rng.normal(size=12)
    masks, weights = coalitions(12, 40, rng)
    assert set(masks.sum(axis=1)) <= {*range(1, 12)}
    found = shapley_of(masks, weights, masks @ parts + 1, empty=1, whole=1 + parts.sum())
    np.testing.assert_allclose(found, parts, atol=1e-10)


def test_limes_fit_is_a_ridge_regression():
    ridge = pytest.importorskip("sklearn.linear_model").Ridge(alpha=1.0)
    rng = np.random.default_rng(1)
    masks = (rng.random((30, 6)) < 0.6).astype(float)
    masks[0] = 1
    values, weights = rng.normal(size=30), nearness(masks)
    ridge.fit(masks, values, sample_weight=weights)
    np.testing.assert_allclose(
        weighted_ridge(masks, values, weights, penalty=1.0), ridge.coef_, atol=1e-10
    )
    assert weights[0] == 1


def test_words_go_with_the_space_before_them_in_any_language():
    one, _ = read({"text": "Gut, gut!", "text_pair": "我爱 北京"}, KeywordClassifier())
    assert one.without({0}).fields == {"text": ", gut!", "text_pair": "我爱 北京"}
    assert one.without({1, 2, 3, 4}).fields == {"text": "Gut", "text_pair": "爱 北京"}
    assert one.only({4, 6}).fields == {"text": "", "text_pair": "我 北"}
    assert one.without(()).fields == one.example.fields


def test_pieces_are_summed_over_the_word_that_they_end_in():
    from scrutiny.core.queries.gradients import InputPiece

    one, _ = read("unhappy film", KeywordClassifier())
    pieces = [InputPiece("text", *at) for at in ((0, 2), (2, 7), (7, 12), (0, 0))]
    assert one.of_pieces(pieces, [1, 2, 4, 8]).tolist() == [3, 4]


def test_a_text_of_one_word_is_skipped_and_a_failure_stays_one():
    example, answer = Example("1", {"text": "good"}), Prediction("a", (1.0,))
    found = read_text(example, answer, ["a"])
    assert (found.reason, found.status) == ("one_word", "skipped")
    assert read_text(example, Failure("x"), ["a"]).reason == "x"


def test_erasing_follows_the_order_and_the_papers_mean_has_a_sixth_bin():
    model = KeywordClassifier()
    one, context = read("a good film b c d e f g h", model)
    best = np.array([0, 1.0, *[0] * 8])
    worst = WordOrder(-best, [*range(2, 10), 0, 1])
    orders = [[WordOrder(best, [1, 0, *range(2, 10)]), worst]]
    ((first, last),) = erased([one], orders, context, aopc="code")
    loss = 2 / 3 - 1 / 2
    assert sizes_of(10) == [1, 1, 1, 2, 5]
    assert first.curve == pytest.approx([loss] * 5)
    assert first.comprehensiveness == pytest.approx(loss)
    assert first.sufficiency == pytest.approx(0, abs=1e-12)
    assert (first.flips, first.flip_share) == (1, 0.1)
    assert first.infidelity == pytest.approx(0, abs=1e-12)
    assert (last.comprehensiveness, last.flips, last.flip_share) == (0, 0, 1)
    ((paper, _),) = erased([one], orders, context, aopc="paper")
    assert paper.comprehensiveness == pytest.approx(loss * 5 / 6)


def test_methods_are_those_that_the_model_and_the_items_allow():
    one, two = TextClassification(), TextPairClassification()
    names = [m.name for m in methods_for((), {"predict"}, one)]
    assert names == ["occlusion", "kernel_shap", "lime"]
    offered = {"predict", "attentions", "tokenizes"}
    assert "attention" in [m.name for m in methods_for((), offered, one)]
    assert "attention" not in [m.name for m in methods_for((), offered, two)]
    with pytest.raises(PlanError, match="the model cannot be asked for gradients"):
        methods_for(("gradient",), {"predict"}, one)
    with pytest.raises(PlanError, match="items have several texts"):
        methods_for(("attention",), offered, two)
    with pytest.raises(UnknownNameError):
        AttributionParams(methods=("gradients",))


def test_as_many_texts_are_explained_as_asked_the_same_for_every_model():
    examples = [Example(str(i), {"text": "a good film"}) for i in range(9)]
    params = AttributionParams(methods=("occlusion",), texts=4)
    found = []
    for model in (KeywordClassifier(), KeywordClassifier(good=("film",))):
        context = ToyContext(TextClassification(), model)
        rows = explain(params, examples, context, context)
        found.append([k for k, one in rows.items() if not isinstance(one, Failure)])
    assert len(found[0]) == 4
    assert found[0] == found[1]


def reviews(n=40):
    rng = np.random.default_rng(3)
    rows = []
    for i in range(n):
        words = [*rng.choice([*"bcdefghijk"], size=7)]
        words[int(rng.integers(7))] = "good" if i % 2 else "bad"
        rows.append({"text": " ".join(words), "label": "positive" if i % 2 else "negative"})
    return rows


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("attribution") / "run"
    model = KeywordClassifier()
    params = {"samples": 16, "draws": 2}
    return run("attribution", model, reviews(), out, methods=["occlusion", "kernel_shap"], **params)


def test_what_a_model_uses_is_named_more_than_chance(finished):
    own = estimate(finished, "mean(comprehensiveness)", method="occlusion")
    null = estimate(finished, "mean(comprehensiveness)", role="control", method="random")
    gap = estimate(finished, "gap(mean(comprehensiveness))", method="occlusion - random")
    assert own.value == pytest.approx(1 / 6)
    assert gap.value == pytest.approx(own.value - null.value)
    assert gap.counts.n == 40
    verdicts = {f.claim.id.rpartition("/")[2]: f.verdict for f in finished.findings()}
    assert verdicts == {"occlusion": "supported", "kernel_shap": "supported"}


def test_a_model_that_reads_nothing_gives_no_verdict_for_it(tmp_path):
    from scrutiny.testing import ConstantClassifier

    folder = run(
        "attribution", ConstantClassifier(), reviews(20), tmp_path / "run", methods=["occlusion"]
    )
    (finding,) = folder.findings()
    assert finding.verdict != "supported"
    assert estimate(folder, "gap(mean(comprehensiveness))").value == 0


def test_kept_texts_have_their_scores(finished):
    from scrutiny.diagnostics.attribution.removal import KEPT
    from scrutiny.store.stored_forms import packed_in

    kept = [*packed_in(finished.path, KEPT)]
    assert len(kept) == 12
    one = kept[0]
    best = one["words"][int(np.argmax(one["scores"]["occlusion"]))]
    assert best in {"good", "bad"}
    assert json.dumps(one)


def test_an_empty_list_of_texts_is_nothing_to_ask():
    context = ToyContext(TextClassification(), KeywordClassifier())
    assert KernelShap().scores([], context, Effort()) == []


def test_the_page_asks_first_whether_explanations_may_be_believed(finished):
    from scrutiny.diagnostics.attribution.attribution_page import PART
    from scrutiny.report.load import load_view

    view = load_view(finished.path)
    found = PART.make(view)
    assert found.title == "May these explanations be believed?"
    answer, removal, curves, texts = found.charts
    assert answer.table.header[:3] == ("method", "believe it?", "removal")
    supported = ("as far as asked", "supported", "not asked", "not asked")
    assert answer.table.rows == (("occlusion", *supported), ("kernel_shap", *supported))
    assert "Not asked: other seeds" in answer.caption
    assert "random weights" in answer.caption.partition("Not asked")[2]
    assert [row[0] for row in removal.table.rows] == ["occlusion", "kernel_shap"]
    assert {row[2] for row in removal.table.rows} == {"supported"}
    assert [row[0] for row in curves.table.rows][-1] == "random"
    assert len(texts.scored) == 3
    darkest = {word.text for text in texts.scored for word in text.words if word.shade == 4}
    assert darkest <= {"good", "bad"}
    assert texts.has_texts
    (told,) = PART.lines(view)
    assert told.text.startswith("2 of 2 methods name what")
    assert found.lead.startswith(told.text)
    assert len(PART.make(view.without_texts()).charts) == 3


def finding(family, method, verdict, diagnostic="attribution"):
    name = f"m/m:a/b/data:x/{family}"
    claim = Claim(f"{name}/{method}", "...", diagnostic, family=name)
    return Finding(claim, None, verdict, "this recipe", "")


def test_verdicts_of_three_tests_stand_beside_each_method_of_this_model_alone():
    from scrutiny.diagnostics.attribution.believed import believed_chart, by_method

    found = [
        finding("uses", "integrated_gradients/pad", "supported"),
        finding("same", "integrated_gradients/pad", "undecided", "attribution.seeds"),
        finding("changes", "lime", "refused", "attribution.weights"),
        finding("uses", "lime", "supported"),
        finding("uses", "lime", "not supported", "influence"),
    ]
    methods = by_method(found, "m:a/b", "data:x")
    assert methods["lime"] == {"changes": "refused", "uses": "supported"}
    assert by_method(found, "b", "data:x") == by_method(found, "m:a/b", "data:y") == {}
    chart = believed_chart(methods, ["lime"], "here", "n")
    assert [row[:2] for row in chart.table.rows] == [
        ("lime", "not shown"),
        ("integrated_gradients/pad", "of each seed by itself"),
    ]
    assert "Not asked:" not in chart.caption


class HalvesItsGap(LinearWordModel):
    """A path whose attributions miss the difference by 1 / steps, or for "bad" never less."""

    def path_gradients(self, queries):
        found = []
        for query, exact in zip(queries, super().path_gradients(queries), strict=True):
            self.steps_asked.append((query.texts[0][1], query.steps))
            gap = 1.0 if "hopeless" in query.texts[0][1] else 2.0 / query.steps
            rest = tuple(a * (1 - gap) for a in exact.attributions)
            found.append(exact._replace(attributions=rest))
        return found


def test_steps_are_doubled_until_a_path_is_complete_or_the_text_fails_by_name(tmp_path):
    """From 8 steps on the first text misses 25, 12.5, 6.25, and then 3.1 % of the difference."""
    parts = LinearParts(WORDS, ("neg", "pos"), WEIGHTS, np.array([0, 1]) << BITS)
    model = HalvesItsGap(parts, "linear:here")
    model.steps_asked = []
    rows = [{"text": t, "label": "pos"} for t in ("a good film", "a good hopeless film")]
    params = {"methods": ["integrated_gradients"], "steps": 8, "draws": 1}
    folder = run("attribution", model, rows, tmp_path / "run", **params)
    asked = {text: [n for t, n in model.steps_asked if t == text] for text, _ in model.steps_asked}
    assert asked["a good film"] == [8, 16, 32, 64]
    assert asked["a good hopeless film"] == [8, 16, 32, 64, 128, 256, 512]
    own = folder.records().to_pylist()
    failed = {r["item"]: (r["status"], r["reason"]) for r in own if r["role"] == "measured"}
    assert sorted(failed.values(), key=str) == [("failed", "incomplete_path"), ("ok", None)]
    assert estimate(folder, "mean(comprehensiveness)", method="integrated_gradients").counts.n == 1
