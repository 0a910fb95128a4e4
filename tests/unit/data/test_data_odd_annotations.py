"""Annotations that cannot be: circles, roots, line ends, numbers; each is a bad row by name."""

import json

import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset


def sentence(*heads, name="s"):
    rows = [
        f"{i}\tw{i}\t_\tNOUN\tNN\t_\t{head}\tdep\t_\t_" for i, head in enumerate(map(str, heads), 1)
    ]
    return "\n".join([f"# sent_id = {name}", *rows, "", ""])


FINE = sentence(0, 1, name="fine")


@pytest.mark.parametrize(
    ("heads", "says"),
    [
        ((2, 1), "through the words 1 'w1', 2 'w2', and no word is the root (head 0)"),
        ((0, 3, 2), "heads go round in a circle, through the words 2 'w2', 3 'w3'"),
        ((2, 3, 1, 0), "through the words 1 'w1', 2 'w2', 3 'w3'"),
        ((3, 1, 2, 1), "and no word is the root"),  # with a word that hangs on the circle
        ((2, 3, 4, 5, 1), "3 'w3', 4 'w4' and others"),
        (("9" * 5000, 0), "word 1 has a head of 5000 digits"),
        (("-1", 0), "word 1 has the head '-1', which is no number"),
    ],
)
def test_a_sentence_that_is_no_tree_is_a_bad_row(write, heads, says):
    data = load_dataset(f"conllu:{write('d.conllu', sentence(*heads) + FINE)}")
    assert [e.id for e in data.examples] == ["fine"]
    (bad,) = data.bad_rows
    assert bad.source == "d.conllu:2"
    assert says in bad.reason
    assert len(bad.reason) < 200


def test_two_roots_are_a_doubt_and_are_read(write):
    data = load_dataset(f"conllu:{write('d.conllu', sentence(0, 0, 1) + FINE)}")
    assert len(data.examples) == 2
    assert not data.bad_rows
    assert any("no root or several" in said for said in data.doubts)


def test_a_circle_is_refused_in_other_formats(write):
    rows = [
        {"words": ["a", "b"], "heads": heads, "relations": ["x", "y"]} for heads in ([2, 1], [0, 1])
    ]
    name = write("d.jsonl", "\n".join(map(json.dumps, rows)))
    data = load_dataset(f"jsonl:{name}#task=dependency-arcs")
    assert len(data.examples) == 1
    assert "round in a circle" in data.bad_rows[0].reason


def test_a_word_without_a_head_ends_the_way(write):
    rows = [{"words": ["a", "b"], "heads": [None, 1], "relations": ["", "y"]}]
    name = write("d.jsonl", "\n".join(map(json.dumps, rows)))
    assert len(load_dataset(f"jsonl:{name}#task=dependency-arcs").examples) == 1


FORMATS = {
    "conllu": ("conllu:d.conllu", sentence(0, 1, name="a") + sentence(2, 0, name="b") + FINE),
    "conll": ("conll:d.conll", "A\tO\nB\tB-X\n\nC\tO\n\nD\tO\n"),
    "conll2012": (
        "conll2012:d.conll",
        "".join(
            f"#begin document (d{i}); part 000\nd{i} 0 0 He - - (1)\nd{i} 0 1 ran - - -\n\n"
            "#end document\n"
            for i in range(3)
        ),
    ),
    "csv": ("csv:d.csv", "text,label\none,a\ntwo,b\nthree,a\n"),
    "tsv": ("tsv:d.tsv", "text\tlabel\none\ta\ntwo\tb\nthree\ta\n"),
    "jsonl": ("jsonl:d.jsonl", "".join(f'{{"text": "t{i}", "label": "a"}}\n' for i in range(3))),
    "text": ("text:d.txt", "One passage.\nAnother.\nA third.\n"),
    "json": ("json:d.json", '[{"text": "one", "label": "a"},\n{"text": "two", "label": "b"}]\n'),
}


@pytest.mark.parametrize("end", ["\r", "\r\n"])
@pytest.mark.parametrize("name", FORMATS)
def test_line_ends_change_nothing(write, name, end):
    source, text = FORMATS[name]
    file = source.partition(":")[2]
    write(file, text)
    wanted = [(e.fields, e.gold, e.source) for e in load_dataset(source).examples]
    write(file, text.replace("\n", end))
    found = load_dataset(source)
    assert [(e.fields, e.gold, e.source) for e in found.examples] == wanted
    assert not found.bad_rows


@pytest.mark.parametrize("name", ["conllu", "conll", "conll2012"])
def test_mixed_line_ends_lose_no_sentence(write, name):
    source, text = FORMATS[name]
    file = source.partition(":")[2]
    write(file, text)
    wanted = [e.fields for e in load_dataset(source).examples]
    half = text.index("\n\n") + 2
    for first, second in (("\n", "\r"), ("\r", "\n"), ("\r\n", "\r"), ("\r", "\r\n")):
        mixed = text[:half].replace("\n", first) + text[half:].replace("\n", second)
        write(file, mixed)
        assert [e.fields for e in load_dataset(source).examples] == wanted


def test_a_document_without_its_end_is_a_bad_row(write):
    source, text = FORMATS["conll2012"]
    whole = write("d.conll", text)
    assert len(load_dataset(source).examples) == 3
    cut = text.removesuffix("#end document\n")
    write(whole, cut)
    data = load_dataset(source)
    assert len(data.examples) == 2
    assert "no line #end document: the file may be cut off" in data.bad_rows[0].reason
    write(whole, text.replace("#end document\n", "", 1))
    assert [row.source for row in load_dataset(source).bad_rows] == ["d.conll:2"]


def test_documents_without_lines_of_begin_and_end_are_read(write):
    write("d.conll", "d 0 0 He - - (1)\nd 0 1 ran - - -\n")
    assert len(load_dataset("conll2012:d.conll").examples) == 1


def question(**answer):
    asked = {"id": "q", "question": "Who?", "answers": [{"text": "Ada", **answer}]}
    paragraphs = [{"context": "Ada wrote it.", "qas": [asked]}]
    fine = {"id": "f", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}
    paragraphs.append({"context": "Ada wrote it.", "qas": [fine]})
    return json.dumps({"data": [{"title": "t", "paragraphs": paragraphs}]})


@pytest.mark.parametrize("start", ["0", 0.5, True, [0], {"at": 0}, 10**30, -1])
def test_an_answer_start_that_is_no_place_is_a_bad_row(write, start):
    data = load_dataset(f"squad:{write('q.json', question(answer_start=start))}")
    assert [e.id for e in data.examples] == ["f"]
    assert "answer_start is" in data.bad_rows[0].reason or "does not stand" in str(data.bad_rows)


def suite(write, *rows):
    base = {"id": "base", "text": "Fine.", "label": "a"}
    return f"suite:{write('s.jsonl', chr(10).join(map(json.dumps, [base, *rows])))}"


def case(name, of, **more):
    return {"id": name, "text": f"Fine {name}.", "label": "a", "of": of, "expect": "same"} | more


@pytest.mark.parametrize(
    "edits",
    ["not json", "5", "[5]", '[["text", 0]]', '[["text", "a", 1, "b", [], false]]', "{", "[" * 9999,
     '[["text",0,1,"b",[],false]],[]', '[["text",0,1,"b",5,false]]', "9" * 5000],
)  # fmt: skip
def test_edits_that_are_none_are_a_bad_row(write, edits):
    data = load_dataset(suite(write, case("x", "base", edits=edits), case("y", "base")))
    assert [e.id for e in data.examples] == ["base", "y"]
    assert "no JSON list of edits" in data.bad_rows[0].reason


@pytest.mark.parametrize(
    ("rows", "bad"),
    [
        ([case("x", "x")], {3}),
        ([case("x", "y"), case("y", "x")], {3, 4}),
        ([case("x", "y"), case("y", "z"), case("z", "x")], {3, 4, 5}),
        ([case("x", "base", twin_of="x", role="control")], {3}),
        ([case("x", "y"), case("y", "y")], {4}),
    ],
)
def test_cases_of_themselves_are_refused(write, rows, bad):
    data = load_dataset(suite(write, case("fine", "base"), *rows))
    assert {int(row.source.rpartition(":")[2]) for row in data.bad_rows} == bad
    assert all("goes round in a circle" in row.reason for row in data.bad_rows)


def test_whole_items_need_a_task(write):
    row = {"id": "a", "fields": {"text": "Fine."}, "gold": "x", "expect": "gold", "test": "t"}
    name = write("s.jsonl", json.dumps(row) + "\n")
    with pytest.raises(DataError, match=r'as its first line, \{"suite": 1, "task": NAME\}'):
        load_dataset(f"suite:{name}")
    assert load_dataset(f"suite:{name}#task=text-classification").examples[0].id == "a"


HALF = "\ud800"


@pytest.mark.parametrize(
    "more",
    [{"test": HALF}, {"capability": HALF}, {"expect": HALF}, {"group": HALF}, {"id": HALF},
     {"label": HALF}, {"facts": {"a": HALF}}, {"edits": HALF},
     {"made_for": HALF}, {"language": HALF}, {"of": HALF}],
)  # fmt: skip
def test_half_a_surrogate_anywhere_in_a_case_is_a_bad_row(write, more):
    rows = [case("x", "base") | more, case("y", "base")]
    data = load_dataset(suite(write, *rows))
    assert [e.id for e in data.examples] == ["base", "y"]
    assert len(data.bad_rows) == 1


def test_half_a_surrogate_in_a_key_is_a_column_that_cannot_be(write):
    rows = [case("x", "base") | {"facts": {HALF: 1}}, case("y", "base")]
    with pytest.raises(DataError, match=r"a column 'facts\.\\ud800': half a surrogate pair"):
        load_dataset(suite(write, *rows))


@pytest.mark.parametrize("column", ["id", "label", "kind"])
def test_half_a_surrogate_in_a_column_is_a_bad_row(write, column):
    rows = [{"id": f"i{k}", "text": "Fine.", "label": "a", "kind": "k"} for k in range(2)]
    rows[0][column] = f"so{HALF}"
    name = write("d.jsonl", "\n".join(map(json.dumps, rows)))
    data = load_dataset(f"jsonl:{name}#group=kind")
    assert [e.id for e in data.examples] == ["i1"]
    assert "holds half a surrogate pair at character 2" in data.bad_rows[0].reason


def test_half_a_surrogate_in_the_name_of_a_column(write):
    name = write("d.jsonl", json.dumps({"text": "a", "label": "b", HALF: "c"}))
    with pytest.raises(DataError, match="half a surrogate pair"):
        load_dataset(f"jsonl:{name}")


def test_a_long_chain_is_no_circle(write):
    chain = [case(f"x{k}", f"x{k - 1}" if k else "base") for k in range(3000)]
    assert not load_dataset(suite(write, *chain)).bad_rows
    data = load_dataset(suite(write, *chain[1:], case("x0", "x2999"), case("fine", "base")))
    assert len(data.bad_rows) == 3000
    assert len(data.bad_rows[0].reason) < 200
