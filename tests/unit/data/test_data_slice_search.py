"""Candidates of a search for slices: what is in each is what the slice says."""

import numpy as np

from scrutiny.core.example import Example
from scrutiny.data.attribute import Training
from scrutiny.data.item_values import FEWEST, Items
from scrutiny.data.slice_search import slice_candidates

WORDS = "so good a film of two long hours but not for me or you".split()


def items(n=300, language="en"):
    g = np.random.default_rng(1)
    return [
        Example(
            str(i),
            {"text": " ".join(g.choice(WORDS, int(g.integers(3, 12))))},
            ("bad", "good")[int(g.integers(2))],
            attributes={"a_topic": ("film", "book", "play")[i % 3], "a_perplexity": float(i)},
            language=language,
        )
        for i in range(n)
    ]


def test_each_candidate_is_the_slice_that_it_is_written_as():
    examples = items()
    found = slice_candidates(examples)
    own = Items.of(examples)
    for where, mask, conditions in zip(*found[:2], found.conditions, strict=True):
        assert [one is True for one in own.inside(where)] == mask.tolist(), where
        assert 2 * FEWEST <= mask.sum() <= len(examples) - 2 * FEWEST or where.startswith("not ")
        assert where.count(" and ") == conditions - 1
    assert {"negated", "not negated", "label = bad", "a_topic = film"} <= set(found.written)
    assert {"rarest_word in highest third", "a_perplexity in lowest third"} <= set(found.written)
    assert "negated and label = bad" in found.written
    assert len(set(found.written)) == len(found.written)


def test_a_second_condition_divides_both_and_is_of_another_attribute():
    examples = items()
    found = slice_candidates(examples)
    size = dict(zip(found.written, found.masks.sum(axis=1), strict=True))
    pairs = [where for where, n in zip(found.written, found.conditions, strict=True) if n == 2]
    assert pairs
    for where in pairs:
        for parent in where.split(" and "):
            assert 0.1 * size[parent] <= size[where] <= 0.9 * size[parent]
    assert not any(where.count("label") == 2 or where.count("topic") == 2 for where in pairs)


def test_attributes_of_training_and_of_english_need_these():
    examples = items()
    training = Training(examples[:3])
    assert any(
        "unseen_words" in where for where in slice_candidates(examples, lambda: training).written
    )
    assert not any("unseen" in where for where in slice_candidates(examples).written)
    german = slice_candidates(items(language="de")).written
    assert not any("negated" in where or "rarest_word" in where for where in german)


def test_few_items_have_no_candidates():
    assert slice_candidates(items(30)).masks.shape == (0, 30)
    assert slice_candidates([]).written == ()
