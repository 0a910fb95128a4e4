import datetime

import pytest

from scrutiny.data.dataset import load_dataset


def rows(source, **options):
    data = load_dataset(source, **options)
    return [(e.text, e.gold, e.source) for e in data.examples]


def test_csv_lines_are_physical(write):
    write("d.csv", 'text,label\na,x\n"b\nover\nlines",y\n\n"c, ""quoted""",x\n')
    assert rows("csv:d.csv") == [
        ("a", "x", "d.csv:2"),
        ("b\nover\nlines", "y", "d.csv:3"),
        ('c, "quoted"', "x", "d.csv:7"),
    ]


def test_csv_with_carriage_returns_and_byte_order_mark(write):
    write("d.csv", b"\xef\xbb\xbftext,label\r\na,x\r\n\r\nb,y\r\n")
    assert rows("d.csv") == [("a", "x", "d.csv:2"), ("b", "y", "d.csv:4")]


def test_tsv_is_not_quoted(write):
    write("d.tsv", 'sentence\tlabel\n"an open quote\t1\nit is 5" long\t0\nstray\rreturn \t1\r\n')
    assert rows("tsv:d.tsv") == [
        ('"an open quote', "1", "d.tsv:2"),
        ('it is 5" long', "0", "d.tsv:3"),
        ("stray\rreturn ", "1", "d.tsv:4"),
    ]


def test_tsv_is_quoted_on_demand(write):
    write("d.tsv", 'text\tlabel\n"a\tb"\t1\n')
    assert rows("tsv:d.tsv#quote=double") == [("a\tb", "1", "d.tsv:2")]


def test_csv_without_quotes_on_demand(write):
    write("d.csv", 'text,label\n"a,1\n')
    assert rows("csv:d.csv#quote=none") == [('"a', "1", "d.csv:2")]


def test_no_header(write):
    write("d.csv", "1,first\n0,second\n")
    assert rows("csv:d.csv#header=none,text=-1,label=0") == [
        ("first", "1", "d.csv:1"),
        ("second", "0", "d.csv:2"),
    ]


@pytest.mark.parametrize("option", ["semicolon", ";"])
def test_delimiter(write, option):
    write("d.csv", "text;label\na, b;x\n")
    assert rows(f"csv:d.csv#delimiter={option}") == [("a, b", "x", "d.csv:2")]


def test_other_encoding(write):
    write("d.csv", "text,label\nCafé,x\n".encode("latin-1"))
    assert rows("csv:d.csv#encoding=latin-1")[0][0] == "Café"
    write("e.csv", "text,label\nCafé,x\n".encode("utf-16"))
    assert rows("csv:e.csv#encoding=utf-16")[0][0] == "Café"


def test_very_long_fields(write):
    long = "word " * 60_000
    write("d.csv", f"text,label\n{long},x\n")
    assert rows("csv:d.csv")[0][0] == long


def test_rows_of_the_wrong_width_are_bad(write):
    write("d.csv", "text,label\na,x\nb, and more,y\nonly\nc,x\n")
    data = load_dataset("csv:d.csv")
    assert [e.text for e in data.examples] == ["a", "c"]
    assert [(b.source, b.reason) for b in data.bad_rows] == [
        ("d.csv:3", "the row has 3 columns, the header 2"),
        ("d.csv:4", "the row has 1 columns, the header 2"),
    ]


def test_unclosed_quote_says_what_it_swallowed(write):
    write("d.csv", 'text,label\na,x\n"never closed,y\nc,x\nd,x\n')
    data = load_dataset("csv:d.csv")
    assert [e.text for e in data.examples] == ["a"]
    (bad,) = data.bad_rows
    assert bad.source == "d.csv:3"
    assert "never closed" in bad.reason
    assert "up to 5" in bad.reason
    assert "quote=none" in bad.reason


def test_text_after_a_quote_is_bad_and_reading_goes_on(write):
    write("d.csv", 'text,label\n"a"b,x\nc,y\n')
    data = load_dataset("csv:d.csv")
    assert [e.source for e in data.examples] == ["d.csv:3"]
    assert "closing quotation mark" in data.bad_rows[0].reason


def test_wrong_delimiter_is_suggested(write, failure):
    write("d.csv", "text;label\na;x\n")
    assert "delimiter=semicolon" in failure("csv:d.csv")


def test_header_with_a_name_twice(write, failure):
    write("d.csv", "text,text,label\na,b,x\n")
    assert "'text' twice" in failure("csv:d.csv")


@pytest.mark.parametrize("option", ["quote=single", "delimiter=tabs", "encoding=utf-9"])
def test_option_values(write, failure, option):
    write("d.csv", "text,label\na,x\n")
    assert option.partition("=")[2] in failure(f"csv:d.csv#{option}")


def test_blank_file_and_bare_header(write, failure):
    write("d.csv", "\n\n")
    assert "is empty" in failure("csv:d.csv")
    write("e.csv", "text,label\n")
    assert "holds no rows" in failure("csv:e.csv")


def test_stray_carriage_return_in_csv_is_bad(write):
    write("d.csv", "text,label\na\rb,x\nc,y\n")
    data = load_dataset("d.csv")
    assert [e.source for e in data.examples] == ["d.csv:3"]
    assert data.bad_rows[0].reason == "a carriage return is in an unquoted field"


def test_header_that_does_not_read(write, failure):
    write("d.csv", '"text,label\na,x\n')
    assert "d.csv:1: the header cannot be read: a quotation mark" in failure("d.csv")


def test_index_past_the_last_column(write, failure):
    write("d.csv", "1,first\n")
    assert "no column '2' (asked for by text=)" in failure("csv:d.csv#header=none,text=2")


def workbook(path, **sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in sheets.items():
        sheet = book.create_sheet(name)
        for row in cells:
            sheet.append(row)
    book.save(path)
    return path


@pytest.mark.extra("xlsx")
def test_a_sheet_of_a_workbook(tmp_path):
    cells = [
        ["text", "label", "day", None],
        ["Grüße", 1, datetime.date(2026, 1, 2), None],
        [None, None, None],
        ["b", None, None],
        [None, 0, None],
        ["c", 0, None, "more"],
        ["d", 0],
    ]
    path = workbook(tmp_path / "d.xlsx", Sheet=cells)
    data = load_dataset(f"{path}#group=day")
    assert [(e.text, e.gold, e.source[-2:]) for e in data.examples] == [
        ("Grüße", "1", ":2"),
        ("d", "0", ":7"),
    ]
    assert data.examples[0].attributes["a_day"].startswith("2026-01-02")
    assert [bad.reason for bad in data.bad_rows] == [
        "label is missing",
        "text is missing",
        "the row has 4 columns, the header 3",
    ]


@pytest.mark.extra("xlsx")
def test_a_sheet_is_named_where_there_are_several(tmp_path, failure):
    rows = [["text", "label"], ["a", "x"]]
    path = workbook(tmp_path / "d.xlsx", one=rows, two=[["text", "label"], ["b", "y"]])
    assert [e.text for e in load_dataset(f"{path}#sheet=two").examples] == ["b"]
    assert "has several sheets: it has one, two" in failure(str(path))
    assert "has no sheet 'three'" in failure(f"{path}#sheet=three")
    (tmp_path / "e.xlsx").write_text("text,label\n")
    assert "is no Excel workbook" in failure(str(tmp_path / "e.xlsx"))
