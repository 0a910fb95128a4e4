"""Surface patterns: sums by hand, planted positional and special heads, random ones."""

import numpy as np
import pytest
from preferring_language import without_contrasts
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Batch, Cell, Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.queries.attention import AttentionMap
from scrutiny.diagnostics.attention.arc_counts import OFFSETS
from scrutiny.diagnostics.attention.pattern_metrics import (
    SUMS,
    pattern_words,
    summable_map,
    sums_of,
)
from scrutiny.diagnostics.attention.patterns import Patterns, PatternsParams
from scrutiny.tasks.annotated import Passages
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext
from scrutiny.testing.toy_attention import ToyAttention
from scrutiny.testing.toy_heads import NoiseHead, OffsetHead, UniformHead

TEXTS = [
    "One day the old king slept, and nobody came.",
    "The road was long and they had walked all day.",
    "No one knew why the door stood open.",
    "She sold the house; he kept the keys.",
    "Rain fell on the tin roof of the barn.",
    "A dog barked twice, then it was still.",
]
ROWS = [{"id": str(i), "text": text} for i, text in enumerate(TEXTS * 3)]

# [CLS] a bb , [SEP] with bb in two pieces
MAP = AttentionMap(
    np.array(
        [
            [
                [
                    [0.2, 0.2, 0.2, 0.2, 0.2],
                    [0.5, 0.1, 0.2, 0.1, 0.1],
                    [0.1, 0.6, 0.1, 0.1, 0.1],
                    [0.0, 0.0, 0.7, 0.1, 0.2],
                    [0.0, 0.0, 0.0, 0.0, 1.0],
                ]
            ]
        ],
        dtype=np.float32,
    ),
    (None, 0, 1, 2, None),
    (1, 30, 90, 10, 2),
)


def test_sums_by_hand():
    sums, rows, first_rows = sums_of(MAP, ("a", "bb", ","))
    assert (rows, first_rows) == (3, 1)
    found = {name: float(np.squeeze(sums[name])) for name in SUMS}
    assert found["self"] == pytest.approx(0.1 + 0.1 + 0.1)
    assert found["previous"] == pytest.approx(0.5 + 0.6 + 0.7)
    assert found["next"] == pytest.approx(0.2 + 0.1 + 0.2)
    assert found["first"] == pytest.approx(0.5 + 0.1 + 0.0)
    assert found["last"] == pytest.approx(0.1 + 0.1 + 0.2)
    assert found["punctuation"] == pytest.approx(0.1 + 0.1 + 0.1)
    assert found["confidence"] == pytest.approx(0.5 + 0.6 + 0.7)
    assert found["rarest"] == 2  # a looks at bb most among words, bb at a, the comma at bb
    assert found["first_entropy"] == pytest.approx(np.log(5), abs=1e-6)
    own = MAP.weights[0, 0, 1:4].astype(float) * 0.9999 + 0.0001 / 5
    assert found["entropy"] == pytest.approx(-(own * np.log(own)).sum(), rel=1e-6)
    offsets = dict(zip(OFFSETS, sums["offsets"][:, 0, 0].tolist(), strict=True))
    assert offsets == {**dict.fromkeys(OFFSETS, 0), -1: 3}


def test_a_model_without_special_tokens_has_none_to_look_at():
    weights = MAP.weights[..., 1:4, 1:4] / MAP.weights[..., 1:4, 1:4].sum(-1, keepdims=True)
    sums, rows, first_rows = sums_of(
        AttentionMap(weights, (0, 1, 2), (30, 90, 10)), ("a", "b", ",")
    )
    assert (rows, first_rows) == (3, 0)
    assert not any(sums[name].any() for name in ("first", "last", "first_entropy"))


def test_pieces_of_a_word_are_rows_of_their_own():
    found = AttentionMap(MAP.weights, (None, 0, 1, 1, None), MAP.ids)
    sums, rows, _ = sums_of(found, ("a", "b,"))
    assert rows == 3
    assert sums["punctuation"].item() == 0  # a word with a letter is no punctuation


def test_rows_have_to_be_distributions():
    assert summable_map(MAP) is MAP
    broken = summable_map(AttentionMap(MAP.weights * 0, MAP.words, MAP.ids))
    assert broken.reason == "no_distribution"
    failed = Failure("too_long")
    assert summable_map(failed) is failed


def test_words_are_the_examples_own_or_tokens_of_the_text():
    assert pattern_words(Example("1", {"text": "No, he left."}), 3) == ("No", ",", "he")
    row = {"id": "1", "words": ["It", "isn't", "."], "heads": [2, 0, 2], "relations": list("abc")}
    assert pattern_words(DependencyArcs().parse(row, source="x:1"), 2) == ("It", "isn't")


def planted():
    """Previous, next and nobody; a head that rests on special tokens."""

    class Resting(ToyAttention):
        def attentions(self, sentences, *, weighting="raw"):
            for found in super().attentions(sentences, weighting=weighting):
                found.weights[1, 1] = 0.1 / (found.weights.shape[-1] - 1)
                found.weights[1, 1, :, -1] = 0.9
                yield found

    return Resting([[OffsetHead(-1), OffsetHead(1)], [UniformHead(), NoiseHead()]])


def examples(rows=ROWS):
    return [Passages().parse(row, source=f"x:{i}") for i, row in enumerate(rows, 1)]


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(
        without_contrasts(Patterns), examples=examples(ROWS[:4]), task=Passages(), model=planted()
    )


def test_planted_patterns_are_found_and_labeled(tmp_path):
    folder = run("attention.patterns", planted(), ROWS, tmp_path, task="passages")
    previous = estimate(folder, "attention_to(previous)", layer=1, head=1)
    assert 0.75 < previous.low < previous.value < 0.9  # the first word looks at all alike
    assert estimate(folder, "attention_to(next)", layer=1, head=2).value > 0.75
    assert estimate(folder, "attention_to(last)", layer=2, head=2).value == pytest.approx(0.9)
    assert estimate(folder, "positional_share", layer=1, head=1).value > 0.85
    assert estimate(folder, "mean(confidence)", layer=2, head=2).value == pytest.approx(0.9)
    wide = estimate(folder, "mean(entropy)", layer=2, head=1)
    assert wide.value == max(
        e.value for e in folder.estimates() if e.key.metric == "mean(entropy)@1"
    )
    counts = {
        name: estimate(folder, f"labeled_heads({name})").value
        for name in ("positional", "special", "broad")
    }
    assert counts == {
        "positional": 2,
        "special": 1,
        "broad": 0,
    }


def test_random_heads_have_no_label(tmp_path):
    model = ToyAttention([[NoiseHead()] * 3] * 2)
    folder = run("attention.patterns", model, ROWS, tmp_path, task="passages")
    assert estimate(folder, "labeled_heads(positional)").value == 0
    assert estimate(folder, "labeled_heads(special)").value == 0
    assert estimate(folder, "positional_share", layer=1, head=1).high < 0.5


def test_texts_without_words_have_no_patterns_and_long_ones_fail():
    batch = Batch((Example("a", {"text": " "}), Example("b", {"text": "one two three four"})))
    model = ToyAttention([[UniformHead()]], limit=5)
    found = list(
        Patterns().measure(
            PatternsParams(), Cell("m", None, "x"), batch, ToyContext(Passages(), model)
        )
    )
    assert [(r.item, r.status, r.reason) for r in found] == [
        ("a", "undefined", "no_words"),
        ("b", "failed", "too_long"),
    ]
    shorter = Patterns().measure(
        PatternsParams(n_words=3), Cell("m", None, "x"), batch, ToyContext(Passages(), model)
    )
    assert [r.status for r in shorter] == ["undefined", "ok"]
    with pytest.raises(PlanError, match="n_words"):
        PatternsParams(n_words=0)
