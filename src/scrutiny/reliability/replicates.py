"""Replicates compared: agreement of their estimates, their spread, and tests of single ones.

An interval over replicates says how far the recipe's value may lie; these numbers say what a
reader with one checkpoint would have seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.core.statistic import ReplicateTest
from scrutiny.stats.arrays import finite
from scrutiny.stats.intervals.interval import Interval, wilson
from scrutiny.stats.intervals.seed_error import Spread, VarianceRatio, variance_ratio
from scrutiny.stats.significance.combined_tests import holm
from scrutiny.stats.significance.exact_tests import mcnemar, rank_sum, signed_rank


def across(
    values: ArrayLike,
    *,
    no_effect: float | None = None,
    intervals: tuple[Interval, ...] = (),
    level: float = 0.95,
) -> dict[str, float]:
    """Agreement of replicate-level estimates, by name, as an estimate stores it.

    Parameters
    ----------
    values
        ``(replicate,)``, finite.
    no_effect
        Value that means "no difference"; None for levels.
    intervals
        Each replicate's own interval over items, in the same order; None leaves out the share
        that is significant.
    level
        Of Wilson's interval.

    Returns
    -------
    dict
        Those that are defined. ``replicates``, how many; ``mean`` and ``sd`` of their values, the
        ``least`` and the ``most``; an sd from two on. ``sign_agreement``: share of replicates on
        the same side of "no effect" as their mean; a value of exactly no effect agrees with
        nothing; not of levels, nor where the mean is exactly no effect. ``significant``, with
        ``significant_low`` and ``significant_high``: share of replicates whose own interval over
        items leaves out "no effect", on the side of the mean, with Wilson's interval over
        replicates; not of levels.

    **Measures**: how often one checkpoint alone would have given the same verdict.

    **Misleads when**: read as a test: five of five replicates beyond zero on the same 200 items
    share those items' luck, and no vote over replicates decides a claim here.

    **References**: Sellam et al. (2022), The MultiBERTs; Wilson (1927), Probable inference.

    Examples
    --------
    >>> found = across([0.02, 0.03, -0.01], no_effect=0.0)
    >>> round(found["sign_agreement"], 3), round(found["sd"], 4)
    (0.667, 0.0208)
    """
    each = finite(values, "values", ndim=1)
    mean = float(each.mean())
    side = 0.0 if no_effect is None else float(np.sign(mean - no_effect))
    found = {"replicates": float(each.size), "mean": mean}
    if each.size > 1:
        found["sd"] = float(each.std(ddof=1))
    found |= {"least": float(each.min()), "most": float(each.max())}
    if no_effect is not None and side:
        found["sign_agreement"] = float((np.sign(each - no_effect) == side).mean())
        if intervals:
            beyond = [i.low > no_effect if side > 0 else i.high < no_effect for i in intervals]
            share = wilson(sum(beyond), len(beyond), level=level)
            found["significant"] = share.point
            found |= {"significant_low": share.low, "significant_high": share.high}
    return found


def compared_runs(a: ArrayLike, b: ArrayLike) -> dict[str, float]:
    """Exact rank tests of two unpaired groups of runs, and their effect size.

    Parameters
    ----------
    a, b
        ``(run,)`` value of each run on all items. A single value on one side is a constant that the
        other side's runs are compared with.

    Returns
    -------
    dict
        ``rank_sum_p`` and ``rank_sum_smallest_p`` (or ``signed_rank_...`` against a constant), two
        sided; ``superiority``: how often a run of ``a`` is above one of ``b``, ties half. Empty
        where neither side has two runs.

    **Measures**: whether the runs of one recipe tend to lie above those of another, whatever the
    items.

    **Misleads when**: there are few runs: 3 against 3 give no p below .10, 4 against 4 none below
    .029, and one constant against 5 runs none below .0625. All runs share the items' luck.

    **References**: Wilcoxon (1945); Zhao & Bethard (2020), How does BERT's attention change when
    you fine-tune?, who compare ten runs with ten.

    Examples
    --------
    >>> found = compared_runs([3.0, 4.0, 5.0], [0.0, 1.0, 2.0])
    >>> round(found["rank_sum_p"], 3), found["superiority"]
    (0.1, 1.0)
    """
    one, other = finite(a, "a", ndim=1), finite(b, "b", ndim=1)
    if max(one.size, other.size) < 2:
        return {}
    if min(one.size, other.size) == 1:
        name, test = "signed_rank", signed_rank((one - other).ravel())
    else:
        name, test = "rank_sum", rank_sum(one, other)
    apart = one[:, None] - other[None, :]
    return {
        f"{name}_p": test.p_value,
        f"{name}_smallest_p": test.smallest_p,
        "superiority": float((apart > 0).mean() + (apart == 0).mean() / 2),
    }


@dataclass(frozen=True, slots=True)
class Ratio:
    """Spread of a diagnostic relative to that of a downstream score; None if that is constant."""

    found: VarianceRatio | None
    p_holm: float | None


def compare_spreads(diagnostics: Sequence[Spread], downstream: Spread) -> list[Ratio]:
    """F tests of each diagnostic's seed spread against one downstream score's, with Holm.

    Parameters
    ----------
    diagnostics
        Spreads over replicates, each in units of its own item-sampling error.
    downstream
        Spread of a score above majority: models that have learned nothing agree, too.

    **Measures**: whether models that are alike downstream differ in what is diagnosed of them.

    **Misleads when**: there are five replicates a side: only ratios above 2.5 can be significant.
    The tests share one denominator.

    **References**: as `scrutiny.stats.intervals.seed_error`; Holm (1979).

    Examples
    --------
    >>> calm = Spread(sd=1.0, item_se=1.0, replicates=5)
    >>> [round(r.p_holm, 3) for r in compare_spreads([Spread(4.0, 1.0, 5), calm], calm)]
    [0.02, 0.5]
    """
    if downstream.sd == 0.0:
        return [Ratio(None, None)] * len(diagnostics)
    found = [variance_ratio(one, downstream) for one in diagnostics]
    if not found:
        return []
    adjusted = holm([ratio.p_value for ratio in found])
    return [Ratio(ratio, float(p)) for ratio, p in zip(found, adjusted, strict=True)]


def mcnemar_of_hits(
    hits: NDArray[np.float64], units: NDArray[np.int64] | None, rng: np.random.Generator
) -> Sequence[ReplicateTest]:
    """McNemar's mid-p of hits ``(item, before and after)``; never on pooled replicates.

    Examples
    --------
    >>> hits = np.array([[1.0, 0.0]] * 8 + [[1.0, 1.0]] * 4)
    >>> mcnemar_of_hits(hits, None, np.random.default_rng(0))[0].n_units
    8
    """
    lost = int(((hits[:, 0] == 1) & (hits[:, 1] == 0)).sum())
    gained = int(((hits[:, 0] == 0) & (hits[:, 1] == 1)).sum())
    test = mcnemar(gained, lost)
    return [
        ReplicateTest(
            "mcnemar@1",
            "mcnemar mid-p",
            test.p_value,
            gained + lost,
            {"gained": gained, "lost": lost, "smallest_p": test.smallest_p},
        )
    ]


def is_test(estimate: Estimate) -> bool:
    """Whether an estimate is a test of one replicate: its value is a p-value."""
    e = estimate
    return e.key.replicate is not None and e.low is None and "smallest_p" in e.across


def with_holm(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Estimates in their order; tests have Holm's adjusted p-value among their numbers.

    Tests belong together if they differ in their group only: the same test and condition on one
    replicate, over the sets of words that a dataset holds. The adjusted value is ``holm``, the
    number of tests ``n_tests``; the p-value itself stays as it is.

    Parameters
    ----------
    estimates
        Rows of tests (those that name a ``smallest_p``) and others, which are left alone.

    **Measures**: which of many association tests one replicate would have passed.

    **Misleads when**: read over replicates: each has its own family of tests.

    **References**: Holm (1979), A simple sequentially rejective multiple test procedure; May et
    al. (2019) adjust their tests so.
    """
    found = list(estimates)
    families = grouped(
        (_family(one), place)
        for place, one in enumerate(found)
        if "smallest_p" in one.across and one.value is not None
    )
    for places in families.values():
        if len(places) > 1:
            adjusted = holm([found[i].value or 0.0 for i in places])
            for i, value in zip(places, adjusted.tolist(), strict=True):
                numbers = {**found[i].across, "holm": value, "n_tests": float(len(places))}
                found[i] = replace(found[i], across=numbers)
    return found


def _family(one: Estimate) -> tuple[object, ...]:
    """Key of the family of a test: everything but the group."""
    key = one.key
    condition = canonical_json(dict(key.condition))
    who = (key.subject, key.reference, key.dataset, key.replicate)
    return (key.diagnostic, key.metric, *who, key.role, condition)
