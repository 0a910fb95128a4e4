"""Attention regressed on distance and label: by hand, by another way, on planted truth."""

import json

import numpy as np
import pytest
from design_inputs import inputs_of

from scrutiny.core.diagnostic import Batch, Cell, Failure
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.queries.annotation import AnchoredWords
from scrutiny.core.queries.attention import AttentionMap
from scrutiny.diagnostics.attention.regression import (
    BETA,
    DESIGN,
    LOST_SS,
    REGRESSION_R2,
    SELECTED_LABEL_BETA,
    Regression,
    RegressionParams,
    moments_of_words,
)
from scrutiny.diagnostics.attention.word_maps import SPECIAL, WordMap
from scrutiny.reliability.metrics import metric_of

VIEW = AnchoredWords(("a", "not", "b", "c", "d"), (1,), (2, 3), 2)


def a_map(weights, words=None):
    weights = np.asarray(weights, dtype=np.float32)
    size = weights.shape[-1]
    return WordMap(weights, np.arange(size) if words is None else np.array(words), 5)


def row_sums(view, attention, distance="absolute"):
    """Sums of one head whose attention to the cue is given by word."""
    weights = np.zeros((1, 1, 5, 5))
    weights[0, 0, :, 1] = attention
    return moments_of_words(a_map(weights), view, distance=distance)


def test_sums_over_the_words_that_are_no_cue_by_hand():
    found = row_sums(VIEW, [0.1, 0.9, 0.5, 0.4, 0.2])
    d, y, a = [1, 1, 2, 3], [0, 1, 1, 0], [0.1, 0.5, 0.4, 0.2]
    expected = [4, 7, 2, 15, 3, 2, 1.2, 2.0, 0.9, 0.46]
    assert np.dot(d, a) == pytest.approx(expected[7])
    assert np.dot(y, a) == pytest.approx(expected[8])
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("form", "values"), [("inverse", [1, 1, 1 / 2, 1 / 3]), ("log", np.log([1, 1, 2, 3]))]
)
def test_forms_of_the_distance(form, values):
    found = row_sums(VIEW, [0.1, 0, 0.5, 0.4, 0.2], form)
    assert found[DESIGN.index("d")] == pytest.approx(np.sum(values))


def test_attention_to_a_cue_of_several_words_is_summed_and_the_nearest_is_the_distance():
    view = AnchoredWords(VIEW.words, (1, 4), (2,), 1)
    weights = np.zeros((1, 1, 5, 5))
    weights[0, 0, 3, 1], weights[0, 0, 3, 4] = 0.2, 0.3
    found = moments_of_words(a_map(weights), view, distance="absolute")
    assert found[1] == 1 + 1 + 1  # words 0, 2 and 3 stand beside a cue word
    assert found[6] == pytest.approx(0.5)


def test_special_tokens_and_words_without_pieces_are_no_rows():
    weights = np.full((1, 1, 4, 4), 0.25)
    found = moments_of_words(a_map(weights, [SPECIAL, 0, 1, 3]), VIEW, distance="absolute")
    assert found[0] == 2
    assert moments_of_words(a_map(weights[..., :1, :1], [1]), VIEW, distance="log") is None
    assert moments_of_words(a_map(weights[..., :2, :2], [0, 2]), VIEW, distance="log") is None


def planted(rng, *, items=60, heads=3, label=0.0):
    """Rows ``(item, column)`` and the flat table they are the sums of."""
    rows, table = [], []
    for item in range(items):
        n = int(rng.integers(4, 9))
        d, y = rng.integers(1, 6, n).astype(float), rng.integers(0, 2, n).astype(float)
        a = -0.1 * d + label * y + rng.normal(size=(heads, n)) + rng.normal(size=(heads, 1))
        design = [n, d.sum(), y.sum(), d @ d, d @ y, y @ y]
        rows.append(np.concatenate([design, a.sum(-1), a @ d, a @ y, (a * a).sum(-1)]))
        table += [(item, *pair, *a[:, k]) for k, pair in enumerate(zip(d, y, strict=True))]
    return np.array(rows), np.array(table)


def test_the_fit_of_sums_is_the_fit_of_the_rows():
    rows, table = planted(np.random.default_rng(0), heads=1, label=0.5)
    sums = rows.sum(axis=0)[None, :]
    x, a = np.column_stack([np.ones(len(table)), table[:, 1:3]]), table[:, 3]
    b, rss, *_ = np.linalg.lstsq(x, a, rcond=None)
    without = np.linalg.lstsq(x[:, :2], a, rcond=None)[1]
    weight = np.ones(1)
    assert BETA.of("label").value(sums, weight) == pytest.approx(b[2] * x[:, 2].std() / a.std())
    assert BETA.of("distance").value(sums, weight) == pytest.approx(b[1] * x[:, 1].std() / a.std())
    assert LOST_SS.of("label").value(sums, weight) == pytest.approx(float(without[0] - rss[0]))
    assert REGRESSION_R2.value(sums, weight) == pytest.approx(1 - rss[0] / (len(a) * a.var()))


def test_the_chosen_head_is_scored_on_the_half_that_did_not_choose_it():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        rows, _ = planted(rng, items=40, heads=8)
        halves = np.stack([rows[::2].sum(axis=0), rows[1::2].sum(axis=0)])
        found.append(float(SELECTED_LABEL_BETA.value(halves, np.ones(2))))
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found)) < 3 * error  # nothing is there, and choosing makes nothing of it


def test_a_planted_label_is_found_by_the_chosen_head():
    rows, _ = planted(np.random.default_rng(2), items=80, heads=8)
    marked, _ = planted(np.random.default_rng(3), items=80, heads=1, label=2.0)
    for column in range(4):
        rows[:, 6 + 8 * column + 5] = marked[:, 6 + column]
    rows[:, :6] = marked[:, :6]
    halves = np.stack([rows[::2].sum(axis=0), rows[1::2].sum(axis=0)])
    assert SELECTED_LABEL_BETA.value(halves, np.ones(2)) > 0.3


def test_errors_that_words_of_a_sentence_share_are_seen_by_the_clustered_test_alone():
    rng = np.random.default_rng(4)
    rows, _ = planted(rng, heads=1, label=1.0)
    units = np.arange(len(rows))
    found = {t.metric: t for t in metric_of("beta(label)").tests(rows, units, rng)}
    assert set(found) == {"label_anova@1", "distance_anova@1", "label_clustered@1"}
    assert found["label_anova@1"].numbers["ss"] == pytest.approx(
        float(metric_of("lost_ss(label)").value(rows.sum(axis=0)[None], np.ones(1)))
    )
    assert found["label_clustered@1"].n_units == len(rows)
    assert found["label_clustered@1"].p_value < 0.01


class Attender(Model):
    """Words 2 and 3 attend to word 1, the others to word 0; ``[CLS]`` stands first."""

    attention_shape = (1, 2)
    capabilities = frozenset({"attentions"})

    def attentions(self, sentences, *, weighting="raw"):
        assert weighting == "raw"
        for words in sentences:
            if len(words) > 6:
                yield Failure("too_long")
                continue
            size = len(words) + 1
            weights = np.zeros((1, 2, size, size), dtype=np.float32)
            for word in range(size):
                weights[0, 0, word, 2 if word in (3, 4) else 1] = 1.0
            weights[0, 1] = 1.0 / size
            yield AttentionMap(weights, (None, *range(len(words))), tuple(range(size)))


def example(words, *, anchor=1, targets=(2, 3), name="x"):
    """Example of one-letter words."""
    text = " ".join(words)
    place = [(2 * k, 2 * k + 1) for k in range(len(words))]
    spans = (
        Span("text", *place[anchor], "anchor"),
        *(Span("text", *place[word], "target") for word in targets),
    )
    return Example(name, {"text": text}, spans=spans, tokens={"text": tuple(place)})


class Ctx:
    model = Attender()


def rows_of(*examples, **params):
    batch = Batch(tuple(examples))
    return list(Regression().measure(RegressionParams(**params), Cell("m", None, "x"), batch, Ctx))


def test_one_row_for_each_example_and_form_of_the_distance():
    found = rows_of(example("abcde"), example("abcdefg", name="y"), distances=("absolute", "log"))
    assert [(row.item, json.loads(row.condition)["distance"], row.status) for row in found] == [
        ("x", "absolute", "ok"),
        ("x", "log", "ok"),
        ("y", "absolute", "failed"),
        ("y", "log", "failed"),
    ]
    assert len(found[0].values) == 6 + 4 * 2
    assert found[2].reason == "too_long"


def test_unknown_forms_are_refused_with_those_that_there_are():
    with pytest.raises(UnknownNameError, match="inverse"):
        RegressionParams(distances=("squared",))


def test_the_claim_has_to_survive_every_form_and_the_untrained():
    (claim,) = Regression().design(RegressionParams(), inputs_of(n_layers=1)).claims
    against = [component.against for component in claim.components]
    assert against[:2] == ["reference", "control: untrained"]
    assert len(against) == 6
    assert "choices:distance" in claim.checks
