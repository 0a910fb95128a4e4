"""Memorization: planted texts are found beside unseen ones, and none are invented."""

import json
import random

import pytest

import scrutiny
from scrutiny.core.errors import PlanError
from scrutiny.diagnostics.memorization import MemorizationParams

N = 120


def texts_of(seed):
    """Beginnings and rests of texts of made-up words."""
    rng = random.Random(seed)
    for _ in range(2 * N):
        words = [f"word{rng.randrange(400)}" for _ in range(24)]
        yield " ".join(words[:10]), " ".join(words[10:])


def asked(tmp_path, *, known, stock=0.0, seed=0):
    """Memorization of a model that knows some of the given texts, and a share of all by chance."""
    rng, rows, knows = random.Random(seed), [], {}
    for number, (prompt, rest) in enumerate(texts_of(seed)):
        seen = "yes" if number < N else "no"
        rows.append({"id": str(number), "prompt": prompt, "reference": rest, "seen": seen})
        if (seen == "yes" and rng.random() < known) or rng.random() < stock:
            knows[prompt] = f"{prompt} {rest.title()}!" if number % 2 else rest
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))

    def answer(prompts):
        return [knows.get(prompt, "Nobody knows how it goes on.") for prompt in prompts]

    data = f"jsonl:{tmp_path / 't.jsonl'}"
    run = scrutiny.run("memorization", answer, data, out=tmp_path / "run")
    (finding,), (risk,) = run.findings, run.first_screen.risks
    return finding.estimate, risk.state


def test_planted_texts_are_found_with_their_share(tmp_path):
    found, state = asked(tmp_path, known=0.3, stock=0.05)
    assert state == "hurts"
    assert found.low < 0.3 < found.high


def test_stock_phrases_are_no_memory(tmp_path):
    found, state = asked(tmp_path, known=0.0, stock=0.2)
    assert state != "hurts"
    assert found.low < 0 < found.high


def test_nothing_known_is_nothing_found(tmp_path):
    found, state = asked(tmp_path, known=0.0)
    assert found.value == 0
    assert state != "hurts"


def test_rests_are_long_enough_or_skipped(tmp_path):
    rows = [
        {"id": "a", "prompt": "one two", "reference": "three four", "seen": "yes"},
        {"id": "b", "prompt": "two one", "reference": "five six seven", "seen": "yes"},
        {"id": "c", "prompt": "two", "seen": "yes"},
        {"id": "d", "prompt": "three", "reference": "five six seven", "seen": "no"},
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = f"jsonl:{tmp_path / 't.jsonl'}"

    def answer(prompts):
        return ["five six"] * len(prompts)

    run = scrutiny.run("memorization", answer, data, out=tmp_path / "run", words=3)
    reasons = {row["item"]: (row["status"], row["reason"]) for row in run.records()}
    assert reasons["a"] == ("skipped", "too_short")
    assert reasons["c"] == ("skipped", "no_gold")
    assert reasons["b"][0] == reasons["d"][0] == "ok"


def test_data_without_unseen_texts_are_refused_and_left_out(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"prompt": "a b c", "reference": "d e f"}\n' * 2)
    data = f"jsonl:{tmp_path / 't.jsonl'}"
    with pytest.raises(PlanError, match="needs a column seen of yes and no"):
        scrutiny.run("memorization", lambda prompts: prompts, data, out=tmp_path / "run")
    with pytest.raises(PlanError):
        MemorizationParams(words=0)
