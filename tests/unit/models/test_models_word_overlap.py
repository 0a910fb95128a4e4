"""Baselines by words in common, each against a plain implementation."""

import random
from collections import Counter
from math import log

import pytest

from scrutiny.core.answers.choices import Option, Ranking
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.models.strings.model_loading import load_model
from scrutiny.models.word_overlap import bm25, sliding_window, terms_of
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter

CHOICE, RANK = load_task("multiple-choice"), load_task("passage-ranking")
WORDS = "ab cd ef gh ij kl mn op".split()


def plain_window(passage, asked, option):
    """Algorithm 1 of the paper as it is written: every window, summed anew."""
    wanted = {*asked, *option}
    counts = Counter(passage)
    return max(
        (
            sum(log(1 + 1 / counts[w]) for w in passage[j : j + len(wanted)] if w in wanted)
            for j in range(len(passage))
        ),
        default=0.0,
    )


def test_the_window_is_that_of_the_paper():
    rng = random.Random(5)
    for _ in range(1000):
        passage, asked, option = (
            [rng.choice(WORDS) for _ in range(rng.randrange(n))] for n in (30, 6, 5)
        )
        expected = plain_window(passage, asked, option)
        assert sliding_window(passage, asked, option) == pytest.approx(expected)


def test_bm25_is_that_of_its_formula():
    rng = random.Random(6)
    for _ in range(200):
        query, *texts = ([rng.choice(WORDS) for _ in range(rng.randrange(1, 12))] for _ in range(6))
        mean = sum(map(len, texts)) / len(texts)
        wanted = []
        for text in texts:
            total = 0.0
            for word in query:
                n, f = sum(word in other for other in texts), text.count(word)
                rare = log(1 + (len(texts) - n + 0.5) / (n + 0.5))
                total += rare * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * len(text) / mean))
            wanted.append(total)
        assert bm25(" ".join(query), [" ".join(t) for t in texts]) == pytest.approx(wanted)


def item(text="Ida left for Rome by train.", question="Where did Ida go?", language="en"):
    fields = {"text": text, "question": question, "option_1": "To see Bo.", "option_2": "To Rome."}
    return Example("1", fields, Option(1), language=language)


def test_options_by_the_passage_and_by_their_length_alone():
    assert load_model("rules:overlap", CHOICE).predict([item()])[0].answer == Option(1)
    assert load_model("rules:longest-option", CHOICE).predict([item()])[0].answer == Option(0)


def test_candidates_in_order_also_without_spaces():
    fields = {"query": "谁打破了纪录？", "option_1": "这是一条河。", "option_2": "他打破了纪录。"}
    answer = load_model("rules:bm25", RANK).predict([Example("1", fields, language="zh")])
    assert answer[0].answer == Ranking((1, 0))
    assert "打破" in terms_of("打破了", is_unspaced=True)


@pytest.mark.parametrize(("name", "task"), [("overlap", RANK), ("bm25", CHOICE)])
def test_another_task_is_refused(name, task):
    with pytest.raises(ModelError, match="cannot answer the task"):
        load_model(f"rules:{name}", task)


@pytest.mark.parametrize("name", ["overlap", "longest-option"])
def test_they_keep_the_promises_of_models(name):
    check_adapter(load_model(f"rules:{name}", CHOICE), [item(), item("Bo stayed."), item("None.")])
