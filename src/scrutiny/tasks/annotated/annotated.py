"""Base of annotated tasks: labeled spans on words, the sentence and its half."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scrutiny.core.boundary.content import content_key
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.tasks.columns.by_columns import Borders, ByColumns
from scrutiny.tasks.halves import half_of


class Labeled(NamedTuple):
    """Label on the words from ``first`` to ``last``, both counted from 0."""

    first: int
    last: int
    label: str


class Annotated(ByColumns):
    """Words with an annotation; the text is the words joined by single spaces.

    Items of one sentence share ``u_sentence`` (the text itself where no column says which) and
    ``a_half``, the half of the data that the sentence belongs to.
    """

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """Labels of a row; none where its annotation is its gold answer.

        Raises
        ------
        DataError
            If the annotation cannot be read, or does not fit the words.
        """
        return iter(())

    def told(self, row: Mapping[str, Any], words: Sequence[str]) -> Mapping[str, str]:
        """Attributes derived from the annotation."""
        return {}

    def spans(
        self, row: Mapping[str, Any], words: Sequence[str], borders: Borders
    ) -> tuple[Span, ...]:
        """Labels of a row as spans of its text."""
        return tuple(
            Span("text", borders[one.first][0], borders[one.last][1], one.label)
            for one in self.labeled(row, words)
        )

    def kept(
        self, row: Mapping[str, Any], texts: Mapping[str, str], words: Sequence[str]
    ) -> dict[str, str | float]:
        """Attributes of a row, with its sentence and its half.

        Raises
        ------
        DataError
            If the half is neither A nor B.
        """
        own = content_key(Example("", texts))[:8].hex()  # whatever is annotated
        told = {"u_sentence": own, **self.told(row, words), **row}
        attributes = super().kept(told, texts, words)
        half = attributes.setdefault("a_half", half_of(str(attributes["u_sentence"])))
        if half not in ("A", "B"):
            raise DataError(f"half is {half!r}; it is A or B")
        return attributes
