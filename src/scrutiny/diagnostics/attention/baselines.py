"""What the places of words give without any model: the baselines of anchored annotations."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.annotation import AnchoredSpans

Floats = NDArray[np.float64]

#: Offsets from a word to the anchor: -1 is the word after it.
OFFSETS: Final = (-3, -2, -1, 1, 2, 3)
#: Baselines by name, in the order of `span_baselines`.
SPAN_BASELINES: Final = (
    "all",
    *(f"offset {offset:+d}" for offset in OFFSETS),
    "right-branching",
    "uniform",
)


class BaselineCounts(NamedTuple):
    """Counts ``(baseline,)`` of one example; expected ones where a baseline draws by lot.

    Parameters
    ----------
    tp
        Targets that are predicted, each once however often the source lists it.
    predicted
        Words that are predicted.
    """

    tp: Floats
    predicted: Floats


def span_baselines(view: AnchoredSpans) -> BaselineCounts:
    """Counts of all `SPAN_BASELINES` on one example.

    ``all`` predicts every word, the anchor's own too. ``offset o`` predicts a word if the word o
    places after it is an anchor; beyond the sentence there is none. ``right-branching`` predicts
    what follows the anchor's first word and is no anchor: all that is below it in a tree whose
    every word hangs on the word before. ``uniform`` lets every word point to one of the others with
    equal chances, and predicts those that hit an anchor.

    **Measures**: how much of an annotation its distance from the anchor explains.

    **Misleads when**: the best of them is chosen on the examples it is scored on; annotation
    schemes are compared (where scopes never precede their cue, half of the offsets are empty).

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune?;
    Clark et al. (2019), What does BERT look at?

    Examples
    --------
    >>> view = AnchoredSpans(("It", "did", "not", "rain", "."), (2,), (0, 1, 3), 3)
    >>> counts = span_baselines(view)
    >>> dict(zip(SPAN_BASELINES, counts.tp.tolist(), strict=True))["offset -1"]
    1.0
    """
    n, reach = len(view.words), max(OFFSETS)
    around = np.zeros(n + 2 * reach)  # zeros where there is no word
    is_anchor, is_target = around[reach : reach + n], np.zeros(n)
    is_anchor[list(view.anchors)] = 1.0
    is_target[list(view.targets)] = 1.0
    predicted = np.empty((len(SPAN_BASELINES), n))  # (baseline, word)
    predicted[0] = 1.0
    for row, offset in enumerate(OFFSETS, 1):
        predicted[row] = around[reach + offset : reach + offset + n]
    predicted[-2] = 1.0 - is_anchor
    predicted[-2, : min(view.anchors, default=n)] = 0.0
    predicted[-1] = (is_anchor.sum() - is_anchor) / max(n - 1, 1)  # none points to itself
    return BaselineCounts(predicted @ is_target, predicted.sum(axis=1))
