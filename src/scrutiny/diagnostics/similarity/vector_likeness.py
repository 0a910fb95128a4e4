"""Likeness of vectors: the texts compared, each item's influence, permuted items, the measures."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np
import scipy

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.queries.language import Passage
from scrutiny.diagnostics.similarity.likeness_measures import RepresentationsParams
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.representations.cca import mean_cca, pwcca, svcca
from scrutiny.stats.representations.cka import debiased_cka, linear_cka, minibatch_cka
from scrutiny.stats.representations.item_distances import neighbor_jaccard, procrustes_distance, rsa


def passage_of(example: Example) -> Passage:
    """Text of a similarity's item for the encoder: two fields as a pair, more joined in sequence.

    Examples
    --------
    >>> passage_of(Example("1", {"text": "It rains.", "text_pair": "It is wet."}))
    Passage(text='It rains.', word=None, pair='It is wet.')
    """
    texts = tuple(example.fields.values())
    return Passage(texts[0], pair=texts[1]) if len(texts) == 2 else Passage(" ".join(texts))


def similarity_units(examples: Sequence[Example], unit: str) -> Integers:
    """Unit of each item of a similarity ``(item,)``: a column's values, or the item by itself.

    Raises
    ------
    PlanError
        If the items have no such column.
    """
    names = list(dict.fromkeys(name for e in examples for name in e.attributes))
    if unit and unit not in names:
        raise PlanError(f"unit {unit!r} is no column of the items; they have {', '.join(names)}.")
    candidates = [unit] if unit else [name for name in names if name.startswith("u_")]
    for name in candidates:
        values = [str(e.attributes.get(name)) for e in examples]
        codes = {value: i for i, value in enumerate(dict.fromkeys(values))}
        if len(codes) > 1 or unit:
            return np.array([codes[value] for value in values], dtype=np.int64)
    return np.arange(len(examples))


def compared_items(units: Integers, most: int, rng: np.random.Generator) -> Booleans:
    """Items ``(item,)`` of a similarity: all, or whole units drawn until there are enough."""
    if units.size <= most:
        return np.ones(units.size, dtype=bool)
    sizes = np.bincount(units)
    order = rng.permutation(sizes.size)
    return np.isin(units, order[np.cumsum(sizes[order]) <= most])


Similarity = Callable[[Floats, Floats], float]
_FEWEST: Final = 10  # items with both vectors, without which nothing is compared
_USUAL: Final = 0.975  # the tail of a 95 % interval


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """A similarity with the influence of each item.

    Parameters
    ----------
    value
        Of all items.
    influence
        ``(item,)``, with mean 0: value plus influence are pseudo-values whose mean over resampled
        items varies as the likeness would over other items.
    exchanged
        Mean over exchanges of the items of one side; 0 without any.
    """

    value: float
    influence: Floats = field(repr=False)
    exchanged: float


@dataclass(frozen=True, slots=True, eq=False)
class LeavingOut:
    """Groups to leave out and items to permute: the same for every pair of models.

    Parameters
    ----------
    group
        ``(item,)`` group that an item is left out with, 0 to the number of groups less one.
    unit
        ``(item,)`` unit that is resampled as a whole; each lies in one group.
    orders
        Permutations ``(item,)`` of the items.
    """

    group: Integers
    unit: Integers
    orders: tuple[Integers, ...]


def left_out_groups(unit: Integers, groups: int, rng: np.random.Generator) -> Integers:
    """Group ``(item,)`` that a similarity leaves each item out with: whole units, similar sizes."""
    known, code = np.unique(unit, return_inverse=True)
    of_unit = rng.permutation(np.arange(known.size) % min(groups, known.size))
    return np.asarray(of_unit[code].astype(np.int64))


def likeness(X: Floats, Y: Floats, similarity: Similarity, scheme: LeavingOut) -> Likeness:
    """Similarity of two representations ``(item, feature)`` of the same items.

    Leaving a group g out gives ``s_g``. Its influence is ``(G - 1) (mean(s) - s_g)``, and every
    item of a group has its group's, scaled so that the mean over resampled units has the variance
    of the grouped jackknife, ``(G - 1) / G * sum((s_g - mean(s)) ** 2)``, and a 95 % interval the
    width that t with G - 1 degrees of freedom gives.

    Raises
    ------
    StatisticsError
        If the likeness does not exist, with or without one of the groups.

    **References**: Efron & Stein (1981), The jackknife estimate of variance; Shao & Tu (1995), The
    Jackknife and Bootstrap, chapters 2 and 3 (pseudo-values).
    """
    value = similarity(X, Y)
    groups = np.unique(scheme.group)
    if groups.size < 2:
        raise StatisticsError("there is one group of items, and nothing to leave out.")
    without = np.array([similarity(X[scheme.group != g], Y[scheme.group != g]) for g in groups])
    of_group = (groups.size - 1) * (without.mean() - without)
    by_item = of_group[np.searchsorted(groups, scheme.group)]
    influence = _scale(scheme.unit, groups.size) * (by_item - by_item.mean())
    by_chance = [similarity(X, Y[order]) for order in scheme.orders]
    exchanged = float(np.mean(by_chance)) if by_chance else 0.0
    if not np.isfinite([value, exchanged, *influence]).all():
        raise StatisticsError("the likeness is no number.")
    return Likeness(value, influence, exchanged)


def likeness_of_answered(
    X: Floats,
    Y: Floats,
    similarity: Similarity,
    *,
    group: Integers,
    unit: Integers,
    orders: Callable[[int], Sequence[Integers]] = lambda count: (),
) -> Iterator[tuple[float, float, float] | Failure]:
    """Value, influence and exchanged likeness of each item, or why it has none.

    Parameters
    ----------
    X, Y
        Vectors ``(item, feature)``; NaN where there is none.
    similarity
        The measure.
    group, unit
        As in `LeavingOut`.
    orders
        Permutations of this many items.
    """
    there = np.asarray(np.isfinite(np.hstack([X, Y])).all(axis=1))
    found: Likeness | None = None
    if (count := int(there.sum())) >= _FEWEST:
        scheme = LeavingOut(group[there], unit[there], tuple(orders(count)))
        with suppress(StatisticsError):
            found = likeness(X[there], Y[there], similarity, scheme)
    influences = iter(() if found is None else found.influence.tolist())
    for is_there in there.tolist():
        if found is None or not is_there:
            yield Failure("no_likeness" if is_there else "no_vector", status="undefined")
        else:
            yield found.value, next(influences), found.exchanged


def _scale(unit: Integers, groups: int) -> float:
    """Factor from a group's influence to that of an item, for resampling by units.

    A resampled mean of a group's influence has the variance ``sum(size ** 2) / n ** 2`` of it,
    where the jackknife has ``1 / G`` with a denominator of G - 1.
    """
    sizes = np.bincount(np.unique(unit, return_inverse=True)[1])
    share = float(np.square(sizes).sum()) / float(sizes.sum()) ** 2
    wider = float(scipy.special.stdtrit(groups - 1, _USUAL) / scipy.special.ndtri(_USUAL))
    return wider * float(np.sqrt(1.0 / (share * (groups - 1))))


def similarities_of(params: RepresentationsParams) -> dict[str, Similarity]:
    """Measures by name, with their settings."""

    def minibatch(X: Floats, Y: Floats) -> float:
        parts = max(1, len(X) // params.batch)  # rows stand in a random order
        return minibatch_cka(zip(np.array_split(X, parts), np.array_split(Y, parts), strict=True))

    return {
        "debiased_cka": debiased_cka,
        "linear_cka": linear_cka,
        "minibatch_cka": minibatch,
        "mean_cca": mean_cca,
        "svcca": svcca,
        "pwcca": pwcca,
        "rsa": rsa,
        "procrustes_distance": procrustes_distance,
        "neighbor_jaccard": partial(neighbor_jaccard, k=params.neighbors),
    }
