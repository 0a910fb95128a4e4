"""Templates: what slots give, what is refused, and the four behavioral suites made of them."""

import math
import re
import tomllib
from collections import Counter
from functools import cache
from importlib.resources import files

import numpy as np
import pytest

from scrutiny.core.answers.texts import Extract
from scrutiny.core.errors import DataError
from scrutiny.core.example import suite_tests
from scrutiny.core.expectation import Asked, Seen
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.suites.expectations import parse_expectation
from scrutiny.diagnostics.suites.suite_claims import kind_of
from scrutiny.tasks.tasks import load_task

SUITES = ("sentiment", "paraphrase", "inference", "reading")
CAPABILITIES = (
    *("vocabulary", "taxonomy", "robustness", "names", "fairness"),
    *("time", "negation", "coreference", "roles", "logic"),
)
KINDS = {"minimum functionality", "invariance", "directional"}
#: A slot, two spaces, an article that does not go with what follows, a word twice.
AMISS = r"(?i)[{}]|\s\s|\b(a [aeiou]|an [^aeiouh])|\b(\w+) \2\b"
HEAD = 'suite = 1\ntask = "text-classification"\n[lexicons]\n'
LEXICONS = """job = ["engineer", "baker"]
noun = ["box of chocolates", "city"]
verb = ["stop", "write"]
p = [{name = "Ada", she = "she"}, {name = "Emil", she = "he"}]
like = {wordnet = "synonyms", pos = "n", of = ["car", "purchase"]}
gpt4 = ["one", "two"]
n = [3, 4.5]
nothing = [""]
"""


def made(tmp_path, *cases, lexicons=LEXICONS, more="n = 1", expect="gold"):
    written = ", ".join(cases)
    path = tmp_path / "t.toml"
    path.write_text(
        f'{HEAD}{lexicons}\n[[tests]]\ntest = "t"\nexpect = "{expect}"\n{more}\n'
        f"cases = [{written}]\n"
    )
    return load_dataset(f"suite:{path}")


@pytest.mark.parametrize(
    ("template", "pattern"),
    [
        ("{a job} {a job2}", r"(an engineer a baker)|(a baker an engineer)"),
        ("{Job}: {job}", r"(Engineer: engineer)|(Baker: baker)"),
        ("{An job}.", r"(An engineer|A baker)\."),
        ("{noun:NNS}", "boxes of chocolates|cities"),
        ("{verb:VBZ} {verb:VBD} {verb:VBG}", "stops stopped stopping|writes wrote writing"),
        ("{p.name}: {p.she}", "Ada: she|Emil: he"),
        ("{p.name} {p2.name}", "Ada Emil|Emil Ada"),
        ("{like.word} {like.other}", "car auto|purchase buy"),
        ("{gpt4} {gpt42} {Gpt4}", "(one two One|two one Two)"),
        ("{{job}} {{{job}}}", r"\{job\} \{(engineer|baker)\}"),
        ("{n} {Nothing}.", r"(3|4.5) \."),
    ],
)
def test_what_slots_give(tmp_path, template, pattern):
    (example,) = made(tmp_path, f'{{text = "{template}", label = "good"}}').examples
    assert re.fullmatch(pattern, example.text)
    assert example.gold == "good"


def test_a_base_is_what_the_case_changes(tmp_path):
    case = '{base = {text = "{p.name} left."}, text = "{p.name} did not leave.", label = "x"}'
    base, changed = made(tmp_path, case, expect="same").examples
    assert (changed.case.of, base.case, base.gold) == (base.id, None, "x")
    assert base.text.split()[0] == changed.text.split()[0]
    both = made(tmp_path, case, expect="same", more="n = 2")
    assert len({e.text for e in both.examples}) == 4
    assert both.fingerprint == made(tmp_path, case, expect="same", more="n = 2").fingerprint


@pytest.mark.parametrize(
    ("case", "given", "phrase"),
    [
        ('{text = "{jbo}"}', {}, "there is no lexicon 'jbo'; there are gpt4, job"),
        ('{text = "{p}"}', {}, "names no field of"),
        ('{text = "{job.x}"}', {}, "names the field 'x' of"),
        ('{text = "{job} {job2} {job3}"}', {}, "has no other entry"),
        ('{text = "{job}"}', {"more": "n = 3"}, "give 2 different cases, and n = 3"),
        ('{base = {text = "{job}"}, text = "{job}"}', {}, "give 0 different cases, and n = 1"),
        ('{text = "{job:NNQ}"}', {}, "NNQ is no form; a form is one of NNS, VBZ"),
        ('{text = "{the job}"}', {}, "'{the job}' is no slot"),
        ('{text = "a } b"}', {}, "'}' is no slot"),
        ('{text = "{job}"}', {"more": "k = 3"}, "has 'k', which is nothing of a test"),
        ('{text = "{job}"}', {"lexicons": "job = 3\n"}, "the lexicon 'job' is no list"),
        ('{text = "{job}"}', {"lexicons": "job = [\n"}, "is no TOML"),
        (
            '{text = "{job}"}',
            {"lexicons": 'job = {wordnet = "antonyms", of = ["lamp"]}'},
            "WordNet has no antonyms of lamp",
        ),
    ],
)
def test_what_is_refused(tmp_path, case, given, phrase):
    with pytest.raises(DataError, match=re.escape(phrase)):
        made(tmp_path, case, **given)


CASE = '[[tests]]\ntest = "t"\nexpect = "gold"\nn = 1\ncases = [{text = "x", label = 1}]\n'
TASK = 'suite = 1\ntask = "text-classification"\n'


@pytest.mark.parametrize(
    ("written", "phrase"),
    [
        (f"{TASK}lexicon = 1\n{CASE}", "part of a suite named 'lexicon'. Did you mean 'lexicons'"),
        (f"version = 0\n{TASK}{CASE}", "version is 0; it is a whole number from 1 on"),
        (f"version = true\n{TASK}{CASE}", "version is True; it is a whole number"),
        (f"suite = 1\n{CASE}", "t.toml names no task, as in task ="),
        (f"suite = 1\ntask = 3\n{CASE}", "t.toml names no task, as in task ="),
        (f'{TASK}lexicons = "x"\n{CASE}', "lexicons is 'x'; it is a table"),
        (f'{TASK}tests = "x"', "t.toml has no [[tests]]"),
        (TASK, "t.toml has no [[tests]]"),
        (TASK + CASE.replace("n = 1", 'n = "2"'), "test 1: n is '2'; it is the number of its"),
        (TASK + CASE.replace("n = 1", "n = 0"), "test 1: n is 0; it is the number of its cases"),
        (TASK + CASE.replace('"gold"', "2"), "test 1: expect is 2; it is a text, as gold"),
        (TASK + CASE.replace("{text", '"a", {text'), "test 1: cases is ['a', {"),
        (TASK + CASE.replace("{text", '{base = "x", text'), "test 1: base is 'x'; it is a table"),
        (TASK + CASE.replace("label", "lable"), "column of a case named 'lable'. Did you mean"),
        (TASK + CASE.replace("{text", "{base = {id = 1}, text"), "column of a base named 'id'"),
        (TASK + CASE + CASE, "test 2 has the name of test 1, 't'"),
        (f"{TASK}[lexicons]\nw = [{{a = [1]}}]\n{CASE}", "the lexicon 'w' is no list of words"),
        (f"{TASK}[lexicons]\nw = {{wordnet = [1]}}\n{CASE}", "the lexicon 'w' is no list of words"),
        (TASK + CASE.replace('"x"', '"{w}"'), "there is no lexicon 'w'; there are none"),
    ],
)
def test_files_that_are_none(tmp_path, written, phrase):
    (tmp_path / "t.toml").write_text(written)
    with pytest.raises(DataError, match=re.escape(phrase)):
        load_dataset(f"suite:{tmp_path}/t.toml")


def test_a_run_keeps_the_version_of_a_suite(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(f"version = 3\n{TASK}{CASE}")
    data = load_dataset(path)
    assert data.notes == ("The suite is of version 3.",)
    path.write_text(TASK + CASE)
    assert load_dataset(path).notes == ()
    assert load_dataset(path).fingerprint == data.fingerprint  # which tells what is asked
    for name in SUITES:
        assert "The suite is of version 1." in suite(name).notes


def test_labels_are_numbers_and_a_suite_needs_no_lexicons(tmp_path):
    more = CASE.replace('"t"', '"t!"').replace("label = 1", "label = true")
    (tmp_path / "t.toml").write_text(TASK + CASE + more)
    data = load_dataset(f"suite:{tmp_path}/t.toml")
    assert [(e.id, e.gold) for e in data.examples] == [("t-1", "1"), ("t-2-1", "true")]
    assert [e.source.rpartition("t.toml")[2] for e in data.examples] == [": test 1", ": test 2"]
    assert [test.name for test in suite_tests(data.examples)] == ["t", "t!"]


def test_a_template_without_further_cases_leaves_its_turn_to_others(tmp_path):
    short, long = '{text = "One."}', '{text = "{job} and {p.name}."}'
    data = made(tmp_path, short, long, more="n = 5", expect="is(label=good)")
    assert sorted(e.text for e in data.examples)[0] == "One."
    assert len({e.text for e in data.examples}) == 5


def test_another_version_is_refused(tmp_path):
    (tmp_path / "t.toml").write_text("suite = 2\n")
    with pytest.raises(DataError, match="states suite = 2; this reads suite = 1"):
        load_dataset(f"suite:{tmp_path}/t.toml")


@cache
def suite(name):
    return load_dataset(f"builtin:behavior_{name}")


@pytest.mark.parametrize("name", SUITES)
def test_ten_capabilities_of_three_kinds_have_fifty_different_cases(name):
    data = suite(name)
    assert data.bad_rows == ()
    tests = suite_tests(data.examples)
    assert Counter(test.capability for test in tests) == dict.fromkeys(CAPABILITIES, 3)
    for capability in CAPABILITIES:
        assert {kind_of(test) for test in tests if test.capability == capability} == KINDS
    by_id = {e.id: e for e in data.examples}
    texts = {}
    for e in data.examples:
        if e.case:
            before = by_id[e.case.of].fields if e.case.of else {}
            assert before != e.fields
            made = tuple(before.values()), tuple(e.fields.values())
            texts.setdefault((e.case.capability, e.case.test), set()).add(made)
        for text in e.fields.values():
            assert not re.search(AMISS, text), text
    assert {len(found) for found in texts.values()} == {50}
    assert len(set().union(*texts.values())) == 1500  # nor are cases of two tests alike
    if name == "reading":
        assert all(e.gold[0].text in e.fields["context"] for e in data.examples)


@pytest.mark.parametrize("name", SUITES)
def test_what_is_not_rough_on_purpose_is_made_of_sentences(name):
    for e in suite(name).examples:
        if not e.id.startswith("robustness"):
            for text in e.fields.values():
                assert re.fullmatch(r"([A-Z][^.?]*[.?]( |$))+", text), text


@pytest.mark.parametrize("name", ["sentiment", "paraphrase", "inference"])
def test_a_pronoun_does_not_tell_the_answer(name):
    """What is expected where an occupation is hers is expected as often where it is his."""
    found = Counter()
    for e in suite(name).examples:
        if e.case and e.case.capability == "fairness" and not e.case.of:
            told = e.gold, e.case.expect
            found.update((told, word) for word in re.findall(r"\b(?:her|his)\b", e.fields["text"]))
    assert found
    for told in {told for told, _ in found}:
        assert min(found[told, "her"], found[told, "his"]) >= 5, told


def failures(name, answer, labels=()):
    """Share of cases of each test that a model fails, which answers each text by itself."""
    data, task = suite(name), load_task(suite(name).task)
    answers = {e.id: Asked(e, answer(e)) for e in data.examples}
    found = {}
    for e in data.examples:
        if e.case:
            seen = Seen(answers[e.id], answers.get(e.case.of), task, labels)
            met = parse_expectation(e.case.expect).is_met(seen)
            if isinstance(met, bool):
                found.setdefault((e.case.capability, e.case.test), []).append(not met)
    return {test: float(np.mean(own)) for test, own in found.items()}


LABELS = {
    "sentiment": ("positive", "negative"),
    "paraphrase": ("paraphrase", "no paraphrase"),
    "inference": ("entailment", "no entailment"),
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("place", [0, 1])
def test_one_answer_to_everything_fails_every_capability(name, place):
    said = Prediction(LABELS[name][place], tuple(float(n == place) for n in range(2)))
    found = failures(name, lambda _: said, LABELS[name])
    for capability in CAPABILITIES:
        own = [share for (of, _), share in found.items() if of == capability]
        assert max(own) >= 0.5, capability
        assert min(own) == 0.0  # and passes every invariance


@pytest.mark.parametrize("place", [0, -1])
def test_a_reader_of_one_place_fails_every_capability(place):
    """First name of the passage, or the last."""
    names = re.compile("|".join(sorted(_lexicon("reading", "w") | _lexicon("reading", "m"))))
    found = failures(
        "reading", lambda e: Prediction(Extract(names.findall(e.fields["context"])[place]))
    )
    for capability in CAPABILITIES:
        assert max(s for (of, _), s in found.items() if of == capability) >= 0.5, capability


def _lexicon(name, lexicon, *fields):
    path = files("scrutiny.data") / "samples" / f"behavior_{name}.suite.toml"
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["lexicons"][lexicon]
    return {one[f] for one in entries for f in fields} if fields else set(entries)


def test_a_model_that_knows_words_alone_fails_negation_and_no_vocabulary():
    good = _lexicon("sentiment", "x", "good", "good2") | {"praised"}
    bad = _lexicon("sentiment", "x", "bad", "bad2") | {"complained", "insulted"}

    def by_words(example):
        words = re.findall(r"\w+", example.text)
        balance = sum(word in good for word in words) - sum(word in bad for word in words)
        share = 1 / (1 + math.exp(-4 * balance))
        return Prediction("positive" if balance > 0 else "negative", (share, 1 - share))

    found = failures("sentiment", by_words, LABELS["sentiment"])
    worst = {c: max(s for (of, _), s in found.items() if of == c) for c in CAPABILITIES}
    assert (worst["vocabulary"], worst["taxonomy"], worst["names"]) == (0.0, 0.0, 0.0)
    assert found["negation", "negated words"] == found["negation", "inserted not"] == 1.0
    assert found["negation", "negation beside the point"] == 0.0
