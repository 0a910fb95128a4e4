"""Metrics of free answers: shares of those that ended in a certain way.

``refused_share@1``, ``cut_off_share@1``, ``empty_share@1``
    **Measures**: prompts at which the model declined, broke off at the limit of tokens, or said
    nothing, of all that were asked. **Misleads when**: refusals are worded in another language than
    English, or come late in an answer: those count as answers.
``wrong_share@1``
    **Measures**: prompts whose answer is one and does not meet what is expected. Right, wrong,
    refused, cut off and empty ones add up to all where no refusal is expected. **Misleads when**:
    what is expected is worded too narrowly for an answer that is right.
``other_language_share@1``
    **Measures**: answers that are in another language than their prompt beyond doubt, of those
    whose prompt's language is told. **Misleads when**: prompts ask for another language.
"""

from typing import Any, Final

from scrutiny.reliability.row_statistics import Additive, divide, second
from scrutiny.tasks.scores import OF_SHARES

_NEITHER: Final[dict[str, Any]] = {**OF_SHARES, "higher_is": "neither"}
_WORSE: Final[dict[str, Any]] = {**OF_SHARES, "higher_is": "worse"}

WRONG_SHARE: Final = Additive(
    "wrong_share@1", "answered and wrong", ("wrong",), headline="wrong", **_WORSE
)
REFUSED_SHARE: Final = Additive(
    "refused_share@1", "refused", ("refused",), headline="refused", **_NEITHER
)
CUT_OFF_SHARE: Final = Additive(
    "cut_off_share@1", "cut off", ("cut_off",), headline="cut off", **_WORSE
)
EMPTY_SHARE: Final = Additive("empty_share@1", "empty", ("empty",), headline="empty", **_WORSE)
OTHER_LANGUAGE_SHARE: Final = Additive(
    "other_language_share@1",
    "in another language than the prompt",
    ("other_language", "languages_told"),
    lambda measures: measures,
    lambda sums: divide(sums[..., 0], sums[..., 1]),
    scale="logit",
    tolerance=0.02,
    divisor=second,
    headline="in another language",
)
