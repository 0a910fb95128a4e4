"""BLEU and chrF are sacrebleu's, on every resample of the texts."""

import sys

import numpy as np
import pytest

from scrutiny.core.errors import MissingExtraError
from scrutiny.reliability.metrics import metric_of
from scrutiny.tasks.translation import (
    BLEU,
    CHRF,
    OF_BLEU,
    OF_CHRF,
    _metric,
    bleu_counts,
    chrf_counts,
    tokenizer_of,
)

sacrebleu = pytest.importorskip("sacrebleu")

WRITTEN = (
    "o gato sentou-se no tapete .",
    "O cão não late à noite, disse ela.",
    "sim",
    "",
    "Ela leu dois livros em três dias.",
    "nada disto está certo",
)
REFERENCES = (
    ("o gato sentou no tapete", "um gato estava sentado no tapete ."),
    ("O cão não ladra à noite, disse ela.", "À noite o cão não ladra."),
    ("não", "Não, nunca."),
    ("Uma frase.", "Uma oração."),
    ("Ela leu dois livros em três dias.", "Leu dois livros em três dias."),
    ("Tudo aqui é diferente.", "Outra coisa."),
)
COUNTS = {"bleu@1": bleu_counts, "chrf@1": chrf_counts}


def of_sacrebleu(metric, written, references):
    of = sacrebleu.corpus_bleu if metric == "bleu@1" else sacrebleu.corpus_chrf
    return of(written, list(zip(*references, strict=True))).score / 100


def value(metric, rows):
    statistic = metric_of(metric)
    sums = statistic.components(np.array(rows, dtype=float)).sum(axis=0)
    return float(statistic.value(sums[None], np.ones(1)))


@pytest.mark.parametrize("metric", COUNTS)
def test_the_corpus_score_is_that_of_sacrebleu_on_every_resample(metric):
    rows = [COUNTS[metric](w, r) for w, r in zip(WRITTEN, REFERENCES, strict=True)]
    rng = np.random.default_rng(1)
    for _ in range(40):
        draw = rng.integers(0, len(rows), size=rng.integers(1, 9)).tolist()
        wanted = of_sacrebleu(metric, [WRITTEN[i] for i in draw], [REFERENCES[i] for i in draw])
        assert value(metric, [rows[i] for i in draw]) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("metric", COUNTS)
def test_draws_are_scored_at_once(metric):
    rows = [COUNTS[metric](w, r) for w, r in zip(WRITTEN, REFERENCES, strict=True)]
    draws = [[0, 1, 2], [3, 3, 3], [4, 4, 4], [5, 2, 2]]
    sums = np.array([[np.sum([rows[i] for i in draw], axis=0)] for draw in draws])
    found = metric_of(metric).value(sums, np.ones((4, 1)))
    assert found.tolist() == [value(metric, [rows[i] for i in draw]) for draw in draws]
    assert found[1] == 0
    assert found[2] == pytest.approx(1)


def test_three_of_four_words():
    # 3 of 4 words, 2 of 3 pairs, 1 of 2 triples, none of 1: half of one instead; no brevity
    row = bleu_counts("a b c x", ("a b c d",))
    assert row == (4, 4, 3, 2, 1, 0, 4, 3, 2, 1)
    assert value("bleu@1", [row]) == pytest.approx((3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4))


def test_short_texts_pay_for_brevity():
    row = bleu_counts("a b c d", ("a b c d e f",))
    assert value("bleu@1", [row]) == pytest.approx(np.exp(1 - 6 / 4))


def test_two_of_three_characters():
    # precision and recall: 2/3, 1/2, 0 of the lengths that both sides have, and recall alike
    row = chrf_counts("abc", ("abd",))
    assert row[:9] == (3, 3, 2, 2, 2, 1, 1, 1, 0)
    assert value("chrf@1", [row]) == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_recall_counts_twice():
    row = chrf_counts("ab", ("abcd",))
    precision, recall = (1 + 1) / 2, (2 / 4 + 1 / 3) / 2
    assert value("chrf@1", [row]) == pytest.approx(
        5 * precision * recall / (4 * precision + recall)
    )


@pytest.mark.parametrize("metric", [BLEU, CHRF])
def test_nothing_to_compare_has_no_score(metric):
    assert np.isnan(value(metric.id, [[0.0] * len(metric.needs)]))


@pytest.mark.parametrize(("metric", "measures"), [(BLEU, OF_BLEU), (CHRF, OF_CHRF)])
def test_a_drop_is_the_difference_of_corpus_scores(metric, measures):
    assert metric.needs == tuple(measure.name for measure in measures)
    before = [COUNTS[metric.id](REFERENCES[i][0], REFERENCES[i]) for i in range(5)]
    after = [COUNTS[metric.id](WRITTEN[i], REFERENCES[i]) for i in range(5)]
    drop = metric_of(f"drop({metric.id.partition('@')[0]})")
    sums = drop.components(np.hstack([before, after])).sum(axis=0)
    wanted = value(metric.id, before) - value(metric.id, after)
    assert float(drop.value(sums[None], np.ones(1))) == pytest.approx(wanted)
    assert drop.higher_is == "worse"


def test_chinese_is_cut_into_characters():
    assert bleu_counts("我喜欢猫。", ("我爱猫。",), "zh")[:4] == (5, 4, 3, 1)
    wanted = sacrebleu.corpus_bleu(["我喜欢猫。"], [["我爱猫。"]], tokenize="zh").score / 100
    found = value("bleu@1", [bleu_counts("我喜欢猫。", ("我爱猫。",), "zh")])
    assert found == pytest.approx(wanted)


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    _metric.cache_clear()
    with pytest.raises(MissingExtraError, match=r"scrutiny\[generation\]"):
        chrf_counts("x y z", ("x",))


@pytest.mark.parametrize(
    ("references", "tokenizer"),
    [
        (["今日は天気がいいです。", "わたしはほんをよんでいます。"], "char"),
        (["我爱猫。", "OK", "iPhone"], "zh"),
        (["I like 猫.", "And dogs."], "13a"),
        (["ฉันรักแมว"], "char"),
        (["나는 고양이를 좋아해."], "13a"),
        (["Я люблю кошек."], "13a"),
        (["!"], "13a"),
        ([], "13a"),
    ],
)
def test_a_corpus_has_one_tokenizer_by_the_script_of_its_references(
    references, tokenizer, monkeypatch
):
    monkeypatch.setattr("scrutiny.tasks.translation.find_spec", lambda name: None)
    assert tokenizer_of(references) == tokenizer
    monkeypatch.setattr("scrutiny.tasks.translation.find_spec", lambda name: True)
    is_japanese = "です" in "".join(references)
    assert tokenizer_of(references) == ("ja-mecab" if is_japanese else tokenizer)
