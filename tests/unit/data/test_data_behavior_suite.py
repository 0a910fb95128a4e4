"""The behavioral suite: as its script writes it, balanced, no word twice in a test."""

import json
import re
import sys
from collections import Counter, defaultdict
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from scrutiny.cli import group
from scrutiny.core.example import suite_tests
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.suites.expectations import Moves, parse_expectation
from scrutiny.diagnostics.suites.suite_claims import kind_of

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))
import behavior_suite as tool

sys.path.pop(0)

SHIPPED = (files("scrutiny.data") / "samples" / "behavior.suite.jsonl").read_text(encoding="utf-8")
HEAD, *ROWS = map(json.loads, SHIPPED.splitlines())
BY_ID = {row["id"]: row for row in ROWS}
DATA = tool.data()
KINDS = {
    "polar words": (170, "minimum functionality"),
    "other places and days": (170, "invariance"),
    "intensifiers": (170, "directional"),
    "negated words": (150, "minimum functionality"),
    "negation beside the point": (150, "invariance"),
    "inserted not": (150, "directional"),
    "before and now": (150, "minimum functionality"),
    "now and before": (150, "invariance"),
    "then it changed": (150, "directional"),
    "other people": (150, "invariance"),
}


def cases_of(name):
    return [row for row in ROWS if row.get("test") == name]


def words_of(row):
    """What the id of a row says of it: domain and word."""
    return row["id"].split("-", 2)[1:]


@pytest.fixture(scope="module")
def suite():
    return load_dataset("builtin:behavior")


def test_the_shipped_file_is_what_the_script_writes():
    assert SHIPPED == "\n".join(tool.lines()) + "\n"
    assert len(SHIPPED.encode()) < 400_000


def test_it_is_read_as_a_suite_with_its_tests(suite):
    assert suite.is_suite
    assert suite.task == HEAD["task"] == "text-classification"
    assert not suite.bad_rows
    found = {t.name: (t.n_cases, kind_of(t)) for t in suite_tests(suite.examples)}
    assert found == KINDS


def test_ids_and_texts_are_distinct_and_every_base_exists():
    assert len(BY_ID) == len({row["text"] for row in ROWS}) == len(ROWS)
    bases = [BY_ID[row["of"]] for row in ROWS if "of" in row]
    assert len(bases) == sum(n for n, kind in KINDS.values() if kind != "minimum functionality")
    assert all(base["label"] in tool.LABELS for base in bases)


@pytest.mark.parametrize("name", KINDS)
def test_no_word_stands_twice_in_a_test(name):
    words = [word for _, word in map(words_of, cases_of(name))]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("name", KINDS)
def test_cases_hold_their_word_and_differ_from_their_base(name):
    for row in cases_of(name):
        _, word = words_of(row)
        assert word in row["text"]
        base = BY_ID[row["of"]] if "of" in row else None
        assert base is None or words_of(base) == words_of(row)
        assert base is None or base["text"] != row["text"]


@pytest.mark.parametrize("name", KINDS)
def test_a_test_has_many_frames(name):
    blanked = set()
    for row in cases_of(name):
        domain, word = words_of(row)
        number = next(
            place
            for place, (*_, good, bad) in enumerate(DATA["domains"][domain]["words"])
            if word in (good, bad)
        )
        blanked.add((domain, number % 5))
    assert len(blanked) >= 20


@pytest.mark.parametrize("name", KINDS)
def test_both_labels_are_as_frequent(name):
    labels = Counter(row.get("label") for row in cases_of(name))
    if KINDS[name][1] == "directional":
        assert set(labels) == {None}
        labels = Counter(parse_expectation(row["expect"]).label for row in cases_of(name))
    assert labels["positive"] == labels["negative"] == KINDS[name][0] / 2


def test_a_word_and_its_opposite_share_the_rest_of_the_text():
    texts = defaultdict(list)
    for row in cases_of("polar words"):
        texts[row["text"].replace(words_of(row)[1], "_")].append(row["label"])
    assert all(sorted(labels) == ["negative", "positive"] for labels in texts.values())


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("intensifiers", -0.1, 1), ("inserted not", -1, -0.1), ("then it changed", -1, -0.1)],
)
def test_the_probability_of_the_base_label_moves_as_stated(name, least, most):
    for row in cases_of(name):
        label = BY_ID[row["of"]]["label"]
        assert parse_expectation(row["expect"]) == Moves(label, least, most)


def test_negation_turns_the_label_of_the_word():
    for row in cases_of("negated words"):
        assert row["label"] != BY_ID["word-" + "-".join(words_of(row))]["label"]


def test_sentences_are_clean():
    for row in ROWS:
        text = row["text"]
        assert 5 <= len(text.split()) <= 30, text
        assert text[0].isupper(), text
        assert text.endswith("."), text
        assert not {"{", "}", '"'} & set(text), text
        assert "  " not in text
        assert " it it " not in text


def test_people_are_others_and_half_of_them_of_the_other_gender():
    changed = 0
    for row in cases_of("other people"):
        before, after = (set(re.findall(r"[\w-]+", one["text"])) for one in (BY_ID[row["of"]], row))
        names = {name for some in DATA["names"].values() for name in some}
        assert names & (before - after)
        assert names & (after - before)
        changed += bool({"he", "she", "his", "her"} & (before - after))
    assert abs(changed / KINDS["other people"][0] - 0.5) < 0.02


@pytest.mark.slow
def test_an_audit_has_a_row_of_every_test(tmp_path):
    out = ["--out", str(tmp_path / "run"), "--display", "plain", "--json"]
    said = CliRunner().invoke(
        group, ["audit", "--model", "builtin:sentiment", "--suite", "builtin:behavior", *out]
    )
    found = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]
    names = {f"fails cases of {row['capability']}: {row['test']}" for row in ROWS if "test" in row}
    assert len(names) == len(KINDS)
    assert names <= {one.get("claim") for one in found}, said.output[-2000:]
