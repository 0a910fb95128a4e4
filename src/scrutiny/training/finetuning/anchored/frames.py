"""Annotated examples as the network reads them: words with markers put in, and their labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.core.annotation import AnchoredSpans, Arcs
from scrutiny.core.canonical import canonical_json
from scrutiny.core.example import Example

#: Labels of words under an anchored annotation.
TRUTHS: Final = ("O", "I-target")


@dataclass(frozen=True, slots=True)
class AnchoredFrame:
    """One annotation of one sentence.

    Parameters
    ----------
    words
        Of the sentence, with the markers put in.
    labels
        By the annotation; nothing for markers and for words without one.
    sentence
        Text of the sentence, which all its annotations share.
    """

    words: tuple[str, ...]
    labels: tuple[str | None, ...]
    sentence: str

    @property
    def marked(self) -> str:
        """Words with the markers: what tells two annotations of a sentence apart."""
        return canonical_json(self.words)

    @property
    def key(self) -> str:
        """Everything that a training reads of it."""
        return canonical_json([self.words, self.labels])


def anchored_frame(example: Example, markers: tuple[str, str]) -> AnchoredFrame:
    """Frame of an anchored annotation, with markers round each contiguous run of its anchor.

    Several examples of a sentence (a sentence with two negations) are several frames.
    """
    view = AnchoredSpans.of(example)
    anchors, targets = set(view.anchors), set(view.targets)
    words: list[str] = []
    labels: list[str | None] = []

    def put(word: str, label: str | None = None) -> None:
        words.append(word)
        labels.append(label)

    for index, word in enumerate(view.words):
        if index in anchors and index - 1 not in anchors:
            put(markers[0])
        put(word, TRUTHS[index in targets])
        if index in anchors and index + 1 not in anchors:
            put(markers[1])
    return AnchoredFrame(tuple(words), tuple(labels), example.text)


def relation_frame(example: Example) -> AnchoredFrame:
    """Frame of a dependency tree: each word's relation to its head, and no markers."""
    view = Arcs.of(example)
    return AnchoredFrame(view.words, tuple(name or None for name in view.relations), example.text)


def target_rate(frames: Sequence[AnchoredFrame]) -> float:
    """Share of the words that are targets; markers are no words."""
    labels = [label for frame in frames for label in frame.labels if label is not None]
    return sum(label == TRUTHS[1] for label in labels) / max(1, len(labels))
