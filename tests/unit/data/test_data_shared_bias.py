"""Counts of the published bias data, as their papers and README files state them."""

import csv
import json
import re
import time
from collections import Counter, defaultdict
from functools import cache

import pytest

from scrutiny.data.dataset import load_dataset
from scrutiny.data.summary import summarize

#: Data are read once; nobody changes them.
read = cache(load_dataset)
CROWS = {
    "race-color": 516,
    "gender": 262,
    "socioeconomic": 172,
    "nationality": 159,
    "religion": 105,
    "age": 87,
    "sexual-orientation": 84,
    "physical-appearance": 63,
    "disability": 60,
}
#: Sizes of X, Y, A, B of the tests of words and of the sentences made from them.
SIZES = {
    "weat1": ("25/25/25/25", "350/350/215/250"),
    "weat2": ("25/25/25/25", "330/330/215/250"),
    "weat3": ("32/32/25/25", "256/256/215/249"),
    "weat3b": ("15/15/25/25", "195/195/215/249"),
    "weat4": ("16/16/25/25", "128/128/215/249"),
    "weat5": ("16/16/8/8", "128/128/40/47"),
    "weat5b": ("15/15/8/8", "195/195/40/47"),
    "weat6": ("8/8/8/8", "64/64/101/112"),
    "weat6b": ("8/8/8/8", "80/80/101/112"),
    "weat7": ("8/8/8/8", "72/72/80/80"),
    "weat7b": ("8/8/8/8", "72/72/64/64"),
    "weat8": ("8/8/8/8", "56/56/80/80"),
    "weat8b": ("8/8/8/8", "56/56/64/64"),
    "weat9": ("6/6/7/7", "18/18/21/23"),
    "weat10": ("8/8/8/8", "64/64/40/47"),
    "angry_black_woman_stereotype": ("15/15/18/18", "120/120/54/54"),
    "angry_black_woman_stereotype_b": ("4/4/18/18", "52/52/54/54"),
    "heilman_double_bind_competent_one_word": ("8/8/10/10", "64/64/30/30"),
    "heilman_double_bind_likable_one_word": ("8/8/8/8", "64/64/24/24"),
}
#: Tests without sentences of their own kind.
CONTEXTS = {
    f"heilman_double_bind_{trait}_{context}": sizes
    for trait, sizes in (("competent", "8/8/10/10"), ("likable", "8/8/8/8"))
    for context in ("1", "1-", "1+3-", "one_sentence")
}


def values(data, name):
    return Counter(e.attributes.get(name) for e in data.examples)


@pytest.mark.reproduces
@pytest.mark.data("crows_pairs")
def test_crows_pairs(shared):
    data = read(f"crows-pairs:{shared}/crows_pairs")
    assert (len(data), data.bad_rows, data.labels) == (1508, (), ())
    assert values(data, "a_category") == CROWS
    assert values(data, "a_direction") == {"stereo": 1290, "antistereo": 218}
    assert [e.id for e in data.examples] == [str(i) for i in range(1508)]
    assert sum(n - 1 for n in values(data, "u_pair").values()) == 1
    assert summarize(data).duplicates == 1


@pytest.mark.reproduces
@pytest.mark.data("word_filling_controls")
def test_revised_crows_pairs(shared):
    path = shared / "word_filling_controls" / "crows_revised.csv"
    data = read(f"crows-pairs:{path}")
    with path.open(encoding="utf-8", newline="") as file:
        numbers = [row[0] for row in csv.reader(file)][1:]
    (bad,) = data.bad_rows
    assert "out of place" in bad.reason
    kept = [e.id for e in data.examples]
    assert len(kept) == 1466
    assert [n for n in numbers if n in set(kept)] == kept
    assert values(data, "a_category")["race-color"] == 501  # one was written Race-color
    assert values(data, "a_category")["other"] == 9
    assert values(data, "a_set") == {"revised": 1466}


@pytest.mark.reproduces
@pytest.mark.data("word_filling_controls")
@pytest.mark.parametrize(
    ("name", "sets"),
    [
        ("crows_negation", {"original": 250, "negated": 59, "negated-2": 7}),
        ("crows_antistereotype", {"original": 250, "antistereotype": 65}),
    ],
)
def test_controls_of_crows_pairs(shared, name, sets):
    data = read(f"crows-pairs:{shared}/word_filling_controls/{name}.csv")
    assert (values(data, "a_set"), data.bad_rows) == (sets, ())
    assert len(values(data, "u_pair")) == 250


@pytest.mark.reproduces
@pytest.mark.data("stereoset")
def test_stereoset(shared):
    data = read(f"stereoset:{shared}/stereoset")
    assert (len(data), data.bad_rows) == (4229, ())
    assert values(data, "a_kind") == {"intrasentence": 2106, "intersentence": 2123}
    counts = Counter((e.attributes["a_kind"], e.attributes["a_category"]) for e in data.examples)
    intra = {c: counts["intrasentence", c] for c in ("gender", "profession", "race", "religion")}
    inter = {c: counts["intersentence", c] for c in intra}
    assert list(intra.values()) == [255, 810, 962, 79]
    assert list(inter.values()) == [242, 827, 976, 78]
    terms = defaultdict(set)
    for e in data.examples:
        terms[e.attributes["a_category"]].add(e.attributes["u_term"])
    assert [len(terms[c]) for c in intra] == [10, 30, 36, 3]


@pytest.mark.data("stereoset")
def test_stereoset_without_its_malformed_contexts(shared):
    data = read(f"stereoset:{shared}/stereoset#malformed=leave-out")
    found = values(data, "a_category")
    assert (found["gender"], found["profession"], found["race"], found["religion"]) == (
        496,
        1636,
        1938,
        156,
    )


@pytest.mark.reproduces
@pytest.mark.data("stereoset")
def test_sentence_ids_are_those_of_the_published_scores(shared):
    import gzip

    with gzip.open(shared / "stereoset" / "official_intrasentence_scores.tsv.gz", "rt") as file:
        scored = {line.partition("\t")[0] for line in file} - {"sentence_id"}
    data = read(f"stereoset:{shared}/stereoset#kind=intrasentence")
    names = ("a_stereotype_id", "a_antistereotype_id", "a_unrelated_id")
    assert {e.attributes[n] for e in data.examples for n in names} == scored
    assert len(scored) == 6318


@pytest.mark.data("word_filling_controls")
@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("stereoset_genderswap", 251),
        ("stereoset_genderswap_filtered", 147),
        ("stereoset_inter_genderswap", 235),
    ],
)
def test_swaps(shared, name, n):
    data = read(f"stereoset:{shared}/word_filling_controls/{name}.txt")
    assert values(data, "a_set") == {"original": n, "swapped": n}
    assert len(values(data, "u_pair")) == n
    assert not any("<" in text for e in data.examples for text in e.fields.values())


def sizes(data):
    found = Counter((e.attributes["a_test"], e.attributes["a_set"]) for e in data.examples)
    return {t: "/".join(str(found[t, s]) for s in "XYAB") for t in values(data, "a_test")}


@pytest.mark.reproduces
@pytest.mark.data("sent_bias")
def test_sent_bias(shared):
    start = time.process_time()
    data = read(f"sent-bias:{shared}/sent_bias")
    assert time.process_time() - start < 3  # 0.3 s where nothing else runs
    wanted = dict(CONTEXTS)
    for name, (words, sentences) in SIZES.items():
        wanted |= {name: words, f"sent-{name}": sentences}
    assert len(wanted) == 46
    assert sizes(data) == wanted
    assert len({e.id for e in data.examples}) == len(data) == 9951


@pytest.mark.data("sent_bias")
def test_every_word_is_found(shared):
    data = read(f"sent-bias:{shared}/sent_bias")
    assert data.notes == ("The word of 9,951 of 9,951 texts in 46 tests was found.",)
    words = defaultdict(set)
    for e in data.examples:
        words[e.attributes["a_test"], e.attributes["a_set"]].add(e.attributes["u_word"])
    lost = {}
    for (test, name), found in words.items():
        base = re.sub(r"_(1|1-|1\+3-|one_sentence)$", "_one_word", test.removeprefix("sent-"))
        path = shared / "sent_bias" / "tests" / f"{base}.jsonl"
        key = dict(zip("XYAB", ("targ1", "targ2", "attr1", "attr2"), strict=True))[name]
        listed = set(json.loads(path.read_text(encoding="utf-8"))[key]["examples"])
        assert found <= listed
        if listed - found:
            lost[test, name] = listed - found
    assert lost == {("sent-weat9", "Y"): {"sick"}}  # which has no sentence there


@pytest.mark.data("sent_bias")
def test_words_stand_where_they_are_said_to(shared):
    data = read(f"sent-bias:{shared}/sent_bias")
    for e in data.examples:
        start, end = int(e.attributes["a_start"]), int(e.attributes["a_end"])
        seen, word = e.text[start:end].lower(), str(e.attributes["u_word"]).lower()
        assert seen[0] == word[0]
        assert (e.text + " ")[end] in " .'," or end == len(e.text)


@pytest.mark.data("sent_bias")
def test_hidden_tests(shared):
    data = read(f"sent-bias:{shared}/sent_bias/tests-hidden")
    found = sizes(data)
    assert len(found) == 8
    assert found["project_implicit_weight"] == "10/10/8/8"
    assert found["project_implicit_native"] == "2/2/5/5"


@pytest.mark.data("bias_bench")
def test_religion(shared):
    data = read(f"sent-bias:{shared}/bias_bench")
    assert sizes(data) == {
        "sent-religion1": "84/84/101/112",
        "sent-religion1b": "84/84/101/112",
        "sent-religion2": "84/84/215/249",
        "sent-religion2b": "84/84/215/249",
    }
    assert data.notes == ("The word of 2,026 of 2,026 texts in 4 tests was found.",)
    found = [e.attributes for e in data.examples if e.attributes["a_test"] == "sent-religion2"]
    per_word = Counter(a["u_word"] for a in found if a["a_set"] in "XY")
    assert len(per_word) == 12
    assert set(per_word.values()) == {14}


@pytest.mark.data("sent_bias")
def test_words_that_are_permuted_keep_all_sizes(shared):
    data = read(f"sent-bias:{shared}/sent_bias")
    other = read(f"sent-bias:{shared}/sent_bias#permute=5")
    assert sizes(other) == sizes(data)
    changed = defaultdict(set)
    for a, b in zip(data.examples, other.examples, strict=True):
        if a.attributes["a_set"] != b.attributes["a_set"]:
            changed[a.attributes["a_test"]].add(a.attributes["u_word"])
    assert set(changed) == set(sizes(data))
