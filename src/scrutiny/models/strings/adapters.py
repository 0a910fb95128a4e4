"""Adapters by scheme, as the registry has them.

An adapter is a function ``load(source, task, options) -> Model`` of a `ModelSource`, a task and
`LoadOptions`. Its module may also define

- ``targets() -> Sequence[str]``, the complete targets that it knows ("sentiment/seed-1"); patterns
  with captures are matched against them;
- ``matches(source) -> tuple[list[dict[str, str]] | None, str]``, the values that the captures of a
  pattern can have in its options (``run={run}``), nothing where there is no place to look, and a
  sentence that lists what is there;
- ``as_checkpoint(source) -> ModelSource | None``, the ``hf:`` source that its strings come down to;
- ``must_be_there(source) -> None``, which raises a `ModelError` for a target that cannot be found,
  and imports nothing heavy: a mistyped name is answered at once;
- ``folder_of(source) -> Path | None``, where the weights of its strings and the record of their
  training lie, for models that are no checkpoints of transformers.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import cast

from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.models.strings.source import ModelSource

Adapter = Callable[[ModelSource, Task, LoadOptions], Model]


def adapter(scheme: str) -> Adapter:
    """Adapter of a scheme, imported now.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    return cast("Adapter", registry().load("adapter", scheme))


def known_targets(scheme: str) -> tuple[str, ...]:
    """Complete targets that the adapter of a scheme says it knows; none where it does not say."""
    targets = getattr(_module(scheme), "targets", None)
    return tuple(cast("Sequence[str]", targets())) if callable(targets) else ()


def look_up(source: ModelSource) -> tuple[list[dict[str, str]] | None, str] | None:
    """Values of a pattern's captures that the adapter finds itself, and what is there.

    Nothing where the adapter looks nothing up.

    Raises
    ------
    UserError
        If what it looks into does not read.
    """
    matches = getattr(_module(source.scheme), "matches", None)
    if not callable(matches):
        return None
    return cast("tuple[list[dict[str, str]] | None, str]", matches(source))


def must_be_there(source: ModelSource) -> None:
    """Refuse a complete target that its adapter cannot find, before the model is loaded.

    Raises
    ------
    ModelError
        With what is there; never where the adapter does not say.
    """
    check = getattr(_module(source.scheme), "must_be_there", None)
    if callable(check):
        check(source)


def as_checkpoint(source: ModelSource) -> ModelSource | None:
    """The ``hf:`` source that a model string comes down to, or nothing.

    Raises
    ------
    ModelError
        If its adapter knows such, but not this one.
    """
    if source.scheme == "hf":
        return source
    resolve = getattr(_module(source.scheme), "as_checkpoint", None)
    return cast("ModelSource", resolve(source)) if callable(resolve) else None


def own_folder(source: ModelSource) -> Path | None:
    """Folder that an adapter of its own format reads, or nothing where it names none."""
    found = getattr(_module(source.scheme), "folder_of", None)
    return cast("Path | None", found(source)) if callable(found) else None


def _module(scheme: str) -> ModuleType | None:
    """Module of the adapter of a scheme."""
    return sys.modules.get(getattr(adapter(scheme), "__module__", ""))
