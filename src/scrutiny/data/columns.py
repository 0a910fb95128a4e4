"""Which column plays which role: as the data string says, else guessed from well-known names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.data.source import OPTIONS, ROLES, DataSource
from scrutiny.data.table import Table
from scrutiny.data.tasks.names import infer_task, load_task

_TEXT: Final = (
    "text", "sentence", "review", "content", "document", "body", "tweet", "comment", "utterance",
    "message", "passage", "question", "headline", "title", "sentence1", "premise",
)  # fmt: skip
_PAIRS: Final = (
    ("text", "text_pair"), ("sentence1", "sentence2"), ("premise", "hypothesis"),
    ("question1", "question2"), ("text1", "text2"), ("text_a", "text_b"),
    ("sentence_a", "sentence_b"), ("question", "sentence"),
)  # fmt: skip
_LABEL: Final = (
    "label", "target", "class", "gold", "gold_label", "sentiment", "category", "polarity", "y",
)  # fmt: skip
_TOKENS: Final = ("tokens", "words")
_TAGS: Final = ("tags", "ner_tags", "ner", "entity_tags", "bio")
_ID: Final = ("id", "guid", "uid", "uuid", "item_id", "example_id")


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
        pairs = ",".join(f"{role}={self.roles[role]}" for role in self.guessed)
        return f"Columns were guessed from their names: {pairs}. To fix them, state them so."

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


def resolve_columns(source: DataSource, table: Table, *, task: str = "") -> Columns:
    """Columns of a table by role.

    Parameters
    ----------
    source
        What the data string says.
    table
        What is there.
    task
        Name of the task where the caller knows it.

    Raises
    ------
    DataError
        If a stated column does not exist, or no column can be found for a role that is needed.
    """
    options = {**table.defaults, **source.options}
    stated = DataSource(source.scheme, source.target, options)
    name = task or stated.option("task")
    name = load_task(name).name if name else ""
    roles = {
        role: _column(stated.option(role), role, source, table)
        for role in ROLES
        if options.get(role)
    }
    guesses = _guess(table.columns, stated=roles, refused=set(options) - set(roles), task=name)
    guessed = tuple(guesses)
    roles |= guesses
    name = name or _infer(roles, source, table)
    needed = load_task(name).columns
    _require([c for c in needed if c not in ("label", "tags")], roles, source, table, name)
    roles = {role: column for role, column in roles.items() if role in (*needed, "id")}
    for option, prefix in (("unit", "u_"), ("group", "a_")):
        for given in stated.columns(option):
            roles[f"{prefix}{given}"] = _column(given, option, source, table)
    constants = {}
    language = stated.option("language")
    if language in table.columns:
        roles["language"] = language
    elif language:
        constants["language"] = language
    return Columns(name, roles, tuple(r for r in guessed if r in roles), constants)


def _column(name: str, role: str, source: DataSource, table: Table) -> str:
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
        f"Its columns are {_listed(table.columns)}."
    )


def _guess(
    columns: Sequence[str], *, stated: Mapping[str, str], refused: Collection[str], task: str
) -> dict[str, str]:
    """Columns of roles that are not stated, by well-known names; none that is taken."""
    free = {c.strip().casefold(): c for c in reversed(columns) if c not in stated.values()}
    found: dict[str, str] = {}

    def take(role: str, names: Sequence[str]) -> None:
        column = next((free[n] for n in names if n in free), None)
        if column is not None and role not in stated and role not in refused:
            found[role] = column

    is_tagging = task == "token-tagging" or (
        not task and not {"text", "text_pair", "label"} & set(stated)
    )
    if is_tagging:
        take("tokens", _TOKENS)
        take("tags", _TAGS)
        if task or {"tokens", "tags"} <= {*found, *stated}:
            take("id", _ID)
            return found
        found = {}
    if "text" not in stated:
        pairs = _PAIRS if task in ("", "text-pair-classification") else ()
        pair = next(((free[a], free[b]) for a, b in pairs if a in free and b in free), None)
        if pair and "text_pair" not in stated:
            found |= {"text": pair[0], "text_pair": pair[1]}
        else:
            take("text", _TEXT)
    elif task == "text-pair-classification":
        take("text_pair", [b for _, b in _PAIRS])
    take("label", _LABEL)
    take("id", _ID)
    return found


def _infer(roles: Mapping[str, str], source: DataSource, table: Table) -> str:
    try:
        return infer_task(roles)
    except DataError:
        example = source.stating({"text": table.columns[0]})
        raise DataError(
            f"No column of {table.place} is known to hold the text. Its columns are "
            f"{_listed(table.columns)}: say which it is, as in {example}."
        ) from None


def _require(
    needed: Sequence[str], roles: Mapping[str, str], source: DataSource, table: Table, task: str
) -> None:
    for role in needed:
        if role not in roles:
            raise DataError(
                f"{task} needs {OPTIONS[role].replace('column', 'a column', 1)}, and none of "
                f"{table.place} is known to be it. Its columns are {_listed(table.columns)}: "
                f"add {role}=NAME to the data string."
            )


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(map(repr, columns[:30]))
    return shown + (f", … ({len(columns)} in all)" if len(columns) > 30 else "")
