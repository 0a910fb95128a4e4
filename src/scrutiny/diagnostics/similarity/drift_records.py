"""Records of drift, and statistics of them: whether a model is still the reference.

=========  =====================  ================================================================
role       condition              row of an item
=========  =====================  ================================================================
measured   of=log-probabilities   distance of both answers; whether it is farther than asked again
control    of=log-probabilities   distance of the reference and the reference asked again
measured   of=gold                log-probability of the right answer, of both
control    of=gold                the same of the reference and the reference asked again
measured   of=samples             discrepancy of both models' samples, and with samples exchanged
control    of=samples             the same of the reference and the reference asked again
measured   of=answers             share of the parts of both answers that differ; whether it is
                                  larger than that of the reference asked again
control    of=answers             the same of the reference and the reference asked again
=========  =====================  ================================================================

The first four of labels with probabilities, the next two of models known by samples, the last two
of spans, arcs, clusters, extracts and written texts, whose answers are compared as they are.

Statistics: a is the reference, b the subject, *again* the reference asked a second time
(side ``control``).

``farther@1``, ``beyond(farther)@1``
    **Measures**: share of items on which b lies farther from a than exchanging their answers would
    put it, minus the share on which it lies nearer: 0 where b is a, whatever the noise, 1 where
    every item tells them apart; and the same beyond a beside a asked again. **Misleads when**: read
    as a size: a change of .001 in every answer scores 1 where answers repeat exactly.
``logprob_distance@1``, ``beyond(logprob_distance)@1``
    **Measures**: mean absolute difference of log-probabilities in nats; minus that of a and a asked
    again, with a test that exchanges b's answer and a's second one within items. **Misleads when**:
    improbable labels decide: a label of probability 1e-6 counts as much as the likeliest one.
``answer_distance@1``, ``beyond(answer_distance)@1``
    **Measures**: mean share of the parts of two answers (spans, words, links; else the answer as a
    whole) on which they do not agree; minus that of a and a asked again, with the same test.
    **Misleads when**: long answers differ in something nearly always, which says nothing of harm.
``logprob_change@1``
    **Measures**: mean change of the log-probability of the gold answer, or of the text, with a test
    that flips signs by item. **Misleads when**: changes of both signs cancel: another model of the
    same quality has 0.
``label_mmd@1``
    **Measures**: squared maximum mean discrepancy of sampled labels within items, unbiased, with a
    test that exchanges samples within items. **Misleads when**: samples of one item depend on each
    other (one seed, a cache); its size has no unit.

**References**: Gretton et al. (2012), A kernel two-sample test; Gao, Liang & Guestrin (2024), Model
equality testing; Chauvin et al. (2025), Log probability tracking of LLM APIs; Phipson & Smyth
(2010), Permutation p-values should never be zero.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.answer import type_of
from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.core.statistic import Chance, ReplicateTest
from scrutiny.core.task import Prediction
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.reliability.row_statistics import Additive, with_count
from scrutiny.stats.distributions.output_distances import KL_FLOOR
from scrutiny.stats.distributions.two_sample import exchanged, label_mmd
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.exact_tests import TIE, ExactTest
from scrutiny.stats.significance.permutation_tests import sign_flip_test

OF_LOGPROBS, OF_GOLD, OF_SAMPLES, OF_ANSWERS = (
    {"of": of} for of in ("log-probabilities", "gold", "samples", "answers")
)
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
Numbers = Mapping[str, float | Sequence[float]]


@dataclass(frozen=True, slots=True)
class RowLayout:
    """Layout of rows, and the tolerance for ties.

    Parameters
    ----------
    measures
        Of every row, with the lengths of their axes.
    tolerance
        Nats within which two distances are equal.
    """

    measures: tuple[Measure, ...]
    tolerance: float

    def row(
        self, item: str, role: str, condition: Mapping[str, str], found: Numbers | Failure
    ) -> Row:
        """Row of an item; unused measures are 0."""
        return RowKind.of(condition, role).named_row(item, self.measures, found)

    def signs(self, distance: float, of_again: float) -> dict[str, float]:
        """Whether a distance is larger or smaller than that of the reference asked again."""
        gap = distance - of_again
        return {"farther": gap > self.tolerance, "nearer": gap < -self.tolerance}


def logprob_rows(
    example: Example, answers: Sequence[Answer], labels: LabelPair, table: RowLayout
) -> Iterator[Row]:
    """Four rows of an item: of both distances, and of the right answer.

    ``answers`` are those of the reference, the target, and the reference asked again.
    """
    a, b, again = answers
    logs = [_logs(labels, a, b), _logs(LabelPair(labels.reference, labels.reference), a, again)]
    roles = ("measured", "control")
    apart = [f if isinstance(f, Failure) else float(np.abs(f[0] - f[1]).mean()) for f in logs]
    for role, distances in zip(roles, _signed(apart, table), strict=True):
        yield table.row(example.id, role, OF_LOGPROBS, distances)
    gold, names = example.gold, labels.reference
    lack = Failure("no_gold" if gold is None else "other_labels", status="skipped")
    for role, found in zip(roles, logs, strict=True):
        value: Numbers | Failure = lack
        if isinstance(found, Failure):
            value = lack if gold is None and found.status != "failed" else found
        elif gold in names:
            place = names.index(str(gold))
            value = {"logp_a": float(found[0, place]), "logp_b": float(found[1, place])}
        yield table.row(example.id, role, OF_GOLD, value)


def answer_rows(example: Example, answers: Sequence[Answer], table: RowLayout) -> Iterator[Row]:
    """Two rows of an item, of answers of any type: of both shares of parts that differ.

    ``answers`` are those of the reference, the target, and the reference asked again.
    """
    a, *others = answers
    apart: list[float | Failure] = []
    for other in others:
        if isinstance(a, Failure):
            apart.append(a)
        elif isinstance(other, Failure):
            apart.append(other)
        else:
            apart.append(1.0 - type_of(a.answer).agree(a.answer, other.answer).share)
    for role, found in zip(("measured", "control"), _signed(apart, table), strict=True):
        yield table.row(example.id, role, OF_ANSWERS, found)


def _logs(labels: LabelPair, one: Answer, other: Answer) -> Floats | Failure:
    """Log-probabilities ``(side, label)`` in the reference's order, or why there are none."""
    both = labels.distributions(one, other)
    return both if isinstance(both, Failure) else np.log(np.maximum(np.stack(both), KL_FLOOR))


def _signed(distances: Sequence[float | Failure], table: RowLayout) -> Iterator[Numbers | Failure]:
    """Rows of both distances: of the target, and of the reference asked again."""
    target, again = distances
    if isinstance(target, Failure):
        yield target
    elif isinstance(again, Failure):
        yield again
    else:
        yield {"distance": target, **table.signs(target, again)}
    yield again if isinstance(again, Failure) else {"distance": again}


def of_samples(a: Counts, b: Counts, *, exchanges: int, rng: np.random.Generator) -> Numbers:
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
        "exchanged": drawn.tolist(),
    }


_FLIPS: Final = 9999
_AGAIN: Final = "the reference asked again"


def _exchanged_within_items(
    rows: Floats, units: Integers | None, rng: np.random.Generator, *, name: str
) -> Sequence[ReplicateTest]:
    """Exchange test of distances ``(item, of b and of a again)``, within items.

    Answers are drawn item by item, so items are exchanged apart, whatever is resampled together.
    """
    excess = rows[:, 0] - rows[:, 1]
    found = sign_flip_test(excess, rng=rng, permutations=_FLIPS, alternative="greater")
    return [_told(name, "exchanged within items", found)]


def _signs_flipped(
    rows: Floats, units: Integers | None, rng: np.random.Generator
) -> Sequence[ReplicateTest]:
    """Sign-flip test of log-probabilities ``(item, a and b)``, units together."""
    change = rows[:, 1] - rows[:, 0]
    grouping = None if units is None else Units.of(change.size, units)
    found = sign_flip_test(change, rng=rng, units=grouping, permutations=_FLIPS)
    return [_told("paired_logprob@1", "signs flipped by item", found)]


def _told(metric: str, method: str, found: ExactTest) -> ReplicateTest:
    numbers = {"statistic": found.statistic, "smallest_p": found.smallest_p}
    return ReplicateTest(metric, method, found.p_value, found.n, numbers)


def _samples_exchanged(
    rows: Floats, units: Integers | None, rng: np.random.Generator
) -> Sequence[ReplicateTest]:
    """Exchange test of discrepancies ``(item, observed and each exchange)``, within items.

    Examples
    --------
    >>> rows = np.array([[0.5, 0.0, -0.1, 0.1], [0.2, 0.1, 0.3, -0.1]])
    >>> _samples_exchanged(rows, None, np.random.default_rng(0))[0].p_value
    0.25
    """
    # the exchanges were drawn with the items
    observed, exchanged = float(rows[:, 0].sum()), rows[:, 1:].sum(axis=0)
    slack = TIE * max(1.0, abs(observed))
    count = exchanged.size
    p = (1.0 + float((exchanged >= observed - slack).sum())) / (1.0 + count)
    numbers = {"statistic": observed / len(rows), "smallest_p": 1.0 / (1.0 + count)}
    return [ReplicateTest("mmd_exchange@1", "exchanged within items", p, len(rows), numbers)]


FARTHER: Final = Additive(
    "farther@1",
    "farther from the reference than exchange explains",
    ("farther", "nearer"),
    lambda m: with_count(m[..., 0] - m[..., 1]),
    scale="coefficient",
    row_range=(-1.0, 1.0),
    no_effect=0.0,
    is_mean=True,
    chance=Chance(_AGAIN),
)
LOGPROB_DISTANCE: Final = Additive(
    "logprob_distance@1",
    "distance of log-probabilities, nats",
    ("distance",),
    scale="amount",
    is_mean=True,
    pair_tests=partial(_exchanged_within_items, name="logprob_exchange@1"),
    chance=Chance(_AGAIN, stream="logprob_excess@1"),
)
ANSWER_DISTANCE: Final = Additive(
    "answer_distance@1",
    "answers that differ, as a share of their parts",
    ("distance",),
    scale="logit",
    row_range=(0.0, 1.0),
    is_mean=True,
    pair_tests=partial(_exchanged_within_items, name="answer_exchange@1"),
    chance=Chance(_AGAIN),
)
LOGPROB_CHANGE: Final = Additive(
    "logprob_change@1",
    "change of the log-probability, nats",
    ("logp_a", "logp_b"),
    lambda m: with_count(m[..., 1] - m[..., 0]),
    no_effect=0.0,
    tests=_signs_flipped,
)
LABEL_MMD: Final = Additive(
    "label_mmd@1",
    "discrepancy of sampled labels (squared MMD)",
    ("distance", "exchanged"),
    scale="excess",
    no_effect=0.0,
    tests=_samples_exchanged,
)
