"""Files of a split: its parts, as the source has them where it can be copied, and its record."""

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from scrutiny.core.answers.answer import to_json
from scrutiny.core.answers.choices import Option, options_in
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.data.readers.files import lines
from scrutiny.data.source import DataSource, parse_source
from scrutiny.data.splits.split import Split
from scrutiny.data.splits.ways import PARTS
from scrutiny.store.files import write_atomically, write_text

_RECORD: Final = "split.json"
#: Readers of text files in which an item is a block of whole lines, and their file's end.
_IN_LINES: Final = {
    "tsv": "tsv",
    "csv": "csv",
    "jsonl": "jsonl",
    "conll": "conll",
    "conllu": "conllu",
    "text": "txt",
}


def write_split(split: Split, data: Dataset, folder: Path) -> dict[str, str]:
    """Write the parts and the record into a folder; the data string of each part.

    Rows of text files are copied as they stand, with their header and in their encoding, so that a
    part is read as the whole was; rows that could not be read are left out, and what was packed is
    not packed again. Other sources are written as JSON lines. Parts of an earlier split in the
    folder are removed.

    Raises
    ------
    PlanError
        If the folder holds the source under the name of a part, or such a file that no split wrote.
    DataError
        If a part does not read as the items that it is of.
    """
    source = parse_source(data.source)
    copied = source.scheme in _IN_LINES and source.path.is_file()
    earlier = _earlier(source, folder)
    names = {} if copied else _column_names(data)
    if copied:
        end, (header, blocks) = _IN_LINES[source.scheme], _blocks(data, source)
    else:
        end, header, blocks = "jsonl", "", [_row(e, names) for e in data.examples]
    folder.mkdir(parents=True, exist_ok=True)
    for file in earlier:
        file.unlink()
    encoding = source.option("encoding", "utf-8") if copied else "utf-8"
    strings = {}
    for name, own in split.parts.items():
        if not own:
            continue
        file = folder / f"{name}.{end}"
        text = header + "".join(blocks[i] for i in own)
        _write(file, text.encode(encoding, "backslashreplace"))
        if copied:
            written = DataSource(source.scheme, str(file), source.options)
        else:
            written = DataSource("jsonl", str(file)).stating(_stated(names))
        strings[name] = str(written)
        _must_hold([data.examples[i] for i in own], data.task, strings[name])
    write_text(folder / _RECORD, json_line(split.record()) + "\n")
    return strings


def remove_split(folder: Path) -> None:
    """Remove the parts and the record that a split wrote, and the folder if nothing else is there.

    A folder without a record is left as it is.
    """
    if not (folder / _RECORD).is_file():
        return
    for file in (*_parts_in(folder), folder / _RECORD):
        file.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def _parts_in(folder: Path) -> list[Path]:
    """Files of a folder that have the name of a part."""
    ends = dict.fromkeys(_IN_LINES.values())
    return [file for one in PARTS for e in ends if (file := folder / f"{one}.{e}").exists()]


def _write(file: Path, content: bytes) -> None:
    """Write a file, completely or not at all."""
    write_atomically(file, lambda temporary: temporary.write_bytes(content))


def _earlier(source: DataSource, folder: Path) -> list[Path]:
    """Files of parts that an earlier split left in a folder: beside new ones, they would mislead.

    Raises
    ------
    PlanError
        If one is the source, or there is no record of a split, so that they are somebody's own.
    """
    found = _parts_in(folder)
    if any(source.path.exists() and source.path.samefile(file) for file in found):
        raise PlanError(
            f"{source.target} would be overwritten by a part of its own split: {folder} holds it "
            "under the name of a part. Give another folder (--out)."
        )
    if found and not (folder / _RECORD).is_file():
        raise PlanError(
            f"{folder} holds {', '.join(file.name for file in found)}, and no {_RECORD} says that "
            "a split wrote them. Give another folder (--out), or move the files away."
        )
    return found


def _must_hold(examples: list[Example], task: str, string: str) -> None:
    """Raise unless a part reads as the items that it is of.

    Raises
    ------
    DataError
        If it has other items.
    """
    is_permuted = bool(parse_source(string).option("permute"))  # each part anew
    try:
        found = load_dataset(string, task=task).examples
        said = f"reads as {len(found):,}, or as others"
    except DataError as error:
        found, said = (), f"cannot be read: {error}"
    have, wanted = ([_asked(e, is_permuted=is_permuted) for e in one] for one in (found, examples))
    if have != wanted:
        raise DataError(
            f"{string} was written for {len(examples):,} items and {said.rstrip('.')}. This source "
            f"cannot be split into files of items of {task}: split a text file that holds them."
        )


def _asked(example: Example, *, is_permuted: bool) -> tuple[dict[str, str], Any]:
    """Texts of an item, and its gold unless chance gave it another."""
    return dict(example.fields), None if is_permuted else example.gold


def _blocks(data: Dataset, source: DataSource) -> tuple[str, list[str]]:
    """Header of a text file, and the lines of each item, which end where another begins."""
    is_conll = source.scheme.startswith("conll")
    text = list(lines(source, every_end=is_conll))  # as the reader of this format counts them
    starts = {_line(e.source): i for i, e in enumerate(data.examples)}
    starts |= {_line(row.source): -1 for row in data.bad_rows}
    begins = {}
    for start, item in starts.items():
        at = start - 1
        while is_conll and at and text[at - 1].strip():
            at -= 1  # comments, and tokens of several words, stand above a sentence's first word
        begins[at] = item
    found = [""] * len(data.examples)
    for first, after in pairwise([*sorted(begins), len(text)]):
        if begins[first] >= 0:
            block = "".join(text[first:after])
            found[begins[first]] = block if block.endswith("\n") else block + "\n"
    return "".join(text[: min(begins)]), found


def _line(source: str) -> int:
    """Number of the line that an item begins in."""
    return int(source.rpartition(":")[2])


def _column_names(data: Dataset) -> dict[str, str]:
    """Column of each unit and group in JSON, its own name where that is free."""
    taken = {
        "id",
        "label",
        "answer",
        "options",
        *(name for e in data.examples for name in e.fields),
    }
    found: dict[str, str] = {}
    for name in dict.fromkeys(name for e in data.examples for name in e.attributes):
        bare = name[2:]
        found[name] = bare if bare not in taken else name
        taken.add(found[name])
    return found


def _stated(names: dict[str, str]) -> dict[str, list[str]]:
    """Options of a data string that name the columns again."""
    kinds = {"unit": "u_", "group": "a_"}
    found = {
        option: [column for name, column in names.items() if name.startswith(prefix)]
        for option, prefix in kinds.items()
    }
    return {option: columns for option, columns in found.items() if columns}


def _row(example: Example, names: dict[str, str]) -> str:
    """Item as a line of JSON, in columns that its task knows, with its units and groups."""
    options = options_in(example.fields)
    row: dict[str, Any] = {n: t for n, t in example.fields.items() if not n.startswith("option_")}
    row |= {"options": options} if options else {}
    if isinstance(example.gold, Option):
        row["answer"] = int(example.gold)
    elif example.gold is not None:
        row["label"] = to_json(example.gold)
    row |= {column: example.attributes.get(name) for name, column in names.items()}
    return json_line({"id": example.id, **row}) + "\n"
