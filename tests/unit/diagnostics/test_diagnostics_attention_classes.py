"""Attention to classes: by hand, a planted head, and uniform attention."""

import json

import numpy as np
import pytest
from linked_heads import LinkedHead
from preferring_language import without_contrasts
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.diagnostics.attention.word_classes import AttendedClasses, ClassesParams, mass_on
from scrutiny.diagnostics.attention.word_maps import SPECIAL, WordMap
from scrutiny.tasks.annotated import TokenClasses
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext
from scrutiny.testing.toy_attention import ToyAttention
from scrutiny.testing.toy_heads import UniformHead


def sentences(count=30, *, seed=5):
    rng, rows = np.random.default_rng(seed), []
    for number in range(count):
        n = int(rng.integers(4, 9))
        classes = ["", *rng.choice(["noun", "verb", ""], n - 2).tolist(), "negation"]
        words = [f"w{number}x{i}" for i in range(n)]
        rows.append({"id": str(number), "words": words, "classes": classes})
    return rows


ROWS = sentences()
LINKS = tuple((tuple(r["words"]), (len(r["words"]) - 1,) * len(r["words"])) for r in ROWS)


def planted():
    """One head that looks at the last word, which is a negation, and one that looks everywhere."""
    return ToyAttention([[LinkedHead(LINKS), UniformHead()]])


def examples(rows):
    return [TokenClasses().parse(row, source=f"x:{i}") for i, row in enumerate(rows, 1)]


def test_mass_by_hand():
    weights = np.zeros((1, 1, 4, 4), dtype=np.float32)
    weights[0, 0] = [[0, 0.9, 0.1, 0], [0.2, 0, 0.3, 0.5], [0.1, 0.6, 0, 0.3], [0.4, 0.4, 0.2, 0]]
    found = WordMap(weights, np.array([SPECIAL, 0, 1, 3]), 4)
    mass, rows, uniform = mass_on(found, [1, 2, 3])  # word 2 has no piece
    assert mass.item() == pytest.approx(0.3 + 0.5 + 0.3 + 0.2)
    assert (rows, uniform) == (3, 2)
    assert mass_on(WordMap(weights[..., 1:2, 1:2], np.array([0]), 1), [0])[1:] == (1, 0)


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(
        without_contrasts(AttendedClasses),
        examples=examples(ROWS[:5]),
        task=TokenClasses(),
        model=planted(),
    )


def test_a_head_that_looks_for_negation_is_found_however_long_the_text(tmp_path):
    folder = run(
        "attention.classes", planted(), ROWS, tmp_path, task="token-classes", classes=["negation"]
    )
    place = {"class": "negation", "layer": 1}
    assert estimate(folder, "class_mass_ratio", head=1, **place).low > 3
    uniform = estimate(folder, "class_mass_ratio", head=2, **place)
    assert uniform.high < 1  # special tokens take their part, and are dropped
    anything = estimate(folder, "mean(mass)", **{**place, "class": "any", "head": 1})
    assert anything.value > estimate(folder, "mean(mass)", head=1, **place).value


def test_uniform_attention_has_the_ratio_one_where_rows_sum_to_one(tmp_path):
    options = {"special": "renormalize"}
    folder = run(
        "attention.classes", planted(), ROWS, tmp_path, task="token-classes", options=options
    )
    found = estimate(folder, "class_mass_ratio", head=2, preset="own")
    assert found.value == pytest.approx(1.0, abs=1e-5)


def test_rows_of_texts_without_the_class_are_skipped():
    batch = Batch(tuple(examples([{"id": "1", "words": ["a", "b"], "classes": ["x", ""]}])))
    params = ClassesParams(classes=("y", "x"))
    context = ToyContext(TokenClasses(), ToyAttention([[UniformHead()]]))
    rows = list(AttendedClasses().measure(params, Cell("m", None, "x"), batch, context))
    found = {json.loads(row.condition)["class"]: (row.status, row.reason) for row in rows}
    assert found == {"any": ("ok", None), "y": ("skipped", "no_such_class"), "x": ("ok", None)}
