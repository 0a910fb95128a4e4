"""Adapters by scheme, as the registry has them.

An adapter is a function ``load(source, task, options) -> Model`` of a `ModelSource`, a task and
`LoadOptions`. Its module may also define ``targets() -> Sequence[str]``, the complete targets
that it knows ("sentiment/seed-1"); patterns with captures are matched against them.
"""

import sys
from collections.abc import Callable, Sequence
from typing import cast

from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.models.source import ModelSource

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
    module = sys.modules.get(getattr(adapter(scheme), "__module__", ""))
    targets = getattr(module, "targets", None)
    return tuple(cast("Sequence[str]", targets())) if callable(targets) else ()
