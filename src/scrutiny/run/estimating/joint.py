"""Joint metrics: one number of two selections together, on the items that both have.

Their measures stand side by side, so that there is one statistic, with one set of draws.
"""

import numpy as np

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.statistic import Statistic
from scrutiny.reliability.contrasts import Meeting
from scrutiny.reliability.derive import matched
from scrutiny.reliability.estimate import Estimand, Estimated, of_draws, resample_any
from scrutiny.reliability.panel import Joined
from scrutiny.stats.errors import StatisticsError


def jointly(
    meeting: Meeting, statistic: Statistic, *, key: EstimateKey, resampling: Resampling, seed: int
) -> Estimated:
    """Estimate of a metric of both sides, over items and matched replicates.

    Parameters
    ----------
    meeting
        The sides.
    statistic
        Of the first side's measures and the second's, in this order.
    key, resampling, seed
        As in `scrutiny.reliability.contrasts.contrast`.
    """
    one, other = meeting.values
    names = meeting.names
    pairs = matched(*names)
    values = np.stack([np.concatenate([one[i], other[k]], axis=-1) for i, k in pairs])
    asked = Estimand(
        Joined(values, np.arange(values.shape[1]), np.arange(len(pairs)), meeting.status),
        tuple(names[0][i] if len(names[0]) > 1 else names[1][k] for i, k in pairs),
        key,
    )
    if meeting.units is None:
        return asked.blank("no_items", resampling)
    rng = generator(seed, "bootstrap", name=key.dataset, item="items")
    try:
        drawn = resample_any(
            statistic, values, units=meeting.units, draws=resampling.draws, rng=rng
        )
    except StatisticsError:
        return asked.blank("no_value", resampling)
    return of_draws(asked, drawn, statistic=statistic, resampling=resampling, seed=seed)
