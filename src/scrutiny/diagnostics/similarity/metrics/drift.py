"""Statistics of drift: whether a model is still the reference.

a is the reference, b the subject, *again* the reference asked a second time (side ``control``).

``farther@1``, ``beyond(farther)@1``
    **Measures**: share of items on which b lies farther from a than exchanging their answers would
    put it, minus the share on which it lies nearer: 0 where b is a, whatever the noise, 1 where
    every item tells them apart; and the same beyond a beside a asked again. **Misleads when**: read
    as a size: a change of .001 in every answer scores 1 where answers repeat exactly.
``logprob_distance@1``, ``beyond(logprob_distance)@1``
    **Measures**: mean absolute difference of log-probabilities in nats; minus that of a and a asked
    again, with a test that exchanges b's answer and a's second one within items. **Misleads when**:
    improbable labels decide: a label of probability 1e-6 counts as much as the likeliest one.
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

from collections.abc import Sequence
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.statistic import Chance, ReplicateTest
from scrutiny.reliability.additive import Additive, with_count
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.mcnemar import TIE, ExactTest
from scrutiny.stats.significance.permutation import sign_flip_test

_FLIPS: Final = 9999
_AGAIN: Final = "the reference asked again"


def _exchanged_within_items(
    rows: Floats, units: Integers | None, rng: np.random.Generator
) -> Sequence[ReplicateTest]:
    """Exchange test of distances ``(item, of b and of a again)``, within items.

    Answers are drawn item by item, so items are exchanged apart, whatever is resampled together.
    """
    excess = rows[:, 0] - rows[:, 1]
    found = sign_flip_test(excess, rng=rng, permutations=_FLIPS, alternative="greater")
    return [_told("logprob_exchange@1", "exchanged within items", found)]


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
    pair_tests=_exchanged_within_items,
    chance=Chance(_AGAIN, stream="logprob_excess@1"),
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
