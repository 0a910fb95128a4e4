"""Arrays in, small frozen dataclasses out: the statistics behind every number.

Nothing here reads files, knows labels or holds random state: a generator is an argument. numpy
and scipy are all that it needs.

resampling
    `weights` (`Units`: what is drawn together; draws of them), `sums` (additive components by
    unit and cell), `resample` (a statistic of every replicate on every draw of items),
intervals
    `interval` (`Interval`, `Decomposition`), `scale`, `parts` and `crossed` (the default:
    replicates crossed with items), `contrast` (paired, unpaired), `replicates` (over replicates
    alone).
"""

from scrutiny.stats.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.crossed import crossed
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.interval import Decomposition, Interval
from scrutiny.stats.replicates import t_over_replicates
from scrutiny.stats.resample import Resampled, resample, resample_refit, resample_weighted
from scrutiny.stats.scale import Scale
from scrutiny.stats.weights import Units, draw_indices, draw_weights

__all__ = [
    "Decomposition",
    "Interval",
    "Resampled",
    "Scale",
    "StatisticsError",
    "Units",
    "crossed",
    "draw_indices",
    "draw_weights",
    "paired_contrast",
    "resample",
    "resample_refit",
    "resample_weighted",
    "t_over_replicates",
    "unpaired_contrast",
]
