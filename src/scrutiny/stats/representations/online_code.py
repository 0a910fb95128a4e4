"""Online code of labels: how many bits they cost who knows the vectors and learns as they come.

Texts are sent block by block. The labels of the first block are sent with a uniform code; those of
each further block with the probabilities of probes that were fitted to all blocks before. Several
probes, with penalties from weak to strong, and one that knows how frequent each label was, are
mixed by how well each has coded so far: what the best of them alone would need is exceeded by the
logarithm of their number at most, and labels that vectors say nothing of cost about what their
frequencies give.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from scipy.special import logsumexp

from scrutiny.core.arrays import Floats, Integers
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.influence.logistic_heads import LogisticHead, TrainingRows, fit_wide_head

#: Shares of the texts that a probe has seen, at which the published code fits anew.
PUBLISHED: Final = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)


@dataclass(frozen=True, eq=False)
class OnlineCode:
    """Code length of labels.

    Parameters
    ----------
    bits
        ``(row,)``: of each row's label; their sum is the length of the code.
    n_labels
        How many labels there are.
    penalty
        Penalty whose probe alone would have made the shortest code.
    head
        Probe with that penalty, fitted to all rows.
    """

    bits: Floats
    n_labels: int
    penalty: float
    head: LogisticHead

    @property
    def uniform(self) -> float:
        """Bits of all rows if every label were as likely."""
        return len(self.bits) * float(np.log2(self.n_labels))

    @property
    def compression(self) -> float:
        """How many times shorter the code is than the uniform one."""
        return self.uniform / float(self.bits.sum())


def block_ends(texts: int, *, shares: Sequence[float] = PUBLISHED) -> list[int]:
    """Number of texts at the end of each block, ascending; the last is all of them.

    Examples
    --------
    >>> block_ends(100)
    [1, 2, 3, 6, 13, 25, 50, 100]
    """
    return sorted({max(1, round(share * texts + 1e-9)) for share in shares} | {texts})


def online_code(
    features: Floats,
    labels: Integers,
    ends: Sequence[int],
    *,
    n_labels: int,
    penalties: Sequence[float] = (1.0, 10.0, 100.0, 1000.0),
) -> OnlineCode:
    """Code of labels given features, block by block.

    Parameters
    ----------
    features
        ``(row, dimension)``, with a column of ones for the bias, in the order in which they are
        sent.
    labels
        ``(row,)`` from 0.
    ends
        Rows at the end of each block, ascending; the last is the number of rows.
    n_labels
        How many labels sender and receiver know of.
    penalties
        L2 penalties beside the sum of losses: precisions of the weights, were they normal.

    Raises
    ------
    StatisticsError
        Without a row, or with one label.

    **Measures**: how easily labels are read off vectors, with the effort of learning: few examples
    or many, a simple rule or a list.

    **Misleads when**: lengths of different numbers of rows are compared (give bits a row, or the
    compression); labels are rare: most of the bits are for the first of each.

    **References**: Voita & Titov (2020), Information-theoretic probing with minimum description
    length, 2.2 (one probe with early stopping in place of a mixture); Rissanen (1984); Vovk (1990),
    Aggregating strategies (mixtures).

    Examples
    --------
    >>> labels = np.arange(400) % 2
    >>> X = np.stack([2.0 * labels - 1, np.ones(400)], axis=1)
    >>> code = online_code(X, labels, [4, 40, 400], n_labels=2)
    >>> code.uniform, bool(code.bits[:4].sum() == 4.0), code.compression > 5
    (400.0, True, True)
    """
    if len(labels) == 0 or n_labels < 2:
        raise StatisticsError("a code needs rows, and labels of two kinds.")
    experts = len(penalties) + 1
    lost = np.zeros(experts)  # log-probability of all that was coded, by expert
    bits = np.full(len(labels), np.log2(n_labels))
    heads: list[LogisticHead | None] = [None] * len(penalties)
    for start, end in pairwise(ends):
        own = np.arange(end - start)
        sent = labels[start:end]
        logs = np.empty((experts, end - start))
        known = np.bincount(labels[:start], minlength=n_labels) + 1.0
        logs[-1] = np.log(known / known.sum())[sent]
        for i, penalty in enumerate(penalties):
            head = _fitted(features[:start], labels[:start], n_labels, penalty, heads[i])
            heads[i], logs[i] = head, -head.losses(features[start:end], sent)
        so_far = np.concatenate([lost[:, None], lost[:, None] + logs.cumsum(axis=1)], axis=1)
        mixed = logsumexp(so_far, axis=0)
        bits[start + own] = -np.diff(mixed) / np.log(2.0)
        lost = so_far[:, -1]
    best = int(lost[:-1].argmax())
    head = _fitted(features, labels, n_labels, penalties[best], heads[best])
    return OnlineCode(bits, n_labels, penalties[best], head)


def _fitted(
    features: Floats, labels: Integers, n_labels: int, penalty: float, near: LogisticHead | None
) -> LogisticHead:
    """Probe with a penalty beside the sum of losses."""
    rows = TrainingRows(features, labels, n_labels, penalty / len(labels))
    return fit_wide_head(rows, near=near)
