"""Columns by role, and finding the ones that a data string names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.data.source import DataSource
from scrutiny.data.table import Table

#: Codes of languages (BCP 47): two or three letters, then parts of up to eight.
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns by role, and the task that they are for.

    Parameters
    ----------
    task
        Name of the task.
    roles
        Column by role (``text``, ``label``, …, ``u_NAME``, ``a_NAME``, ``language``).
    guessed
        The roles among them that nobody stated.
    constants
        Cells that are the same in every row (``language``).
    """

    task: str
    roles: Mapping[str, str]
    guessed: tuple[str, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """Sentence that says what was guessed; empty for nothing."""
        if not self.guessed:
            return ""
        pairs = ",".join(f"{role}={name}" for role, name in self.guesses.items())
        return f"Columns were guessed from their names: {pairs}. To fix them, state them so."

    @property
    def guesses(self) -> dict[str, str]:
        """Guessed column by the option that states it."""
        return {_option(role): self.roles[role] for role in self.guessed}

    def mapped(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Row by role.

        Raises
        ------
        DataError
            If the row lacks a column.
        """
        row: dict[str, Any] = dict(self.constants)
        try:
            for role, column in self.roles.items():
                row[role] = values[column]
        except KeyError as error:
            raise DataError(f"the row has no {error.args[0]!r}") from None
        return row


def _option(role: str) -> str:
    """Option that states the column of a role."""
    return role.removeprefix("a_").removeprefix("u_")


def column_named(name: str, role: str, source: DataSource, table: Table) -> str:
    """Name of a column that exists; negative numbers count from the last."""
    if name in table.columns:
        return name
    if source.option("header") == "none" and name.removeprefix("-").isdecimal():
        index = int(name)
        if -len(table.columns) <= index < len(table.columns):
            return table.columns[index]
    near = get_close_matches(name, table.columns, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise DataError(
        f"{table.place} has no column {name!r} (asked for by {role}=).{hint} "
        f"Its columns are {listed(table.columns)}."
    )


def add_shared(roles: dict[str, str], stated: DataSource, table: Table) -> dict[str, str]:
    """Add units, groups and the language to the roles; return cells that are constant."""
    for option, prefix in (("unit", "u_"), ("group", "a_")):
        for given in stated.columns(option):
            roles[f"{prefix}{given}"] = column_named(given, option, stated, table)
    language = stated.option("language")
    if not language:  # nothing is stated, though a column may have an empty name
        return {}
    if language in table.columns:
        roles["language"] = language
        return {}
    if not _LANGUAGE.fullmatch(language):
        raise DataError(
            f"language={language} is neither a column of {table.place} nor the code of a language "
            f"(en, pt-BR). Its columns are {listed(table.columns)}."
        )
    return {"language": language}


def lacking(task: str, role: str, meaning: str, *, table: Table) -> str:
    """Sentence that says which column a task lacks, and how to name it."""
    return (
        f"{task} needs {meaning.replace('column', 'a column', 1)}, and none of {table.place} is "
        f"known to be it. Its columns are {listed(table.columns)}: add {role}=NAME to the data "
        "string."
    )


def listed(columns: Sequence[str]) -> str:
    """Names of at most thirty columns, in quotation marks."""
    shown = ", ".join(map(repr, columns[:30]))
    return shown + (f", … ({len(columns)} in all)" if len(columns) > 30 else "")
