"""The suites of pairs whose words overlap: as their script writes them; what overlap gets right."""

import json
import re
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

import scrutiny
from scrutiny.core.example import suite_tests
from scrutiny.data.dataset import load_dataset

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))
import overlap_suite as tool

sys.path.pop(0)

SUITES = ("overlap", "same_words")
TESTS = {"overlap": (6, 150), "same_words": (2, 150)}
#: What HANS has of each kind, by half: ten constructions each.
KINDS = ("lexical overlap", "subsequence", "constituent")
PLAIN = re.compile(r"[A-Z][a-zM ]+(, [a-z][a-z ]+)?\.")


def shipped(suite):
    return (files("scrutiny.data") / "samples" / f"{suite}.suite.jsonl").read_text(encoding="utf-8")


def rows(suite):
    _, *found = map(json.loads, shipped(suite).splitlines())
    return found


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def is_inside(inner, outer):
    """Whether words stand in others in a row."""
    n = len(inner)
    return any(outer[i : i + n] == inner for i in range(len(outer) - n + 1))


class ByOverlap:
    """A model that answers by the words that two texts share, and by nothing else."""

    task = "text-pair-classification"

    def __init__(self, labels, share):
        self.labels = labels
        self._share = share

    def predict(self, pairs):
        return [self.labels[0 if self._share(words(a), words(b)) else 1] for a, b in pairs]


BY_OVERLAP = {
    "overlap": ByOverlap(("entailment", "neutral", "contradiction"), lambda a, b: {*b} <= {*a}),
    "same_words": ByOverlap(("paraphrase", "not_paraphrase"), lambda a, b: sorted(a) == sorted(b)),
}


@pytest.mark.parametrize("suite", SUITES)
def test_the_shipped_file_is_what_the_script_writes(suite):
    assert shipped(suite) == "\n".join(tool.lines(suite)) + "\n"


@pytest.mark.parametrize("suite", SUITES)
def test_it_is_read_as_a_suite_with_its_tests(suite):
    data = load_dataset(f"builtin:{suite}")
    assert (data.is_suite, data.task, list(data.bad_rows)) == (True, "text-pair-classification", [])
    n_tests, n_cases = TESTS[suite]
    assert [test.n_cases for test in suite_tests(data.examples)] == [n_cases] * n_tests
    constructions = {one.attributes["a_construction"] for one in data.examples}
    assert len(constructions) == sum(map(len, tool.data()[suite].values()))


@pytest.mark.parametrize("suite", SUITES)
def test_no_pair_stands_twice_and_each_is_plain_english(suite):
    found = rows(suite)
    assert len({(row["text"], row["text_pair"]) for row in found}) == len(found)
    assert len({row["id"] for row in found}) == len(found)
    for row in found:
        for text in (row["text"], row["text_pair"]):
            assert PLAIN.fullmatch(text), text
        people = [word for word in words(row["text"]) if word.rstrip("es") in PEOPLE]
        assert len(people) == len(set(people)), row["text"]  # none is spoken of twice


PEOPLE = {person.rstrip("es") for person in tool.data()["people"]}


def test_there_are_thirty_constructions_of_three_kinds_half_of_them_entailed():
    found = Counter((row["test"], row["construction"]) for row in rows("overlap"))
    assert set(found.values()) == {30}
    assert Counter(test for test, _ in found) == Counter(
        {f"{kind}, {half}": 5 for kind in KINDS for half in ("entailed", "not entailed")}
    )


def test_each_kind_is_what_its_name_says():
    """And in the direction of its gold: TextFlint swaps the two, and 13 of 15 become false."""
    for row in rows("overlap"):
        premise, hypothesis = words(row["text"]), words(row["text_pair"])
        assert {*hypothesis} <= {*premise}, row
        assert len(hypothesis) < len(premise) or row["construction"].startswith("subject"), row
        if not row["test"].startswith("lexical"):
            assert is_inside(hypothesis, premise), row
        else:
            assert not is_inside(hypothesis, premise), row


def test_pairs_for_paraphrase_have_the_same_words_in_another_order():
    for row in rows("same_words"):
        one, other = words(row["text"]), words(row["text_pair"])
        assert sorted(one) == sorted(other)
        assert one != other


@pytest.mark.parametrize("suite", SUITES)
def test_who_answers_by_overlap_gets_all_of_one_half_and_none_of_the_other(suite):
    run = scrutiny.run("suites", model=BY_OVERLAP[suite], data=f"builtin:{suite}")
    failed = {
        test.name: run.estimate("share(failed)", test=test.name).value
        for test in suite_tests(load_dataset(f"builtin:{suite}").examples)
    }
    assert len(failed) == TESTS[suite][0]
    for name, share in failed.items():
        assert share == float(name.endswith(tool.NEGATIVE)), name
