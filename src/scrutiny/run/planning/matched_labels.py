"""Labels of models matched with those of the data: by name, by map, and as text for a reader."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scrutiny.core.boundary.parameters import known
from scrutiny.core.boundary.printable import and_more, in_all, is_storable, repeated
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.task import Task
from scrutiny.data.dataset import Dataset
from scrutiny.data.entity_types import types_differ
from scrutiny.data.labels import LabelMatch
from scrutiny.run.planning.loading import ModelCard, Opened
from scrutiny.run.planning.resolved import Pairing, Resolved


def pairings_of(resolved: Resolved, opened: Opened) -> dict[tuple[str, str], Pairing]:
    """Pairings of every family with every dataset of the same measurement."""
    plan, tasks = resolved.plan, resolved.tasks
    wanted = dict.fromkeys(
        (model, data)
        for m in plan.measure
        for model in (*m.models, *filter(None, [m.reference]))
        for data in m.data
    )
    explicit = {m.name: m.labels for m in plan.models}
    pairings = {}
    # what is loaded for one task answers for all datasets of it
    for family, name in sorted(wanted, key=lambda one: one[0]):
        source, dataset = resolved.families[family].replicates[0].source, resolved.datasets[name]
        card = opened.card(family, source, tasks[name], dataset.examples)
        pairings[family, name] = _pair(card, dataset, tasks[name], explicit.get(family) or {})
    return {pair: pairings[pair] for pair in wanted}  # in plan order


def must_name_labels_that_occur(resolved: Resolved) -> None:
    """Raise for label maps of models with labels that are not in the data.

    Data that are cut by a limit may lack any label.
    """
    plan = resolved.plan
    cut = {d.name for d in plan.data if d.limit is not None}
    for model in plan.models:
        measured = {
            d for m in plan.measure if model.name in (*m.models, m.reference) for d in m.data
        }
        if not model.labels or not measured or measured & cut:
            continue
        labels = {label for name in measured for label in resolved.datasets[name].labels}
        known("label in its data", model.labels, labels, where=f"labels of model {model.name!r}")


def _pair(card: ModelCard, dataset: Dataset, task: Task, explicit: Mapping[str, str]) -> Pairing:
    labels = card.model_labels
    half = next((label for label in labels if not is_storable(label)), None)
    if half is not None:
        raise ModelError(f"{card.source}: its label {half!r} holds half a surrogate pair.")
    twice = repeated(labels)
    if twice is not None:
        raise ModelError(
            f"{card.source}: its label {twice!r} occurs twice, so its answers could not be told "
            "apart. Give each of its outputs a name of its own."
        )
    if not task.must_be_answered or "predict" not in card.capabilities:
        # no answer is given whose label had to be matched
        match = LabelMatch({})
    elif labels:
        try:
            match = LabelMatch.between(
                dataset.labels,
                labels,
                explicit_map=explicit or None,
                renamed=dataset.label_map,
                is_object=task.gives_labels and not dataset.data_string,
            )
        except DataError as error:
            if task.gives_labels or explicit or dataset.label_map:
                raise
            raise DataError(types_differ(card.source, labels, dataset.labels)) from error
    elif task.gives_labels:
        how = how_to_state(card.source, dataset.labels)
        raise ModelError(
            f"{card.source} does not say what its labels are, and they cannot be guessed: {how}."
        )
    else:  # taggers may leave their types open
        match = LabelMatch({label: label for label in dataset.labels})
    return Pairing.of(card, match)


_MOST_SHOWN: Final = 20
#: Scheme of objects that are given in Python.
_GIVEN: Final = "python:object:"
#: Classes of calls, which have no labels of their own.
_CALLS: Final = ("function", "builtin_function_or_method", "partial")


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


_MOST_PAIRS: Final = 12
#: Uninformative names of labels.
_NO_WORDS: Final = {"label", "labels", "class", "cls", "category", "cat", "type", "id", "tag"}
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")


def label_pairs(dataset: Dataset, match: LabelMatch) -> dict[str, str]:
    """Model label of each label in the file, through any renaming."""
    if not dataset.label_map:
        return dict(match.mapping)
    return {
        raw: match.mapping[name] for raw, name in dataset.label_map.items() if name in match.mapping
    }


def _are_words(pairs: Mapping[str, str]) -> bool:
    """Whether labels match safely: both sides of every pair are the same real word.

    Examples
    --------
    >>> _are_words({"positive": "POSITIVE"}), _are_words({"1": "1"}), _are_words({"a": "LABEL_0"})
    (True, False, False)
    """
    return all(
        data.casefold() == model.casefold()
        and any(w.casefold() not in _NO_WORDS for w in _LETTERS.findall(data))
        for data, model in pairs.items()
    )


def said_pairs(pairs: Mapping[str, str]) -> str:
    """Pairs as ``0 is negative, 1 is positive``; the first twelve of many."""
    return in_all([f"{data} is {model}" for data, model in pairs.items()], _MOST_PAIRS)


#: Roles of families whose labels are somebody's statement; controls and nulls are made here.
STATED_ROLES: Final = ("measured", "baseline")
_MOST_NAMES: Final = 3


def matches_to_show(resolved: Resolved) -> Iterator[str]:
    """Sentences on how a plan matches labels, where a reader has to check: names do not show it.

    Families that are matched in the same way share one.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for (family, data), pairing in resolved.pairings.items():
        dataset, match = resolved.datasets[data], pairing.labels
        pairs = label_pairs(dataset, match)
        if resolved.families[family].role in STATED_ROLES and not _are_words(pairs):
            how = "by the label map" if dataset.label_map else match.how
            said = f"{said_pairs(pairs)} ({how})"
            alike.setdefault((data, said), []).append(family)
    several = len({family for family, _ in resolved.pairings}) > 1
    for (data, said), families in alike.items():
        of_whom = f", for {and_more(families, _MOST_NAMES)}" if several else ""
        yield f"{data}{of_whom}: {said}"
