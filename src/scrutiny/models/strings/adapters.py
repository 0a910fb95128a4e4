"""Adapters by scheme, from the registry, and which tasks the models of one can answer."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import cast

from scrutiny.core.errors import ModelError, ScrutinyError
from scrutiny.core.facts import Facts, wanted_in_words
from scrutiny.core.long_runs import seldom_collected
from scrutiny.core.model import LoadOptions, Model, PlainModel
from scrutiny.core.plugin_base import PlugIn, Told
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.models.strings.model_strings import ModelSource, parse
from scrutiny.tasks.tasks import base_name

#: Values of a pattern's captures, or nothing where there is no place to look; and what is there.
Matches = tuple[list[dict[str, str]] | None, str]


def _nothing(source: ModelSource) -> None:
    """Default of an adapter's optional function."""
    del source


@dataclass(frozen=True, slots=True)
class Adapter(Told, PlugIn):
    """Adapter: how the models of a scheme are found and loaded.

    Parameters
    ----------
    load
        Model of a source, for a task.
    targets
        Complete targets that it knows ("sentiment/seed-1"); patterns with captures are matched
        against them.
    matches
        Values that the captures of a pattern can have in its options (``run={run}``), nothing where
        there is no place to look, and a sentence that lists what is there. Nothing at all where
        the adapter looks nothing up.
    must_be_there
        Raises a `ModelError` for a target that cannot be found, and imports nothing heavy: a
        mistyped name is answered at once.
    as_checkpoint
        The ``hf:`` source that its strings come down to, or nothing; raises a `ModelError` if it
        knows such, but not this one.
    folder_of
        Where the weights of its strings and the record of their training lie, for models that are
        no checkpoints of transformers; or nothing.
    of_asking
        Options of its strings that say how it is asked, and change no answer: limits and budgets.
    imports
        Modules that loading imports for seconds: workers begin with them while data are read.
    """

    kind = "adapter"

    load: Callable[[ModelSource, Task, LoadOptions], PlainModel]
    targets: Callable[[], Sequence[str]] = tuple
    matches: Callable[[ModelSource], Matches | None] = _nothing
    must_be_there: Callable[[ModelSource], None] = _nothing
    as_checkpoint: Callable[[ModelSource], ModelSource | None] = _nothing
    folder_of: Callable[[ModelSource], Path | None] = _nothing
    of_asking: frozenset[str] = frozenset()
    imports: Sequence[str] = ()

    def sentence(self) -> str:
        """First line of the load function's docstring."""
        return self.at_length().partition("\n")[0]

    def at_length(self) -> str:
        """Docstring of the load function."""
        return getdoc(self.load) or ""


class IdentifiedModel(Model):
    """A model whose weights and settings are known when it is loaded.

    Parameters
    ----------
    source, task
        Model string, and name of the task that it was loaded for.
    identity
        Digest of all that can change an answer; None if texts alone do not settle it.
    """

    def __init__(self, source: str, task: str, identity: str | None) -> None:
        self.source = source
        self.task = task
        self._identity = identity

    def fingerprint(self) -> str | None:
        """Digest of all that can change an answer."""
        return self._identity


def adapter(scheme: str) -> Adapter:
    """Adapter of a scheme, imported on demand.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    return cast("Adapter", registry().load("adapter", scheme))


def known_targets(scheme: str) -> tuple[str, ...]:
    """Complete targets that the adapter of a scheme knows; empty if it knows none."""
    return tuple(adapter(scheme).targets())


def checkpoint_of(source: ModelSource) -> ModelSource | None:
    """The ``hf:`` source that a model string comes down to, or `None`.

    Raises
    ------
    ModelError
        If its adapter knows such, but not this one.
    """
    return source if source.scheme == "hf" else adapter(source.scheme).as_checkpoint(source)


def as_hf(source: ModelSource, folder: Path) -> ModelSource:
    """The ``hf:`` source of a folder whose weights in half precision run in single precision."""
    options = {"dtype": "float32", **source.options}
    return replace(source, scheme="hf", target=str(folder), options=options)


def checkpoint_source(source: ModelSource) -> ModelSource:
    """Model string that must lead to a checkpoint of transformers, as its ``hf:`` source.

    Its text stays the user's.

    Raises
    ------
    ModelError
        If the model is no checkpoint of transformers, or is not there.
    """
    found = checkpoint_of(source)
    if found is None:
        raise ModelError(
            f"{source.text!r} is no checkpoint of transformers, so it has no architecture, "
            "configuration and tokenizer to start from. Those are hf:, zoo: and named models."
        )
    return found


def without_limits(source: str) -> str:
    """Model string without the options that say only how it is asked: the same model either way.

    Examples
    --------
    >>> without_limits("http://h/v1#api=chat,most_requests=40,labels=bad|good")
    'http://h/v1#api=chat,labels=bad|good'
    """
    head, mark, tail = source.partition("#")
    if not mark:
        return source
    try:
        own = adapter(parse(source).scheme).of_asking
    except ScrutinyError:  # whoever loads it says what is wrong
        return source
    kept = [one for one in tail.split(",") if one.partition("=")[0].strip() not in own]
    return f"{head}#{','.join(kept)}" if own else source


def imports_of(source: str) -> Sequence[str]:
    """Modules that loading a model string imports for seconds; none of one that leads nowhere."""
    with suppress(ScrutinyError):
        parsed = parse(source)
        return adapter((checkpoint_of(parsed) or parsed).scheme).imports
    return ()


def import_ahead(source: str) -> None:
    """Import what loading a model string will; whoever loads it says what is wrong.

    Half a million objects are made, and hardly any is garbage.
    """
    with seldom_collected(), suppress(Exception):
        for module in imports_of(source):
            import_module(module)


def must_answer_task(task: Task, wanted: tuple[Facts, ...], *, source: str) -> None:
    """Raise unless a kind of model can answer the inputs of a task.

    Raises
    ------
    ModelError
        If it is not; the message names those that are.
    """
    if not any(one.are_of(task.facts) for one in wanted):
        raise ModelError(
            f"{source} cannot answer the task {base_name(task)}: it gives "
            f"{wanted_in_words(wanted)}, and that has {task.facts}."
        )
