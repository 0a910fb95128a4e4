import json
from collections import Counter
from pathlib import Path

import pytest

from scrutiny.data.dataset import load_dataset
from scrutiny.data.readers.sent_bias import WordIndex, _bare_words

WORDS = {
    "targ1": {"category": "Trees", "examples": ["oak", "cherry", "old oak"]},
    "targ2": {"category": "Tools", "examples": ["saws", "box", "file"]},
    "attr1": {"category": "Nice", "examples": ["kind", "glad"]},
    "attr2": {"category": "Foul", "examples": ["grim", "sour", "mean"]},
}
SENTENCES = {
    "targ1": {
        "category": "Trees",
        "examples": ["This is an oak.", "The cherries are here.", "It is an old oak."],
    },
    "targ2": {"category": "Tools", "examples": ["A saw is a thing.", "Boxes are things.", "Hm."]},
    "attr1": {"category": "Nice", "examples": ["This is kind.", "They are glad."]},
    "attr2": {"category": "Foul", "examples": ["This is grim.", "They are sour.", "It is mean."]},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tests = tmp_path / "bias" / "tests"
    tests.mkdir(parents=True)
    for name, content in (("weat2", WORDS), ("sent-weat2", SENTENCES), ("weat10", WORDS)):
        (tests / f"{name}.jsonl").write_text(json.dumps(content, indent=2))
    (tmp_path / "bias" / "seat").mkdir()
    (tmp_path / "bias" / "seat" / "sent-own.jsonl").write_text(json.dumps(SENTENCES))
    return "bias"


def test_all_tests_of_a_folder_in_natural_order(folder):
    data = load_dataset(f"sent-bias:{folder}")
    assert data.task == "association-test"
    tests = list(dict.fromkeys(e.attributes["a_test"] for e in data.examples))
    assert tests == ["sent-own", "sent-weat2", "weat2", "weat10"]
    assert len({e.id for e in data.examples}) == len(data) == 44
    sizes = Counter((e.attributes["a_test"], e.attributes["a_set"]) for e in data.examples)
    assert [sizes["weat2", s] for s in "XYAB"] == [3, 3, 2, 3]


def test_an_item(folder):
    data = load_dataset(f"sent-bias:{folder}#tests=sent-weat2")
    item = data.examples[1]
    assert (item.id, item.text) == ("sent-weat2/X/2", "The cherries are here.")
    assert item.attributes == {
        "a_test": "sent-weat2",
        "a_set": "X",
        "a_category": "Trees",
        "u_word": "cherry",
        "a_start": 4.0,
        "a_end": 12.0,
    }
    place, _, line = item.source.rpartition(":")
    assert place == "bias/tests/sent-weat2.jsonl"
    assert "The cherries are here." in Path(place).read_text().splitlines()[int(line) - 1]


def test_words_are_found_and_the_lost_one_is_its_own(folder):
    data = load_dataset(f"sent-bias:{folder}/tests/sent-weat2.jsonl")
    words = [e.attributes["u_word"] for e in data.examples]
    assert words == [
        *("oak", "cherry", "old oak", "saws", "box", "Hm."),
        *("kind", "glad", "grim", "sour", "mean"),
    ]
    lost = data.examples[5]
    assert "a_start" not in lost.attributes
    assert data.notes == (
        "The word of 10 of 11 texts in 1 tests was found.",
        "1 texts without a known word are units of their own; the first is 'Hm.' in sent-weat2.",
    )


def test_words_of_a_test_of_words_are_whole_texts(folder):
    data = load_dataset(f"sent-bias:{folder}#tests=weat1*")
    assert {e.attributes["a_test"] for e in data.examples} == {"weat10"}
    for item in data.examples:
        a = item.attributes
        assert item.text[int(a["a_start"]) : int(a["a_end"])] == item.text == a["u_word"]


def test_without_a_list_of_words_templates_tell_them(folder):
    data = load_dataset(f"sent-bias:{folder}#tests=sent-own")
    words = [e.attributes["u_word"] for e in data.examples]
    assert words[0] == "oak"
    assert words[2] == "oak"  # the old one is in no "This is"
    assert words[1] == "The cherries are here."
    assert words[6] == "kind"


@pytest.mark.parametrize(
    ("words", "sentence", "found"),
    [
        (["man"], "These are men.", "men"),
        (["women of color"], "This is a woman of color.", "woman of color"),
        (["ladies"], "The lady is here.", "lady"),
        (["lady"], "Ladies are people.", "Ladies"),
        (["church"], "The churches are there.", "churches"),
        (["sky-diving"], "Sky-diving is a thing.", "Sky-diving"),
        (["art", "party"], "This is a party.", "party"),
        (["American", "South American"], "A South American is here.", "South American"),
        (["her", "hers"], "It is hers.", "hers"),
        (["her", "hers"], "It is her.", "her"),
        (["oak"], "This is soak.", None),
        (["old oak"], "It is old.", None),
    ],
)
def test_find(words, sentence, found):
    match = WordIndex(words).find(sentence)
    assert (match and sentence[match.start : match.end]) == found


def test_find_prefers_the_entry_as_it_is():
    assert WordIndex(["her", "hers"]).find("It is hers.").word == "hers"
    assert WordIndex(["hers", "her"]).find("It is her.").word == "her"


def test_bare_words():
    sentences = ["This is a star and moon.", "This is an oak.", "This will sink.", "It is grim."]
    assert _bare_words(sentences) == ["star and moon", "oak", "sink"]


def test_files_that_do_not_read(folder, write, failure):
    write("cut.jsonl", '{"targ1": ')
    assert "cut.jsonl:1:11: no valid JSON" in failure("sent-bias:cut.jsonl")
    write("three.jsonl", json.dumps({k: v for k, v in WORDS.items() if k != "attr2"}))
    assert "lacks attr2" in failure("sent-bias:three.jsonl")
    write("none.jsonl", json.dumps({**WORDS, "attr2": {"category": "c", "examples": []}}))
    assert "examples of attr2 are not a list of texts" in failure("sent-bias:none.jsonl")
    assert "holds no such test" in failure(f"sent-bias:{folder}#tests=weat3")


def test_a_folder_without_tests(tmp_path, failure):
    assert "holds no tests" in failure(f"sent-bias:{tmp_path}")


ROW = {"text": "An oak.", "set": "X", "test": "t", "start": "3", "end": "6"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"set": "Z"}, "it is X, Y, A or B"),
        ({"end": "9"}, "is not inside the text"),
        ({"end": ""}, "of start and end, one is missing"),
        ({"start": "x"}, "start is 'x', not a number"),
    ],
)
def test_rows_of_ones_own_that_do_not_read(change, reason):
    data = load_dataset([ROW, {**ROW, **change}], task="association-test")
    assert reason in data.bad_rows[0].reason
    assert data.examples[0].attributes["u_word"] == "An oak."
    assert data.examples[0].attributes["a_end"] == 6.0
