"""The reader of aspects: SemEval-2014 and MAMS, TOWE, ARTS, on objects of our own and on theirs."""

import json
from collections import Counter

import pytest

from scrutiny.core.errors import DataError
from scrutiny.core.example import suite_tests
from scrutiny.data.dataset import load_dataset
from scrutiny.tasks.aspects import aspects_of

SENTENCE = "Good food, slow staff."


def aspect(term, polarity, name="7_0", sentence=SENTENCE, **more):
    start = sentence.find(term)
    place = {"from": start, "to": start + len(term)}
    return {"id": name, "sentence": sentence, "term": term, "polarity": polarity, **place, **more}


FLAT = {
    "7_0": aspect("food", "positive"),
    "7_1": aspect("staff", "negative", "7_1"),
    "8_0": aspect("staff", "positive", "8_0", "Kind staff."),
}


def written(write, name, objects, options=""):
    write(name, json.dumps(objects, indent=1))
    return load_dataset(f"aspects:{name}{options}")


def test_aspects_of_a_sentence_are_one_anothers_others(write):
    data = written(write, "flat.json", FLAT)
    assert (data.task, data.labels, data.is_suite) == (
        "aspect-sentiment",
        ("negative", "positive"),
        False,
    )
    first, second, alone = map(aspects_of, data.examples)
    assert [a.polarity for a in first] == ["positive", "negative"]
    assert [a.polarity for a in second] == ["negative", "positive"]
    assert len(alone) == 1
    assert [e.attributes["u_sentence"] for e in data.examples] == ["7", "7", "8"]


def test_sentences_with_their_terms_have_opinions(write):
    terms = {
        "7_0": {**aspect("food", "positive"), "opinion_position": [[0, 4]]},
        "7_1": {**aspect("staff", "negative"), "opinion_position": [[11, 15]]},
    }
    data = written(write, "towe.json", {"7": {"sentence": SENTENCE, "term_list": terms}})
    own, other = aspects_of(data.examples[1])
    assert [SENTENCE[s.start : s.end] for s in (*own.opinions, *other.opinions)] == ["slow", "Good"]
    assert [e.id for e in data.examples] == ["7_0", "7_1"]


XML = """<sentences>
<sentence id="7"><text>Good food, not good staff.</text><aspectTerms>
<aspectTerm term="food" polarity="positive" from="5" to="9"/>
<aspectTerm term="staff" polarity="negative" from="20" to="25" opinion_words="good, slow"/>
</aspectTerms></sentence><sentence id="8"><text>Nothing.</text></sentence></sentences>"""


def test_the_xml_of_semeval(write):
    write("x.xml", XML)
    data = load_dataset("aspects:x.xml")
    assert [(e.id, e.gold) for e in data.examples] == [("7_0", "positive"), ("7_1", "negative")]
    own, other = aspects_of(data.examples[1])
    assert [(s.start, s.end) for s in own.opinions] == [(15, 19)], "the nearest; slow is not there"
    assert (other.place.start, other.opinions) == (5, ())
    write("no.xml", "<sentences><sentence/>")
    with pytest.raises(DataError, match="no file of aspects"):
        load_dataset("aspects:no.xml")


@pytest.mark.data("scapt_semeval14")
def test_training_sentences_of_semeval(shared_data):
    folder = shared_data("scapt_semeval14")
    data = load_dataset(f"aspects:{folder}/Laptops_Train_v2_Implicit_Labeled.xml")
    golds = Counter(data.golds)
    assert (len(data) - golds["conflict"], golds["positive"]) == (2313, 987)
    assert sum(bool(aspects_of(e)[0].opinions) for e in data.examples) > 1300


def test_versions_are_cases_of_a_suite(write):
    versions = {
        "7_0": aspect("food", "positive"),
        "7_0_adv1": aspect("food", "negative", sentence="Bad food, slow staff."),
        "7_0_adv3": aspect("food", "positive", sentence="Good food, slow staff, but no seats."),
    }
    data = written(write, "arts.json", versions)
    (test,) = suite_tests(data.examples)
    assert (test.n_cases, test.has_base, test.has_gold) == (2, True, True)
    assert [e.id for e in data.examples] == ["7_0", "7_0_adv1", "7_0_adv3"]
    assert [e.attributes.get("a_change") for e in data.examples] == [None, "RevTgt", "AddDiff"]
    assert {e.attributes["u_group"] for e in data.examples} == {"7_0"}
    answered = written(write, "arts.json", versions, "#id=answered")
    assert [e.id for e in answered.examples] == ["7_0", "7_0_adv1", "7_0_adv4"]


@pytest.mark.parametrize("text", ["[]", '{"a": {"sentence": "x"}}', '{"a": 1}', "{", "[1]"])
def test_another_file_is_refused_with_what_it_lacks(write, text):
    write("no.json", text)
    with pytest.raises(DataError, match="no file of aspects"):
        load_dataset("aspects:no.json")


@pytest.mark.parametrize(
    ("file", "polarities"),
    [
        ("laptop_test", {"positive": 341, "neutral": 169, "negative": 128}),
        ("rest_test", {"positive": 728, "neutral": 196, "negative": 196}),
        ("mams_dev", {"neutral": 604, "positive": 403, "negative": 325}),
        ("mams_test", {"neutral": 607, "positive": 400, "negative": 329}),
    ],
)
@pytest.mark.data("absa_semeval14_mams")
def test_counts_of_semeval_and_mams(shared_data, file, polarities):
    data = load_dataset(f"aspects:{shared_data('absa_semeval14_mams')}/{file}.json")
    assert Counter(data.golds) == polarities
    assert not data.bad_rows


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("laptop", {"RevTgt": 466, "RevNon": 135, "AddDiff": 638}),
        ("rest", {"RevTgt": 846, "RevNon": 444, "AddDiff": 1120}),
    ],
)
@pytest.mark.reproduces
@pytest.mark.data("arts")
def test_counts_of_arts(shared_data, name, counts):
    folder = shared_data("arts")
    data = load_dataset(f"aspects:{folder}/arts_testset/{name}_test_enriched.json")
    found = Counter(e.attributes.get("a_change") for e in data.examples)
    assert found == {**counts, None: counts["AddDiff"]}
    assert not data.bad_rows
