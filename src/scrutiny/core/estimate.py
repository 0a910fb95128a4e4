"""Estimates: a number with its interval, its denominator and its identity."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrutiny.core.record import Counts


@dataclass(frozen=True, slots=True)
class EstimateKey:
    """What an estimate is of; two runs pair up by it.

    Parameters
    ----------
    diagnostic
        ``name@version#digest of the parameters``.
    metric
        Versioned name of the statistic.
    subject, reference
        Model families of the plan; the second for measures of two models.
    dataset
        Name of the dataset in the plan.
    replicate
        Canonical JSON of the random factors, or nothing for "over all replicates".
    role
        measured, control, null, baseline or contrast.
    condition
        What varies within the run.
    group
        The items it is over ("all", "changed", a slice).
    """

    diagnostic: str
    metric: str
    subject: str
    dataset: str
    reference: str | None = None
    replicate: str | None = None
    role: str = "measured"
    condition: Mapping[str, object] = field(default_factory=dict)
    group: str = "all"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with how sure it is and out of how many.

    Parameters
    ----------
    key
        Its identity.
    value, low, high
        Point and interval; nothing where the status is not ``ok``.
    level
        Confidence level of the interval.
    method
        Name of the interval ("crossed@1", "multi-bootstrap@1", "wilson@1").
    counts
        Rows planned and what became of them.
    n_units
        Resampled units (items, or clusters of them).
    n_replicates
        Replicates that the interval speaks for.
    variance
        Parts of the variance of the value by source ("seeds", "items"), on the scale on which the
        interval was made; their sum is the variance.
    by_replicate
        Value of each replicate, by its canonical JSON.
    across
        How replicate-level estimates agree, by name (see `scrutiny.reliability.across`); for a
        test, what it rests on.
    resample_id
        Two estimates' draws may be subtracted only if they share it.
    status, reason
        ``ok``, or why there is no value.
    denominator
        What the value was divided by where that is not every row measured (attacked items, pairs
        of texts): the mean over replicates. Nothing where it is ``counts.n``.
    """

    key: EstimateKey
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    counts: Counts
    n_units: int
    n_replicates: int = 1
    variance: Mapping[str, float] = field(default_factory=dict)
    by_replicate: Mapping[str, float] = field(default_factory=dict)
    across: Mapping[str, float] = field(default_factory=dict)
    resample_id: str = ""
    status: str = "ok"
    reason: str | None = None
    denominator: float | None = None

    @property
    def divided_by(self) -> float:
        """Denominator of the value: what stands beside it wherever it is printed."""
        return self.counts.n if self.denominator is None else self.denominator
