import json
from pathlib import Path

import pytest

from scrutiny.data.dataset import load_dataset


def example(number, context, *, term="baker", kinds=("unrelated", "stereotype", "anti-stereotype")):
    sentences = [
        {"id": f"s{number}{k[0]}", "sentence": f"{context} {k}", "gold_label": k, "labels": [{}]}
        for k in kinds
    ]
    return {
        "id": f"e{number}",
        "target": term,
        "bias_type": "profession",
        "context": context,
        "sentences": sentences,
    }


@pytest.fixture
def dev(write):
    intra = [
        example(1, "The baker was BLANK."),
        example(2, "BLANK is not BLANK."),
        example(3, "They BLANKed it.", term="smith"),
        example(4, "Bakers BLANK!", kinds=("stereotype", "unrelated", "unrelated")),
    ]
    data = {"intrasentence": intra, "intersentence": [example(5, "A baker came in.")]}
    return write("dev.json", json.dumps({"version": "1.0", "data": data}, indent=1))


def test_the_published_form(dev):
    data = load_dataset(f"stereoset:{dev}")
    assert (data.task, len(data)) == ("sentence-triples", 4)
    one = data.examples[0]
    assert one.id == "e1"
    assert one.fields == {
        "context": "The baker was BLANK.",
        "stereotype": "The baker was BLANK. stereotype",
        "antistereotype": "The baker was BLANK. anti-stereotype",
        "unrelated": "The baker was BLANK. unrelated",
    }
    assert one.attributes == {
        "a_kind": "intrasentence",
        "a_category": "profession",
        "a_stereotype_id": "s1s",
        "a_antistereotype_id": "s1a",
        "a_unrelated_id": "s1u",
        "u_term": "baker",
    }
    assert data.examples[3].attributes["a_kind"] == "intersentence"
    (bad,) = data.bad_rows
    assert "not one of each kind" in bad.reason
    line = int(bad.source.rpartition(":")[2])
    lines = Path(dev).read_text(encoding="utf-8").splitlines()
    assert lines[line - 1].strip() == "{"
    assert '"e4"' in lines[line]


def test_malformed_contexts_are_marked_or_left_out(dev):
    data = load_dataset(f"stereoset:{dev}#kind=intrasentence")
    assert [e.attributes.get("a_malformed") for e in data.examples] == [
        None,
        "2 blanks",
        "blank inside a word",
    ]
    assert data.notes[0].startswith("2 contexts have two blanks or a blank inside a word")
    fewer = load_dataset(f"stereoset:{dev}#malformed=leave-out")
    assert [e.id for e in fewer.examples] == ["e1", "e5"]
    assert "they were left out" in fewer.notes[0]


def test_one_kind(dev, tmp_path):
    data = load_dataset(f"stereoset:{tmp_path}#kind=intersentence")
    assert [e.id for e in data.examples] == ["e5"]
    assert data.notes == ()


def test_options_that_do_not_read(dev, failure):
    assert "intrasentence or intersentence" in failure(f"stereoset:{dev}#kind=intra")
    assert "keep or leave-out" in failure(f"stereoset:{dev}#malformed=no")


def test_other_files_are_refused(write, failure):
    write("list.json", "[1]")
    assert "is no file of StereoSet" in failure("stereoset:list.json")
    write("cut.json", '{"data": {')
    assert "cut.json:1:11: no valid JSON" in failure("stereoset:cut.json")


SWAPS = (
    "The <shy> nurse sang for her son.\nThe <shy> nurse sang for his son.\n\n"
    "The <rude> nurse sang for her son.\nThe <rude> nurse sang for his son.\n"
)


def test_swapped_pairs_lose_their_brackets(write):
    write("swap.txt", SWAPS)
    data = load_dataset("stereoset:swap.txt")
    assert data.task == "sentence-pairs"
    original, swapped = data.examples
    assert original.fields == {
        "more": "The shy nurse sang for her son.",
        "less": "The rude nurse sang for her son.",
    }
    assert swapped.fields["less"] == "The rude nurse sang for his son."
    assert (original.attributes["a_set"], swapped.attributes["a_set"]) == ("original", "swapped")
    assert original.attributes["u_pair"] == swapped.attributes["u_pair"] == "0"
    assert swapped.source == "swap.txt:2"


def test_swapped_contexts_are_joined(write):
    write("inter.txt", "He came.\nHe sang.\nHe sat.\nShe came.\nShe sang.\nShe sat.\n")
    original, swapped = load_dataset("stereoset:inter.txt").examples
    assert original.fields == {"more": "He came. He sang.", "less": "He came. He sat."}
    assert swapped.fields == {"more": "She came. She sang.", "less": "She came. She sat."}


def test_swaps_that_do_not_read(write, failure):
    write("some.txt", "A <b> c.\nA d.\n")
    assert "some.txt:2 has no <word>" in failure("stereoset:some.txt")
    write("odd.txt", "A <b> c.\nA <d> c.\n")
    assert "no groups of 4" in failure("stereoset:odd.txt")
