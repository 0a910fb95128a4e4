"""Rows of a family for tests, from lists; one number of items may hold for all."""

import numpy as np

from scrutiny.stats.intervals.families import FamilyRows


def family_rows(values, items, interaction, n_items, flips=None, **more):
    each = np.atleast_2d(np.asarray(values, dtype=np.float64))
    n_rows = each.shape[0]
    row = [np.broadcast_to(np.asarray(x, float), (n_rows,)) for x in (items, interaction, n_items)]
    assert all(np.isfinite(one).all() for one in (each, *row))
    none = np.full((n_rows, 2), np.nan)
    found = none if flips is None else np.asarray(flips, dtype=np.float64).reshape(n_rows, 2)
    return FamilyRows(each, row[0], row[1], 1.0 / row[2], found, **more)
