"""Ranks of systems over splits: whether the order on the standard split is that on random ones.

For every two systems that are neighbors on the standard split (on average, where there is none),
and each other split: which is better, and whether McNemar's test says so after a correction for the
number of splits.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import NO_VALUE, number, p_value
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Part, ReportPart, part_of
from scrutiny.core.randomness import generator
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.data.splits.study import STANDARD, system_of
from scrutiny.reliability.assignment import assignments_in
from scrutiny.reliability.joining import join
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.row_statistics import item_scores, value_of
from scrutiny.stats.significance.combined_tests import holm
from scrutiny.stats.significance.exact_tests import mcnemar_mid_p
from scrutiny.stats.significance.permutation_tests import sign_flip_test

_LEAD: Final = (
    "Each system was trained anew on each split. A ranking that holds on a single split says "
    "little about the systems. Tests are corrected for the number of splits."
)
_LEVEL: Final = 0.05
_FLIPS: Final = 10_000
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class OnSplit:
    """Results of a system on the test part of a split: its score, and each item's ``(item,)``.

    An item without an answer has NaN, and is in no test.
    """

    score: float
    items: Array


@dataclass(frozen=True, slots=True)
class PairOverSplits:
    """Two systems, neighbors in the assumed order, over splits.

    Parameters
    ----------
    higher, lower
        The systems; the first is better where the order was taken from.
    n_splits
        On how many splits besides both have answered an item; if on none, nothing is counted.
    significant
        How many show the assumed order by McNemar's mid-p below .05 / ``n_splits`` (Bonferroni, as
        in Gorman & Bedrick); None where items are not right or wrong.
    by_holm, by_items
        The same with Holm's correction; and with a test that flips the signs of items, which also
        holds where an item is a sentence of many words.
    reordered
        How many have the lower one in front.
    """

    higher: str
    lower: str
    n_splits: int
    significant: int | None
    by_holm: int | None
    by_items: int
    reordered: int


def pair_over_splits(
    higher: str, lower: str, results: Sequence[tuple[OnSplit, OnSplit]], *, seed: int = 0
) -> PairOverSplits:
    """Count reorderings, and splits that show the assumed order.

    Parameters
    ----------
    higher, lower
        Names, in the assumed order.
    results
        Of both on each split.
    seed
        Of the flips.

    **Measures**: whether a ranking replicates on other splits of the same data.

    **Misleads when** splits share most of their items, as they do: they are no independent
    repetitions, and the count of significant ones is no power. Training noise is in every
    difference: a single training for each split.

    **References**: Gorman & Bedrick (2019), We need to talk about standard splits; Dror et al.
    (2017), Replicability analysis for natural language processing.
    """
    shared = (_of_both(one, other) for one, other in results)
    results = [(one, other) for one, other in shared if one.items.size]
    if not results:
        return PairOverSplits(higher, lower, 0, None, None, 0, 0)
    ahead = [one.score > other.score for one, other in results]
    behind = sum(one.score < other.score for one, other in results)
    rng = generator(seed, "flips", name="split-study@1", item=f"{higher} {lower}")
    flipped = [
        sign_flip_test(one.items - other.items, rng=rng, permutations=_FLIPS).p_value
        for one, other in results
    ]
    both = [np.isin(np.concatenate([a.items, b.items]), (0.0, 1.0)).all() for a, b in results]
    significant = by_holm = None
    if all(both):
        gained = [int(((a.items == 1) & (b.items == 0)).sum()) for a, b in results]
        changed = [int((a.items != b.items).sum()) for a, b in results]
        p = mcnemar_mid_p(gained, changed)
        significant = sum(q < _LEVEL / len(results) for q in p[np.array(ahead, dtype=bool)])
        by_holm = int(((holm(p) < _LEVEL) & ahead).sum())
    return PairOverSplits(
        higher,
        lower,
        len(results),
        significant,
        by_holm,
        int(((holm(flipped) < _LEVEL) & ahead).sum()),
        behind,
    )


def _of_both(one: OnSplit, other: OnSplit) -> tuple[OnSplit, OnSplit]:
    """The same on the items that both have answered."""
    there = np.isfinite(one.items) & np.isfinite(other.items)
    return replace(one, items=one.items[there]), replace(other, items=other.items[there])


def results_by_split(view: RunView) -> dict[str, dict[str, OnSplit]]:
    """Results of each system on each split, by split and system; empty for other runs."""
    found: dict[str, dict[str, OnSplit]] = {}
    for assigned in assignments_in(view.manifest):
        system = system_of(assigned.subject, assigned.dataset)
        is_own = assigned.is_of_whole_records and not (assigned.where or assigned.condition)
        if not system or not is_own or system in found.get(assigned.dataset, {}):
            continue
        recorded = view.records.recorded(assigned)
        if recorded is None:
            continue
        metric = metric_of(assigned.metric, assigned.measures)
        if not isinstance(metric, AdditiveStatistic):
            continue  # BLEU of a whole: no item has a part of it
        side = recorded.select(assigned.sides[""], assigned.within)
        joined = join(recorded.panel, {"": side}, needs=metric.needs)
        values = joined.values[:1]
        items = np.full(len(recorded.panel.items), np.nan)
        items[joined.rows] = item_scores(metric, values)[0]
        score = float(value_of(metric, metric.components(values).sum(axis=-2))[0])
        found.setdefault(assigned.dataset, {})[system] = OnSplit(score, items)
    return found


def part(view: RunView) -> Part | None:
    """Scores and ranks of the systems, and every two neighbors, over splits."""
    results = results_by_split(view)
    systems = list(dict.fromkeys(name for own in results.values() for name in own))
    complete = {split: own for split, own in results.items() if set(own) == set(systems)}
    drawn = [split for split in complete if split != STANDARD]
    if len(systems) < 2 or not drawn:
        return None
    order = _order(complete, systems)
    charts = [_ranks(complete, order, drawn), _pairs(complete, order, drawn)]
    return part_of("split-study", "Ranks over splits", _LEAD, charts, "tables")


def _order(results: Mapping[str, Mapping[str, OnSplit]], systems: Sequence[str]) -> list[str]:
    """Systems, the best on the standard split first; on average, where there is none."""
    by = [results[STANDARD]] if STANDARD in results else list(results.values())
    return sorted(systems, key=lambda name: -float(np.mean([own[name].score for own in by])))


def _ranks(
    results: Mapping[str, Mapping[str, OnSplit]], order: Sequence[str], drawn: Sequence[str]
) -> Chart:
    """Table of scores and ranks of each system."""
    rows = []
    for name in order:
        scores = [results[split][name].score for split in drawn]
        ranks = [
            1 + sum(o.score > results[split][name].score for o in results[split].values())
            for split in drawn
        ]
        standard = results[STANDARD][name].score if STANDARD in results else None
        counts = ", ".join(f"{ranks.count(r)} x {r}" for r in sorted(set(ranks)))
        shown = (standard, float(np.mean(scores)), min(scores), max(scores))
        rows.append((name, *map(number, shown), counts))
    besides = " besides the standard one" * (STANDARD in results)
    return Chart(
        anchor="split-study-ranks",
        title="Scores and ranks over splits",
        caption=f"{len(drawn)} splits{besides}; the ranks say how often which.",
        table=ChartTable(
            ("system", "standard split", "mean of drawn splits", "lowest", "highest", "ranks"),
            tuple(rows),
        ),
        is_open=True,
    )


def _pairs(
    results: Mapping[str, Mapping[str, OnSplit]], order: Sequence[str], drawn: Sequence[str]
) -> Chart:
    """Table of every two neighbors."""
    rows = []
    for higher, lower in pairwise(order):
        both = [(results[split][higher], results[split][lower]) for split in drawn]
        one = pair_over_splits(higher, lower, both)
        p = NO_VALUE if STANDARD not in results else _standard_p(results[STANDARD], higher, lower)
        counts: tuple[int | None, ...] = (one.significant, one.by_holm, one.by_items, one.reordered)
        if not one.n_splits:
            counts = (None,) * len(counts)
        said = (NO_VALUE if n is None else str(n) for n in counts)
        rows.append((f"{higher} > {lower}", p, *said, str(one.n_splits)))
    of = "of the standard split" if STANDARD in results else "of the means"
    return Chart(
        anchor="split-study-pairs",
        title="Every two neighbors over splits",
        caption=f"Splits that show the order {of}, by McNemar's mid-p with Bonferroni's and with "
        "Holm's correction, and by flips of whole items with Holm's; and splits that have the "
        "lower one in front. Splits count on which both systems answered an item.",
        table=ChartTable(_HEADER, tuple(rows)),
        is_open=True,
    )


_HEADER: Final = (
    "order",
    "p, standard",
    "significant",
    "by Holm",
    "by items",
    "reordered",
    "splits",
)


def _standard_p(own: Mapping[str, OnSplit], higher: str, lower: str) -> str:
    """p-value on the standard split, of flips of items."""
    rng = generator(0, "flips", name="split-study@1", item="standard")
    one, other = _of_both(own[higher], own[lower])
    apart = one.items - other.items
    if not apart.size:
        return NO_VALUE
    return p_value(sign_flip_test(apart, rng=rng, permutations=_FLIPS).p_value)


def lines(view: RunView) -> Iterator[Part]:
    """The same in a terminal."""
    found = part(view)
    if found is not None:
        yield found


PART: Final = ReportPart(__doc__, part, lines)
