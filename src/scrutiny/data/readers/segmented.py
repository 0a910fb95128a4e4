"""Texts cut into words: a sentence a line with spaces between its words, or CoNLL-U.

The bakeoffs of SIGHAN have the first form, treebanks of Chinese, Japanese or Thai the second, whose
comment ``text`` has the sentence as it was written.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scrutiny.data.readers.conll import read_conllu
from scrutiny.data.readers.files import lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.segmentation import WordSegmentation


@takes("encoding")
def read(source: DataSource) -> Table:
    """Sentences of a text file, or of a file of CoNLL-U (``.conllu``), with their words.

    A sentence of a text file is named by its line; blank lines are none.
    """
    if source.path.suffix == ".conllu":
        columns = ("id", "segmented", "text")
        return corpus_table(source, WordSegmentation.name, columns, _of_treebank(source))
    return corpus_table(source, WordSegmentation.name, ("id", "segmented"), _of_lines(source))


def _of_lines(source: DataSource) -> Iterator[RawRow]:
    """Sentences of a text file."""
    for number, line in enumerate(lines(source), 1):
        if words := line.split():
            yield RawRow(number, {"id": f"{source.path.stem}/{number}", "segmented": words})


def _of_treebank(source: DataSource) -> Iterator[RawRow]:
    """Sentences of CoNLL-U, as they were written where that is their words one after the other."""
    for row in read_conllu(replace(source, options={"spacing": "raw"})).rows:
        values: dict[str, Any] = dict(row.values)
        if values:
            words = values["words"]
            values = {**values, "segmented": words, "text": values["raw"] or "".join(words)}
        yield row._replace(values=values)
