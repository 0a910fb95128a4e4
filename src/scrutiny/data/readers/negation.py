"""Corpora of negation cues and their scopes, recognized by their content."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import chosen_by, existing_file, lines
from scrutiny.data.readers.negation_corpora import (
    Sentence,
    bioscope_sentences,
    cd_sco_notes,
    cd_sco_sentences,
    frame_rows,
    is_token,
    sfu_sentences,
    story_sentences,
)
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.annotated import AnchoredSpans

_COLUMNS: Final = ("id", "words", "anchor", "target", "sentence")
_SUFFIXES: Final = (".json", ".txt", ".tsv", ".conll", ".xml")
_HEAD: Final = 4096
_ROOT: Final = re.compile(rb"<(DOCUMENT|Annotation)\b")


class _Corpus(NamedTuple):
    """How to read the files of a corpus, what is said of it, and whether files are documents."""

    title: str
    sentences: Callable[[DataSource], Iterator[Sentence]]
    notes: tuple[str, ...] = ()
    has_documents: bool = True
    is_named_by_folder: bool = False


_CORPORA: Final = {
    "story": _Corpus("the JSON of Zhao & Bethard", story_sentences, has_documents=False),
    "cd-sco": _Corpus("the columns of CD-SCO", cd_sco_sentences),
    "sfu": _Corpus(
        "SFU Review XML",
        sfu_sentences,
        ("Cues of speculation were left out; a source's number is that of a sentence.",),
        is_named_by_folder=True,
    ),
    "bioscope": _Corpus(
        "BioScope XML",
        bioscope_sentences,
        (
            "Cues of speculation were left out; scopes hold their cue, as annotated; words are cut "
            "by scrutiny's tokenizer; a source's number is that of a sentence.",
        ),
    ),
}


@takes(
    "encoding",
    files="files of a folder to read, by name, separated by bars; * stands for anything",
)
def read(source: DataSource) -> Table:
    """Frames of a file or of all files of a folder and its subfolders, one an item.

    Raises
    ------
    DataError
        If no file is of a corpus that is known, or a folder mixes corpora.
    """
    corpus, files, notes = _files(source)
    columns = (*_COLUMNS, "document") if corpus.has_documents else _COLUMNS
    notes += corpus.notes if corpus.sentences is not cd_sco_sentences else cd_sco_notes(files)
    rows = _rows(corpus, files)
    return corpus_table(source, AnchoredSpans.name, columns, rows, notes=tuple(notes))


def _rows(corpus: _Corpus, files: list[DataSource]) -> Iterator[RawRow]:
    for file in files:
        path = file.path.resolve()
        name = f"{path.parent.name}/{path.stem}" if corpus.is_named_by_folder else path.stem
        yield from frame_rows(corpus.sentences(file), name=name, place=file.target)


def _files(source: DataSource) -> tuple[_Corpus, list[DataSource], list[str]]:
    """Corpus, its files in natural order, and notes on files that are left out."""
    if not source.path.is_dir():
        found = _corpus_of(source)
        if not found:
            raise DataError(
                f"{source.target} is not a known corpus of negation: it is neither "
                f"{', '.join(c.title for c in _CORPORA.values())}. Annotations of your own are "
                "read by jsonl: with words, anchor and target."
            )
        return _CORPORA[found], [source], []
    every = sorted(p for p in source.path.rglob("*") if p.suffix.lower() in _SUFFIXES)
    names = {path: path.name for path in every}
    chosen = chosen_by("files", source, names, what="file", most=8)
    inside = [source.inside(path.relative_to(source.path).as_posix()) for path in chosen]
    kinds = {str(file): _corpus_of(file) for file in inside}
    known = sorted(set(kinds.values()) - {""})
    if len(known) != 1:
        what = "files of " + " and ".join(_CORPORA[k].title for k in known) if known else "none"
        raise DataError(
            f"negation: reads the files of one corpus of a folder; {source.target} holds {what}. "
            "Name a file or a folder of one corpus, or choose with files=."
        )
    files = [file for file in inside if kinds[str(file)]]
    other = [file.path.name for file in inside if not kinds[str(file)]]
    notes = [f"Read: {len(files)} files of {_CORPORA[known[0]].title}."]
    notes += [f"Left out, as no corpus of negation: {', '.join(other)}."] if other else []
    return _CORPORA[known[0]], files, notes


def _corpus_of(source: DataSource) -> str:
    """Name of the corpus that a file looks like; empty if none."""
    with existing_file(source).open("rb") as file:
        head = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"[", b"{")):
        return "story"
    if head.startswith(b"<"):
        root = _ROOT.search(head)
        return "" if root is None else "sfu" if root[1] == b"DOCUMENT" else "bioscope"
    if b"\t" not in head:
        return ""
    first = next((line for line in lines(source) if not line.isspace()), "")
    return "cd-sco" if is_token(first) else ""
