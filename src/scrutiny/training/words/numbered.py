"""Texts as numbers of their words."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.example import Example
from scrutiny.models.words.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Numbered:
    """Word ids and label of each text."""

    ids: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]

    @classmethod
    def of(
        cls, examples: Sequence[Example], vocabulary: Vocabulary, labels: Sequence[str]
    ) -> "Numbered":
        """All of the examples, in order."""
        known = vocabulary.index()
        return cls(
            tuple(tuple(vocabulary.ids(vocabulary.cut(e.text), known)) for e in examples),
            tuple(labels.index(str(e.gold)) for e in examples),
        )

    @property
    def lengths(self) -> list[int]:
        """Words of each text."""
        return [len(ids) for ids in self.ids]

    def with_words(self) -> "Numbered":
        """Those that have a word."""
        return self.chosen([i for i, ids in enumerate(self.ids) if ids])

    def chosen(self, indices: Sequence[int]) -> "Numbered":
        """Those of these indices."""
        return Numbered(tuple(self.ids[i] for i in indices), tuple(self.labels[i] for i in indices))
