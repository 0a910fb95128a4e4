"""Tasks that state their columns, and are read by them alone."""

from collections.abc import Mapping
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.task import Task
from scrutiny.data.tasks.cells import attributes_of, id_of, label_of, language_of, text_of


class ByColumns(Task):
    """A task whose columns say what is read of a row: its texts, its label, its attributes.

    With ``roles``, nothing but them needs to be stated: ``columns`` are those of kind ``field``,
    and ``fields`` are the columns unless stated. A column ``label`` holds the gold answer; tasks
    without it are scored on nothing, and models are asked for other capabilities.
    """

    fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        """Fill in what the roles say already."""
        super().__init_subclass__()
        if cls.roles:
            cls.columns = tuple(role.name for role in cls.roles if role.kind == "field")
            cls.fields = cls.fields or cls.columns

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row with the task's fields and, where there is gold, its label."""
        return Example(
            id=id_of(row),
            fields={name: text_of(row, name) for name in self.fields},
            gold=label_of(row) if "label" in self.columns else None,
            source=source,
            attributes=self.kept(row),
            language=language_of(row),
        )

    def kept(self, row: Mapping[str, Any]) -> dict[str, str | float]:
        """Attributes of a row: numbers where the roles say so, and defaults of those missing.

        Raises
        ------
        DataError
            If a number does not read, or a cell cannot be an attribute.
        """
        found = dict(row)
        for role in self.roles:
            value = found.get(role.key)
            if role.kind == "number" and isinstance(value, str) and value:
                try:
                    found[role.key] = float(value)
                except ValueError:
                    raise DataError(f"{role.name} is {value!r}, not a number") from None
        attributes = attributes_of(found)
        for role in self.roles:
            if role.default:
                attributes.setdefault(role.key, role.default)
        return attributes
