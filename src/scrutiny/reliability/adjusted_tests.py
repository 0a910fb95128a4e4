"""Holm correction of tests of single replicates."""

from collections.abc import Sequence
from dataclasses import replace

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.stats.significance.multiplicity import holm


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
