import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.source import OPTIONS, READING, DataSource, known_options, parse_source, schemes


def test_parts():
    source = parse_source("csv:~/a b/dev.csv#text=sentence,label=y,quote=none")
    assert source.scheme == "csv"
    assert source.target == "~/a b/dev.csv"
    assert dict(source.options) == {"text": "sentence", "label": "y", "quote": "none"}
    assert source.path.is_absolute()


def test_round_trip():
    text = "hf:glue/sst2:validation[:200]@main#text=sentence,label=label"
    assert str(parse_source(text)) == text
    assert str(parse_source("builtin:reviews")) == "builtin:reviews"


@pytest.mark.parametrize("path", [r"C:\data\dev.csv", "C:/data/dev.csv", "dev.csv", "./x/dev.CSV"])
def test_bare_paths_are_read_by_suffix(path):
    source = parse_source(path)
    assert (source.scheme, source.target) == ("csv", path)


def test_windows_drive_after_scheme():
    assert parse_source(r"tsv:C:\data\dev.txt#text=a").target == r"C:\data\dev.txt"


def test_only_the_first_hash_separates():
    source = parse_source("tsv:msr.tsv#text=#1 String,text_pair=#2 String")
    assert source.option("text") == "#1 String"
    assert source.option("text_pair") == "#2 String"


def test_percent_signs_are_decoded_after_splitting():
    source = parse_source("csv:a.csv#group=a%7Cb|c%2Cd,text=100%25")
    assert source.columns("group") == ("a|b", "c,d")
    assert source.option("text") == "100%"


def test_stating_writes_names_that_read_back():
    stated = DataSource("csv", "a.csv", {"label": "y"}).stating({"text": "x, 100%|z"})
    assert parse_source(str(stated)).option("text") == "x, 100%|z"
    assert parse_source(str(stated)).option("label") == "y"


def test_unknown_scheme_lists_schemes_and_near_names():
    with pytest.raises(DataError) as caught:
        parse_source("jsnl:dev.jsonl")
    message = str(caught.value)
    assert "'jsnl'" in message
    assert "Did you mean" in message
    assert all(scheme in message for scheme in schemes())


def test_unknown_suffix_lists_schemes():
    with pytest.raises(DataError, match=r"neither a known scheme nor a known suffix.*csv, dream"):
        parse_source("dev.xls")


def test_the_example_fits_what_stands_there(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(DataError, match=r"for example text:\S+a\.txt"):
        parse_source(str(tmp_path / "a.txt"))
    (tmp_path / "a.ann").write_text("")
    with pytest.raises(DataError, match=r"for example brat:\S+a\.txt"):
        parse_source(str(tmp_path / "a.txt"))


def test_addresses_are_not_fetched():
    with pytest.raises(DataError, match="fetches no files"):
        parse_source("https://example.org/dev.csv")


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("csv:dev.csv#sentence", "'sentence' is no option"),
        ("csv:dev.csv#txt=a", "Did you mean text"),
        ("csv:dev.csv#text=a,text=b", "'text' occurs twice"),
        ("csv:", "has no path or name after"),
    ],
)
def test_options_that_do_not_read(text, phrase):
    with pytest.raises(DataError) as caught:
        parse_source(text)
    assert phrase in str(caught.value)


def test_every_reader_has_a_scheme():
    assert schemes() == [
        *(
            "agreement",
            "arrow",
            "aspects",
            "brat",
            "builtin",
            "conll",
            "conll2012",
            "conllu",
            "contrast",
            "crows-pairs",
            "csv",
        ),
        *(
            "dream",
            "eraser",
            "gap",
            "head-scores",
            "hf",
            "json",
            "jsonl",
            "negation",
            "parallel",
            "parquet",
        ),
        *("relations", "segmented", "senses", "sent-bias", "spans", "squad"),
        *("stereoset", "suite", "text", "tsv", "winograd", "xlsx"),
    ]


def test_every_option_says_what_it_is_for():
    assert all(OPTIONS.values())
    options = known_options("stereoset")
    assert all(options.values())
    assert {*OPTIONS, "more", "kind"} - READING <= set(options)
    assert "control" not in known_options("stereoset")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("csv:dev.csv#config=x", "config"),
        ("parquet:dev.parquet#encoding=latin-1", "encoding"),
        ("jsonl:dev.jsonl#field=rows", "field"),
        ("builtin:reviews#header=none", "header"),
        ("hf:glue#quote=none", "quote"),
    ],
)
def test_options_of_other_readers_are_refused(text, name):
    scheme = text.partition(":")[0]
    with pytest.raises(DataError, match=f"no option '{name}' of {scheme}:"):
        parse_source(text)


def test_every_way_of_reading_belongs_to_a_reader():
    there = set(OPTIONS)
    for scheme in schemes():
        there -= set(known_options(scheme))
    assert not there
    assert "encoding" in known_options("stereoset")
