"""Metrics of coreference: F1 of sums over documents, as the reference scorer computes them.

``mention_f1@1``
    **Measures**: mentions whose borders are right, whatever they refer to.
``muc_f1@1``
    **Measures**: links: how many a cluster of the one side lacks to be one on the other.
    **Misleads when**: everything is put into few clusters: wrong links cost little, and mentions
    that stand alone count for nothing.
``b_cubed_f1@1``
    **Measures**: for each mention the share of its cluster that it is together with.
    **Misleads when**: mentions mostly stand alone: leaving all alone is then nearly right.
``ceaf_e_f1@1``
    **Measures**: likeness of clusters, paired one to one as well as can be; each counts the same.
    **Misleads when**: many small clusters outweigh the few that a text is about.
``conll_f1@1``, ``linked_conll_f1@1``
    **Measures**: the mean of these three; the second leaves out clusters of one mention, of the
    gold answer and of the model.
    **Misleads when**: numbers of data with and without annotated singletons are compared.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from scrutiny.core.record import Measure
from scrutiny.reliability.additive import Additive, Array, divide
from scrutiny.tasks.coreference.counts import PartitionCounts

#: Begins the names of counts that leave out clusters of one mention, on both sides.
LINKED: Final = "linked_"
#: Measures of one document: counts of all clusters, and of those of two mentions or more.
OF_DOCUMENTS: Final = tuple(
    Measure(prefix + name, unit="documents")
    for prefix in ("", LINKED)
    for name in PartitionCounts._fields
)
_MENTIONS: Final = ("common", "gold", "answer")
_MUC: Final = ("links", "gold_links", "answer_links")
_B_CUBED: Final = ("recalled", "precise", "gold", "answer")
_CEAF_E: Final = ("alike", "gold_clusters", "answer_clusters")


def _f1(sums: Array) -> Array:
    """F1 of what was found, what there is and what was given; NaN if there is nothing."""
    found, gold, answer = np.moveaxis(sums, -1, 0)
    return divide(2 * found, gold + answer)


def _muc(sums: Array) -> Array:
    """MUC F1; 0 where neither side has a link, as in the reference scorer."""
    return np.nan_to_num(_f1(sums))


def _muc_alone(sums: Array) -> Array:
    """MUC F1 behind the mentions of both sides; NaN where neither has any."""
    return np.where(sums[..., :2].sum(axis=-1) > 0, _muc(sums[..., 2:]), np.nan)


def _b_cubed(sums: Array) -> Array:
    """B-cubed F1 of the sums of recall and precision, and the mentions of both sides."""
    recalled, precise, gold, answer = np.moveaxis(sums, -1, 0)
    value = divide(2 * recalled * precise, recalled * answer + precise * gold)
    return np.where(gold + answer > 0, np.nan_to_num(value), np.nan)


def _conll(sums: Array) -> Array:
    """Mean of the three F1s."""
    return np.asarray((_muc(sums[..., :3]) + _b_cubed(sums[..., 3:7]) + _f1(sums[..., 7:])) / 3)


def _things(sums: Array) -> Array:
    """Mean of what there is and what was given: mentions, links or clusters, the last needs."""
    return np.asarray(sums[..., -2:].mean(axis=-1))


def _metric(
    name: str,
    says: str,
    needs: tuple[str, ...],
    combine: Callable[[Array], Array],
    *,
    prefix: str = "",
    **stated: Any,
) -> Additive:
    """Metric of sums of counts over documents."""
    return Additive(
        f"{name}@1",
        says,
        tuple(prefix + need for need in needs),
        lambda measures: measures,
        combine,
        scale="logit",
        higher_is="better",
        tolerance=0.02,
        flips_over=_things,
        **stated,
    )


CONLL_F1: Final = _metric("conll_f1", "CoNLL F1", (*_MUC, *_B_CUBED, *_CEAF_E), _conll)
MUC_F1: Final = _metric("muc_f1", "MUC F1", ("gold", "answer", *_MUC), _muc_alone, headline="MUC")
B_CUBED_F1: Final = _metric("b_cubed_f1", "B-cubed F1", _B_CUBED, _b_cubed, headline="B-cubed")
CEAF_E_F1: Final = _metric("ceaf_e_f1", "CEAF-e F1", _CEAF_E, _f1, headline="CEAF-e")
LINKED_CONLL_F1: Final = _metric(
    "linked_conll_f1",
    "CoNLL F1 without singletons",
    CONLL_F1.needs,
    _conll,
    prefix=LINKED,
    headline="CoNLL F1 without singletons",
)
MENTION_F1: Final = _metric("mention_f1", "mention F1", _MENTIONS, _f1, headline="mention F1")
