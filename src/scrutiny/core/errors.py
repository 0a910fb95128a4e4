"""Errors that scrutiny raises on purpose.

::

    ScrutinyError                       what is wrong, where, what is allowed, how to fix it
    ├── UserError                       printed as one paragraph; exit code 2
    │   ├── PlanError                   a plan, a claim or a rule cannot be read
    │   ├── DataError                   a data string, a file or a row
    │   ├── ModelError                  a model string, a checkpoint, an output of the wrong shape
    │   ├── UnknownNameError            a look-up in a registry failed; near names are listed
    │   └── MissingExtraError           an optional dependency is not installed
    ├── RunIncompleteError              re-issue the same command to resume; exit code 3
    ├── StorageError                    a failed write; no half-written file is kept; exit code 3
    └── ConformanceError                a plug-in breaks the contract of its protocol
"""

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

#: Kinds of names that ``scrutiny list`` prints.
LISTED: Final = tuple(
    "diagnostic transformation constraint goal search_method attack expectation statistic "
    "attribute part_attribute task reader adapter trainer part".split()
)


class ScrutinyError(Exception):
    """Base of all errors: the message says what is wrong, where, what is allowed, how to fix it."""

    exit_code = 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Make errors with parameters of their own picklable, to send them between processes."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: "type[ScrutinyError]", args: tuple[Any, ...], state: Any) -> "ScrutinyError":
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class UserError(ScrutinyError):
    """User error that can be fixed; shown without a traceback."""


class PlanError(UserError):
    """A plan, a claim or a rule cannot be read."""


class DataError(UserError):
    """A data string, a file or a row cannot be read."""


class ModelError(UserError):
    """A model cannot be loaded, or returned output that its task does not allow."""


class UnknownNameError(UserError):
    """Unknown name: it is not in the registry; the message lists similar names.

    Parameters
    ----------
    kind
        Kind of name, in the singular ("transformation").
    name
        The name as it was given.
    known
        All names there are.
    remedy
        What else can be done, in a sentence.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, remedy: str = "") -> None:
        names = sorted(known)
        # versions are left out: "labels@1" is not like "robustnes@1"
        bare = {n.partition("@")[0]: n for n in names}
        near = [bare[n] for n in get_close_matches(name.partition("@")[0], bare, n=3, cutoff=0.6)]
        if near:
            hint = "Did you mean " + " or ".join(repr(n) for n in near) + "?"
        else:
            hint = (
                f"There are {len(names)}: " + ", ".join(names[:12]) if names else "There are none"
            )
            hint += ", …" if len(names) > 12 else "."
        all_of = f" `scrutiny list {kind}s` prints them all." if kind in LISTED else ""
        told = f"There is no {kind} named {name!r}. {hint}{all_of}"
        super().__init__(f"{told} {remedy}" if remedy else told)
        self.kind, self.name, self.near = kind, name, near


class MissingExtraError(UserError):
    """Optional dependency that is needed but not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f'{what} needs packages that are not installed: pip install "scrutiny[{extra}]"'
        )
        self.extra = extra


def require_packages(what: str, extra: str, *modules: str) -> None:
    """Raise unless the packages of an extra are installed.

    Parameters
    ----------
    what
        Feature that needs them, which begins the message: "An ONNX model".
    extra
        Name of the extra that brings them.
    modules
        Modules that must be importable.

    Raises
    ------
    MissingExtraError
        If one of the modules cannot be imported.
    """
    try:
        for module in modules:
            import_module(module)
    except ImportError as error:
        raise MissingExtraError(what, extra) from error


class RunIncompleteError(ScrutinyError):
    """Unfinished run; the same command resumes where it stopped."""

    exit_code = 3


class StorageError(ScrutinyError):
    """A file could not be written; no half-written file is left behind."""

    exit_code = 3


class ConformanceError(ScrutinyError):
    """A plug-in violates the contract of its base class or protocol."""
