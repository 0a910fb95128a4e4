"""Records of drift: whether a model is still the reference.

=========  =====================  ================================================================
role       condition              row of an item
=========  =====================  ================================================================
measured   of=log-probabilities   distance of both answers; whether it is farther than asked again
control    of=log-probabilities   distance of the reference and the reference asked again
measured   of=gold                log-probability of the right answer, of both
control    of=gold                the same of the reference and the reference asked again
measured   of=samples             discrepancy of both models' samples, and with samples exchanged
control    of=samples             the same of the reference and the reference asked again
=========  =====================  ================================================================

Either the first four or the last two: models known by samples have no log-probabilities.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction
from scrutiny.models.answers.label_pair import Labels
from scrutiny.stats.distributions.outputs import KL_FLOOR
from scrutiny.stats.distributions.two_sample import exchanged, label_mmd
from scrutiny.stats.significance.mcnemar import TIE

OF_LOGPROBS, OF_GOLD, OF_SAMPLES = ({"of": of} for of in ("log-probabilities", "gold", "samples"))
#: Axis of the exchanges; its length is a parameter.
EXCHANGE: Final = "exchange"
MEASURES: Final = (
    Measure("distance", unit="nats, or squared discrepancy"),
    Measure("farther", unit="items"),
    Measure("nearer", unit="items"),
    Measure("logp_a", unit="nats"),
    Measure("logp_b", unit="nats"),
    Measure("exchanged", ((EXCHANGE, 0),), unit="squared discrepancy"),
)

Answer = Prediction | Failure
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RowLayout:
    """Layout of rows, and the tolerance for ties.

    Parameters
    ----------
    exchanges
        Exchanges of the samples of an item.
    tolerance
        Nats within which two distances are equal.
    """

    exchanges: int
    tolerance: float

    def row(
        self,
        item: str,
        role: str,
        condition: Mapping[str, str],
        found: Mapping[str, float | Floats] | Failure,
    ) -> Row:
        """Row of an item; unused measures are 0."""
        kind = RowKind.of(condition, role)
        if isinstance(found, Failure):
            return kind.row(item, found)
        values: list[float] = []
        for measure in MEASURES:
            width = measure.sized({EXCHANGE: self.exchanges}).size
            values += np.broadcast_to(found.get(measure.name, 0.0), (width,)).tolist()
        return kind.row(item, values)

    def signs(self, distance: float, of_again: float) -> dict[str, float]:
        """Whether a distance is larger or smaller than that of the reference asked again."""
        gap = distance - of_again
        return {
            "farther": float(gap > self.tolerance),
            "nearer": float(gap < -self.tolerance),
        }


def logprob_rows(
    example: Example, answers: Sequence[Answer], labels: Labels, table: RowLayout
) -> Iterator[Row]:
    """Four rows of an item: of both distances, and of the right answer.

    ``answers`` are those of the reference, the target, and the reference asked again.
    """
    a, b, again = answers
    logs = [_logs(labels, a, b), _logs(Labels(labels.reference, labels.reference), a, again)]
    roles = ("measured", "control")
    for role, distances in zip(roles, _distances(logs, table), strict=True):
        yield table.row(example.id, role, OF_LOGPROBS, distances)
    for role, found in zip(roles, logs, strict=True):
        yield table.row(example.id, role, OF_GOLD, _of_gold(example, found, labels.reference))


def _of_gold(
    example: Example, found: Floats | Failure, names: Sequence[str]
) -> Mapping[str, float | Floats] | Failure:
    """Log-probabilities of the gold answer."""
    gold = example.gold
    lack = Failure("no_gold" if gold is None else "other_labels", status="skipped")
    if isinstance(found, Failure):
        return lack if gold is None and found.status != "failed" else found
    if gold not in names:
        return lack
    place = names.index(str(gold))
    return {"logp_a": float(found[0, place]), "logp_b": float(found[1, place])}


def _logs(labels: Labels, one: Answer, other: Answer) -> Floats | Failure:
    """Log-probabilities ``(side, label)`` in the reference's order, or why there are none."""
    both = labels.distributions(one, other)
    return both if isinstance(both, Failure) else np.log(np.maximum(np.stack(both), KL_FLOOR))


def _distances(
    logs: Sequence[Floats | Failure], table: RowLayout
) -> Iterator[Mapping[str, float | Floats] | Failure]:
    """Rows of both distances: of the target, and of the reference asked again."""
    target, again = (
        f if isinstance(f, Failure) else float(np.abs(f[0] - f[1]).mean()) for f in logs
    )
    if isinstance(target, Failure):
        yield target
    elif isinstance(again, Failure):
        yield again
    else:
        yield {"distance": target, **table.signs(target, again)}
    yield again if isinstance(again, Failure) else {"distance": again}


def of_samples(
    a: Counts, b: Counts, *, exchanges: int, rng: np.random.Generator
) -> dict[str, float | Floats]:
    """Drift of an item's sampled answers: its discrepancy, and those of exchanges.

    ``farther`` and ``nearer`` are the shares of exchanges that lie below and above it: equal in
    expectation where both sides are one model.
    """
    observed = float(label_mmd(a, b))
    drawn = exchanged(a, b, exchanges=exchanges, rng=rng)
    return {
        "distance": observed,
        "farther": float((drawn < observed - TIE).mean()),
        "nearer": float((drawn > observed + TIE).mean()),
        "exchanged": drawn,
    }
