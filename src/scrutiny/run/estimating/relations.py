"""Estimates of relations: correlations of two estimates over replicates."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Counts
from scrutiny.reliability.estimate import without_value
from scrutiny.run.planning.assignment import Relation
from scrutiny.stats.association.correlation import correlation_over_replicates
from scrutiny.stats.errors import StatisticsError


def relate(
    relation: Relation, known: Mapping[str, Estimate], *, resampling: Resampling, seed: int
) -> Estimate:
    """Estimate of a relation from the replicates' values of both sides.

    Parameters
    ----------
    relation
        Relation to compute.
    known
        Estimates by the full names of their specifications.
    resampling, seed
        Level of the interval; the run's seed.

    Returns
    -------
    Estimate
        ``n`` counts replicates; ``across`` holds Spearman's rho, the permutation p with the
        smallest it could have been, and the correlation that would have been shown with 80 %
        power. Undefined with fewer than four replicates, or where one side does not vary.
    """
    sides = [[known[one.spec.id].by_replicate for one in side] for side in (relation.a, relation.b)]
    first = sides[0][0]
    names = [n for n in first if all(n in values for side in sides for values in side)]
    counts = Counts(n=len(names), undefined=len(first) - len(names))
    one, other = relation.a[0], relation.b[0]
    key = EstimateKey(
        diagnostic=one.kind,
        metric="correlation@1",
        subject=one.subject,
        dataset=one.dataset,
        reference=other.subject if other.subject != one.subject else None,
        role="contrast",
        condition={"of": one.spec.id, "with": other.spec.id},
        group=relation.id,
    )
    blank = replace(
        without_value(key, counts, len(names), resampling, "no_value"),
        method="fisher-z over replicates@1",
        n_units=len(names),
    )
    if not names:
        return blank
    a, b = (np.array([[values[name] for values in side] for name in names]) for side in sides)
    rng = generator(seed, "relation", name=relation.id, item="replicates")
    try:
        found = correlation_over_replicates(a, b, rng=rng, level=resampling.level)
    except StatisticsError as error:
        few = "replicates carry" in str(error)
        return replace(blank, reason="too_few_replicates" if few else "does_not_vary")
    return replace(
        blank,
        value=found.value,
        low=found.low,
        high=found.high,
        n_units=found.replicates,
        n_replicates=found.replicates,
        across={
            "steps": float(found.steps),
            "spearman": found.rank,
            "p_value": found.p_value,
            "smallest_p": found.smallest_p,
            "detectable": found.detectable,
        },
        status="ok",
        reason=None,
    )
