"""What annotated tasks have in common: words, labeled spans on them, the sentence and its half."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Role
from scrutiny.data.halves import half_of
from scrutiny.data.identity import content_key
from scrutiny.data.tasks.by_columns import ByColumns
from scrutiny.data.tasks.cells import attributes_of, id_of, language_of
from scrutiny.data.tasks.roles import field_role
from scrutiny.data.tasks.tags import token_borders
from scrutiny.data.tasks.word_cells import words_of

_SENTENCE: Final = ("sentence_id", "sent_id", "sentence")
#: Columns that every annotated task has.
WORDS: Final = field_role("words", "column of the list of words", "tokens")
OF_SENTENCES: Final = (
    Role("sentence", "column of the sentence that items share", "unit", _SENTENCE),
    Role("document", "column of the document of a sentence", "unit", ("document", "doc_id")),
    Role("half", "column of the half of the data, A or B", names=("half",)),
)


class Labeled(NamedTuple):
    """A label on the words from ``first`` to ``last``, both counted from 0."""

    first: int
    last: int
    label: str


class Annotated(ByColumns):
    """Words with an annotation; the text is the words joined by single spaces.

    Items of one sentence share ``u_sentence`` (the text itself where no column says which) and
    ``a_half``, the half of the data that the sentence belongs to.
    """

    fields = ("text",)

    @abstractmethod
    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """Labels of a row.

        Raises
        ------
        DataError
            If the annotation does not read, or does not fit the words.
        """

    def told(self, row: Mapping[str, Any], words: Sequence[str]) -> Mapping[str, str]:
        """Attributes that are read off the annotation."""
        del row, words
        return {}

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row with its words as the ``tokens`` layer and its labels as spans."""
        words = words_of(row)
        text, borders = " ".join(words), token_borders(words)
        spans = tuple(
            Span("text", borders[one.first][0], borders[one.last][1], one.label)
            for one in self.labeled(row, words)
        )
        example = Example(
            id=id_of(row),
            fields={"text": text},
            spans=spans,
            tokens={"text": borders},
            source=source,
            language=language_of(row),
        )
        own = content_key(replace(example, spans=()))[:8].hex()  # whatever is annotated
        attributes = attributes_of({"u_sentence": own, **self.told(row, words), **row})
        half = attributes.setdefault("a_half", half_of(str(attributes["u_sentence"])))
        if half not in ("A", "B"):
            raise DataError(f"half is {half!r}; it is A or B")
        return Example(
            example.id,
            example.fields,
            None,
            spans,
            example.tokens,
            source=source,
            attributes=attributes,
            language=example.language,
        )
