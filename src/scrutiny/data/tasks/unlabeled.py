"""What tasks without labels have in common: texts and columns, nothing to score."""

from collections.abc import Mapping
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.task import Task
from scrutiny.data.tasks.cells import attributes_of, id_of, language_of, text_of


class Unlabeled(Task):
    """Items that are read by their roles; no model predicts them."""

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row with the task's fields; its other columns become attributes."""
        attributes = attributes_of(self.numbered(row))
        for role in self.roles:
            if role.default and role.key not in attributes:
                attributes[role.key] = role.default
        return Example(
            id=id_of(row),
            fields={name: text_of(row, name) for name in self.fields},
            source=source,
            attributes=attributes,
            language=language_of(row),
        )

    def numbered(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Row whose columns of numbers are numbers, also where the file holds text.

        Raises
        ------
        DataError
            If one does not read.
        """
        found = dict(row)
        for role in self.roles:
            value = found.get(role.key)
            if role.kind == "number" and isinstance(value, str) and value:
                try:
                    found[role.key] = float(value)
                except ValueError:
                    raise DataError(f"{role.name} is {value!r}, not a number") from None
        return found
