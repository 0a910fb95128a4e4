"""Registry: versioned names of plug-ins and the objects behind them.

A name is versioned (``typos@1``) and never changes its meaning. Objects are imported when they
are first asked for, so that listing and ``--help`` stay cheap. Built-ins and plug-ins come in by
the same door: an entry point of group ``scrutiny`` that names a tuple of `Registration`.
"""

import re
import sys
import warnings
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import LISTED, ConformanceError, UnknownNameError
from scrutiny.core.plugin_base import must_be_of_kind

KINDS: Final = LISTED
#: Kinds whose things subclass a base class.
CLASSES: Final = frozenset(KINDS) - {
    "statistic",
    "attribute",
    "part_attribute",
    "reader",
    "part",
}
#: Origin of built-in objects.
OWN: Final = "scrutiny"
_OWN: Final = "scrutiny.registrations:REGISTRATIONS"
_NAME: Final = re.compile(r"[^@\s]+@[1-9][0-9]*")


class Registration(NamedTuple):
    """One line of a registry: kind, versioned name, and ``module:attribute``.

    A diagnostic's line may state a requirement: a capability of the model, ``reference``, a second
    model, or ``suite``, data of cases. An audit that has no such thing does not load it.
    """

    kind: str
    name: str
    target: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """Registered name, with the distribution that provides it."""

    registration: Registration
    origin: str

    def load(self) -> Any:
        """Import the object.

        Raises
        ------
        ConformanceError
            If the module has no such attribute, or what is there is of another kind.
        """
        module, _, attribute = self.registration.target.partition(":")
        try:
            found = getattr(sys.modules.get(module), attribute, None)  # asked for again and again
            if found is None:
                with redirect_stdout(sys.stderr):  # stdout belongs to the command
                    found = getattr(import_module(module), attribute)
        except AttributeError as error:
            raise ConformanceError(
                f"{self.origin} registers {self.registration.name!r} as "
                f"{self.registration.target!r}, but that module has no {attribute!r}."
            ) from error
        if self.registration.kind in CLASSES:
            must_be_of_kind(found, self.registration.kind, self.registration.name)
        return found


@dataclass(frozen=True, slots=True)
class Registry:
    """All names of all kinds; created once by `registry`."""

    entries: Mapping[tuple[str, str], Entry] = field(default_factory=dict)
    _names: dict[str, list[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _newest: dict[tuple[str, str], str] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def names(self, kind: str) -> list[str]:
        """Sorted versioned names of one kind."""
        if kind not in self._names:  # a page asks for those of its parts again and again
            self._names[kind] = sorted(name for k, name in self.entries if k == kind)
        return self._names[kind].copy()

    def resolve(self, kind: str, name: str) -> str:
        """Full name from a name with or without version: the highest version by default.

        Raises
        ------
        UnknownNameError
            If there is none; near names are in the message.
        """
        if (kind, name) in self.entries:
            return name
        if (kind, name) in self._newest:
            return self._newest[kind, name]
        known = self.names(kind)
        versions = [n for n in known if n.partition("@")[0] == name]
        if "@" in name or not versions:
            raise UnknownNameError(kind, name, known)
        newest = max(versions, key=lambda n: int(n.partition("@")[2]))
        self._newest[kind, name] = newest  # a task is asked for with each of its items
        return newest

    def load(self, kind: str, name: str) -> Any:
        """Object of this name, imported on demand."""
        return self.entry(kind, name).load()

    def entry(self, kind: str, name: str) -> Entry:
        """Entry of this name."""
        known = self.entries.get((kind, name))
        return self.entries[kind, self.resolve(kind, name)] if known is None else known


def build(sources: Iterable[tuple[str, Iterable[Registration]]]) -> Registry:
    """Registry of all registrations; two sources must not claim one name.

    Raises
    ------
    ConformanceError
        For an unknown kind, a name without a version, or a name registered twice.
    """
    entries: dict[tuple[str, str], Entry] = {}
    for origin, registrations in sources:
        for registration in registrations:
            key = registration.kind, registration.name
            if registration.kind not in KINDS:
                raise ConformanceError(
                    f"{origin} registers a {registration.kind!r}; kinds are {', '.join(KINDS)}."
                )
            if not _NAME.fullmatch(registration.name):
                raise ConformanceError(
                    f"{origin} registers the {registration.kind} {registration.name!r}; names "
                    "are versioned, as typos@1."
                )
            if key in entries:
                raise ConformanceError(
                    f"{origin} registers the {registration.kind} {registration.name!r}, which "
                    f"{entries[key].origin} has already."
                )
            entries[key] = Entry(registration, origin)
    return Registry(entries)


@cache
def registry() -> Registry:
    """Registry of this process: the built-ins, then every plug-in in the order of its name.

    A plug-in that cannot be imported, or that takes a name that another has, is left out with a
    warning that says why: it must not keep the rest from working.
    """
    # asked for by its name, as a plug-in's is: a source checkout has no entry points
    own = import_module(_OWN.partition(":")[0]).REGISTRATIONS
    sources: list[tuple[str, Iterable[Registration]]] = [(OWN, own)]
    found = build(sources)
    for point in sorted(entry_points(group="scrutiny"), key=lambda p: p.name):
        if point.value == _OWN:
            continue
        try:
            with redirect_stdout(sys.stderr):
                lines = [Registration(*line) for line in point.load()]
            found = build([*sources, (point.name, lines)])
        except Exception as error:
            warnings.warn(f"The plug-in {point.name!r} was left out: {error}", stacklevel=2)
        else:
            sources.append((point.name, lines))
    return found
