"""Control task: random labels by word type, which carry no meaning.

A network can learn it only by remembering; whatever its attention gains from it is not the
annotation's. A share of the annotations may keep their true labels, which makes tasks between the
two.
"""

from dataclasses import dataclass
from typing import Final

from scrutiny.core.randomness import generator

VERSION: Final = "control-labels@1"


@dataclass(frozen=True, slots=True)
class ControlLabels:
    """Random labels of word types, drawn once.

    Parameters
    ----------
    seed
        Seed of the labels.
    rate
        How likely a type is to have the label 1.
    true_share
        How likely an annotation is to keep its true labels. A larger share keeps those of a
        smaller one, and more.

    **Measures**: what tuning on the same inputs, at the same rate of labels, does without any task
    that means something.

    **Misleads when**: a few frequent types ("the", ",") decide the rate among tokens, which is then
    far from ``rate``: the record of each run says what it is.

    **References**: Hewitt & Liang (2019), Designing and interpreting probes with control tasks;
    Zhao & Bethard (2020).
    """

    seed: int
    rate: float
    true_share: float = 0.0

    def of_type(self, kind: str) -> int:
        """Label of a type, 0 or 1, independent of context.

        Examples
        --------
        >>> labels = ControlLabels(seed=1, rate=0.3)
        >>> labels.of_type("moor") == labels.of_type("moor")
        True
        """
        rng = generator(self.seed, "control-labels", name=VERSION, item=kind)
        return int(rng.random() < self.rate)

    def keeps_truth(self, frame: str) -> bool:
        """Whether an annotation, identified by its marked words, keeps its true labels."""
        rng = generator(self.seed, "true-share", name=VERSION, item=frame)
        return bool(rng.random() < self.true_share)
