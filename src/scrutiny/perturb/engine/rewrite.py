"""A function from text to text as a transformation; its edits are the difference.

A plan keeps a name and a digest of the source, ``shout@py-3fa2c1d0``, not the function: only a
process that was given it can make its texts.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.randomness import Rng
from scrutiny.core.registry import registry
from scrutiny.core.transformation import (
    Document,
    Effect,
    Intensity,
    Site,
    Transformation,
    may_change_unless,
)
from scrutiny.perturb.engine.changes import EVERY_SITE, whole_text
from scrutiny.text.edits import edits_between

#: Function from a text to a text.
Rewriter = Callable[[str], str]

_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_PLAIN: Final = str | int | float | bool | None
_HELD: Final[dict[str, type["Rewrite"]]] = {}


@dataclass(frozen=True, slots=True)
class keeps_label:
    """A function from text to text that keeps the gold answer, whatever the task.

    That is your word for it: where it is wrong, what looks like a drop of the model is a mistake
    of the label. Without it a function counts as one that may change the label: changed answers
    are counted, and nothing is claimed.

    Examples
    --------
    >>> keeps_label(str.upper)("loud")
    'LOUD'
    """

    function: Rewriter

    def __call__(self, text: str) -> str:
        """Result of the function for a text."""
        return self.function(text)


class Rewrite(Transformation):
    """The text rewritten by a function of your own.

    Base of transformations made from a user's function; subclassed for each function.

    It is called once for each text, with the text alone, and has to give the same for the same.
    """

    __slots__ = ()

    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    effect: ClassVar[Mapping[str, Effect]] = may_change_unless()
    intensity: ClassVar[Intensity] = EVERY_SITE
    function: ClassVar[Rewriter]

    def sites(self, document: Document) -> Sequence[Site]:
        """The text as one site."""
        return whole_text(document)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The edits that the function makes."""
        new = type(self).function(document.text)
        if not isinstance(new, str):
            raise PlanError(
                f"{self.id.partition('@')[0]!r} gave something of type {type(new).__name__} for "
                f"the text {document.text[:40]!r}: a transformation is a function that takes a "
                "text and returns a text."
            )
        yield tuple(edits_between(document.field, document.text, new))


def hold_function(name: str, function: Any) -> str:
    """Versioned name of a user's function, which this process can now call.

    Parameters
    ----------
    name
        What it is called in the plan.
    function
        A function from text to text, or one that `keeps_label`.

    Raises
    ------
    PlanError
        If the name is taken or no name, or nothing says what the function is.
    """
    own = function.function if isinstance(function, keeps_label) else function
    if not callable(own):
        raise PlanError(
            f"transformations: {name!r} is of type {type(own).__name__}, and it must be a function "
            "from text to text. Recipes stand beside it in a list: ['typos', {'shout': str.upper}]."
        )
    known = {full.partition("@")[0] for full in registry().names("transformation")}
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in known:
        why = "is a transformation already" if name in known else "is no name"
        raise PlanError(
            f"transformations: {name!r} {why}; a function of your own is named in letters, digits "
            "and underscores, as in {'shout': str.upper}."
        )
    effect = "keeps" if isinstance(function, keeps_label) else "may change"
    full = f"{name}@py-{digest(effect, _identity_of(name, own), size=4)}"
    members = {"id": full, "function": staticmethod(own), "effect": {"*": effect}}
    _HELD.pop(full, None)  # the last that was given stands last
    _HELD[full] = type("Rewrite", (Rewrite,), {"__slots__": (), **members})
    return full


def held(name: str) -> type[Rewrite] | None:
    """Class of a function that was passed to this process, by its name; `None` for other names.

    Raises
    ------
    PlanError
        If the name is that of a function that was given to another process.
    """
    stem, _, version = name.partition("@")
    if version and not version.startswith("py-"):
        return None
    if not version:
        full = next((one for one in reversed(_HELD) if one.partition("@")[0] == stem), "")
        return _HELD.get(full)
    if name not in _HELD:
        raise PlanError(
            f"{stem!r} is a Python function that was handed over to scrutiny.run. A plan keeps its "
            f"name and a digest of its source ({name}), not the function, so a re-issue cannot "
            f"load it: run it from Python again with transformations={{{stem!r}: ...}}, or make it "
            "a plug-in (`scrutiny new transformation`)."
        )
    return _HELD[name]


def _identity_of(name: str, function: Any) -> str:
    """Identity of a user's transformation: the function's source code and closure, or its location.

    Raises
    ------
    PlanError
        If it has neither a source nor a module that holds it under its name.
    """
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        module = getattr(function, "__module__", None) or "builtins"
        path = getattr(function, "__qualname__", "")
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part, None)
        if not path or found is not function:
            raise PlanError(
                f"transformations: {name!r} is a {type(function).__name__} that cannot be named in "
                "the plan: it has no source that could be read, and no module that holds it. Give "
                "a function or a lambda of a file or a notebook, or one that can be imported."
            ) from None
        return f"{module}:{path}"
    closed = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    inside = {n: repr(v) if isinstance(v, _PLAIN) else type(v).__name__ for n, v in closed.items()}
    stated = [str(value) for value in (inspect.signature(function).parameters.values())]
    return f"{source}{sorted(inside.items())}{stated}"
