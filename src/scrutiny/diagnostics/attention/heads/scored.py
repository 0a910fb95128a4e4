"""Words and examples that are scored, where annotations leave a choice.

The published scores count everything: examples without a target, in which all that is predicted is
wrong, and the anchor's own words, which no fixed offset and no head without self-attention predicts
if the anchor is one word.
"""

from collections.abc import Collection, Mapping
from typing import Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.annotation import AnchoredSpans

#: What can be left out of the scores.
EMPTY: Final = "empty"
ANCHORS: Final = "anchors"
UNSCORED: Final[Mapping[str, str]] = {
    EMPTY: "examples without a target",
    ANCHORS: "words of the anchor",
}
#: Row of an example without a target where such examples are left out.
LEFT_OUT: Final = Failure("no_target", status="skipped")


def is_unscored(view: AnchoredSpans, unscored: Collection[str]) -> bool:
    """Whether attention heads are not scored on an example: without a target, where that counts."""
    return EMPTY in unscored and not view.targets


def cases_of(view: AnchoredSpans, unscored: Collection[str]) -> frozenset[int]:
    """Words of an example that are counted."""
    cases = frozenset(range(len(view.words)))
    return cases - set(view.anchors) if ANCHORS in unscored else cases


def gold_of(view: AnchoredSpans, cases: frozenset[int], *, is_listed: bool) -> int:
    """Number of targets among the cases; ``is_listed`` counts a target as often as it is listed."""
    found = len(cases & set(view.targets))
    return found + view.n_listed - len(view.targets) if is_listed else found
