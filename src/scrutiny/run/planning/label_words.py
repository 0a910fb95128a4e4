"""Label pairs as text: data labels with model labels, and how to write an exchange."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from scrutiny.core.boundary.listing import and_more, in_all
from scrutiny.data.dataset import Dataset
from scrutiny.data.labels import LabelMatch, write_label_map
from scrutiny.data.source import DataSource, parse_source
from scrutiny.run.planning.resolved import Pairing, Resolved

_MOST_PAIRS: Final = 12
#: Uninformative names of labels.
_NO_WORDS: Final = {"label", "labels", "class", "cls", "category", "cat", "type", "id", "tag"}
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")


def pairs_of(dataset: Dataset, match: LabelMatch) -> dict[str, str]:
    """Model label of each label in the file, through any renaming."""
    if not dataset.label_map:
        return dict(match.mapping)
    return {
        raw: match.mapping[name] for raw, name in dataset.label_map.items() if name in match.mapping
    }


def are_words(pairs: Mapping[str, str]) -> bool:
    """Whether labels match safely: both sides of every pair are the same real word.

    Examples
    --------
    >>> are_words({"positive": "POSITIVE"}), are_words({"1": "1"}), are_words({"a": "LABEL_0"})
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


def exchanged(
    dataset: Dataset,
    pairing: Pairing,
    order: Sequence[int],
    *,
    model: str,
    has_map: bool,
) -> str:
    """Suggested data or model string that maps labels in another order.

    Parameters
    ----------
    dataset, pairing
        What was matched.
    order
        For each label of the model, by its number, the one whose answers go with it.
    model
        Its string, or nothing where it has none, or where it says its labels itself: names of its
        outputs change nothing then.
    has_map
        Whether the plan maps the data's labels to the model's: then that map has to change.
    """
    mapping = _mapping(pairing, order)
    if has_map:
        stated = ", ".join(f"{_toml(data)} = {_toml(m)}" for data, m in mapping.items())
        return f"write labels = {{ {stated} }} of the model in the plan"
    if dataset.data_string:
        renamed = dataset.label_map or {data: data for data in mapping}
        written = {raw: mapping[name] for raw, name in renamed.items() if name in mapping}
        source = parse_source(dataset.source)
        options = {**source.options, "labels": write_label_map(written)}
        target = source.target.replace(f"{Path.cwd()}{os.sep}", "")
        return f"give the data as {DataSource(source.scheme, target, options)}"
    if not model:
        return ""
    target, _, stated_options = model.partition("#")
    kept = [o for o in stated_options.split(",") if o and not o.startswith("labels=")]
    labels = f"labels={'|'.join(_outputs(mapping, pairing.model_labels))}"
    return f"give the model as {target}#{','.join([*kept, labels])}"


def _mapping(pairing: Pairing, order: Sequence[int]) -> dict[str, str]:
    """Model label of each data label in another order."""
    names = pairing.model_labels
    place = {name: i for i, name in enumerate(names)}
    return {data: names[order[place[m]]] for data, m in pairing.labels.mapping.items()}


def _outputs(mapping: Mapping[str, str], names: Sequence[str]) -> list[str]:
    """Names of the model's outputs, in order, taken from the matched data labels."""
    theirs = {model: data for data, model in mapping.items()}
    left = iter([name for name in names if name in theirs and name not in mapping])
    return [theirs.get(n) or (n if n not in mapping else next(left)) for n in names]


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


#: Roles of families whose labels are somebody's statement; controls and nulls are made here.
_STATED: Final = ("measured", "baseline")


_MOST_NAMES: Final = 3


def matches_to_show(resolved: Resolved) -> Iterator[str]:
    """Sentences on how a plan matches labels, where a reader has to check: names do not show it.

    Families that are matched in the same way share one.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for (family, data), pairing in resolved.pairings.items():
        dataset, match = resolved.datasets[data], pairing.labels
        pairs = pairs_of(dataset, match)
        if resolved.families[family].role in _STATED and not are_words(pairs):
            how = "by the label map" if dataset.label_map else match.how
            said = f"{said_pairs(pairs)} ({how})"
            alike.setdefault((data, said), []).append(family)
    several = len({family for family, _ in resolved.pairings}) > 1
    for (data, said), families in alike.items():
        of_whom = f", for {and_more(families, _MOST_NAMES)}" if several else ""
        yield f"{data}{of_whom}: {said}"
