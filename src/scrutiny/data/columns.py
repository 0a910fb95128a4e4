"""Which column plays which role: as the data string says, else guessed from well-known names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.data.source import OPTIONS, ROLES, DataSource
from scrutiny.data.table import Table
from scrutiny.data.tasks.names import infer_task, load_task
from scrutiny.data.tasks.roles import Role, every_task, roles_of

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
_ID_ROLE: Final = Role("id", OPTIONS["id"], "field", _ID)


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
    name = load_task(name).name if name else _task_of_options(options)
    if name and roles_of(load_task(name)):
        return _own_columns(name, stated, table)
    roles = {
        role: _column(stated.option(role), role, source, table)
        for role in ROLES
        if options.get(role)
    }
    guesses = _guess(table.columns, stated=roles, refused=set(options) - set(roles), task=name)
    guessed = tuple(guesses)
    roles |= guesses
    if not name and not {"text", "tokens"} & set(roles):
        told = _task_of_names(table.columns)
        if told:
            return _own_columns(told, stated, table)
    name = name or _infer(roles, source, table)
    needed = load_task(name).columns
    _refuse_foreign(name, source, own=())
    _require([c for c in needed if c not in ("label", "tags")], roles, source, table, name)
    roles = {role: column for role, column in roles.items() if role in (*needed, "id")}
    constants = _add_shared(roles, stated, table)
    return Columns(name, roles, tuple(r for r in guessed if r in roles), constants)


def _add_shared(roles: dict[str, str], stated: DataSource, table: Table) -> dict[str, str]:
    """Add units, groups and the language to the roles; return cells that are constant."""
    for option, prefix in (("unit", "u_"), ("group", "a_")):
        for given in stated.columns(option):
            roles[f"{prefix}{given}"] = _column(given, option, stated, table)
    language = stated.option("language")
    if language in table.columns:
        roles["language"] = language
    elif language:
        return {"language": language}
    return {}


def _own_columns(task: str, stated: DataSource, table: Table) -> Columns:
    """Columns of a task that brings its own roles: stated, else by well-known names.

    Where such a task has a category and nobody says which column that is, the first of the groups
    is it.
    """
    own = roles_of(load_task(task))
    _refuse_foreign(task, stated, own=own)
    roles = {
        role.key: _column(stated.option(role.name), role.name, stated, table)
        for role in (*own, _ID_ROLE)
        if stated.options.get(role.name)
    }
    groups = stated.columns("group")
    if groups and "category" not in stated.options and any(r.name == "category" for r in own):
        roles["a_category"] = _column(groups[0], "group", stated, table)
    free = {c.strip().casefold(): c for c in reversed(table.columns) if c not in roles.values()}
    guessed = []
    for role in (*own, _ID_ROLE):
        column = next((free[n] for n in role.names if n in free), None)
        if column is not None and role.key not in roles and role.name not in stated.options:
            roles[role.key] = column
            guessed.append(role.key)
    _require_own(own, roles, stated, table, task)
    constants = _add_shared(roles, stated, table)
    return Columns(task, roles, tuple(guessed), constants)


def _refuse_foreign(task: str, source: DataSource, *, own: Sequence[Role]) -> None:
    """Refuse options that only other tasks have."""
    for name in source.options:
        if name not in OPTIONS and name not in {role.name for role in own}:
            mine = f": it has {', '.join(role.name for role in own)}" if own else ""
            raise DataError(
                f"In {source}, {name}= is no column of {task}{mine}. Columns to compare groups by "
                "are listed in group=, those whose rows belong together in unit=."
            )


def _require_own(
    own: Sequence[Role], roles: Mapping[str, str], source: DataSource, table: Table, task: str
) -> None:
    for role in own:
        if role.is_needed and role.key not in roles:
            raise DataError(_lacking(task, role.name, role.meaning, table=table))


def _task_of_options(options: Mapping[str, str]) -> str:
    """Task whose columns the options name where those are not everybody's; else nothing."""
    if set(options) <= set(OPTIONS):
        return ""
    counts = [
        (len((set(_telling(task)) - set(ROLES)) & set(options)), task) for task in every_task()
    ]
    best, task = max(counts, key=lambda pair: pair[0])
    return str(task.name) if best else ""


def _task_of_names(columns: Collection[str]) -> str:
    """Task of its own roles whose telling columns are all there by well-known names."""
    there = {column.strip().casefold() for column in columns}
    for task in every_task():
        names = {role.name: set(role.names) for role in roles_of(task)}
        telling = _telling(task)
        if names and telling and all(names[role] & there for role in telling):
            return str(task.name)
    return ""


def _telling(task: Any) -> tuple[str, ...]:
    return tuple(getattr(task, "told_by", ()))


def _option(role: str) -> str:
    """Option that states the column of a role."""
    return role.removeprefix("a_").removeprefix("u_")


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
            raise DataError(_lacking(task, role, OPTIONS[role], table=table))


def _lacking(task: str, role: str, meaning: str, *, table: Table) -> str:
    return (
        f"{task} needs {meaning.replace('column', 'a column', 1)}, and none of {table.place} is "
        f"known to be it. Its columns are {_listed(table.columns)}: add {role}=NAME to the data "
        "string."
    )


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(map(repr, columns[:30]))
    return shown + (f", … ({len(columns)} in all)" if len(columns) > 30 else "")
