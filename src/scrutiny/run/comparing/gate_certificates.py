"""A/A certificates of rules of a gate that compare the accuracy of two models of one run."""

from collections.abc import Iterable

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.claim import Finding
from scrutiny.core.randomness import generator
from scrutiny.reliability.assignment import Number, PlacedContrast
from scrutiny.reliability.joining import shared_items
from scrutiny.run.comparing.certificate import SUPPOSED, Certificate, certify
from scrutiny.run.comparing.many_comparisons import Bools, ComparisonRule
from scrutiny.run.estimating.estimator import Estimator, estimator_of
from scrutiny.run.estimating.gate import numbers_of_run
from scrutiny.stats.resampling.seed_spread import SeedSpread
from scrutiny.stats.resampling.unchanged import UnchangedSystem
from scrutiny.store.run_folder import RunFolder


class LimitsRule(ComparisonRule):
    """Rule on the limits of the whole alone: it fails where a loss beyond the margin is shown."""

    def regressions(self, first: Floats, second: Floats) -> Bools:
        """Pairs ``(pair,)`` whose limits lie beyond the margin."""
        return np.asarray(self.limits(first, second)[1] < -self.margin)


def gate_certificates(
    folder: RunFolder, findings: Iterable[Finding]
) -> dict[str, tuple[Certificate, ...]]:
    """Certificates by the claim of each rule that has them.

    A rule has them where it allows the accuracy of a model to lie so far below another's, on all
    items: ``accuracy >= -0.01 where reference=v1``. Without replicates of the reference the noise
    floor is not known, and two are supposed.

    Parameters
    ----------
    folder
        The run.
    findings
        Of the gate.
    """
    estimator = estimator_of(folder)
    numbers = {number.id: number for number in numbers_of_run(folder)}
    found = {}
    for finding in findings:
        parts = finding.claim.components
        number = numbers.get(parts[0].estimate) if len(parts) == 1 else None
        limits = next((one for one in finding.limits if one is not None), None)
        if limits is None or parts[0].operator[0] != ">" or parts[0].limit > 0.0:
            continue
        if (pair := _of_accuracies(number)) is not None:
            sized = -parts[0].limit, limits.n_rows
            found[finding.claim.id] = _certified(estimator, pair, *sized)
    return found


def _of_accuracies(number: Number | None) -> PlacedContrast | None:
    """The number, if it is the difference of two models' accuracies on the same items."""
    if not isinstance(number, PlacedContrast) or number.how or number.exact_at is not None:
        return None
    metrics = {number.a.metric, number.b.metric}
    is_apart = number.is_of_slices or number.is_of_datasets or number.a.subject == number.b.subject
    return None if is_apart or metrics != {"accuracy@1"} else number


def _certified(
    estimator: Estimator, pair: PlacedContrast, margin: float, n_rows: int
) -> tuple[Certificate, ...]:
    meeting = shared_items(estimator.joined(pair.a), estimator.joined(pair.b))
    second, first = (side[..., 0] for side in meeting.values)
    if meeting.units is None or not first.size:
        return ()
    rule = LimitsRule(
        np.ones((1, first.shape[1]), dtype=np.bool_),
        meeting.units.code,
        1,
        margin,
        is_paired=pair.is_paired,
        n_rows=n_rows,
        level=estimator.resampling.level,
    )
    is_known = len(first) > 1
    spread = SeedSpread.of([first, second], is_paired=pair.is_paired)
    if is_known:  # items on which two replicates differ
        supposed = [float(2.0 * first.var(axis=0, ddof=1).mean())]
    else:
        supposed = [0.0, min(0.5, max(SUPPOSED, float((first[0] != second[0]).mean())))]
    found = []
    for noise in supposed:
        rng = generator(estimator.seed, "compare", name="certificate", item=pair.key.dataset)
        system = UnchangedSystem.of_hits(first, noise=noise, spread=spread)
        counts = len(first), len(second)
        found.append(certify(system, rule, counts, rng=rng, is_known=is_known))
    return tuple(found)
