"""Which column plays which role: as the data string says, else guessed from well-known names."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from scrutiny.core.errors import DataError
from scrutiny.data.column_lookup import Columns, add_shared, column_named, lacking, listed
from scrutiny.data.own_columns import (
    ID_NAMES,
    own_columns,
    refuse_foreign,
    task_of_annotation,
    task_of_names,
    task_of_options,
)
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
#: Roles that say, where they are stated, that no annotation is meant.
_TELLING: Final = frozenset({"text", "text_pair", "label", "tokens", "tags"})
_TAGS: Final = ("tags", "ner_tags", "ner", "entity_tags", "bio")


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
    name = load_task(name).name if name else task_of_options(options)
    if name and load_task(name).roles:
        return own_columns(name, stated, source=source, table=table)
    return _common_columns(name, stated, source=source, table=table)


def _common_columns(task: str, stated: DataSource, *, source: DataSource, table: Table) -> Columns:
    """Columns of text, label, tokens and tags; of another task where their names tell it."""
    name, options = task, stated.options
    roles = {
        role: column_named(stated.option(role), role, source, table)
        for role in ROLES
        if options.get(role)
    }
    guesses = _guess(table.columns, stated=roles, refused=set(options) - set(roles), task=name)
    guessed = tuple(guesses)
    if not name and "tags" not in guesses and not _TELLING & set(roles):
        # words with an annotation are no text to classify, though a column has them as a text
        told = task_of_annotation(table.columns)
        if told:
            return own_columns(told, stated, source=source, table=table)
    roles |= guesses
    if not name and not {"text", "tokens"} & set(roles):
        told = task_of_names(table.columns)
        if told:
            return own_columns(told, stated, source=source, table=table)
    name = name or _infer(roles, source, table)
    needed = load_task(name).columns
    refuse_foreign(name, source, own=())
    for role in needed:
        if role not in roles and role not in ("label", "tags"):
            raise DataError(lacking(name, role, OPTIONS[role], table=table))
    roles = {role: column for role, column in roles.items() if role in (*needed, "id")}
    constants = add_shared(roles, stated, table)
    return Columns(name, roles, tuple(r for r in guessed if r in roles), constants)


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
            take("id", ID_NAMES)
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
    take("id", ID_NAMES)
    return found


def _infer(roles: Mapping[str, str], source: DataSource, table: Table) -> str:
    try:
        return infer_task(roles)
    except DataError:
        example = source.stating({"text": table.columns[0]})
        raise DataError(
            f"No column of {table.place} is known to hold the text. Its columns are "
            f"{listed(table.columns)}: say which it is, as in {example}."
        ) from None
