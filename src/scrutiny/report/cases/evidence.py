"""Example items of a finding: texts that were changed beforehand, or that a search found.

Answers are compared as columns of codes; only of the items that are shown are the texts read.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.blocks.cases import Evidence, EvidenceItem, ReplicateAnswers, SearchedText, Turn
from scrutiny.blocks.labels import replicate_words
from scrutiny.blocks.section import registered
from scrutiny.core.answers.answer import answer_of, type_of
from scrutiny.core.answers.choices import options_last
from scrutiny.core.claim import Finding
from scrutiny.core.edit import Edit
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import grouped
from scrutiny.report.cases.answers import (
    NO_ANSWER,
    AnswersTo,
    Codes,
    Tables,
    answers_to,
    brief_words,
    is_relabeled,
    item_rows,
    right_of_case,
    told,
    variant_rows,
)
from scrutiny.stats.agreement.flips import count_flips

#: What a change costs each item, by its name.
Costs = Mapping[str, float]
Numbers = NDArray[np.float64]
#: Items shown of a claim, and how many of these are fixed.
MOST_CASES: Final = 48
_FIXED: Final = 16
_T = TypeVar("_T")


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
    """Example items that every replicate has answered before and after.

    Those whose answers changed; where a change sets another label, also those whose answers should
    have.
    """
    flipped = answers.before[whole] != answers.after[whole]  # (item, replicate)
    items_of = tables.variants["item"].take(variants[whole])
    known = item_rows(items_of, key.dataset, tables.items)
    times = np.where(known >= 0, flipped.sum(axis=1), 0)
    turned = np.flatnonzero((known >= 0) if _sets(known, variants[whole], tables) else (times > 0))
    was = tables.at("items", known[turned].tolist(), ["gold"])
    now = tables.at("variants", variants[whole[turned]].tolist(), ["gold"])
    turns = {
        place: _turn_of(
            answers.pairs(int(whole[place])),
            *(right_of_case(one["gold"], answers.read) for one in both),
        )
        for place, *both in zip(turned.tolist(), was, now, strict=True)
    }
    turns = {at: turn for at, turn in turns.items() if times[at] or turn != "changed"}
    graded = by_item() if None in turns.values() else {}
    costs = [graded.get(name) for name in items_of.to_pylist()]
    sizes = times if not graded else np.array([abs(cost or 0.0) for cost in costs])
    by_turn: dict[Turn, list[int]] = {turn: [] for turn in get_args(Turn)}
    # those whose answers are neither right nor wrong stand behind the others of their size
    for place, turn in sorted(turns.items(), key=lambda pair: pair[1] is None):
        by_turn[turn or _turn_by(costs[place])].append(place)
    for places in by_turn.values():
        places.sort(key=lambda place: -sizes[place])
    chosen = _alternating(by_turn)[:MOST_CASES]
    shown = np.array(chosen, dtype=np.int64)
    rows = tables.at(
        "variants", variants[whole[shown]].tolist(), ["item", "variant", "edits", "gold"]
    )
    items = tables.at("items", known[shown].tolist(), ["gold", "source", "fields"])
    stored = answers.stored(whole[shown], tables)
    cases = tuple(
        _changed_case(row, item, answers, key.dataset, stored=own, turn=turns[at], cost=costs[at])
        for at, row, item, own in zip(chosen, rows, items, stored, strict=True)
    )
    several = len(answers.replicates) > 1
    margins = _margins(answers.asked[whole], tables.outputs) if several else None
    counts = count_flips(flipped, margins) if several else None
    n_turned = {turn: len(places) for turn, places in by_turn.items()}
    return Evidence(cases, counts, len(turns), n_turned)


def _sets(known: Codes, variants: Codes, tables: Tables) -> bool:
    """Whether a change sets another label: it does so of each of its texts, or of none."""
    first = np.flatnonzero(known >= 0)[:1]
    both = zip(
        tables.at("items", known[first].tolist(), ["gold"]),
        tables.at("variants", variants[first].tolist(), ["gold"]),
        strict=True,
    )
    return any(is_relabeled(was["gold"], now["gold"]) for was, now in both)


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


def _margins(asked: Codes, outputs: pa.Table) -> "Numbers | None":
    """Best score minus second best before the change  # (item, replicate); or nothing."""
    scores = outputs["scores"].take(asked.ravel()).combine_chunks()
    lengths = np.unique(pc.fill_null(pc.list_value_length(scores), 0).to_numpy())
    if lengths.size != 1 or lengths[0] < 2:
        return None
    flat = scores.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    by_label = flat.reshape(*asked.shape, -1)  # (item, replicate, label)
    if not np.allclose(by_label.sum(axis=2), 1.0, atol=1e-3):  # of parts, each by itself
        return None
    ordered = np.sort(by_label, axis=2)
    found: Numbers = ordered[:, :, -1] - ordered[:, :, -2]
    return found


def _changed_case(
    variant: Mapping[str, Any],
    item: Mapping[str, Any],
    answers: AnswersTo,
    dataset: str,
    *,
    stored: Sequence[tuple[str | None, str | None]],
    turn: Turn | None,
    cost: float | None,
) -> EvidenceItem:
    edits = tuple(Edit(*edit[:4]) for edit in json.loads(variant["edits"]))
    shown, gold = told(stored, item, variant["edits"], answers.read)
    if is_relabeled(item["gold"], variant["gold"]):
        gold = brief_words(variant["gold"])
    return EvidenceItem(
        item=variant["item"],
        dataset=dataset,
        variant=variant["variant"],
        source=item["source"],
        gold=gold,
        fields=options_last(json.loads(item["fields"])),
        edits=edits,
        answers=tuple(
            ReplicateAnswers(replicate_words(name), *both)
            for name, both in zip(answers.replicates, shown, strict=True)
        ),
        turned=turn or (None if cost is None else _turn_by(cost)),
        cost=cost,
    )


def evidence_found(
    finding: Finding, found: Sequence[SearchedText], tables: Tables
) -> Evidence | None:
    """Items that a search reached its goal on, those of most replicates first.

    None where the finding speaks of no search.
    """
    if finding.estimate is None:
        return None
    key = finding.estimate.key
    draw = key.condition.get("draw", 0)
    own = [
        one
        for one in found
        if (one.model, one.dataset, one.draw) == (key.subject, key.dataset, draw)
        and one.change in key.condition.values()
        and one.is_success
    ]
    by_item = list(grouped((one.name or one.item, one) for one in own).values())
    if not by_item:
        return None
    by_item.sort(key=lambda texts: (-len(texts), min(len(one.edits) for one in texts)))
    shown = by_item[:MOST_CASES]
    names = pa.chunked_array([[texts[0].item for texts in shown]])
    places = item_rows(names, key.dataset, tables.items).tolist()
    items = tables.at("items", places, ["gold", "source", "fields"])
    n_replicates = max(finding.estimate.n_replicates, 1)
    cases = tuple(
        _case(min(texts, key=lambda one: len(one.edits)), item, (len(texts), n_replicates))
        for texts, item in zip(shown, items, strict=True)
    )
    return Evidence(cases, None, len(by_item), {cases[0].turn: len(by_item)})


def _case(one: SearchedText, item: Mapping[str, Any], fooled: tuple[int, int]) -> EvidenceItem:
    """The text of one replicate, with its answers."""
    before, after = one.before or NO_ANSWER, one.after or NO_ANSWER
    times, of = fooled
    still = f"still {one.after}" if one.before == one.after else ""
    said = f"{times} of {of} models"
    is_kept = bool(one.name or still)  # the answer was to be another one, or nobody says which
    models = f"in {said}" if one.name else f"fools {said}, each by a text of its own"
    if still and not one.name:
        models = f"in {said}, each with a text of its own"
    return EvidenceItem(
        item=one.item,
        dataset=one.dataset,
        variant="",
        source=item["source"],
        gold=one.right or brief_words(item["gold"]),
        fields=options_last(json.loads(item["fields"])),
        edits=tuple(Edit(*edit[:4]) for edit in one.edits),
        answers=(ReplicateAnswers(replicate_words(one.replicate), before, after),),
        turned="failed" if is_kept else "broken",  # as what is looked for
        note="; ".join(filter(None, (still, models if of > 1 else ""))),
    )


def found_texts(folder: Path, estimates: Sequence[Estimate]) -> list[SearchedText]:
    """Texts that searches of a run ended with, of all families, without those of controls."""
    return [one for one in searched_texts(folder, estimates) if one.role == "measured"]


def searched_texts(folder: Path, estimates: Sequence[Estimate]) -> Iterator[SearchedText]:
    """Texts that searches of a run ended with, of all families, and those of random change."""
    for part in registered(estimates):
        yield from part.found_in(folder)
