"""CoNLL-2012, on documents of our own and on LitBank."""

import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset


def lines(name, *sentences, part=0, sep="\t"):
    """A document; a word is followed by its brackets behind a slash."""
    text = f"#begin document ({name}); part {part:03}\n"
    for sentence in sentences:
        for i, cell in enumerate(sentence.split()):
            word, _, bracket = cell.partition("/")
            none = "" if sep == "\t" else "-"
            text += sep.join([name, str(part), str(i), word, "_", bracket or none]) + "\n"
        text += "\n"
    return text + "#end document\n"


IDA = ("Ida/(0) saw the/(1 friend of her/(0)|(2 aunt/2)|1) .", "She/(0) waved .")


def mentions(example):
    return [[example.text[a:b] for a, b in c] for c in example.gold.clusters]


@pytest.mark.parametrize("sep", ["\t", "   "])
def test_documents_of_a_file(write, sep):
    write("x.conll", lines("one", *IDA, sep=sep) + lines("two", "Nobody/(7)", part=3, sep=sep))
    data = load_dataset("conll2012:x.conll")
    assert (data.task, data.bad_rows) == ("coreference", ())
    first, second = data.examples
    assert first.text == "Ida saw the friend of her aunt . She waved ."
    assert mentions(first) == [["Ida", "her", "She"], ["the friend of her aunt"], ["her aunt"]]
    assert first.tokens["text"][:2] == ((0, 3), (4, 7))
    assert [e.id for e in data.examples] == ["one", "two/3"]
    assert [e.attributes["u_document"] for e in data.examples] == ["one", "two"]
    assert (first.source, second.source) == ("x.conll:2", "x.conll:17")


def test_files_of_a_folder_by_name(write, tmp_path):
    (tmp_path / "d").mkdir()
    write("d/b.conll", lines("b", "He/(0) ran"))
    write("d/a.v4_gold_conll", lines("a", "She/(0) ran"))
    write("d/readme.md", "nothing")
    data = load_dataset("conll2012:d")
    assert [(e.id, e.source) for e in data.examples] == [
        ("a", "d/a.v4_gold_conll:2"),
        ("b", "d/b.conll:2"),
    ]


def test_windows_end_with_sentences_and_keep_their_document(write):
    write("x.conll", lines("one", *IDA, "Ida/(0) left ."))
    data = load_dataset("conll2012:x.conll#window=6")
    assert [e.text for e in data.examples] == [
        "Ida saw the friend of her aunt .",  # a sentence longer than the window is whole
        "She waved . Ida left .",
    ]
    assert mentions(data.examples[1]) == [["She", "Ida"]]
    assert [e.id for e in data.examples] == ["one/1", "one/2"]
    assert {e.attributes["u_document"] for e in data.examples} == {"one"}


def test_a_file_without_marks_of_documents_is_one(write):
    write("x.conll", "x\t0\t0\tShe\t(0)\nx\t0\t1\tran\t\n")
    (example,) = load_dataset("conll2012:x.conll").examples
    assert (example.id, mentions(example)) == ("x", [["She"]])


def test_nested_mentions_of_one_cluster(write):
    write("x.conll", lines("one", "the/(0 man/(0 himself/0)|0)"))
    (example,) = load_dataset("conll2012:x.conll").examples
    assert mentions(example) == [["the man himself", "man himself"]]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Ida/(0 saw her", "one: a mention of the cluster 0 has no end"),
        ("Ida/0) saw her", "one: word 1 ends a mention that nothing begins"),
        ("Ida/0 saw her", "one: word 1 has '0', no bracket of coreference"),
        ("Ida/(0)|x saw", "one: word 1 has 'x', no bracket of coreference"),
        ("Ida/(0)|(1) saw", "clusters: the gold answer has the mention text[0:3] twice"),
    ],
)
def test_documents_that_do_not_read_are_named(write, sentence, reason):
    write("x.conll", lines("one", sentence) + lines("two", *IDA))
    data = load_dataset("conll2012:x.conll")
    assert [e.id for e in data.examples] == ["two"]
    assert [bad.reason for bad in data.bad_rows] == [reason]


def test_too_few_columns(write):
    write("x.conll", "Ida\t(0)\n\n" + lines("two", *IDA))
    (bad,) = load_dataset("conll2012:x.conll").bad_rows
    assert bad.reason == "x: word 1 has too few columns for CoNLL-2012"


def test_options_and_folders_that_cannot_be(write, tmp_path):
    write("x.conll", lines("one", *IDA))
    with pytest.raises(DataError, match=r"window=few .* it is a number of words"):
        load_dataset("conll2012:x.conll#window=few")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no file whose name ends with conll"):
        load_dataset("conll2012:empty")


@pytest.mark.data("litbank_coref")
def test_litbank(shared):
    data = load_dataset(f"conll2012:{shared / 'litbank_coref'}")
    assert (len(data.examples), data.bad_rows) == (100, ())
    golds = [example.gold for example in data.examples]
    assert sum(len(example.tokens["text"]) for example in data.examples) == 210_532
    assert sum(len(gold.mentions) for gold in golds) == 29_103
    assert sum(len(gold.clusters) for gold in golds) == 7_927
    assert sum(len(c) == 1 for gold in golds for c in gold.clusters) == 5_763
