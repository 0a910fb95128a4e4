"""Base classes of plug-ins: one for each kind, declaring all its members with defaults.

A member that may be left out has a default on the base class, so that nothing is ever looked for
by its name. That a thing subclasses its base is checked in one place: where the registry loads it.
The registry is apart, because it reads the metadata of all packages, which takes its time.
"""

import re
from inspect import getdoc
from typing import Any, ClassVar, Final

from scrutiny.core.errors import ConformanceError

_VERSION: Final = re.compile(r"@(?:py-[0-9a-f]+|[0-9]+)")
_AT_END: Final = re.compile(rf"{_VERSION.pattern}(#[0-9a-f]+)?$")


class PlugIn:
    """Root of the base classes of all kinds.

    ``kind`` is the kind that the registry's lines name; each base class states it once.
    The first line of its docstring describes it in lists.
    ``title`` is its name for people; without one, its id in words.
    """

    __slots__ = ()

    kind: ClassVar[str]
    title: ClassVar[str] = ""


class Told:
    """Registered object that describes itself, as a class does in its docstring.

    ``says`` is one line. A base class of dataclasses has no values for their fields to take as
    defaults, so that what is longer is a method.
    """

    __slots__ = ()

    says: str

    def sentence(self) -> str:
        """Description in lists: one sentence."""
        return self.says

    def at_length(self) -> str:
        """Full description."""
        return self.sentence()


def sentence_of(thing: Any) -> str:
    """Description of a registered object, in one sentence."""
    return thing.sentence() if isinstance(thing, Told) else at_length(thing).partition("\n")[0]


def title_of(thing: PlugIn, name: str) -> str:
    """Display name of a registered object: its title, or its id in words; arguments in brackets.

    Examples
    --------
    >>> title_of(PlugIn(), "shout_aloud@1"), title_of(PlugIn(), "typos@1(share=0.9)")
    ('shout aloud', 'typos (share=0.9)')
    """
    known, bracket, given = name.partition("(")
    said = thing.title or known.partition("@")[0].replace("_", " ")
    return f"{said} ({given}" if bracket else said


def unversioned(name: str) -> str:
    """Name of a plug-in without its version.

    Examples
    --------
    >>> unversioned("typos@1"), unversioned("shout@py-3fa2"), unversioned("a@b")
    ('typos', 'shout', 'a@b')
    """
    return _AT_END.sub("", name)


def family_name(diagnostic: str) -> str:
    """Name of a diagnostic without version and digest.

    Examples
    --------
    >>> family_name("attention.heads@1#5f3a9c")
    'attention.heads'
    """
    return diagnostic.partition("@")[0]


def at_length(thing: Any) -> str:
    """Full description of a registered object: its own, or its docstring."""
    return thing.at_length() if isinstance(thing, Told) else getdoc(thing) or ""


def must_be_of_kind(thing: Any, kind: str, name: str) -> Any:
    """The object, checked to be of the kind that it is registered as.

    Raises
    ------
    ConformanceError
        If it does not subclass the base class of its kind.
    """
    made = thing if isinstance(thing, type) else type(thing)
    if issubclass(made, PlugIn) and made.kind == kind:
        return thing
    bases = [base for base in _bases(PlugIn) if base.kind == kind]
    wanted = " or ".join(f"{base.__module__}.{base.__qualname__}" for base in bases)
    raise ConformanceError(
        f"{name}: {made.__qualname__} of {made.__module__} is no {kind.replace('_', ' ')}. It must "
        f"subclass {wanted or 'the base class of its kind'}, which declares its members."
    )


def _bases(root: type[PlugIn]) -> list[type[PlugIn]]:
    """Classes that declare a kind themselves."""
    found = [] if root is PlugIn else [root] if "kind" in vars(root) else []
    return found + [base for sub in root.__subclasses__() for base in _bases(sub)]


def without_versions(name: str) -> str:
    """Registered name of a plug-in, or of several composed ones, without their versions.

    Examples
    --------
    >>> without_versions("contraction@1+typos@12(share=0.5)"), without_versions("shout@py-3fa2")
    ('contraction+typos(share=0.5)', 'shout')
    """
    return _VERSION.sub("", name)
