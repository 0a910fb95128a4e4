"""Baselines by rule, ``rules:NAME``: what a model has to be better than."""

from collections.abc import Callable, Mapping
from typing import Final

from scrutiny.core.errors import ModelError
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Task
from scrutiny.models import head_match, lesk, longest_match, polar_words, word_overlap
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.model_strings import ModelSource

_RULES: Final[Mapping[str, Callable[[ModelSource, Task, LoadOptions], Model]]] = {
    "bm25": word_overlap.load,
    "first-sense": lesk.load_senses,
    "head-match": head_match.load,
    "lesk": lesk.load_senses,
    "longest-match": longest_match.load_longest_match,
    "longest-option": word_overlap.load,
    "one-label": polar_words.load_one_label,
    "overlap": word_overlap.load,
    "polar-words": polar_words.load_polar_words,
}


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Baseline of this name.

    Raises
    ------
    ModelError
        If there are no such rules, or the task is another.
    """
    _must_be_there(source)
    return _RULES[source.target](source, task, options)


def _must_be_there(source: ModelSource) -> None:
    """Refuse a target that names no rules."""
    if source.target not in _RULES:
        known = ", ".join(_RULES)
        raise ModelError(f"There are no rules {source.target!r}. There are: {known}.")


ADAPTER: Final = Adapter(load, targets=lambda: tuple(_RULES), must_be_there=_must_be_there)
