"""Example items of a finding: joined from variants, items and outputs of a run.

Answers are compared as columns of codes; only of the items that are shown are the texts read.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.stored import answer_of
from scrutiny.core.claim import Finding
from scrutiny.core.edit import Edit
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.parts.run.view import Answer, Evidence, EvidenceItem, Turn
from scrutiny.parts.wording.labels import replicate_words
from scrutiny.reliability.metrics import metric_of
from scrutiny.report.reading.told import right_of_case, said, told
from scrutiny.stats.agreement.flip_counts import count_flips
from scrutiny.store.coded import coded, is_among, is_value

if TYPE_CHECKING:
    from scrutiny.store.run_folder import RunFolder

Codes = NDArray[np.int64]
#: What a change costs each item, by its name.
Costs = Mapping[str, float]
Numbers = NDArray[np.float64]

#: Items shown of a claim, and how many of these are fixed.
MOST_CASES: Final = 48
_FIXED: Final = 16
_T = TypeVar("_T")
_COLUMNS: Final = {
    "items": ["dataset", "item"],
    "variants": ["kind", "dataset", "item", "variant", "role", "recipe", "draw", "status"],
    "outputs": None,
}


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of a run: items, variants and outputs.

    ``rows`` reads whole rows of a table by its name, their places and their columns; without it
    they are taken from the tables.
    """

    items: pa.Table
    variants: pa.Table
    outputs: pa.Table
    rows: Callable[[str, Sequence[int], Sequence[str]], list[dict[str, Any]]] | None = None

    @classmethod
    def of(cls, folder: "RunFolder") -> "Tables":
        """Compared columns of a run folder; the rest stays on disk.

        Raises
        ------
        DataError
            If the run kept no variants or outputs.
        """
        read = {name: folder.coded(name, columns) for name, columns in _COLUMNS.items()}
        return cls(**read, rows=folder.rows)

    def at(self, name: str, places: Sequence[int], columns: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of a table."""
        if self.rows is not None:
            return self.rows(name, places, columns)
        table: pa.Table = getattr(self, name)
        taken = table.select(list(columns)).take(np.array(places, dtype=np.int64))
        rows: list[dict[str, Any]] = taken.to_pylist()
        return rows


@dataclass(frozen=True, slots=True)
class AnswersTo:
    """Answers to items before and after a change.

    Parameters
    ----------
    words
        Every answer that was given.
    before, after
        Positions among the words  # (item, replicate); -1 where there is none
    asked, answered
        Rows of the outputs before and after the change  # (item, replicate)
    replicates
        Names, in order.
    read
        Measures that the estimate reads: other layers of answers are not told.
    """

    words: Sequence[str]
    before: Codes
    after: Codes
    asked: Codes
    answered: Codes
    replicates: Sequence[str | None]
    read: frozenset[str] = frozenset()

    def pairs(self, at: int) -> list[tuple[str, str]]:
        """Answers of each replicate to an item in few words, before and after the change."""
        both = zip(self.before[at].tolist(), self.after[at].tolist(), strict=True)
        return [(self.words[b], self.words[a]) for b, a in both if b >= 0 and a >= 0]

    def stored(self, places: Codes, tables: Tables) -> list[list[tuple[str | None, str | None]]]:
        """Answers of each replicate to items as they are stored, before and after the change."""
        rows = np.stack([self.asked[places], self.answered[places]], axis=2)
        found = tables.at("outputs", rows.ravel().tolist(), ["answer"])
        texts = iter([one["answer"] for one in found])
        pairs = zip(texts, texts, strict=True)
        return [[next(pairs) for _ in self.replicates] for _ in places.tolist()]


def evidence_of(
    finding: Finding, tables: Tables, by_item: Callable[[Estimate], Costs] = lambda _: {}
) -> Evidence | None:
    """Items whose answers changed for the variants of a finding.

    The variants are those of the finding's diagnostic and dataset whose recipe and draw stand in
    the estimate's condition. Nothing where there are none. Answers that are neither right nor wrong
    (translations, clusters) are broken or fixed by what the change costs each item (``by_item``).
    """
    if finding.estimate is None:
        return None
    key = finding.estimate.key
    variants = variant_rows(key, tables.variants)
    if variants.size == 0:
        return None
    names = tables.variants["item"].take(variants)
    answers = answers_to(key, names, tables.variants["variant"].take(variants), tables.outputs)
    whole = np.flatnonzero(((answers.before >= 0) & (answers.after >= 0)).all(axis=1))
    if not answers.replicates or not whole.size:
        return None
    graded = partial(by_item, finding.estimate)
    return _evidence(key, answers, whole, variants, tables, graded)


def _evidence(
    key: EstimateKey,
    answers: AnswersTo,
    whole: Codes,
    variants: Codes,
    tables: Tables,
    by_item: Callable[[], Costs],
) -> Evidence:
    """Example items that every replicate has answered before and after."""
    flipped = answers.before[whole] != answers.after[whole]  # (item, replicate)
    known = item_rows(tables.variants["item"].take(variants[whole]), key.dataset, tables.items)
    times = np.where(known >= 0, flipped.sum(axis=1), 0)
    turned = np.flatnonzero(times > 0)
    by_turn, unknown = _by_turn(
        answers, turned, whole=whole, known=known, variants=variants, tables=tables
    )
    names = tables.variants["item"].take(variants[whole]).to_pylist()
    graded = by_item() if unknown else {}
    costs = [graded.get(name) for name in names]
    for place in unknown:
        by_turn[_turn_by(costs[place])].append(place)
    sizes = times if not graded else np.array([abs(cost or 0.0) for cost in costs])
    shown = np.array(_chosen(by_turn, sizes), dtype=np.int64)
    rows = tables.at(
        "variants", variants[whole[shown]].tolist(), ["item", "variant", "edits", "gold"]
    )
    items = tables.at("items", known[shown].tolist(), ["gold", "source", "fields"])
    stored = answers.stored(whole[shown], tables)
    cases = tuple(
        _case(key.dataset, row, item, answers, at=place, stored=own, cost=graded.get(row["item"]))
        for row, item, place, own in zip(rows, items, whole[shown].tolist(), stored, strict=True)
    )
    several = len(answers.replicates) > 1
    margins = _margins(answers.asked[whole], tables.outputs) if several else None
    counts = count_flips(flipped, margins) if several else None
    n_turned = {turn: len(places) for turn, places in by_turn.items()}
    return Evidence(cases, counts, len(turned), n_turned)


def _by_turn(
    answers: AnswersTo,
    turned: Codes,
    *,
    whole: Codes,
    known: Codes,
    variants: Codes,
    tables: Tables,
) -> tuple[dict[Turn, list[int]], list[int]]:
    """Items whose answer changed by direction of the change, in the order of the data.

    Behind them those whose answers are neither right nor wrong.
    """
    was = tables.at("items", known[turned].tolist(), ["gold"])
    now = tables.at("variants", variants[whole[turned]].tolist(), ["gold"])
    found: dict[Turn, list[int]] = {turn: [] for turn in get_args(Turn)}
    unknown: list[int] = []
    for place, before, after in zip(turned.tolist(), was, now, strict=True):
        pairs = answers.pairs(int(whole[place]))
        golds = [right_of_case(one["gold"], answers.read) for one in (before, after)]
        turn = _turn_of(pairs, *golds)
        (unknown if turn is None else found[turn]).append(place)
    return found, unknown


def _turn_of(pairs: Iterable[tuple[str, str]], was: str, now: str) -> Turn | None:
    """Whether more replicates were right before a change, or after it.

    Parameters
    ----------
    pairs
        Answers of each replicate in few words, before and after.
    was, now
        Stored gold answers, before and after.

    Returns
    -------
    str or None
        None if few words do not tell which answers are right.
    """
    net = 0
    for before, after in pairs:
        right = is_right(was, before), is_right(now, after)
        if None in right:
            return None
        net += bool(right[0]) - bool(right[1])
    return "broken" if net > 0 else "fixed" if net < 0 else "changed"


def _turn_by(cost: float | None) -> Turn:
    """What a change did to an answer, by what it costs its item."""
    return "changed" if not cost else "broken" if cost > 0 else "fixed"


@lru_cache(maxsize=1 << 14)
def is_right(gold: str, said: str) -> bool | None:
    """Whether an answer in few words is a stored right one; None if nobody can tell."""
    answer = answer_of(gold)
    return None if answer is None else type_of(answer).is_said(answer, said)


def _chosen(by_turn: Mapping[Turn, Sequence[int]], times: Codes) -> list[int]:
    """Items to show: two broken to one fixed, so that the first few have both; then the others."""
    clear = {
        turn: sorted(places, key=lambda place: -times[place]) for turn, places in by_turn.items()
    }
    return _alternating(clear)[:MOST_CASES]


def _alternating(by_turn: Mapping[Turn, Sequence[_T]]) -> list[_T]:
    """Two broken items for each fixed one, then items without gold.

    Examples
    --------
    >>> _alternating({"broken": [1, 2, 3], "fixed": [7], "changed": [9]})
    [1, 2, 7, 3, 9]
    """
    broken, fixed = list(by_turn["broken"]), list(by_turn["fixed"])[:_FIXED]
    found: list[_T] = []
    while broken or fixed:
        found += [*broken[:2], *fixed[:1]]
        del broken[:2], fixed[:1]
    return [*found, *by_turn["changed"]]


def variant_rows(key: EstimateKey, table: pa.Table) -> Codes:
    """Rows of the changed texts behind a finding, one for each item, the last of several."""
    recipes = sorted(value for value in key.condition.values() if isinstance(value, str))
    fits = is_among(table["recipe"], [*recipes])
    fixed = {"kind": key.diagnostic, "dataset": key.dataset, "role": "measured", "status": "ok"}
    for name, value in {**fixed, "draw": _draw(key)}.items():
        fits &= is_value(table[name], value)
    rows = np.flatnonzero(fits)
    names, code = coded(table["item"].take(rows))
    last = np.empty(len(names), dtype=np.int64)
    last[code] = rows
    return last


def answers_to(
    key: EstimateKey, items: pa.ChunkedArray, own: pa.ChunkedArray, outputs: pa.Table
) -> AnswersTo:
    """Answers of every replicate to these items, and to the variant of each."""
    variants, of_item = coded(own)
    fits = is_value(outputs["subject"], key.subject) & is_value(outputs["dataset"], key.dataset)
    fits &= is_among(outputs["condition"], _conditions(key, outputs))
    fits &= is_among(outputs["variant"], [None, *variants.to_pylist()])
    rows = np.flatnonzero(fits)
    names, replicate = coded(outputs["replicate"].take(rows))
    place = _matched(outputs["item"].take(rows), items)
    asked = _matched(outputs["variant"].take(rows), variants)
    is_original = is_value(outputs["variant"].take(rows), None)
    is_changed = (place >= 0) & (asked >= 0) & (asked == of_item[place])
    read = _read_by(key.metric)
    words, answer = _words(outputs.take(rows), read)
    shape = len(items), len(names)
    before, after, asked_at, answered = (np.full(shape, -1, dtype=np.int64) for _ in range(4))
    for into, of, chosen in (
        (before, asked_at, is_original & (place >= 0)),
        (after, answered, is_changed),
    ):
        into[place[chosen], replicate[chosen]] = answer[chosen]
        of[place[chosen], replicate[chosen]] = rows[chosen]
    return AnswersTo(words, before, after, asked_at, answered, names.to_pylist(), read)


def _conditions(key: EstimateKey, outputs: pa.Table) -> list[str]:
    """Conditions of outputs (a training step) in the estimate's condition."""
    named = dict(key.condition)
    found = coded(outputs["condition"])[0].to_pylist()
    return [text for text in found if json.loads(text).items() <= named.items()]


def _draw(key: EstimateKey) -> int:
    draw = key.condition.get("draw", 0)
    return draw if isinstance(draw, int) else 0


def _matched(column: pa.ChunkedArray, among: pa.ChunkedArray | pa.Array) -> Codes:
    """Index of each row's value among distinct values; -1 if it is none of them."""
    names, codes = coded(column)
    known = pc.index_in(names, value_set=among.cast(pa.string()), skip_nulls=True)
    found: Codes = pc.fill_null(known, -1).to_numpy(zero_copy_only=False).astype("int64")[codes]
    return found


def item_rows(items: pa.ChunkedArray, dataset: str, table: pa.Table) -> Codes:
    """Rows of the report's evidence in the items table; -1 for missing ones."""
    rows = np.flatnonzero(is_value(table["dataset"], dataset))
    found = _matched(items, table["item"].take(rows))
    return np.where(found >= 0, np.append(rows, -1)[found], -1)


def _read_by(metric: str) -> frozenset[str]:
    """Names of the measures that a metric reads, of all sides; none where it is unknown."""
    try:
        needs = metric_of(metric).needs if metric else ()
    except ScrutinyError:  # of a plug-in that is not here
        needs = ()
    return frozenset(need.rpartition(".")[2] for need in needs)


def _words(outputs: pa.Table, read: frozenset[str]) -> tuple[list[str], Codes]:
    """Answers in a few words, and which of them each row holds."""
    known: dict[str, int] = {}
    answers, codes = coded(outputs["answer"])
    place = [known.setdefault(said(text, read), len(known)) for text in answers.to_pylist()]
    return list(known), np.array(place, dtype=np.int64)[codes]


def _margins(asked: Codes, outputs: pa.Table) -> "Numbers | None":
    """Best score minus second best before the change  # (item, replicate); or nothing."""
    scores = outputs["scores"].take(asked.ravel()).combine_chunks()
    lengths = np.unique(pc.fill_null(pc.list_value_length(scores), 0).to_numpy())
    if lengths.size != 1 or lengths[0] < 2:
        return None
    flat = scores.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    ordered = np.sort(flat.reshape(*asked.shape, -1), axis=2)  # (item, replicate, label)
    found: Numbers = ordered[:, :, -1] - ordered[:, :, -2]
    return found


def _case(
    dataset: str,
    variant: Mapping[str, Any],
    item: Mapping[str, Any],
    answers: AnswersTo,
    *,
    at: int,
    stored: Sequence[tuple[str | None, str | None]],
    cost: float | None,
) -> EvidenceItem:
    edits = tuple(Edit(*edit[:4]) for edit in json.loads(variant["edits"]))
    shown, gold = told(stored, item, edits, answers.read)
    return EvidenceItem(
        item=variant["item"],
        dataset=dataset,
        variant=variant["variant"],
        source=item["source"],
        gold=gold,
        fields=json.loads(item["fields"]),
        edits=edits,
        answers=tuple(
            Answer(replicate_words(name), *both)
            for name, both in zip(answers.replicates, shown, strict=True)
        ),
        turned=_turn_of(
            answers.pairs(at),
            right_of_case(item["gold"], answers.read),
            right_of_case(variant["gold"], answers.read),
        )
        or (None if cost is None else _turn_by(cost)),
        cost=cost,
    )
