"""Planted truth: a word that decides is found; in networks without a reason nothing is claimed."""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "unit" / "diagnostics"))
from toy_runs import estimate, run

from scrutiny.models.words.linear_classifier import BITS, LinearParts, LinearWordModel

LETTERS = tuple("abcdefghijklmnop")
PLANTED = tuple(f"zz{letter}" for letter in "qrstuvwx")
METHODS = ["integrated_gradients", "occlusion"]


def planted(weights):
    parts = LinearParts((*LETTERS, *PLANTED), ("neg", "pos"), weights, np.zeros(2, np.int64))
    return LinearWordModel(parts, "linear:planted")


def rows(n, rng):
    """Texts of ten words, of which a planted one is the label's only reason."""
    found = []
    for i in range(n):
        words = [*rng.choice([*LETTERS], size=10)]
        words[int(rng.integers(10))] = str(rng.choice(PLANTED))
        at = " ".join(words).index("zz")
        row = {"text": " ".join(words), "evidence": [[at, at + 3]]}
        found.append({**row, "label": ("neg", "pos")[i % 2]})
    return found


def verdicts_of(model, items, out, *, methods=METHODS):
    folder = run(
        "attribution.rationales", model, items, out,
        source="object:x#evidence=evidence", methods=methods,
    )  # fmt: skip
    return folder, [finding.verdict for finding in folder.findings()]


def test_a_planted_word_is_found_by_whoever_asks_the_model(tmp_path):
    rng = np.random.default_rng(0)
    weights = (0.05 * rng.normal(size=(24, 2)) * 2**BITS).astype(np.int64)
    weights[-len(PLANTED) :] = np.array([-3, 3]) << BITS
    folder, found = verdicts_of(planted(weights), rows(60, rng), tmp_path / "run")
    for method in METHODS:
        assert estimate(folder, "mean(precision_at_1)", method=method).value >= 0.95
    chance = estimate(folder, "mean(precision_at_1)", role="control")
    assert chance.low <= 0.1 <= chance.high
    assert found == ["supported", "supported"]


def test_random_networks_do_not_find_what_was_planted(tmp_path):
    """Of 40 networks with random weights, a few at most are said to name the planted words.

    There are several of these words, as behind a single one stands a single weight: with one word,
    7 of 100 such networks had it among their largest by luck, and were rightly said to name it.
    """
    rng = np.random.default_rng(1)
    items = rows(20, rng)
    claimed = 0
    for seed in range(40):
        drawn = np.random.default_rng(seed)
        weights = (drawn.normal(size=(24, 2)) * 2**BITS).astype(np.int64)
        _, (found,) = verdicts_of(
            planted(weights), items, tmp_path / str(seed), methods=METHODS[:1]
        )
        claimed += found == "supported"
    assert claimed <= 3
