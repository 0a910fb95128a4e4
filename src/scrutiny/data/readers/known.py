"""Options of data strings: those of all readers, of tasks, and of the reader of a scheme."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.core.registry import registry

#: Options that all tasks have, with their meanings; those of one task are its roles.
OPTIONS: Final[Mapping[str, str]] = {
    "id": "column of unique identifiers; empty for hashes of the content",
    "unit": "columns whose rows belong together (clusters)",
    "group": "columns to compare groups by",
    "labels": "new names of labels, 0:negative|1:positive",
    "names": "names of the classes that the file numbers from 0, no|yes",
    "unlabeled": "keep or skip: what to do with rows whose label is empty; skip by default",
    "task": "name of the task",
    "language": "language code of the texts, or the column that holds it",
    "quote": "none or double: how fields with separators are written",
    "encoding": "of the file; utf-8 by default",
    "header": "none for a file without a first line of names",
    "delimiter": "one character, or comma, semicolon, tab, space",
    "field": "key of the list of rows inside a JSON object",
    "token": "column of the tokens in a CoNLL file, counted from 0",
    "tag": "column of the tags in a CoNLL file; -1 is the last",
    "config": "configuration of a data set of the hub",
    "permute": "seed of a random exchange of the items' labels: a null",
}

#: Options about reading; each reader has only those that it uses.
READING: Final = frozenset(
    {"quote", "encoding", "header", "delimiter", "field", "token", "tag", "config"}
)


def check_reader_option(name: str, *, where: str, scheme: str = "") -> None:
    """Raise for an option that no reader of data takes; the message lists similar names."""
    if name in OPTIONS and name not in READING:
        return
    known = known_options(scheme)
    if name not in known:
        near = get_close_matches(name, known, n=2, cutoff=0.6)
        hint = f"Did you mean {' or '.join(near)}? " if near else ""
        of_others = f" of {scheme}:" if scheme and name in OPTIONS else ""
        raise DataError(
            f"In {where!r}, there is no option {name!r}{of_others}. {hint}There are: "
            f"{', '.join(known)}."
        )


def known_options(scheme: str = "") -> dict[str, str]:
    """All options with their meanings: shared ones, those of tasks, those of one reader."""
    from scrutiny.tasks.columns.roles import role_options

    reading = _marked(scheme, "reading", ())
    common = {k: said for k, said in OPTIONS.items() if k not in READING or k in reading}
    return {**role_options(), **common, **reader_options(scheme)}


def reader_options(scheme: str) -> Mapping[str, str]:
    """Options of the reader of this scheme; empty for an unknown one."""
    brought: Mapping[str, str] = _marked(scheme, "options", {})
    return brought


def _marked(scheme: str, what: str, default: Any) -> Any:
    """Attribute of the reader of a scheme; the default if reader or attribute is unknown."""
    if scheme not in schemes():
        return default
    return getattr(registry().load("reader", scheme), what, default)


def schemes() -> list[str]:
    """Schemes of all readers, built-in and plugged in."""
    return sorted({name.partition("@")[0] for name in registry().names("reader")})
