"""Roles of columns: as the data string states them, else by well-known names."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Final

from scrutiny.core.boundary.printable import quoted
from scrutiny.core.errors import DataError
from scrutiny.core.languages import code_of
from scrutiny.core.task import Role, Task
from scrutiny.data.source import OPTIONS, DataSource
from scrutiny.data.table import Table
from scrutiny.tasks.cells import label_in_cell
from scrutiny.tasks.tasks import every_task, load_task, role_options

#: Identifiers, which items of every task may have.
ID: Final = Role("id", OPTIONS["id"], "id", ("id", "guid", "uid", "uuid", "item_id", "example_id"))


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns by role, and the task that they belong to.

    Parameters
    ----------
    task
        Name of the task.
    roles
        Column by role (``text``, ``label``, …, ``u_NAME``, ``a_NAME``, ``language``).
    guessed
        Roles whose column was guessed from its name.
    constants
        Cells that are the same in every row (``language``, functions).
    may_lack
        Roles whose cell a row may do without: what is expected of some answers alone.
    """

    task: str
    roles: Mapping[str, str]
    guessed: tuple[str, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)
    may_lack: frozenset[str] = frozenset()

    @property
    def note(self) -> str:
        """Sentence about guessed columns; empty if none were guessed."""
        if not self.guessed:
            return ""
        pairs = ",".join(f"{role}={name}" for role, name in self.guesses.items())
        return f"Columns were guessed from their names: {pairs}. To fix them, state them so."

    @property
    def guesses(self) -> dict[str, str]:
        """Guessed columns, by the option that would state each."""
        return {
            role.removeprefix("a_").removeprefix("u_"): self.roles[role] for role in self.guessed
        }

    def mapped(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values of a row by role.

        Raises
        ------
        DataError
            If the row lacks a column.
        """
        row: dict[str, Any] = dict(self.constants)
        try:
            for role, column in self.roles.items():
                if column in values:
                    row[role] = values[column]
                elif role not in self.may_lack:
                    row[role] = cell_of(values, column)
                else:
                    with suppress(KeyError):
                        row[role] = cell_of(values, column)
        except KeyError as error:
            raise DataError(f"the row has no {error.args[0]!r}") from None
        return row


def cell_of(values: Mapping[str, Any], name: str) -> Any:
    """Field of an object in a row, by its name with dots (``data.text``).

    Raises
    ------
    KeyError
        If there is none.
    """
    if "." not in name:
        return values[name]
    head, found = "", values
    for part in name.split("."):
        head = f"{head}.{part}" if head else part
        if isinstance(found, Mapping) and head in found:
            found, head = found[head], ""
    if head:
        raise KeyError(name)
    return found


def resolve_columns(source: DataSource, table: Table, *, task: str = "") -> Columns:
    """Columns of a table by role.

    A column that the data string states is used, one that it leaves empty (``id=``) is not looked
    for, and any other is looked for by its well-known names. If a task has a category and no column
    is stated for it, the first of the groups is used.

    Parameters
    ----------
    source
        Parsed data string.
    table
        Table with the names of its columns.
    task
        Name of the task, if the caller knows it; else it follows from the data string, the reader
        or the columns.

    Raises
    ------
    DataError
        If a stated column does not exist or is of another task, or no column can be found for a
        role that is needed.
    """
    stated = DataSource(source.scheme, source.target, {**table.defaults, **source.options})
    named = task or stated.option("task")
    if table.is_whole:
        return Columns(load_task(named).name, {load_task(named).answer: "gold"})
    found = load_task(named) if named else _told(stated, table.columns)
    # raise for stated columns that only other tasks have; empty ones only prevent guessing
    mine = [role.name for role in found.roles]
    foreign = set(role_options()) - {*mine, "id"}
    for name, given in source.options.items():
        if given and name in foreign:
            raise DataError(
                f"In {source}, {name}= is no column of {found.name}: it has {', '.join(mine)}. "
                "Columns to compare groups by are listed in group=, those whose rows belong "
                "together in unit=."
            )
    wanted = (*found.roles, ID)
    called = {role.name for role in found.roles if role.kind == "function"}
    roles = {
        role.key: _existing(stated.option(role.name), role.name, stated, table)
        for role in wanted
        if stated.options.get(role.name) and role.name not in called
    }
    groups = stated.columns("group")
    is_open = "category" not in stated.options and any(r.name == "category" for r in found.roles)
    if groups and is_open:
        roles["a_category"] = _existing(groups[0], "group", stated, table)
    known = {role.name for role in wanted if role.key in roles} | set(stated.options)
    free = [column for column in table.columns if column not in roles.values()]
    guesses = _guessed(found, free, known=known)
    roles |= {role.key: guesses[role.name] for role in wanted if role.name in guesses}
    for role in found.roles:
        if role.is_needed and role.key not in roles:
            raise DataError(_lacking(found, role, source, table, is_named=bool(named)))
    guessed = tuple(role.key for role in wanted if role.name in guesses)
    constants = _add_shared(roles, stated, table)
    functions = {name: source.option(name) for name in called if source.options.get(name)}
    may_lack = {role.key for role in found.roles if role.kind in ("expected", "messages")}
    return Columns(
        found.name, roles, guessed, {**constants, **functions}, frozenset(may_lack & set(roles))
    )


def _told(source: DataSource, columns: Collection[str]) -> Task:
    """Task identified by the stated columns and by its identifying columns.

    Among several, tasks of words go before those of texts, tasks with an answer before those
    without, and then the one that needs most columns. A task that no columns identify is told by
    columns for all it needs and for its answer, if they are stated or no other task is told. If
    there is none, the task that most of the stated columns belong to is returned, so that an error
    can name the missing column.
    """
    stated = {name: source.option(name) for name in role_options() if source.options.get(name)}
    taken = {*stated.values(), source.option("id")}
    free = [column for column in columns if column not in taken]

    def is_told(task: Task) -> bool:
        there = {*stated, *_guessed(task, free, known=source.options, is_telling=True)}
        return _telling(task) <= there and set(stated) <= {role.name for role in task.roles}

    every = every_task()
    tasks = [task for task in every if task.identifying_columns]
    others = [task for task in every if not task.identifying_columns and task.answer]
    told = [task for task in tasks if is_told(task)]
    told += [task for task in others if _telling(task) <= set(stated) and is_told(task)]
    told = told or [task for task in others if is_told(task)]
    if told:
        return max(told, key=lambda t: (bool(t.words), bool(t.answer), len(t.identifying_columns)))
    asked = {task.name: len(set(task.identifying_columns) & set(stated)) for task in tasks}
    return max(tasks, key=lambda t: (asked[t.name], bool(t.answer), -len(t.identifying_columns)))


def _telling(task: Task) -> set[str]:
    """Roles whose columns tell a task: those that identify it, else its answer; and the needed."""
    telling = task.identifying_columns or (task.answer,)
    return {*telling, *(role.name for role in task.roles if role.is_needed)}


def _guessed(
    task: Task, columns: Collection[str], *, known: Collection[str], is_telling: bool = False
) -> dict[str, str]:
    """Columns of unstated roles, found by well-known names; each column is used once.

    Names that identify a task in combination only (`side_by_side`) count together; once the task is
    known, the first of them counts alone, and the others if one is stated.
    """
    free = {column.strip().casefold(): column for column in reversed([*columns])}
    found: dict[str, str] = {}
    together = task.side_by_side[0] if task.side_by_side else ()
    is_stated = bool(set(together) & set(known))
    if not is_stated:
        beside = (names for names in task.side_by_side if set(names) <= set(free))
        found = {
            role: free.pop(name) for role, name in zip(together, next(beside, ()), strict=False)
        }
    for role in (*task.roles, ID):
        is_first = is_stated or role.name in together[:1]
        is_apart = role.name not in together or (is_first and not is_telling)
        if role.name not in found and role.name not in known and is_apart:
            name = next((name for name in role.names if name in free), None)
            if name is not None:
                found[role.name] = free.pop(name)
    return found


def _existing(name: str, role: str, source: DataSource, table: Table) -> str:
    """Name of an existing column; negative numbers count from the last."""
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
        f"Its columns are {quoted(table.columns, 30)}."
    )


def _add_shared(roles: dict[str, str], stated: DataSource, table: Table) -> dict[str, str]:
    """Add units, groups and the language to the roles; return cells that are constant."""
    for option, prefix in (("unit", "u_"), ("group", "a_")):
        for given in stated.columns(option):
            roles[f"{prefix}{given}"] = _existing(given, option, stated, table)
    language = stated.option("language")
    if not language:  # nothing is stated, though a column may have an empty name
        return {}
    if language in table.columns:
        roles["language"] = language
        return {}
    code = code_of(language)
    if not code:
        raise DataError(
            f"language={language} is neither a column of {table.place} nor the code of a language "
            f"(en, pt-BR). Its columns are {quoted(table.columns, 30)}."
        )
    return {"language": code}


def _lacking(task: Task, role: Role, source: DataSource, table: Table, *, is_named: bool) -> str:
    """Error text: the column that a task lacks, the names looked for, and how to state it."""
    known = dict.fromkeys(role.names)
    stated = (
        f"columns={{{role.name!r}: 'NAME'}}"
        if source.scheme == "object"
        else source.stating({role.name: "NAME"})
    )
    other = "" if is_named else "; if the rows are for another task, add task=NAME"
    return (
        f"{task.name} needs {role.meaning.replace('column', 'a column', 1)}, and {table.place} has "
        f"none by a name that is known ({', '.join(known)}). Its columns are "
        f"{quoted(table.columns, 30)}: name it, as in {stated}{other}."
    )


def with_names(table: Table, source: DataSource, columns: Columns, task: Task) -> Table:
    """Table with the names of its numbered classes: as stated, else as the file has them.

    Raises
    ------
    DataError
        If names are stated for a task without labels.
    """
    names = source.columns("names")
    if not names:
        return table
    if task.answer not in columns.roles:
        raise DataError(
            f"names={source.options['names']} in {source}: no column of labels or tags is read "
            "that could have names; leave it out."
        )
    return replace(table, class_names={columns.roles[task.answer]: names})


def named(value: Any, names: tuple[str, ...]) -> Any:
    """Name of an integer class, or of each in a list; other values are kept."""
    if isinstance(value, list | tuple):
        return [named(one, names) for one in value]
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    if 0 <= value < len(names):
        return names[value]
    raise DataError(f"the label {label_in_cell(value)} is not one of 0 to {len(names) - 1}")
