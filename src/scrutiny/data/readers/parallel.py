"""Parallel files: sentence k of one translates sentence k of the others.

A file is plain text, a sentence a line, or CoNLL-U (``.conllu``), whose comments ``sent_id``,
``newdoc id`` and ``text`` give the identifiers, the documents and the sentences.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.translation import Translation

_COMMENT: Final = re.compile(r"#\s*(sent_id|newdoc id|text)\s*=\s*(.*)")
_COLUMNS: Final = ("id", "text", "reference")


class _ParallelSentence(NamedTuple):
    """Sentence of a file, with the line that it stands on."""

    line: int
    text: str
    name: str
    document: str = ""


@takes("encoding", to="file of the translations; of several references, bars between them")
def read(source: DataSource) -> Table:
    """Sentences of a file, with their translations in the files that ``to`` names.

    A name without a folder is that of a file beside the first.

    Raises
    ------
    DataError
        If no file of translations is named.
    """
    names = source.columns("to")
    if not names:
        raise DataError(
            f"{source} names no translations: parallel:{source.target}#to=FILE, whose sentence k "
            "translates sentence k of the first."
        )
    others = [source.beside(name) for name in names]
    has_documents = source.path.suffix == ".conllu"
    columns = (*_COLUMNS, "document") if has_documents else _COLUMNS
    return corpus_table(source, Translation.name, columns, _rows(source, others))


def _rows(source: DataSource, others: list[DataSource]) -> Iterator[RawRow]:
    files = [_sentences(one) for one in (source, *others)]
    for number, (first, *references) in enumerate(zip_longest(*files), 1):
        if first is None or None in references:
            short = [source, *others][[first, *references].index(None)]
            raise DataError(
                f"{short.target} ends before its sentence {number}, which another file has: "
                "sentence k of each file translates sentence k of the others."
            )
        names = {one.name for one in (first, *references)} - {""}
        if len(names) > 1:
            yield RawRow(first.line, {}, f"its translation is of {sorted(names - {first.name})[0]}")
            continue
        row = {"id": first.name or f"{source.path.stem}/{number}", "text": first.text}
        row |= {"document": first.document} if first.document else {}
        texts = [one.text for one in references]
        yield RawRow(first.line, {**row, "reference": texts if len(texts) > 1 else texts[0]})


def _sentences(source: DataSource) -> Iterator[_ParallelSentence]:
    """Sentences of a file in order, blank lines of plain text among them."""
    if source.path.suffix != ".conllu":
        for number, line in enumerate(lines(source), 1):
            yield _ParallelSentence(number, line.strip(), "")
        return
    document, name = source.path.stem, ""
    for number, line in enumerate(lines(source, every_end=True), 1):
        said = _COMMENT.match(line)
        if said is None:
            continue
        if said[1] == "text":
            yield _ParallelSentence(number, said[2].strip(), name, document)
        elif said[1] == "sent_id":
            name = said[2].strip()
        else:
            document = said[2].strip()
