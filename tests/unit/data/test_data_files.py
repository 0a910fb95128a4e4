import gzip

import pytest


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


def test_compressed_files_are_named(write, failure):
    write("d.csv", gzip.compress(b"text,label\n" * 10))
    assert "compressed (gzip)" in failure("csv:d.csv")


def test_utf16_is_recognized(write, failure):
    write("d.csv", "text,label\nCafé,x\n".encode("utf-16"))
    assert "is UTF-16: add encoding=utf-16 to" in failure("csv:d.csv")


def test_wrong_stated_encoding(write, failure):
    write("d.csv", "text,label\nCafé,x\n".encode())
    assert "is not ascii" in failure("csv:d.csv#encoding=ascii")


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-32"])
def test_wide_encodings_are_told_by_their_zeros_or_their_mark(write, failure, name):
    write("d.csv", "text,label\nCaf\u00e9,x\n".encode(name))
    assert f"is {name.upper()}: add encoding={name} to" in failure("csv:d.csv")
    assert f"add encoding={name} to" in failure("csv:d.csv#encoding=latin-1")


def test_utf_16_without_its_mark_is_told_what_to_write(write, failure):
    write("d.csv", "text,label\nCaf\u00e9,x\n".encode("utf-16-le"))
    found = failure("csv:d.csv#encoding=utf-16")
    assert "it has no byte order mark. If it is utf-16, state" in found
