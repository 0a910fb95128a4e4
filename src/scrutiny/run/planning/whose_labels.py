"""Labels of a model beside those of the data: types of taggers, and labels that nobody stated."""

from collections.abc import Mapping, Sequence
from typing import Final

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import Dataset
from scrutiny.data.entity_types import types_differ
from scrutiny.data.labels import LabelMatch
from scrutiny.run.planning.loading import ModelCard

_MOST_SHOWN: Final = 20
#: Scheme of objects that are given in Python.
_GIVEN: Final = "python:object:"
#: Classes of calls, which have no labels of their own.
_CALLS: Final = ("function", "builtin_function_or_method", "partial")


def types_match(card: ModelCard, dataset: Dataset, explicit: Mapping[str, str]) -> LabelMatch:
    """Match of the data's types of entities to those of a tagger, by name or by a plan's map.

    Raises
    ------
    DataError
        If a type of the data is none of the tagger's; the message has a map to check.
    """
    try:
        return LabelMatch.between(
            dataset.labels,
            card.model_labels,
            explicit_map=explicit or None,
            renamed=dataset.label_map,
        )
    except DataError as error:
        if explicit or dataset.label_map:
            raise
        said = types_differ(card.source, card.model_labels, dataset.labels)
        raise DataError(said) from error


def how_to_state(source: str, labels: Sequence[str]) -> str:
    """How to say which labels a model has, as the rest of a sentence; ``labels`` are the data's."""
    shown = list(labels)[:_MOST_SHOWN]
    if not source.startswith(_GIVEN):
        return f"state them behind the model string, for instance #labels={'|'.join(shown)}"
    kind = source.removeprefix(_GIVEN)
    if kind in _CALLS:
        own = "" if kind != "function" else f", or set classes_ = {shown!r} on the function"
        return (
            f"this is a {kind}: pass the pipeline or classifier itself, which knows its classes, "
            f"not a function around it{own}"
        )
    whose = "the object of this method" if kind == "method" else "the object"
    return (
        f"give {whose} an attribute classes_, the labels in the order of its probabilities, for "
        f"instance {shown!r}"
    )
