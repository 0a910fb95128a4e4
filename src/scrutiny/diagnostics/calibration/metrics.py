"""Metrics of calibration: how far confidence lies from accuracy, bin by bin."""

from typing import Final

import numpy as np

from scrutiny.core.statistic import Chance
from scrutiny.reliability.additive import Additive, Array, divide, with_count
from scrutiny.reliability.metrics import Parametric

USUAL_BINS: Final = 15


def bin_of(confidence: Array, bins: int) -> Array:
    """Bin of equal width that each confidence lies in; a border belongs to the bin below it."""
    return np.asarray(np.clip(np.ceil(confidence * bins) - 1, 0, bins - 1))


def _of_bins(bins: str, name: str) -> Additive:
    """Expected calibration error over so many bins."""
    count = int(bins)
    if count < 2:
        raise ValueError(bins)

    def components(measures: Array) -> Array:
        """Confidence minus what was right, each row in the column of its bin, and a count."""
        confidence, right = measures[..., 0], measures[..., 1]
        inside = bin_of(confidence, count)[..., None] == np.arange(count)
        apart = np.where(inside, (confidence - right)[..., None], 0.0)
        return with_count(*np.moveaxis(apart, -1, 0))

    return Additive(
        name,
        f"expected calibration error, the gap of confidence and accuracy ({count} bins)",
        ("confidence", "right"),
        components,
        lambda sums: divide(np.abs(sums[..., :-1]).sum(axis=-1), sums[..., -1]),
        scale="share",
        higher_is="worse",
        tolerance=0.05,
        chance=Chance("a calibrated model of the same confidence"),
        headline="ECE",
    )


#: Mean distance of confidence and accuracy, bin by bin (Guo et al., 2017).
CALIBRATION_ERROR: Final = Parametric(
    "calibration_error@1", (str(USUAL_BINS),), _of_bins, "a number of bins, 2 or more"
)
