"""Texts of two target sets and two attribute sets, whose vectors are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.facts import WORD_SETS
from scrutiny.core.randomness import Rng
from scrutiny.core.task import ExchangesLabels, Role
from scrutiny.tasks.columns.by_columns import ByColumns
from scrutiny.tasks.columns.cells import text_of
from scrutiny.tasks.columns.roles import TEXT
from scrutiny.tasks.stereotypes.exchanges import exchange

#: Target sets X and Y, attribute sets A and B.
SETS: Final = ("X", "Y", "A", "B")


class AssociationTest(ByColumns, ExchangesLabels):
    """Word embedding association tests, of words and of sentences around them."""

    name = "association-test"
    holds = WORD_SETS.holds
    identifying_columns = ("text", "set", "test")
    roles = (
        TEXT,
        Role("test", "column of the test's name", names=("test",), is_needed=True),
        Role("set", "column of the set: X, Y, A or B", names=("set",), is_needed=True),
        Role("category", "column of the set's own name", names=("category",)),
        Role("start", "column of the word's first code point", "number", ("start",)),
        Role("end", "column of the code point after the word", "number", ("end",)),
        Role("word", "column of the word that a text is about", "unit", ("word",)),
    )

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row; a text without a word is its own unit.

        Raises
        ------
        DataError
            If the set is none of X, Y, A, B, or the borders of the word are not in the text.
        """
        if row.get("a_set") not in SETS:
            raise DataError(f"set is {row.get('a_set')!r}; it is X, Y, A or B")
        example = super().parse({"u_word": text_of(row, "text"), **row}, source=source)
        start, end = (example.attributes.get(name) for name in ("a_start", "a_end"))
        if (start is None) != (end is None):
            raise DataError("of start and end, one is missing")
        if isinstance(start, float) and isinstance(end, float):
            if not 0 <= start < end <= len(example.text):
                raise DataError(f"the word from {start:g} to {end:g} is not inside the text")
        return example

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples whose words have exchanged sets at random, sentences with their word.

        Within each test, words change between X and Y and between A and B. See
        `scrutiny.tasks.stereotypes.exchanges.exchange` for what stays.
        """
        chosen = exchange(examples, rng, pairs=(("X", "Y"), ("A", "B")))
        return tuple(
            _moved(e, *place) if place else e for e, place in zip(examples, chosen, strict=True)
        )


def _moved(example: Example, to: str, category: str | float | None) -> Example:
    attributes = {**example.attributes, "a_set": to}
    if category is not None:
        attributes["a_category"] = category
    return replace(example, attributes=attributes)
