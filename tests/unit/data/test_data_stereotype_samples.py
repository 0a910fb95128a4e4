"""Our own pairs and word sets on stereotypes: minimal, complete, in no published set."""

import csv
import json
import re
from collections import Counter
from importlib.resources import files

import pytest

from scrutiny.data.dataset import load_dataset

FOLDER = files("scrutiny.data") / "samples"
CATEGORIES = ("gender", "age", "nationality", "religion", "class", "body")
FRAMES = {"The next word is {}.", "Someone wrote {} on the board.", "They both said {} at once."}


def rows_of(name):
    header, *lines = (FOLDER / name).read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


PAIRS = rows_of("stereotypes.tsv")
WORDS = rows_of("associations.tsv")
TRIPLES = rows_of("continuations.tsv")
ANSWERS = ("stereotype", "antistereotype", "unrelated")


def letters(text):
    return re.sub(r"\W+", " ", text.lower()).strip()


def test_twins_differ_in_the_group_alone():
    for row in PAIRS:
        before, after = row["more"].split(row["more_group"], 1)
        assert row["less"] == f"{before}{row['less_group']}{after}"
        assert row["more_group"] != row["less_group"]


def test_twins_have_equally_many_words():
    for row in PAIRS:
        assert len(row["more_group"].split()) == len(row["less_group"].split()), row
        assert len(row["more"].split()) == len(row["less"].split()) <= 14, row


def test_sentences_are_sentences():
    for text in (row[side] for row in PAIRS for side in ("more", "less")):
        assert re.fullmatch(r"[A-Z][A-Za-z-]*( [A-Za-z-]+)+\.", text), text


def test_no_twin_says_the_gender_of_the_other():
    """A pronoun would have to change with the group, and a second word with it."""
    genders = re.compile(r"\b(he|she|him|her|his|herself|himself)\b")
    of_gender = [row for row in PAIRS if row["category"] == "gender"]
    assert not [row["id"] for row in of_gender if genders.search(row["more"])]


def test_every_pair_has_a_control_with_the_same_groups_and_a_rationale():
    by_pair = {}
    for row in PAIRS:
        by_pair.setdefault(row["pair"], {})[row["set"]] = row
    assert len(by_pair) == 300
    for rows in by_pair.values():
        assert set(rows) == {"original", "neutral"}
        for column in ("category", "more_group", "less_group", "rationale"):
            assert rows["original"][column] == rows["neutral"][column] != ""


def test_fifty_pairs_in_each_category():
    originals = Counter(row["category"] for row in PAIRS if row["set"] == "original")
    assert originals == dict.fromkeys(CATEGORIES, 50)


def test_ids_and_sentences_are_distinct():
    for rows in (PAIRS, WORDS):
        assert len({row["id"] for row in rows}) == len(rows)
    sentences = [row[side] for row in PAIRS for side in ("more", "less")]
    assert [text for text, n in Counter(sentences).items() if n > 1] == []


def test_neutral_frames_serve_several_groups():
    """Else a category would have its own, and its baseline would be another question."""
    frames = {}
    for row in PAIRS:
        if row["set"] == "neutral":
            frame = row["more"].replace(row["more_group"], "_", 1)
            frames.setdefault(frame, set()).add(row["category"])
    assert all(len(found) > 1 for found in frames.values())


def test_ten_triples_in_each_category_with_a_rationale():
    assert Counter(row["category"] for row in TRIPLES) == dict.fromkeys(CATEGORIES, 10)
    assert all(row["rationale"] and row["kind"] == "intersentence" for row in TRIPLES)
    assert max(Counter(row["term"] for row in TRIPLES).values()) == 2
    for column in ("id", "context", *ANSWERS[:2], "unrelated", "rationale"):
        assert len({row[column] for row in TRIPLES}) >= (55 if column in ANSWERS[:2] else 58)


def test_continuations_are_alike_but_for_the_belief():
    for row in TRIPLES:
        words = [row[name].split() for name in ANSWERS]
        assert len(words[0]) == len(words[1]) <= 8, row
        assert abs(len(words[2]) - len(words[0])) <= 1, row
        assert row["stereotype"] != row["antistereotype"]
        assert set(words[0]) & set(words[1]), row


def test_contexts_and_continuations_are_sentences():
    for text in (row[name] for row in TRIPLES for name in ("context", *ANSWERS)):
        assert re.fullmatch(r"[A-Z][A-Za-z-]*( [A-Za-z-]+)+\.", text), text


def test_what_is_unrelated_refers_to_nobody():
    people = re.compile(r"\b(he|she|they|him|her|his|their|them)\b")
    assert not [row["id"] for row in TRIPLES if people.search(row["unrelated"].lower())]
    contexts = {word for row in TRIPLES for word in row["term"].lower().split()}
    assert not [row["id"] for row in TRIPLES if contexts & set(letters(row["unrelated"]).split())]


def test_word_sets_are_of_equal_size_in_the_same_frames():
    by_test = {}
    for row in WORDS:
        by_test.setdefault(row["test"], {}).setdefault(row["set"], []).append(row)
    assert list(by_test) == ["tools-useful", "placebo", "men-work", "well-paid-clever"]
    for sets in by_test.values():
        assert list(sets) == ["X", "Y", "A", "B"]
        words = [{row["word"] for row in rows} for rows in sets.values()]
        assert [len(found) for found in words] == [12] * 4
        assert len(set.union(*words)) == 48, "a word is in one set alone"
        for rows in sets.values():
            assert len({row["category"] for row in rows}) == 1


def test_words_stand_where_the_table_says_and_frames_say_nothing():
    frames = {}
    for row in WORDS:
        start, end = int(row["start"]), int(row["end"])
        assert row["text"][start:end] == row["word"]
        frames.setdefault((row["test"], row["word"]), set()).add(
            row["text"][:start] + "{}" + row["text"][end:]
        )
    assert all(found == FRAMES for found in frames.values())


@pytest.mark.parametrize(
    ("name", "task", "n"),
    [
        ("stereotypes", "sentence-pairs", 600),
        ("continuations", "sentence-triples", 60),
        ("associations", "association-test", 576),
    ],
)
def test_they_are_read_without_a_word(name, task, n):
    data = load_dataset(f"builtin:{name}")
    assert data.task == task
    assert len(data.examples) == n


@pytest.mark.data("crows_pairs")
def test_no_sentence_is_in_crows_pairs(shared):
    path = shared / "crows_pairs" / "crows_pairs_anonymized.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        theirs = [row[side] for row in csv.DictReader(lines) for side in ("sent_more", "sent_less")]
    assert shares_no_sentence(theirs)


@pytest.mark.data("stereoset")
def test_no_sentence_is_in_stereoset(shared):
    data = json.loads((shared / "stereoset" / "dev_reconstructed.json").read_text("utf-8"))["data"]
    items = [item for kind in data.values() for item in kind]
    theirs = [sentence["sentence"] for item in items for sentence in item["sentences"]]
    assert shares_no_sentence([*theirs, *(item["context"] for item in items)])


@pytest.mark.data("sent_bias")
def test_no_frame_is_in_seat(shared):
    paths = (shared / "sent_bias").rglob("*.jsonl")
    tests = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    assert tests
    assert not [row["text"] for row in WORDS if row["text"] in tests]


def shares_no_sentence(theirs):
    known = {letters(text) for text in theirs}
    assert len(known) > 1000
    ours = [letters(row[side]) for row in PAIRS for side in ("more", "less")]
    ours += [letters(row[name]) for row in TRIPLES for name in ("context", *ANSWERS)]
    return not known.intersection(ours)
