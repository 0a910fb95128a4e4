import bz2
import gzip
import lzma
import tracemalloc

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
    head = b"text,label\n" + b"fine,x\n" * 50_000
    write("d.csv", head + b"b\xffd,x\n")
    assert f"offset {len(head) + 1} (line 50002)" in failure("csv:d.csv")


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


@pytest.mark.parametrize(
    ("head", "name"), [(b"PK\x03\x04\xff", "zip"), (b"\x28\xb5\x2f\xfd\xff", "zstandard")]
)
def test_other_archives_are_named(write, failure, head, name):
    write("d.csv", head * 20)
    assert f"compressed ({name}): unpack it first" in failure("csv:d.csv")
