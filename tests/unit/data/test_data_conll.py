import pytest

from scrutiny.core.example import Span
from scrutiny.data.dataset import load_dataset

SENTENCES = """-DOCSTART- -X- O O

Ada NNP B-PER
met VBD O
Bo NNP B-PER

Nobody NN O
came VBD O
"""


def test_sentences_by_white_space(write):
    write("d.conll", SENTENCES)
    data = load_dataset("conll:d.conll#token=0,tag=-1")
    first, second = data.examples
    assert first.text == "Ada met Bo"
    assert first.gold == (Span("text", 0, 3, "PER"), Span("text", 8, 10, "PER"))
    assert first.tokens == {"text": ((0, 3), (4, 7), (8, 10))}
    assert (first.source, second.source) == ("d.conll:3", "d.conll:7")
    assert second.gold == ()
    assert data.labels == ("PER",)
    assert data.task == "token-tagging"


def test_tabs_blank_lines_with_spaces_and_no_last_line_end(write):
    write("d.conll", "New York\tB-LOC\r\n.\tO\r\n\t\r\n#tag\tO\r\n# \tO")
    data = load_dataset("d.conll")
    assert [e.text for e in data.examples] == ["New York .", "#tag # "]
    assert data.examples[0].gold == (Span("text", 0, 8, "LOC"),)


def test_comments_are_columns(write):
    write(
        "d.conll",
        "# newdoc id = d1\n# sent_id = s-1\n# text = Bo!\n1\tBo\tB-PER\n2\t!\tO\n\n"
        "# sent_id = s-2\n1\tHi\tO\n",
    )
    data = load_dataset("conll:d.conll#token=1,tag=2,id=sent_id")
    assert [e.id for e in data.examples] == ["s-1", "s-2"]
    assert data.examples[0].source == "d.conll:4"


def test_iob1_is_read_and_noted(write):
    write("d.conll", "Ada I-PER\nLove I-PER\nBo B-PER\nin O\nRome I-LOC\n\nHi O\n")
    data = load_dataset("d.conll")
    assert [s.label for s in data.examples[0].gold] == ["PER", "PER", "LOC"]
    assert any("conlleval" in said and said.startswith("1 row has") for said in data.doubts)


def test_bad_sentences_are_left_out_whole(write):
    write("d.conll", "a\tO\nb\n\nc\t3\n\nd\tB-\n\ne\tO\n")
    data = load_dataset("d.conll")
    assert [e.text for e in data.examples] == ["e"]
    assert [b.source for b in data.bad_rows] == ["d.conll:1", "d.conll:4", "d.conll:6"]
    assert data.bad_rows[0].reason == "line 2 has a single column"
    assert "'3' is not a tag" in data.bad_rows[1].reason
    assert "'B-' is not a tag" in data.bad_rows[2].reason


@pytest.mark.parametrize(
    "lines", ["the O\nred B\nhouse I\nfell O\n", "the\tO\nred\tb\nhouse\ti\nfell\to\n"]
)
def test_marks_without_a_type_are_entities_of_one(write, lines):
    write("d.conll", lines)
    data = load_dataset("d.conll")
    assert [(s.start, s.end, s.label) for s in data.examples[0].gold] == [(4, 13, "")]
    assert data.labels == ()


def test_types_without_marks_are_read_and_noted(write):
    write("d.conll", "Ada PER\nLove PER\nin O\nRome LOC\n\nHi O\n")
    data = load_dataset("d.conll")
    assert [s.label for s in data.examples[0].gold] == ["PER", "LOC"]
    assert any("without B- or I-" in said and said.startswith("1 row has") for said in data.doubts)


def test_column_out_of_range(write, failure):
    write("d.conll", SENTENCES)
    assert "too few for token=0,tag=5" in failure("conll:d.conll#tag=5")
    assert "counted from 0" in failure("conll:d.conll#tag=last")


def test_label_map_renames_types(write):
    write("d.conll", "Ada B-PER\n\nRome B-LOC\n")
    data = load_dataset("conll:d.conll#labels=PER:person|LOC:place")
    assert data.labels == ("person", "place")
    assert data.examples[1].gold == (Span("text", 0, 4, "place"),)


def test_tags_in_a_column_of_several_by_their_key(write):
    write(
        "d.conllu",
        "# sent_id = a\n1\tFinn\tFinn\t_\tname=B-PER|SpaceAfter=No\n2-3\tdoesn't\t_\t_\t_\n"
        "2\tdoes\tdo\t_\tname=O\n3\tn't\tnot\t_\t_\n3.1\tx\tx\t_\t_\n",
    )
    data = load_dataset("conll:d.conllu#token=1,key=name")
    (example,) = data.examples
    assert example.text == "Finn does n't"
    assert [(s.start, s.end, s.label) for s in example.gold] == [(0, 4, "PER")]


def test_words_of_several_tokens_have_no_tag_in_any_column(write):
    rows = ["1\tI\tPRON\n", "2-3\tdont\t_\n", "2\tdo\tAUX\n", "3\tnt\tPART\n", "3.1\tx\t_\n"]
    write("d.conllu", "".join(rows))
    (example,) = load_dataset("conll:d.conllu#token=1,tag=2").examples
    assert [span.label for span in example.gold] == ["PRON", "AUX", "PART"]
    write("e.conll", "1-2 B-X\n3.5 O\n")  # numbers that are tokens
    (example,) = load_dataset("conll:e.conll").examples
    assert example.text == "1-2 3.5"
