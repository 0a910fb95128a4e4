"""Files in SQuAD's format: articles of paragraphs, each with questions and their answers."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.core.answers.extract import Extract
from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import lines
from scrutiny.data.readers.options import reader_defaults, takes
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table

_COLUMNS: Final = ("id", "question", "context", "answers", "paragraph", "article")

#: What a question has.
_ASKED: Final = ("id", "question", "answers")


@takes("encoding")
def read(source: DataSource) -> Table:
    """Questions of a file in SQuAD's format (1.1, 2.0), as XQuAD and MLQA are.

    The right answer to a question that its paragraph does not answer (``is_impossible``) is no
    words; one without answers for another reason is a bad row. Rows are numbered, since all may
    stand on one line.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        rows = list(_rows(parse_json("".join(lines(source)))["data"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        lacks = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(
            f"{source.target} is no file in SQuAD's format, data[].paragraphs[].qas[]: {lacks}."
        ) from None
    return Table(
        columns=_COLUMNS,
        rows=iter(rows),
        place=source.target,
        defaults=reader_defaults("question-answering", _COLUMNS),
    )


def _rows(articles: list[Mapping[str, Any]]) -> Iterator[RawRow]:
    number = 0
    for a, article in enumerate(articles, 1):
        for p, paragraph in enumerate(article["paragraphs"], 1):
            place = {"paragraph": f"{a}/{p}", "article": str(article.get("title") or a)}
            for asked in paragraph["qas"]:
                number += 1
                lacked = [n for n in _ASKED if not isinstance(asked, Mapping) or n not in asked]
                if lacked:
                    yield RawRow(number, {}, f"the question has no {lacked[0]!r}")
                    continue
                values = {
                    "id": asked["id"],
                    "question": asked["question"],
                    "context": paragraph["context"],
                    "answers": asked["answers"] or [Extract("")],
                    **place,
                }
                lacks = not asked["answers"] and asked.get("is_impossible") is not True
                problem = "it has no answer, and does not say that there is none" if lacks else ""
                yield RawRow(number, {} if problem else values, problem)
