"""The script that makes the zoo's texts: what it reads, and what it leaves out."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tools" / "zoo"))
import texts

sys.path.pop(0)

LONG = "Nobody who sees this will ever forget it , ever ."
SST = {
    "all": [
        "A gorgeous , witty film .",
        "good",
        "Nobody who sees this will ever forget it , ever .",
    ],
    "evaluation": ["Nobody who sees this will ever forget it , ever ."],
}
HELD_OUT = [["The lighthouse keeper had not spoken to anybody for eleven long years."]]


@pytest.fixture(scope="module")
def unwanted():
    return texts.Filter(SST, HELD_OUT)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("A gorgeous, witty film!", ""),  # equal letters, of any split
        ("It is good.", "It is good."),  # too short a match to be a copy
        ("Good.", "Good."),
        ("I like it. A GORGEOUS witty film. The end.", "I like it. The end."),
        ("He says nobody who sees this will ever forget it, ever, and so do I.", ""),  # inside
        ("The lighthouse keeper had not spoken to anybody for eleven long years!", ""),
        ("He said: the lighthouse keeper had not spoken to anybody for eleven long years", ""),
        ("Plain words of no interest.", "Plain words of no interest."),
    ],
)
def test_sentences_of_evaluation_data_are_left_out(unwanted, line, kept):
    documents, dropped = unwanted.clean([[line]])
    assert documents == ([[kept]] if kept else [])
    assert (dropped > 0) == (kept != line)


def test_every_copy_is_found_not_the_first_alone(unwanted):
    copy = "He says nobody who sees this will ever forget it, ever, and so do I."
    documents, dropped = unwanted.clean([[copy, "One day."], [copy], [f"Also {copy}"]])
    assert documents == [["One day."]]
    assert dropped == 3


def test_a_review_that_copies_a_held_out_one_is_left_out():
    lines = [f"This is the sentence number {word} of it." for word in "abcdefg"]
    assert texts.drop_copies([lines, lines[:4], ["Other words altogether."]], [lines]) == [
        lines[:4],
        ["Other words altogether."],
    ]


def test_articles_of_wikitext(tmp_path):
    path = tmp_path / "wiki.txt"
    path.write_text(
        " = Homarus = \n \n A well @-@ known <unk> of 1 @,@ 000 . \n = = Use = = \n Eaten . \n"
        " = Other = \n \n Text . \n"
    )
    assert texts.wikitext(path) == [["A well-known [UNK] of 1,000 .", "Eaten ."], ["Text ."]]


def test_books_are_cut_at_paragraphs(tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "BOOK_PART_WORDS", 5)
    (tmp_path / "a.txt").write_text("one two three\n\nfour five six\nseven\n")
    (tmp_path / "b.txt").write_text("eight\n")
    assert texts.books(tmp_path) == [["one two three", "four five six"], ["seven"], ["eight"]]


def test_annotated_texts_lose_their_annotation(tmp_path):
    conll = tmp_path / "gold.txt"
    conll.write_text("A I-X\ncat O\n\nRan O\n\n-DOCSTART- O\n\nNew O\n")
    assert texts.wikigold(conll) == [["A cat", "Ran"], ["New"]]
    semeval = tmp_path / "semeval.txt"
    semeval.write_bytes(b'1\t"The <e1>cat</e1> <e2>sat</e2>."\r\nOther\r\nComment:\r\n\r\n')
    assert texts.semeval(semeval) == [["The cat sat."]]
    ewt = tmp_path / "a.conllu"
    ewt.write_text(
        "# newdoc id = a\n# newpar id = 1\n# text = One.\n1\tOne\n\n# text = Two.\n\n"
        "# newpar id = 2\n# text = Three.\n\n# newdoc id = b\n# text = Four.\n"
    )
    assert texts.treebank(ewt) == [["One. Two.", "Three."], ["Four."]]


def test_nothing_held_out_is_trained_on(shared_data):
    """On the real data: by letters, no training document holds a held-out line."""
    from scrutiny.text.letters import letters

    training, held_out = texts.corpora(shared_data("wikitext2").parent)
    held = {letters(line) for part in held_out.values() for d in part for line in d}
    reviews = {tuple(d) for d in training["movie_reviews"]}
    assert not reviews & {tuple(d) for d in held_out["movie_reviews"]}
    articles = {letters(line) for d in training["wikitext2"] for line in d}
    assert len({line for line in articles & held if len(line) > 40}) == 0
    assert "doyle" not in " ".join(p.name for p in shared_data("standard_ebooks").iterdir()).lower()
