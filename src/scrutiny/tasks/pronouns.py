"""Pronouns of which a text does not say by its grammar whom they mean: Winograd's questions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.answers.choices import GAP
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Role
from scrutiny.tasks.cells import indices_of, text_of
from scrutiny.tasks.choices import MultipleChoice
from scrutiny.tasks.tasks import TEXT

#: What released files have in the place of the pronoun.
_MASK: Final = "[MASK]"


class PronounResolution(MultipleChoice):
    """Whom a pronoun means, of two or more who are named; scored by accuracy.

    The text has ``_`` in the pronoun's place, as WinoGrande's has, so that an option can be filled
    in: ``Ida thanked Bo because _ had helped.`` Where a file has the place of the pronoun in a
    column of its own, the gap is put there. No change touches the gap.
    """

    name = "pronoun-resolution"
    roles = (
        TEXT,
        Role("gap", "column of [start, end] of the pronoun in the text", "list", is_anchor=True),
        *(role for role in MultipleChoice.roles if role.name in ("options", "answer")),
        Role("pronoun", "column of the pronoun that stood there", names=("pronoun",)),
        Role("gender", "column of the gender of the pronoun", names=("gender",)),
        Role("pair", "column of the pair of texts that differ in a word", "unit", ("pair",)),
    )
    identifying_columns = ()

    def texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The text with its gap, and the options.

        Raises
        ------
        DataError
            If it has no gap, or several.
        """
        text = text_of(row, "text")
        if "gap" in row:
            place = indices_of(row["gap"], "gap", n=len(text) + 1)
            if len(place) != 2 or not place[0] < place[1]:
                raise DataError(f"gap is {row['gap']!r:.60}; it is [start, end] in code points")
            text = text[: place[0]] + GAP + text[place[1] :]
        text = text.replace(_MASK, GAP)
        if text.count(GAP) != 1:
            raise DataError(
                f"text has {text.count(GAP)} gaps; one {GAP} stands in the place of the pronoun, "
                "or a column gap says where that is, as [start, end]"
            )
        return super().texts({**row, "text": text})

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row, with a span for the gap."""
        found = super().parse(row, source=source)
        at = found.text.index(GAP)
        gap = Span("text", at, at + len(GAP), "pronoun")
        return replace(found, spans=(gap,), protected=(*found.protected, gap))
