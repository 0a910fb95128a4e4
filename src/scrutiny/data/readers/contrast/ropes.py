"""ROPES: questions about a situation, told by a passage of background (Lin et al. 2019)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.core.answers.extract import Extract
from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import lines
from scrutiny.data.readers.options import reader_defaults
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.reading.question_answering import SituationQuestions

_COLUMNS: Final = ("id", "question", "context", "answers")


def read(source: DataSource) -> Table:
    """Questions of a file of ROPES; the text is the background and, below it, the situation.

    One answer in three stands in the question, and a few stand nowhere ("Dam" for Dan). All are
    kept, with their place where they stand in the text: answers are compared by their words.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        rows = list(_rows(parse_json("".join(lines(source)))["data"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{source.target} is no file of ROPES, whose paragraphs have a background, a situation "
            f"and questions: {error!r}."
        ) from None
    defaults = reader_defaults(SituationQuestions.name, _COLUMNS)
    return Table(_COLUMNS, iter(rows), source.target, defaults=defaults)


def _rows(articles: list[Mapping[str, Any]]) -> Iterator[RawRow]:
    asked = ((p, qa) for article in articles for p in article["paragraphs"] for qa in p["qas"])
    for number, (paragraph, qa) in enumerate(asked, 1):
        context = f"{paragraph['background']}\n{paragraph['situation']}"
        answers = [_answer(one["text"], context) for one in qa["answers"]]
        cells = (qa["id"], qa["question"], context, answers)
        yield RawRow(number, dict(zip(_COLUMNS, cells, strict=True)))


def _answer(text: str, context: str) -> Extract:
    """Answer, with its place where it stands in the text."""
    place = context.find(text)
    return Extract(text) if place < 0 else Extract(text, "context", place)
