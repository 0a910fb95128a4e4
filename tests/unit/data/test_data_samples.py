"""The sample files: balanced, well formed, without duplicates, ours alone."""

import os
from collections import Counter
from importlib.resources import files
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from scrutiny.text.letters import letters

DATA = Path(os.environ.get("SCRUTINY_DATA", Path(__file__).parents[4] / "shared" / "data"))
FOLDER = files("scrutiny.data") / "samples"


def read_table(name):
    lines = (FOLDER / name).read_text(encoding="utf-8").split("\n")
    assert lines.pop() == ""
    header, *rows = (line.split("\t") for line in lines)
    assert all(len(row) == len(header) for row in rows)
    return [dict(zip(header, row, strict=True)) for row in rows]


def read_entities():
    """Sentences as lists of (token, tag)."""
    text = (FOLDER / "entities.conll").read_text(encoding="utf-8").rstrip("\n")
    return [[tuple(line.split("\t")) for line in block.split("\n")] for block in text.split("\n\n")]


REVIEWS = read_table("reviews.tsv")
PAIRS = read_table("pairs.tsv")
ENTITIES = read_entities()


# --- reviews ---------------------------------------------------------------------------------


def test_reviews_are_many_and_balanced():
    assert list(REVIEWS[0]) == ["id", "text", "label", "topic"]
    assert len(REVIEWS) >= 500
    counts = Counter(row["label"] for row in REVIEWS)
    assert counts == {"positive": len(REVIEWS) // 2, "negative": len(REVIEWS) // 2}


def test_any_even_number_of_leading_reviews_is_balanced():
    for i in range(0, len(REVIEWS), 2):
        assert REVIEWS[i]["label"] != REVIEWS[i + 1]["label"]


def test_neither_label_stands_first_more_often_than_by_chance():
    first = sum(row["label"] == "positive" for row in REVIEWS[::2])
    n = len(REVIEWS) // 2
    assert abs(first - n / 2) < 3 * (n / 4) ** 0.5


def test_topics_are_balanced_too():
    by_topic = {topic: Counter() for topic in {row["topic"] for row in REVIEWS}}
    for row in REVIEWS:
        by_topic[row["topic"]][row["label"]] += 1
    assert len(by_topic) >= 10
    assert all(c["positive"] == c["negative"] for c in by_topic.values()), by_topic


def test_ids_are_distinct():
    for rows in (REVIEWS, PAIRS):
        assert len({row["id"] for row in rows}) == len(rows)


def test_reviews_are_short_and_clean():
    for row in REVIEWS:
        text = row["text"]
        assert 6 <= len(text.split()) <= 45, text
        assert text == text.strip()
        assert "  " not in text
        assert '"' not in text
        assert text[0].isupper(), text
        assert text[-1] in ".!?", text


def test_no_review_stands_twice_or_nearly_so():
    texts = [row["text"] for row in REVIEWS]
    assert len({letters(t) for t in texts}) == len(texts)
    close = [
        (a, b) for a, b in combinations(texts, 2) if fuzz.token_sort_ratio(a, b, score_cutoff=75)
    ]
    assert close == []


def test_reviews_do_not_begin_alike():
    starts = Counter(" ".join(row["text"].split()[:3]).lower() for row in REVIEWS)
    start, count = starts.most_common(1)[0]
    assert count <= 6, start


@pytest.mark.data("sst2")
def test_no_sample_stands_in_sst2():
    folder = DATA / "sst2"
    if not folder.is_dir():
        pytest.skip("sst2 is not under SCRUTINY_DATA")
    known = set()
    for part in ("train", "dev", "test"):
        lines = (folder / f"{part}.tsv").read_text(encoding="utf-8").splitlines()[1:]
        known |= {letters(line.split("\t")[0]) for line in lines}
    own = [row["text"] for row in REVIEWS]
    own += [row[field] for row in PAIRS for field in ("text", "text_pair")]
    assert [text for text in own if letters(text) in known] == []


# --- pairs -----------------------------------------------------------------------------------


def test_pairs_are_many_and_balanced():
    assert list(PAIRS[0]) == ["id", "text", "text_pair", "label"]
    assert len(PAIRS) >= 60
    counts = Counter(row["label"] for row in PAIRS)
    assert counts == {"paraphrase": len(PAIRS) // 2, "not_paraphrase": len(PAIRS) // 2}


def test_pairs_are_pairs_and_stand_once():
    keys = {(letters(row["text"]), letters(row["text_pair"])) for row in PAIRS}
    assert len(keys) == len(PAIRS)
    assert all(a != b for a, b in keys)


def test_overlap_of_words_does_not_give_the_label_away():
    scores = {"paraphrase": [], "not_paraphrase": []}
    for row in PAIRS:
        scores[row["label"]].append(fuzz.token_set_ratio(row["text"], row["text_pair"]))
    mean = {label: sum(values) / len(values) for label, values in scores.items()}
    assert mean["not_paraphrase"] >= mean["paraphrase"]


# --- entities --------------------------------------------------------------------------------


def test_sentences_with_entities_are_many_and_distinct():
    assert len(ENTITIES) >= 60
    assert len({tuple(token for token, _ in s) for s in ENTITIES}) == len(ENTITIES)
    assert all(len(line) == 2 for sentence in ENTITIES for line in sentence)


def test_tags_are_well_formed():
    kinds = {"person", "location", "organization"}
    for sentence in ENTITIES:
        before = "O"
        for token, tag in sentence:
            assert token
            assert token == token.strip()
            prefix, _, kind = tag.partition("-")
            assert tag == "O" or (prefix in "BI" and kind in kinds)
            if prefix == "I":
                assert before in (f"B-{kind}", f"I-{kind}"), (sentence, token)
            before = tag


def test_each_kind_is_frequent_and_some_entities_are_adjacent():
    begun = Counter(tag for s in ENTITIES for _, tag in s if tag.startswith("B-"))
    assert len(begun) == 3
    assert min(begun.values()) >= 25
    adjacent = sum(
        a != "O" and b.startswith("B-") for s in ENTITIES for (_, a), (_, b) in pairwise(s)
    )
    assert adjacent >= 4
    assert sum(all(tag == "O" for _, tag in s) for s in ENTITIES) >= 3


def test_files_end_lines_with_lf_and_bear_their_notice():
    for name in ("reviews.tsv", "pairs.tsv", "entities.conll"):
        content = (FOLDER / name).read_bytes()
        assert b"\r" not in content
        assert content.endswith(b"\n")
        assert name in (FOLDER / "NOTICE.md").read_text(encoding="utf-8")
