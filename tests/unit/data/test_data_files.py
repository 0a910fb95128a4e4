import bz2
import gzip
import io
import lzma
import tracemalloc
import zipfile

import pytest

from scrutiny.data.dataset import load_dataset
from scrutiny.data.readers.files import lines
from scrutiny.data.source import parse_source


def test_missing_file_shows_what_is_beside_it(write, failure):
    write("dev.csv", "text,label\na,x\n")
    message = failure("csv:deb.csv")
    assert "no file 'deb.csv'" in message
    assert "dev.csv" in message


def test_missing_folder(tmp_path, failure):
    assert "does not exist either" in failure(f"csv:{tmp_path}/nowhere/dev.csv")


def test_folder(write, tmp_path, failure):
    write("dev.csv", "text,label\na,x\n")
    message = failure(f"csv:{tmp_path}")
    assert "is a folder" in message
    assert "dev.csv" in message


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.jsonl", "d.json", "d.parquet", "d.conll"])
def test_empty_file(write, failure, name):
    write(name, b"")
    assert f"{name} is empty (0 bytes)" in failure(name)


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.jsonl", "d.json", "d.conll"])
def test_not_utf8_says_the_offset(write, failure, name):
    write(name, b"text\tlabel\ncaf\xe9\tx\n")
    message = failure(name)
    assert "not UTF-8" in message
    assert "0xe9 at offset 14 (line 2)" in message
    assert "encoding=latin-1" in message


def test_offset_is_of_the_file_even_far_in(write, failure):
    head = b"text,label\n" + b"fine,x\n" * 20_000
    write("d.csv", head + b"b\xffd,x\n")
    assert f"offset {len(head) + 1} (line 20002)" in failure("csv:d.csv")


@pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_compressed_files_are_unpacked_while_they_are_read(write, failure, suffix, pack):
    rows = "text,label\nGr\u00fc\u00dfe,a\nb,b\n".encode()
    write(f"d.csv.{suffix}", pack(rows))
    write(f"d.jsonl.{suffix}", pack(b'{"text": "a", "label": "x"}\n'))
    write("named.csv", pack(rows))
    assert [e.text for e in load_dataset(f"d.csv.{suffix}").examples] == ["Gr\u00fc\u00dfe", "b"]
    assert [e.gold for e in load_dataset(f"d.jsonl.{suffix}").examples] == ["x"]
    assert len(load_dataset("csv:named.csv").examples) == 2
    write("cut.csv", pack(rows * 50)[:-12])
    assert "cut off or damaged" in failure("csv:cut.csv")
    write("latin.csv", pack(b"text,label\n\xe9t\xe9,a\n"))
    assert "byte 0xe9 at offset 11 (line 2)" in failure("csv:latin.csv")


def test_a_packed_file_is_read_by_lines(write, monkeypatch):
    write("d.jsonl.gz", gzip.compress(b'{"text": "a", "label": "x"}\n' * 200_000))
    found = lines(parse_source("d.jsonl.gz"))
    tracemalloc.start()
    assert sum(1 for _ in found) == 200_000
    assert tracemalloc.get_traced_memory()[1] < 1_000_000  # of 5.6 MB
    tracemalloc.stop()


XLSX = io.BytesIO()
with zipfile.ZipFile(XLSX, "w") as packed:
    packed.writestr("xl/workbook.xml", "<x/>")


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (b"PAR1\x15\x04", "is a Parquet file: parquet:d.{} reads it"),
        (b"ARROW1\x00\x00", "is an Arrow file (Feather): arrow:d.{} reads it"),
        (XLSX.getvalue(), "is an Excel workbook: xlsx:d.{} reads it"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a file of an old Office, such as .xls"),
        (b"SQLite format 3\x00", "is a database of SQLite"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "is a pointer of Git LFS"),
        (b"<!DOCTYPE html><html>", "is a web page"),
    ],
)
def test_a_file_of_another_format_names_its_reader(write, failure, head, says):
    for scheme in ("csv", "jsonl", "conll"):
        write(f"d.{scheme}", head)
        assert says.format(scheme) in failure(f"d.{scheme}")
    write("d.odd", head)
    assert says.format("odd") in failure("d.odd")
    if b"LFS" in head:
        write("d.parquet", head)
        assert says in failure("d.parquet")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("d.parquet", '{"text": "a"}\n', "is a text, which jsonl:d.parquet may read"),
        ("d.arrow", "text,label\na,b\n", "is a text, which csv:d.arrow may read"),
        ("d.xlsx", "text\tlabel\na\tb\n", "is a text, which tsv:d.xlsx may read"),
        ("d.csv", '{"text": "a", "label": "x"}\n', "holds JSON: jsonl:d.csv reads it"),
        ("d.tsv", '[{"text": "a", "label": "x"}]\n', "holds JSON: json:d.tsv reads it"),
        ("e.csv", '{"data": [{"paragraphs": []}], "v": 1}\n', "holds JSON: squad:e.csv reads"),
        ("d.jsonl", "text,label\na,b\n", "holds no JSON, but columns: csv:d.jsonl reads it"),
        ("e.jsonl", '{"data": [{"paragraphs": []}]}\n', "squad:e.jsonl reads it"),
        ("d.conll", "1\tA" + "\t_" * 8 + "\n", "it is CoNLL-U, whose trees conllu: reads"),
        ("d.conllu", "Ada B-PER\n", "a token and its tag on each line are conll:"),
    ],
)
def test_a_text_of_another_format_names_its_reader(write, failure, name, text, says):
    write(name, text)
    assert says in failure(name)


def test_what_only_begins_like_another_format_is_read(write):
    write("d.csv", "PAR1,label\nARROW1,a\n{x},b\n")
    assert len(load_dataset("d.csv#text=PAR1").examples) == 2
    write("e.csv", '{"text",label\na,b\n')
    assert load_dataset('csv:e.csv#text={"text",quote=none').examples[0].text == "a"


@pytest.mark.parametrize(
    ("head", "name"), [(b"PK\x03\x04\xff", "zip"), (b"\x28\xb5\x2f\xfd\xff", "zstandard")]
)
def test_other_archives_are_named(write, failure, head, name):
    write("d.csv", head * 20)
    assert f"compressed ({name}): unpack it first" in failure("csv:d.csv")
