"""The two readings of transformations: sheets that give nothing away, and their tally."""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "reading_sheets.py"
TEXTS = [
    f"The {word} film lasts 20 hours, and they don't care."
    for word in "old new big odd sad".split()
]


@pytest.fixture(scope="module")
def tool():
    spec = spec_from_file_location("reading_sheets", TOOL)
    module = module_from_spec(spec)
    sys.modules["reading_sheets"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def drawn(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    texts = folder / "texts.txt"
    texts.write_text("\n".join(TEXTS), encoding="utf-8")
    rows = [row for name in ("typos", "contraction") for row in tool.drawn(name, [(TEXTS, 4)], 3)]
    return [*rows, *tool.unchanged([(TEXTS, 1)], 2, 3)]


def test_every_output_differs_and_an_unchanged_text_does_not(drawn):
    assert sum(row.transformation is None for row in drawn) == 2
    assert len({row.id for row in drawn}) == len(drawn) == 10
    assert all((row.before == row.after) == (row.transformation is None) for row in drawn)


def test_the_sheets_hold_every_row_once_and_are_of_one_size(tool, drawn):
    sheets = tool.sheets_of(drawn, 3, 3)
    assert sorted(row for sheet in sheets for row in sheet) == sorted(drawn, key=lambda r: r[:1])
    assert sorted(map(len, sheets)) == [3, 3, 4]


def test_a_second_file_gives_what_the_first_cannot(tool):
    found = tool.drawn("number_swap", [(["no number"], 2), (TEXTS, 1)], 0)
    assert len(found) == 3


def test_what_is_written_names_no_transformation(tool, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(TEXTS), encoding="utf-8")
    out = tmp_path / "out"
    tool.main(["draw", "--texts", f"{texts}=1", "--out", str(out), "--sheets", "2"])
    sheets = [json.loads(line) for n in (1, 2) for line in read(out / f"sheet-{n}.jsonl")]
    key = [json.loads(line) for line in read(out / "key.jsonl")]
    assert {row["id"] for row in sheets} == {row["id"] for row in key}
    assert {tuple(row) for row in sheets} == {("id", "text_before", "text_after", "claim")}
    assert "typos" not in (out / "INSTRUCTIONS.md").read_text(encoding="utf-8")
    assert any("[" in line for line in read(out / "named.txt"))


def test_items_are_shown_with_their_right_answer(tool, tmp_path):
    data = tmp_path / "aspects.jsonl"
    rows = [
        {
            "text": f"The {word} food.",
            "aspect": "food",
            "label": label,
            "opinions": [[4, 4 + len(word)]],
        }
        for word, label in (("great", "positive"), ("awful", "negative"), ("cold", "conflict"))
    ]
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    out = tmp_path / "out"
    tool.main(
        ["draw", "--only", "--transformation", "reverse_opinion", "--data", f"jsonl:{data}=3",
         "--out", str(out), "--sheets", "1", "--unchanged", "0.4"]
    )  # fmt: skip
    sheet = [json.loads(line) for line in read(out / "sheet-1.jsonl")]
    changed = {
        one["text_after"]: one["claim"] for one in sheet if one["text_after"] != one["text_before"]
    }
    assert changed == {
        "The terrible food. || food": "right is negative",
        "The excellent food. || food": "right is positive",
    }
    assert len(sheet) == 3


def read(path):
    return path.read_text(encoding="utf-8").splitlines()


def test_the_tally_by_hand(tool):
    key = {"1": "a", "2": "a", "3": "a", "4": "a", "5": None, "6": "b"}
    first = {"1": True, "2": True, "3": False, "4": True, "6": True}
    second = {"1": True, "2": False, "3": False, "4": True, "5": True, "6": True}
    a, b, everything, same = tool.tallied(key, first, second)
    assert (a.n, a.first, a.second, a.agreement) == (4, 3, 2, 0.75)
    assert a.kappa == pytest.approx((0.75 - 0.5) / 0.5)
    assert (b.n, b.kappa) == (1, None)  # no variation, no kappa
    assert (everything.n, everything.first, everything.second) == (5, 4, 3)
    assert (same.name, same.n, same.first, same.second) == ("unchanged texts", 1, None, 1)


def test_the_table_has_wilsons_interval(tool):
    table = tool.as_table([tool.Line("a", 10, 9, 10, 0.9, None)])
    assert table[-1] == "| a | 10 | 90 % [60, 98] | 100 % [72, 100] | 90 % | – |"


def test_rows_that_only_one_has_read_are_left_out(tool):
    (line, *_) = tool.tallied({"1": "a", "2": "a"}, {"1": True}, {"1": True, "2": False})
    assert (line.n, line.second) == (1, 1)


def test_strangers_and_doubles_end_it(tool, tmp_path):
    with pytest.raises(SystemExit, match="not in the key"):
        tool.tallied({"1": "a"}, {"2": True}, {})
    path = tmp_path / "rated.jsonl"
    path.write_text('{"id": "1", "fit": true}\n{"id": "1", "fit": true}\n', encoding="utf-8")
    with pytest.raises(SystemExit, match="twice"):
        tool.ratings_of([path])
    path.write_text('{"id": "1", "fit": "yes"}\n', encoding="utf-8")
    with pytest.raises(SystemExit, match="true or false"):
        tool.ratings_of([path])


CONLL = """Ada	B-PER
met	O
Tom	B-PER
Hanks	I-PER
in	O
Rome	B-LOC

Bo	B-PER
left	O
"""
RELATION = """1	"The <e1>doctor</e1> came from the <e2>village</e2>."
Entity-Origin(e1,e2)
Comment:
"""
CONLLU = """1	She	she	PRON	PRP	_	2	nsubj	_	_
2	saw	see	VERB	VBD	_	0	root	_	_
3	a	a	DET	DT	_	4	det	_	_
4	doctor	doctor	NOUN	NN	_	2	obj	_	_
"""


@pytest.mark.parametrize(
    ("file", "text", "name", "claims"),
    [
        (
            "names.conll",
            CONLL,
            "concatenate",
            {
                "in it: Ada (PER), Tom Hanks (PER), Rome (LOC), Bo (PER)",
                "in it: Bo (PER), Ada (PER), Tom Hanks (PER), Rome (LOC)",
            },
        ),
        ("tree.conllu", CONLLU, "ambiguous_word(tags=NN)", None),
        ("cut.segmented", "超市 关门", "abbreviation", {"its words: 超级 | 市场 | 关门"}),
        ("two.relations", RELATION, "marked_noun_swap", {"right is Entity-Origin(e1,e2)"}),
    ],
)
def test_of_data_the_claim_says_what_is_right_of_the_changed_text(
    tool, tmp_path, file, text, name, claims
):
    path = tmp_path / file
    path.write_text(text + "\n", encoding="utf-8")
    data = f"{path.suffix[1:]}:{path}"
    given = ["--data", f"{data}=2", "--only", "--transformation", name, "--sheets", "1"]
    tool.main(["draw", *given, "--out", str(tmp_path), "--unchanged", "0"])
    rows = [json.loads(line) for line in read(tmp_path / "sheet-1.jsonl")]
    said = {row["claim"] for row in rows}
    if claims is None:
        (row,), (claim,) = rows, said
        new = row["text_after"].split()[3]
        assert claim == f"{new} is NN, all other words depend on what they depended on"
    else:
        assert said == claims


def test_of_a_long_text_what_stands_around_edits_and_answers_is_shown(tool, tmp_path):
    path = tmp_path / "squad.jsonl"
    context = f"It began in 1990. {'So it went on. ' * 40}Ada sang in Rome at last."
    row = {"question": "Who sang?", "context": context, "answers": ["Ada"]}
    path.write_text(json.dumps(row), encoding="utf-8")
    out = tmp_path / "out"
    given = ["--data", f"jsonl:{path}=1", "--only", "--transformation", "number_swap", "--around"]
    tool.main(["draw", *given, "20", "--out", str(out), "--sheets", "1", "--unchanged", "0"])
    (line,) = read(out / "sheet-1.jsonl")
    shown = json.loads(line)
    assert shown["text_before"] == (
        "Who sang? || It began in 1990. So it went on. So  […]  on. So it went on. Ada sang in "
        "Rome at las"
    )
    assert shown["claim"] == tool.NOT_SCORED


def test_what_is_right_may_be_rated_apart_from_the_text(tool, tmp_path):
    path = tmp_path / "rated.jsonl"
    path.write_text(
        '{"id": "1", "fit": false, "right": true}\n{"id": "2", "fit": true}\n', encoding="utf-8"
    )
    assert tool.ratings_of([path]) == {"1": False, "2": True}
    assert tool.ratings_of([path], "right") == {"1": True, "2": True}


@pytest.mark.parametrize(
    ("recipe", "claim"),
    [("typos", "keeps"), ("add_fact", "keeps"), ("antonym_swap", "may change")],
)
def test_what_is_claimed_of_a_label_is_what_the_recipe_does_to_it(tool, recipe, claim):
    assert tool.claimed(recipe) == claim
