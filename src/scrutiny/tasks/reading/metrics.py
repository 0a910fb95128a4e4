"""Exact match and F1 of extracted answers: means over questions."""

from typing import Any, Final

from scrutiny.core.record import Measure
from scrutiny.reliability.additive import Additive, Array, over_rows, with_count
from scrutiny.reliability.replicates.tests import mcnemar_of_hits

#: Measures of one answer, against the right answer that is most like it.
OF_ANSWERS: Final = (Measure("exact", unit="items"), Measure("overlap", unit="F1"))
_SHARE: Final[dict[str, Any]] = {
    "scale": "logit",
    "higher_is": "better",
    "tolerance": 0.02,
    "row_range": (0.0, 1.0),
    "is_mean": True,
}


def _means(measures: Array) -> Array:
    return with_count(measures[..., 0])


EXACT_MATCH: Final = Additive(
    "exact_match@1",
    "exact match",
    ("exact",),
    _means,
    over_rows,
    pair_tests=mcnemar_of_hits,
    headline="exact match",
    **_SHARE,
)

ANSWER_F1: Final = Additive("answer_f1@1", "answer F1", ("overlap",), _means, over_rows, **_SHARE)
