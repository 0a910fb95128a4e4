"""How a reader mends labels that are exchanged: a data or model string, or a map in the plan."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from scrutiny.data.dataset import Dataset
from scrutiny.data.labels import write_label_map
from scrutiny.data.source import DataSource, parse_source
from scrutiny.run.planning.resolved import Pairing


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
