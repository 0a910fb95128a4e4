"""Statistics of faithfulness: erasure, permutation, adversaries, agreement, changed heads.

Erasure (records of an order; ``first`` and ``other`` are two orders on the same texts):

``share(flip)@1``, ``mean(kl)@1``, ``mean(js)@1``
    **Measures**: decisions that flip, and divergence of the output, when the first step of an
    order is erased. **Misleads when**: the first step takes much weight in one text and little in
    another; compare with an order that takes as much.
``gap(share(flip))@1``, ``gap(mean(js))@1``
    **Measures**: the same of one order minus another. **Misleads when**: hardly any decision flips
    under either: the gap is small whatever attention is worth.
``flips(only_first)@1``, ``flips(only_other)@1``, ``flips(both)@1``, ``flips(neither)@1``
    **Measures**: the 2 x 2 table of flips under two orders, as shares.
``erasure_js_reversed@1``
    **Measures**: texts in which erasing the lower weight changes the output more. **Misleads
    when**: both weights are nearly equal: then it is a coin.
``erasure_js_slope@1``
    **Measures**: how much a larger gap of weights goes with a larger gap of divergences (least
    squares). **Misleads when**: the relation is no line; two texts with wide gaps carry it.
``mean(share)@1``, ``mean(mass)@1``, ``never_flips@1``, ``erasure_share_gap@1``
    **Measures**: share of tokens (of attention) erased when the decision first flips, over texts in
    which it does; texts in which it never does; difference over texts in which both orders flip.
    **Misleads when**: many never flip: the share is of a selection.

Permutation and adversaries:

``mean(median_change)@1``, ``permutation_change_peaked@1``, ``mean(uniform_change)@1``
    **Measures**: change of the output (total variation) in the median permutation, over all texts
    and over those whose largest weight is .5 or more; change under uniform weights. **Misleads
    when**: texts are short: few permutations differ.
``permutation_correlation@1``
    **Measures**: Pearson correlation of that change with the largest weight. **Misleads when**: the
    output hardly changes at all.
``mean(js)@1``, ``adversarial_found@1``
    **Measures**: divergence, in nats, of the farthest attention found with the same output; share
    of texts where it is at least half of log 2. **Misleads when**: the search ends early: it is a
    lower bound. Short texts and flat attention bound it below log 2.

Agreement:

``mean(tau)@1``, ``gap(mean(tau))@1``
    **Measures**: tau-b between two rankings of a text's words, averaged over texts; of one pair of
    rankings minus another. **Misleads when**: words are redundant: then leaving one out changes
    nothing, whatever is attended to.

Heads (``hit`` before, ``hit_changed`` with one head changed, ``half`` of the text):

``changed_head(drop(accuracy))@1``, ``mean_changed_head(drop(accuracy))@1``
    **Measures**: accuracy before minus after, of one head, and of the average head. **Misleads
    when**: the largest of many is read off the same data.
``selected_changed_head(drop(accuracy))@1``, ``selected_changed_head(gain(accuracy))@1``,
``selected_head_over_layer@1``
    **Measures**: drop (gain) on one half of the texts of the head with the largest drop (gain) on
    the other half, both ways, averaged; and minus the drop of another head of its layer.
    **Misleads when**: texts of one unit stand in both halves.

**References**: Serrano & Smith (2019), Is attention interpretable?; Jain & Wallace (2019),
Attention is not explanation; Wiegreffe & Pinter (2019), Attention is not not explanation; Kovaleva
et al. (2019), Revealing the dark secrets of BERT; Kendall (1945); Cawley & Talbot (2010), On
over-fitting in model selection.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.reliability.metrics import one_of
from scrutiny.reliability.row_statistics import Additive, Array, divide, ratio, with_count
from scrutiny.stats.arrays import StatisticsError


class Drops(NamedTuple):
    """Mean drop ``(..., half, head)`` on each half, rows ``(..., half, 1)``, drop of controls."""

    measured: Array
    rows: Array
    control: Array


def _drop(drops: Drops) -> Array:
    """Mean over heads of the drop over all rows."""
    total = np.where(drops.rows > 0, drops.measured, 0.0) * drops.rows
    return np.asarray(divide(total.sum(axis=-2), drops.rows.sum(axis=-2)).mean(axis=-1))


def _chosen(by: Array, values: Array) -> Array:
    """Mean over halves of the values of heads chosen on the other half; NaN if it is empty.

    Equally good heads are averaged.
    """
    elsewhere = by[..., ::-1, :]
    is_best = elsewhere == elsewhere.max(axis=-1, keepdims=True)  # nowhere if it is NaN
    by_half = divide((np.where(is_best, values, 0.0)).sum(axis=-1), is_best.sum(axis=-1))
    return np.asarray(by_half.mean(axis=-1))


@dataclass(frozen=True, slots=True)
class ChangedHeads(AdditiveStatistic):
    """A value computed from the drops of all heads on both halves of the texts.

    Parameters
    ----------
    combine
        Value ``(...)`` of the drops.
    is_of_one
        Whether it is of one head and refuses more.

    **Measures**: see `scrutiny.diagnostics.faithfulness.faithfulness_metrics`.

    **Misleads when**: units of texts span the halves.

    **References**: Kovaleva et al. (2019), Revealing the dark secrets of BERT.
    """

    combine: Callable[[Drops], Array]
    is_of_one: bool = False
    scale: str = field(default="coefficient", kw_only=True)
    no_effect: float | None = field(default=0.0, kw_only=True)

    def components(self, measures: Array) -> Array:
        """Drops and row counts by half ``(..., component)`` of measures ``(..., need)``."""
        hit, half, changed = measures[..., :1], measures[..., 1:2], measures[..., 2:]
        sides = len(self.needs) - 2
        if changed.shape[-1] % sides or not changed.shape[-1]:
            raise StatisticsError(
                f"{self.id} needs {', '.join(self.needs)}; {changed.shape[-1]} columns are not "
                f"those of {sides} sides with equally many heads."
            )
        if self.is_of_one and changed.shape[-1] != 1:
            raise StatisticsError(
                f"{self.id} is of one head and got {changed.shape[-1]}; fix the layer and the "
                "head, or take mean_changed_head(drop(accuracy))@1."
            )
        columns = np.concatenate([hit - changed, np.ones_like(hit)], axis=-1)
        return np.concatenate([columns * (1 - half), columns * half], axis=-1)

    def value(self, sums: Array, weight: Array) -> Array:
        """Values ``(...)`` of sums ``(..., cell, component)``; there is one cell."""
        one = sums[..., 0, :]
        halves = np.stack(np.split(one, 2, axis=-1), axis=-2)  # (..., half, column)
        rows = halves[..., -1:]
        means = divide(halves[..., :-1], rows)
        sides = np.split(means, len(self.needs) - 2, axis=-1)  # the heads, and their controls
        return self.combine(Drops(sides[0], rows, sides[-1]))


_SHARE: Final = (0.0, 1.0)
_PEAKED: Final = 0.5
_FAR: Final = float(np.log(2.0)) / 2
_FLIPS: Final = ("first.flip", "other.flip")
_JS: Final = ("first.js", "other.js")
_SHARES: Final = ("first.share", "first.flipped", "other.share", "other.flipped")


def _share(
    name: str, says: str, needs: tuple[str, ...], event: Callable[[Array], Array]
) -> Additive:
    """Share of rows for which an event holds."""
    return Additive(
        name,
        says,
        needs,
        lambda m: with_count(event(m).astype(np.float64)),
        scale="logit",
        row_range=_SHARE,
    )


def _flip_as(first: int, other: int, flips: Array) -> Array:
    """Whether each of two orders flips the decision or not, as required."""
    return np.asarray((flips[..., 0] == first) & (flips[..., 1] == other))


FLIPS: Final = one_of(
    "flips",
    {
        which: _share(stream, says, _FLIPS, partial(_flip_as, first, other))
        for which, first, other, says, stream in (
            ("only_first", 1, 0, "only the first flips it", "only_first_flips@1"),
            ("only_other", 0, 1, "only the other flips it", "only_other_flips@1"),
            ("both", 1, 1, "both flip it", "both_flip@1"),
            ("neither", 0, 0, "neither flips it", "neither_flips@1"),
        )
    },
)
ERASURE_JS_REVERSED: Final = _share(
    "erasure_js_reversed@1", "the other changes more", _JS, lambda m: m[..., 0] < m[..., 1]
)


def _products(x: Array, y: Array) -> Array:
    """Components of a regression line of y on x, and of their correlation."""
    return with_count(x, y, x * y, x * x, y * y)


def _moments(sums: Array) -> tuple[Array, Array, Array]:
    """Sums of centered products: of x and y, of x, of y."""
    x, y, xy, xx, yy, n = (sums[..., i] for i in range(6))
    return xy - divide(x * y, n), xx - divide(x * x, n), yy - divide(y * y, n)


def _slope(sums: Array) -> Array:
    both, of_x, _ = _moments(sums)
    return np.asarray(np.where(of_x > _zero(sums, 3), divide(both, of_x), np.nan))


def _correlation(sums: Array) -> Array:
    both, of_x, of_y = _moments(sums)
    exists = (of_x > _zero(sums, 3)) & (of_y > _zero(sums, 4))
    spread = np.sqrt(np.where(exists, of_x * of_y, np.nan))
    return np.clip(both / spread, -1.0, 1.0)


def _zero(sums: Array, squares: int) -> Array:
    """Rounding error allowed in a sum of squares that is 0."""
    return np.asarray(1e-12 * np.abs(sums[..., squares]))


ERASURE_JS_SLOPE: Final = Additive(
    "erasure_js_slope@1",
    "gap of JS divergences by gap of weights",
    (*_JS, "first.weight", "other.weight"),
    lambda m: _products(m[..., 2] - m[..., 3], m[..., 0] - m[..., 1]),
    _slope,
    no_effect=0.0,
)
NEVER_FLIPS: Final = _share("never_flips@1", "never flips", ("flipped",), lambda m: m[..., 0] == 0)
ERASURE_SHARE_GAP: Final = ratio(
    "erasure_share_gap@1",
    "tokens erased until it flips, beyond another order",
    _SHARES,
    lambda m: ((m[..., 0] - m[..., 2]) * m[..., 1] * m[..., 3], m[..., 1] * m[..., 3]),
    scale="coefficient",
    no_effect=0.0,
)
PERMUTATION_CHANGE_PEAKED: Final = ratio(
    "permutation_change_peaked@1",
    "change of the output where attention is peaked",
    ("median_change", "max_weight"),
    lambda m: (m[..., 0] * (m[..., 1] >= _PEAKED), (m[..., 1] >= _PEAKED).astype(np.float64)),
    scale="share",
)
PERMUTATION_CORRELATION: Final = Additive(
    "permutation_correlation@1",
    "correlation of that change with the largest weight",
    ("median_change", "max_weight"),
    lambda m: _products(m[..., 1], m[..., 0]),
    _correlation,
    scale="fisher_z",
    no_effect=0.0,
)
ADVERSARIAL_FOUND: Final = _share(
    "adversarial_found@1",
    "texts with a far attention of the same output",
    ("js",),
    lambda m: m[..., 0] >= _FAR,
)
_HEADS: Final = ("hit", "half", "hit_changed")
CHANGED_HEAD: Final = one_of(
    "changed_head",
    {
        "drop(accuracy)": ChangedHeads(
            "head_accuracy_drop@1", "accuracy drop without a head", _HEADS, _drop, is_of_one=True
        )
    },
)
MEAN_CHANGED_HEAD: Final = one_of(
    "mean_changed_head",
    {
        "drop(accuracy)": ChangedHeads(
            "mean_head_accuracy_drop@1", "accuracy drop without the average head", _HEADS, _drop
        )
    },
)
SELECTED_CHANGED_HEAD: Final = one_of(
    "selected_changed_head",
    {
        "drop(accuracy)": ChangedHeads(
            "selected_head_drop@1",
            "accuracy drop without the head chosen on the other half",
            _HEADS,
            lambda drops: _chosen(drops.measured, drops.measured),
        ),
        "gain(accuracy)": ChangedHeads(
            "selected_head_gain@1",
            "accuracy gain without the head chosen on the other half",
            _HEADS,
            lambda drops: _chosen(-drops.measured, -drops.measured),
        ),
    },
)
SELECTED_HEAD_OVER_LAYER: Final = ChangedHeads(
    "selected_head_over_layer@1",
    "accuracy drop beyond that of another head of its layer",
    (*_HEADS, "control.hit_changed"),
    lambda drops: _chosen(drops.measured, drops.measured - drops.control),
)
