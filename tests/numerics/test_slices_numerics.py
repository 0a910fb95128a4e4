"""What slices show: how often a planted loss is found, and how often there is said to be one.

Of one to five seeds on 300 to 2,000 items of which five slices are asked, one of them a tenth of
the items. docs/slices.md prints these rates.
"""

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.core.slice_syntax import complement
from scrutiny.reliability.assignment import Assignment, PlacedContrast
from scrutiny.run.estimating.estimates import estimate_all
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.run.planning.plan_slices import over
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_tables import RECORDS

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
RUNS = 40


def tables(rng, *, items, seeds, loss):
    """Records of right and wrong answers, less often right in the first slice."""
    inside = np.stack([rng.permutation(items) < round(items * share) for share in SHARES])
    right = np.clip(rng.beta(8.5, 1.5, size=items) - loss * inside[0], 0.0, 1.0)
    seed = rng.normal(scale=0.01, size=(seeds, 1))
    hits = rng.random((seeds, items)) < np.clip(right + seed, 0.0, 1.0)
    records, whole = unanswered(items, seeds)
    values = pa.ListArray.from_arrays(np.arange(hits.size + 1, dtype=np.int32), hits.ravel() * 1.0)
    at = RECORDS.get_field_index("values")
    records = records.set_column(at, RECORDS.field("values"), values)
    for k, one in enumerate(inside):
        whole = whole.append_column(f"a_s{k}", pa.array(np.where(one, "yes", "no")))
    return records, whole


@cache
def unanswered(items, seeds):
    """Records without their values, and items without their slices: the same in all studies."""
    names = [f"i{k}" for k in range(items)]
    n = seeds * items
    rows = {
        "kind": ["d@1"] * n,
        "subject": ["m"] * n,
        "reference": [None] * n,
        "replicate": [f'{{"seed":{s}}}' for s in range(seeds) for _ in names],
        "dataset": ["x"] * n,
        "condition": ["{}"] * n,
        "role": ["measured"] * n,
        "item": names * seeds,
        "variant": [None] * n,
        "status": ["ok"] * n,
        "reason": [None] * n,
        "values": [None] * n,
    }
    whole = {"dataset": ["x"] * items, "item": names, "language": ["en"] * items}
    return pa.table(rows, schema=RECORDS), pa.table(whole)


def worse(rng, seed, **study):
    """Whether each slice is shown to be worse than elsewhere."""
    spec = EstimateSpec("level", "accuracy@1", sides={"": Selector()})
    level = Assignment.of(
        spec, measure="p", kind="d@1", subject="m", dataset="x", measures=(Measure("hit"),)
    )
    slices = [f"s{k} = yes" for k in range(len(SHARES))]
    pairs = [
        PlacedContrast(where, over(level, where), over(level, complement(where)), is_paired=True)
        for where in slices
    ]
    claims = [
        Claim(where, where, "d", (Component(where, 0.0, "elsewhere", "<"),), family="in slices")
        for where in slices
    ]
    records, items = tables(rng, **study)
    few = Resampling(draws=400)
    estimator = Estimator(RowGroups.of_table(records), items, resampling=few, seed=seed)
    _, found = estimate_all(estimator, [], claims, contrasts=pairs)
    return [one.verdict == "supported" for one in found]


def rates(runs=RUNS, **study):
    """How often the first slice is found, and how often any is said to be worse."""
    rng = np.random.default_rng(5)
    found = np.array([worse(rng, k, **study) for k in range(runs)])
    return found[:, 0].mean(), found.any(axis=1).mean()


@pytest.mark.slow
@pytest.mark.parametrize(("items", "seeds"), [(300, 1), (1000, 5), (2000, 1)])
def test_where_nothing_is_worse_hardly_anything_is_said(items, seeds):
    _, said = rates(items=items, seeds=seeds, loss=0.0)
    assert said <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "seeds", "least"), [(1000, 1, 0.25), (1000, 5, 0.3), (2000, 5, 0.75)]
)
def test_a_tenth_of_the_items_that_loses_ten_points_is_found(items, seeds, least):
    found, _ = rates(items=items, seeds=seeds, loss=0.1)
    assert found >= least
