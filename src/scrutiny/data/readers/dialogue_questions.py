"""Questions with options about a dialogue or a text: files in the format of DREAM and C3.

A file is one list of ``[turns, [{question, choice, answer}], id]``: Sun et al. 2019, Sun et al.
2020. The answer is the text of an option.
"""

from collections.abc import Iterator
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.choices import MultipleChoice

_COLUMNS: Final = ("id", "text", "question", "options", "answer", "paragraph")


@takes("encoding")
def read(source: DataSource) -> Table:
    """Questions of a file in the format of DREAM or C3, each with its dialogue and its options.

    Turns are lines of the text. Questions about one text share its identifier (``paragraph``),
    which intervals keep together. Rows are numbered, since all may stand on one line.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        rows = list(_rows(parse_json("".join(lines(source)))))
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{source.target} is no file in the format of DREAM, a list of [[turn, …], [{{question,"
            f" choice, answer}}, …], id]: {error!r}."
        ) from None
    return corpus_table(source, MultipleChoice.name, _COLUMNS, rows)


def _rows(texts: Any) -> Iterator[RawRow]:
    """One row for each question; its number counts questions."""
    number = 0
    for turns, questions, name in texts:
        for place, asked in enumerate(questions, 1):
            number += 1
            options, answer = asked["choice"], asked["answer"]
            values = (f"{name}/{place}", "\n".join(turns), asked["question"], options, answer, name)
            problem = "" if answer in options else "its answer is none of its options"
            yield RawRow(number, dict(zip(_COLUMNS, values, strict=True)), problem)
