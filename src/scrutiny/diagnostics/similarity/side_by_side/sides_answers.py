"""Answers of two sides: as runs store them, and as numbers in one order of labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.core.answers.answer import label_in, type_of
from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.arrays import Floats
from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.diagnostics.similarity.side_by_side.sides import (
    Answers,
    ItemLabels,
    Key,
    Noise,
    Sides,
)
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.reliability.assignment import assignments_in
from scrutiny.stats.resampling.weights import Units
from scrutiny.store.item_tables import examples_of
from scrutiny.store.run_folder import RunFolder

#: Answers are no labels of a closed set: taggers' spans, or free text.
FREE: Final = "free_answers"
#: A run has not kept the order of its model's labels.
NO_ORDER: Final = "no_label_order"
#: What is not applicable, and so is left out without a word.
NOT_APPLICABLE: Final = (FREE, "no_answers", "no_labels")
_ATOL: Final = 1e-4  # of sums of probabilities: answers are stored as float32
Both = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """Answers of two sides as numbers, and their common labels.

    Parameters
    ----------
    places
        ``(replicate, item)`` of each side, place of the label; nothing where there is no closed
        set of labels.
    probabilities
        ``(replicate, item, label)`` of each side, in one order; nothing where they are not known.
    n_labels
        ``(item,)`` labels that there are for each item; nothing without a closed set.
    gold
        ``(item,)`` place of the right answer among the probabilities; nothing where some is not
        known.
    has_one_set
        Whether all items have labels of one set, or as many choices: what kappa counts.
    lack
        Why there are no places; "" where there are.
    no_probabilities
        Why there are no probabilities; "" where there are.
    """

    places: Both | None = None
    probabilities: Both | None = None
    n_labels: Floats | None = None
    gold: NDArray[np.int64] | None = None
    has_one_set: bool = False
    lack: str = ""
    no_probabilities: str = ""


def marks_of(
    answers: tuple[Answers, Answers] | None, labels: ItemLabels, *, golds: Sequence[object]
) -> Marked:
    """Both sides' answers as numbers.

    Parameters
    ----------
    answers
        Of both, ``(replicate, item)``; nothing where they are not kept.
    labels
        Labels or choices of each item, in the order of either side's probabilities; or the code of
        why there are none.
    golds
        Right answer of each item, or nothing.
    """
    why = labels if isinstance(labels, str) else ""
    if answers is None or any((one.given == None).any() for one in answers):  # noqa: E711
        why = "no_answers"
    elif any(one.kind is not LABEL for one in answers):
        why = FREE
    if why or answers is None or isinstance(labels, str):
        return Marked(lack=why, no_probabilities=why)
    known = [one.known for one in labels]
    n_labels = np.array(list(map(len, known)), dtype=np.float64)
    one, other = (_places(found.given.tolist(), known) for found in answers)
    gold = _places([golds], [one.reference for one in labels])[0].astype(np.int64)
    has_gold = (gold < [len(one.reference) for one in labels]).all()
    scores = _distributions(answers, labels)
    return Marked(
        places=(one, other),
        probabilities=None if isinstance(scores, str) else scores,
        n_labels=n_labels,
        gold=gold if has_gold and not isinstance(scores, str) else None,
        has_one_set=np.unique(n_labels).size == 1,
        no_probabilities=scores if isinstance(scores, str) else "",
    )


def _places(rows: Sequence[Sequence[object]], own: Sequence[Sequence[str]]) -> Floats:
    """Index of each answer among the choices of its item, ``(replicate, item)``."""
    found = [[place_of(one, many) for one, many in zip(row, own, strict=True)] for row in rows]
    return np.array(found, dtype=np.float64)


def place_of(answer: object, choices: Sequence[str]) -> int:
    """Index of a side's answer among choices, by its text or letter; the next index for any other.

    Examples
    --------
    >>> place_of("good", ("bad", "good")), place_of("B", ("bad", "good")), place_of("?", ("bad",))
    (1, 1, 1)
    """
    if answer in choices:
        return choices.index(str(answer))
    letter = label_in(answer) or ""
    is_letter = len(letter) == 1 and "A" <= letter <= "Z"
    return min(ord(letter) - ord("A"), len(choices)) if is_letter else len(choices)


def _distributions(answers: tuple[Answers, Answers], labels: Sequence[LabelPair]) -> Both | str:
    """Probabilities of both sides in the first one's order; the reason code if there are none."""
    one, other = (found.scores for found in answers)
    if one is None or other is None:
        return "no_probabilities" if one is other else "one_sided_probabilities"
    orders = [both.order for both in labels if both.order is not None]
    if one.shape[-1] != other.shape[-1] or len(orders) < len(labels):
        return "other_labels"
    width = one.shape[-1]
    if max(map(len, orders)) != width:
        return "other_choices"
    for scores in (one, other):
        if (scores < 0).any() or (np.abs(scores.sum(axis=-1) - 1.0) > _ATOL).any():
            return "no_distribution"
    places = np.array([[*order, *range(len(order), width)] for order in orders])
    return one, np.take_along_axis(other, places[None], axis=-1)


def marked(sides: Sides) -> Marked:
    """Answers of two sides as numbers."""
    return marks_of(sides.answers, sides.labels, golds=[one.gold for one in sides.examples])


#: A run and one of its models.
ModelOfRun = tuple[RunFolder, str]
_PLAIN: Final = "{}"  # condition of the answers to items as they are
_STORED: Final = "predictions:"


def rows_of(asked: ModelOfRun) -> list[dict[str, Any]]:
    """Answers of one side: all that a model of a run gave to the unchanged items."""
    folder, subject = asked
    table = folder.original_answers("scores")
    rows: list[dict[str, Any]] = table.filter(pc.equal(table["subject"], subject)).to_pylist()
    return rows


def labels_of(
    both: tuple[ModelOfRun, ModelOfRun], datasets: tuple[str, str], count: int
) -> ItemLabels:
    """Labels of both sides in the order of their probabilities, equal for all items."""
    orders = [
        folder.manifest.get("label_order", {}).get(f"{subject} on {data}")
        for (folder, subject), data in zip(both, datasets, strict=True)
    ]
    if None in orders:
        return NO_ORDER
    ours, theirs = map(tuple, orders)
    return (LabelPair(ours, theirs),) * count if ours and theirs else "no_labels"


def sides_of_models(both: tuple[ModelOfRun, ModelOfRun], datasets: Sequence[str]) -> Sides | None:
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
    column = {one.dataset: one.unit for one in assignments_in(folder.manifest)}
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
