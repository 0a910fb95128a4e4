"""Baselines of anchored annotations: word positions, and pseudo-cues.

Pseudo-cues are asked as if they were cues: the null of every finding about cues.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.queries.annotation import AnchoredSpans

#: How far a pseudo-cue may stand from the cue, as a share of the sentence.
NEAR: Final = 0.25


def pseudo_cue(
    anchors: Sequence[int],
    n_words: int,
    *,
    pieces: Mapping[int, int],
    rng: np.random.Generator,
) -> tuple[int, ...]:
    """Pseudo-cue, a baseline of heads: as many consecutive words as the cue has, none its own.

    Those with as many pieces as the cue and near its place are drawn from; where there are none,
    those as near in both as there are. Empty where the sentence has no room.

    Parameters
    ----------
    anchors
        Words of the cue.
    n_words
        Words of the sentence.
    pieces
        Pieces of each word; a word without any is no candidate.
    rng
        Which of the candidates is taken.

    **Measures**: what a head would score if any word of this place and length were the cue.

    **Misleads when**: the sentence is short: the only candidate may stand in the scope's middle.

    **References**: control tasks and selectivity: Hewitt & Liang (2019).
    """
    length = len(anchors)
    if not length:
        return ()
    taken = set(anchors)
    is_free = [word not in taken and bool(pieces.get(word)) for word in range(n_words)]
    starts = [
        start for start in range(n_words - length + 1) if all(is_free[start : start + length])
    ]
    if not starts:
        return ()
    own = sum(pieces.get(word, 0) for word in anchors)
    off = [abs(sum(pieces[start + k] for k in range(length)) - own) for start in starts]
    least = min(off)
    fits = [start for start, error in zip(starts, off, strict=True) if error == least]
    away = [abs(start - anchors[0]) / max(1, n_words) for start in fits]
    limit = max(NEAR, min(away))
    near = [start for start, share in zip(fits, away, strict=True) if share <= limit]
    start = near[int(rng.integers(len(near)))]
    return tuple(range(start, start + length))


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
    """Counts ``(baseline,)`` of one example; expected counts for random baselines.

    Parameters
    ----------
    tp
        Targets that are predicted, each once however often the source lists it.
    predicted
        Words that are predicted.
    """

    tp: Floats
    predicted: Floats

    @property
    def flat(self) -> tuple[float, ...]:
        """All counts, as records have them."""
        return (*self.tp.tolist(), *self.predicted.tolist())


def span_baselines(view: AnchoredSpans, cases: Collection[int]) -> BaselineCounts:
    """Counts of all `SPAN_BASELINES` on one example.

    ``all`` predicts every word, the anchor's own too. ``offset o`` predicts a word if the word o
    places after it is an anchor; beyond the sentence there is none. ``right-branching`` predicts
    what follows the anchor's first word and is no anchor: all that is below it in a tree whose
    every word hangs on the word before. ``uniform`` lets every word point to one of the others with
    equal chances, and predicts those that hit an anchor.

    Parameters
    ----------
    view
        The example.
    cases
        Words that are counted, as targets and as predictions.

    **Measures**: how much of an annotation its distance from the anchor explains.

    **Misleads when**: the best of them is chosen on the examples it is scored on; annotation
    schemes are compared (where scopes never precede their cue, half of the offsets are empty).

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune?;
    Clark et al. (2019), What does BERT look at?

    Examples
    --------
    >>> view = AnchoredSpans(("It", "did", "not", "rain", "."), (2,), (0, 1, 3), 3)
    >>> counts = span_baselines(view, range(5))
    >>> dict(zip(SPAN_BASELINES, counts.tp.tolist(), strict=True))["offset -1"]
    1.0
    """
    n, anchors = len(view.words), set(view.anchors)
    first, others = min(anchors, default=n), max(n - 1, 1)  # none points to itself
    scored = set(cases)
    targets = scored & set(view.targets)
    behind = {word for word in scored - anchors if word > first}
    shifted = [scored & {anchor - offset for anchor in anchors} for offset in OFFSETS]
    found = [scored, *shifted, behind]

    def pointing(words: set[int]) -> float:
        return (len(anchors) * len(words) - len(anchors & words)) / others

    tp = [*(len(words & targets) for words in found), pointing(targets)]
    predicted = [*map(len, found), pointing(scored)]
    return BaselineCounts(np.array(tp, dtype=np.float64), np.array(predicted, dtype=np.float64))
