"""Answers of two sides: as runs store them, and as numbers in one order of labels."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.core.answers.answer import AnswerType, answer_of, label_in, type_of
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
from scrutiny.store.arrow import encoded
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
#: Numbers of replicates and items.
Shape = tuple[int, int]


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


def told_by(asked: ModelOfRun) -> pa.Table:
    """Answers of one side: all that a model of a run gave to the unchanged items."""
    folder, subject = asked
    table = folder.original_answers("scores")
    return table.filter(pc.equal(table["subject"], subject))


def in_order(
    table: pa.Table,
    wanted: Collection[Key],
    *,
    items: Sequence[Key],
    replicates: Sequence[str | None],
) -> Answers:
    """Answers of a model to some items, in order.

    Parameters
    ----------
    table
        What it said, as `told_by` gives it.
    wanted
        Datasets, each with a condition that answers are meant of.
    items, replicates
        In order.
    """
    place = {item: column for column, item in enumerate(items)}
    rank = {name: row for row, name in enumerate(replicates)}
    names = ("replicate", "dataset", "condition", "item")
    keys = zip(*map(_each, map(table.__getitem__, names)), strict=True)
    found = [  # replicate, item; or nothing
        (rank.get(replicate, -1), place.get((data, item), -1) if (data, c) in wanted else -1)
        for replicate, data, c, item in keys
    ]
    at = np.array(found, dtype=np.int64).reshape(-1, 2)
    is_asked = (at[:, 0] >= 0) & (at[:, 1] >= 0)
    given, kind = _given(table["answer"], at, is_asked, shape=(len(replicates), len(items)))
    return Answers(given, _dense(table["scores"], at, is_asked, given.shape), kind)


def _each(column: pa.ChunkedArray) -> Iterator[str | None]:
    """Value of each row; each distinct one is read once."""
    names, codes = encoded(column)
    return map([*names.to_pylist(), None].__getitem__, codes.tolist())


def _given(
    column: pa.ChunkedArray, at: NDArray[np.int64], is_asked: NDArray[np.bool_], shape: Shape
) -> tuple[NDArray[np.object_], AnswerType[Any]]:
    """Answers ``(replicate, item)``, each distinct one read once, and their type."""
    names, codes = encoded(column)
    is_there = is_asked & (codes >= 0)
    known = np.full(len(names), None, dtype=object)
    for code in np.unique(codes[is_there]).tolist():
        whole = answer_of(names[code].as_py())
        known[code] = type_of(whole).compared(whole)
    given = np.full(shape, None, dtype=object)
    given[tuple(at[is_there].T)] = known[codes[is_there]]
    kinds = {type_of(one) for one in known.tolist() if one is not None} - {LABEL}
    return given, next(iter(kinds), LABEL)


def _dense(
    column: pa.ChunkedArray, at: NDArray[np.int64], is_asked: NDArray[np.bool_], shape: Shape
) -> Floats | None:
    """Probabilities ``(replicate, item, label)``; 0 behind those of items with fewer choices.

    Nothing where some are missing.
    """
    scores = column.combine_chunks()
    is_there = is_asked & scores.is_valid().to_numpy(zero_copy_only=False)
    has = np.zeros(shape, dtype=np.bool_)
    has[tuple(at[is_there].T)] = True
    if not (has.size and has.all()):
        return None
    of = pc.list_parent_indices(scores).to_numpy()
    sizes = np.bincount(of, minlength=len(scores))
    place = np.arange(of.size) - (np.cumsum(sizes) - sizes)[of]
    dense = np.zeros((*shape, int(sizes[is_there].max())))
    is_in = is_there[of]
    row, item = at[of[is_in]].T
    dense[row, item, place[is_in]] = pc.list_flatten(scores).to_numpy()[is_in]
    return dense


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
    told = [told_by(one) for one in both]
    ours, theirs = (
        tuple(dict.fromkeys(name for data, name in pairs if data in datasets))
        for own in told
        for pairs in [zip(_each(own["dataset"]), _each(own["replicate"]), strict=True)]
    )

    def answered(keys: Sequence[Key]) -> tuple[Answers, Answers]:
        """Answers of both to some items."""
        wanted = {(data, _PLAIN) for data in datasets}
        return (
            in_order(told[0], wanted, items=keys, replicates=ours),
            in_order(told[1], wanted, items=keys, replicates=theirs),
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
