"""Stored answers of runs, and two models of finished runs on their common items."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow.compute as pc

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.label import LABEL
from scrutiny.core.arrays import Floats
from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.diagnostics.similarity.side_by_side.flips import Noise
from scrutiny.diagnostics.similarity.side_by_side.marks import NO_ORDER
from scrutiny.diagnostics.similarity.side_by_side.sides import Answers, ItemLabels, Key, Sides
from scrutiny.models.answers.label_pair import Labels
from scrutiny.stats.resampling.weights import Units
from scrutiny.store.items import examples_of
from scrutiny.store.run_folder import RunFolder

#: A run and one of its models.
Asked = tuple[RunFolder, str]
_PLAIN: Final = "{}"  # condition of the answers to items as they are
_STORED: Final = "predictions:"


def rows_of(asked: Asked) -> list[dict[str, Any]]:
    """Answers of one side: all that a model of a run gave to the unchanged items."""
    folder, subject = asked
    table = folder.original_answers("scores")
    rows: list[dict[str, Any]] = table.filter(pc.equal(table["subject"], subject)).to_pylist()
    return rows


def labels_of(both: tuple[Asked, Asked], datasets: tuple[str, str], count: int) -> ItemLabels:
    """Labels of both sides in the order of their probabilities, equal for all items."""
    orders = [
        folder.manifest.get("label_order", {}).get(f"{subject} on {data}")
        for (folder, subject), data in zip(both, datasets, strict=True)
    ]
    if None in orders:
        return NO_ORDER
    ours, theirs = map(tuple, orders)
    return (Labels(ours, theirs),) * count if ours and theirs else "no_labels"


def sides_of_models(both: tuple[Asked, Asked], datasets: Sequence[str]) -> Sides | None:
    """Two models of finished runs side by side, on the items with a gold answer.

    Those that all replicates answered. Nothing where there are none, and where answers are of
    another type than the gold ones.
    """
    folder, items = both[0][0], both[0][0].items()
    known = {
        (data, item): example
        for data in datasets
        for item, example in examples_of(items, data).items()
        if example.gold is not None
    }
    rows = [rows_of(one) for one in both]
    ours, theirs = (
        tuple(dict.fromkeys(row["replicate"] for row in own if row["dataset"] in datasets))
        for own in rows
    )

    def answered(keys: Sequence[Key]) -> tuple[Answers, Answers]:
        """Answers of both to some items."""
        wanted = {(data, _PLAIN) for data in datasets}
        return (
            Answers.of_rows(rows[0], wanted, items=keys, replicates=ours),
            Answers.of_rows(rows[1], wanted, items=keys, replicates=theirs),
        )

    given = np.concatenate([one.given for one in answered([*known])]) != None  # noqa: E711
    keys = [key for key, is_whole in zip(known, given.all(axis=0), strict=True) if is_whole]
    one, other = answered(keys)
    if not (ours and theirs and keys):
        return None
    kinds = {one.kind, other.kind, *(type_of(known[key].gold) for key in keys)}
    if len(kinds) > 1:
        return None
    plan, examples = folder.manifest["plan"], tuple(known[key] for key in keys)
    return Sides(
        first=_right(one, examples),
        second=_right(other, examples),
        names=(ours, theirs),
        units=_units(folder, keys, examples),
        examples=examples,
        metric="accuracy@1" if one.kind is LABEL else "mean@1",
        is_paired=False,
        resampling=Resampling(**plan["resampling"]),
        seed=plan["seed"],
        answers=(one, other),
        labels=labels_of(both, (datasets[0],) * 2, len(keys))
        if len(datasets) == 1
        else "several_datasets",
        dataset=datasets[0],
    )


def _right(answers: Answers, examples: Sequence[Example]) -> Floats:
    """Share of each answer that is right ``(replicate, item)``: for labels 0 or 1, of spans F1."""
    agree, golds = answers.kind.agree, [one.gold for one in examples]
    rows = answers.given.tolist()
    found = [[agree(a, gold).share for a, gold in zip(row, golds, strict=True)] for row in rows]
    return np.array(found, dtype=np.float64)


def _units(folder: RunFolder, keys: Sequence[Key], examples: Sequence[Example]) -> Units:
    """Units of resampling, as in the run's own numbers."""
    column = {one["dataset"]: one["spec"]["unit"] for one in folder.manifest["specs"]}
    place: dict[object, int] = {}
    codes = [
        place.setdefault((data, one.attributes.get(column.get(data, ""), item)), len(place))
        for (data, item), one in zip(keys, examples, strict=True)
    ]
    return Units.of(len(codes), np.array(codes))


def promised_noise(folder: RunFolder) -> dict[str, Noise]:
    """Noise floor of flips side by side, by dataset: 0 where adapters promise exact answers.

    Stored answers are exact without saying anything of the model that gave them.
    """
    data, models = folder.manifest["data"], folder.manifest["models"].values()
    sources = [one["source"] for model in models for one in model["replicates"]]
    if not folder.is_exact or any(source.startswith(_STORED) for source in sources):
        return {}
    return {name: Noise("exact", 0.0, n_items=one["items"]) for name, one in data.items()}
