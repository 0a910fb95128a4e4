"""Formats of files by their first bytes, and names of classes told beside or in a file.

A file that a reader cannot read may be one that another would. Names of numbered classes stand, by
column, in the features of a data set as `datasets` writes them.
"""

import json
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json, parse_json_from

_HEAD: Final = 4096
#: Control characters, which no text begins with.
_CONTROLS: Final = frozenset(range(0x20)) - frozenset(b"\t\n\r\f\x1b")
_UNPACK: Final = "unpack it first. What gzip, bzip2 and xz have packed is read as it is"


def other_format(path: Path, target: str) -> str:
    """Format of a file that is no text, and its reader; empty for what may be text.

    The rest of a sentence that begins with its name.
    """
    head = _head_of(path)
    if head[:4] == b"PAR1" and _is_binary(head):
        return f"is a Parquet file: parquet:{target} reads it"
    if head[:6] == b"ARROW1" and _is_binary(head):
        return f"is an Arrow file (Feather): arrow:{target} reads it"
    if head[:4] == b"PK\x03\x04":
        with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as packed:
            if "xl/workbook.xml" in packed.namelist():
                return f"is an Excel workbook: xlsx:{target} reads it"
        return f"is compressed (zip): {_UNPACK}"
    told = ((magic, said) for magic, said in _TOLD.items() if head.startswith(magic))
    return next((said for _, said in told), "")


def text_format(path: Path, target: str) -> str:
    """Which reader reads a text that was given to a reader of binary files; empty if none is told.

    The rest of a sentence that begins with the file's name.
    """
    head = _head_of(path)
    if not head or _is_binary(head):
        return ""
    start = head.lstrip()[:1]
    scheme = {b"{": "jsonl", b"[": "json"}.get(start, "tsv" if b"\t" in head else "csv")
    return f"is a text, which {scheme}:{target} may read"


def object_format(line: str, target: str) -> str:
    """Which reader reads a file that begins with a JSON object or list; empty for other texts."""
    try:
        value = parse_json_from(line.lstrip(), 0)[0] if line.lstrip()[:1] in ("{", "[") else None
    except (json.JSONDecodeError, ValueError):
        value = None
    if not isinstance(value, dict | list) or not value:
        return ""
    scheme = "json" if isinstance(value, list) else "squad" if is_squad(value) else "jsonl"
    return f"holds JSON: {scheme}:{target} reads it"


def is_squad(value: Any) -> bool:
    """Whether a JSON object holds articles in SQuAD's format."""
    articles = value.get("data") if isinstance(value, dict) else None
    first = articles[0] if isinstance(articles, list) and articles else None
    return isinstance(first, dict) and isinstance(first.get("paragraphs"), list)


def _head_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def _is_binary(head: bytes) -> bool:
    return not _CONTROLS.isdisjoint(head)


#: Beginnings of files that no reader reads, and what to do with them.
_TOLD: Final = {
    b"\x28\xb5\x2f\xfd": f"is compressed (zstandard): {_UNPACK}",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "is a file of an old Office, such as .xls: save it as "
    ".xlsx (xlsx:FILE reads it), or export it as CSV",
    b"SQLite format 3\x00": "is a database of SQLite: export the table as CSV",
    b"version https://git-lfs.github.com/spec/": "is a pointer of Git LFS in place of the file: "
    "fetch the file itself by git lfs pull",
    b"<!DOCTYPE html": "is a web page, perhaps what a failed download left: look at it",
    b"<!doctype html": "is a web page, perhaps what a failed download left: look at it",
    b"<html": "is a web page, perhaps what a failed download left: look at it",
}
#: Files that state them beside files of rows; a folder of several configurations has neither.
_DESCRIPTIONS: Final = ("dataset_info.json", "features.json")


def feature_names(features: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Names of classes by column, from a description of features as plain dicts.

    Examples
    --------
    >>> feature_names({"label": {"_type": "ClassLabel", "names": ["no", "yes"]}})
    {'label': ('no', 'yes')}
    """
    return {
        column: tuple(map(str, names)) for column, f in features.items() if (names := _names(f))
    }


def _names(feature: Any) -> list[Any]:
    """Class names of a feature, or of a list of it: ``{"feature": {…}}``, formerly ``[{…}]``."""
    if isinstance(feature, list):
        return _names(feature[0]) if feature else []
    if not isinstance(feature, Mapping):
        return []
    return list(feature.get("names") or _names(feature.get("feature")))


def names_beside(path: Path) -> dict[str, tuple[str, ...]]:
    """Names of classes by column, from the description beside a file of rows; empty without one."""
    for name in _DESCRIPTIONS:
        beside = path.with_name(name)
        if beside == path or not beside.is_file():
            continue
        try:
            stated = parse_json(beside.read_bytes())
            features = stated.get("features", stated)
            return feature_names(features)
        except (OSError, ValueError, AttributeError, TypeError):
            continue
    return {}
