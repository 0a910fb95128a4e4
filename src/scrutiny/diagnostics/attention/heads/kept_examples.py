"""A few examples of a shard with the words that each head predicted, kept for a report to draw.

Records hold counts. Which words they count stands, for a handful of examples, in two arrays:
``example_words`` ``(word, 5)``, for every word the example's position in the shard, its borders in
the text, and whether it is an anchor and a target; and ``example_heads`` ``(layer, head, byte)``,
the predictions of these words as bits. Examples are chosen by the hash of their id, so that they
are the same for every model, whatever it predicts.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.annotation import AnchoredSpans
from scrutiny.core.canonical import digest
from scrutiny.core.diagnostic import Context, Failure
from scrutiny.core.example import Example
from scrutiny.diagnostics.attention.encodings import ENCODINGS
from scrutiny.diagnostics.attention.reading import Made

MOST: Final = 12
WORDS: Final = "example_words"
HEADS: Final = "example_heads"


class KeptExamples:
    """Predictions for the examples of a shard that were chosen, collected one by one."""

    def __init__(self, examples: Sequence[Example], views: Sequence[AnchoredSpans]) -> None:
        with_both = [i for i, view in enumerate(views) if view.anchors and view.targets]
        chosen = sorted(with_both, key=lambda i: (digest(examples[i].id, size=8), i))[:MOST]
        self._views = {i: views[i] for i in sorted(chosen)}
        self._borders = {i: _borders(examples[i]) for i in self._views}
        self._found: dict[int, NDArray[np.bool_]] = {}

    def see(self, position: int, made: Made, encoding: str) -> None:
        """Keep what all heads predict for an example, if it was chosen and has a map."""
        if position in self._views and not isinstance(made, Failure):
            anchors = np.asarray(self._views[position].anchors)
            self._found[position] = ENCODINGS[encoding](made, anchors)  # (layer, head, word)

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Both arrays by name; none where no example has a map."""
        if not self._found:
            return {}
        order = sorted(self._found)
        words = np.concatenate([self._words(position) for position in order])
        predicted = np.concatenate([self._found[position] for position in order], axis=-1)
        return {WORDS: words, HEADS: np.packbits(predicted, axis=-1)}

    def keep(self, ctx: Context) -> None:
        """Hand both arrays to the run."""
        for name, value in self.arrays().items():
            ctx.array(name, value)

    def _words(self, position: int) -> NDArray[np.int32]:
        """Rows of the words of one example ``(word, 5)``."""
        view, borders = self._views[position], self._borders[position]
        rows = [
            (position, start, end, word in view.anchors, word in view.targets)
            for word, (start, end) in enumerate(borders)
        ]
        return np.array(rows, dtype=np.int32)


def _borders(example: Example) -> tuple[tuple[int, int], ...]:
    """Borders of an example's words in its text."""
    return next(iter((example.tokens or {}).values()), ())
