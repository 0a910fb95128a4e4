"""Networks over words whose outputs are at places of a text: tags of words, borders of words.

A tagger reads the words of the data. Where a text is not cut into words, a network reads its
characters and the pairs of neighbors, and says at each pair whether they belong to two words. That
pairs are read beside characters is as in Chen et al.: what is learned from a few thousand sentences
is mostly which pairs are words.

References
----------
X. Chen, X. Qiu, C. Zhu, P. Liu, X. Huang (2015). Long short-term memory neural networks for Chinese
word segmentation. EMNLP.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from scrutiny.core.answers.label_and_spans import SEGMENTS, SPANS, Segments
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputPiece
from scrutiny.core.task import Prediction
from scrutiny.models.answers.returned_answers import borders, spans_from_tags
from scrutiny.models.words.sequence_networks import SequenceClassifier, SequenceParts
from scrutiny.models.words.word_model import characters_of, with_pairs, words_of
from scrutiny.tasks.segmentation import WordSegmentation
from scrutiny.tasks.tags import types_of
from scrutiny.tasks.token_tagging import TokenTagging


class SequenceTagger(SequenceClassifier):
    """A tagger that reads the words of the data in their context; capability ``gradients``."""

    offers = frozenset({"gradients", "shuffled_weights"})

    def __init__(self, parts: SequenceParts, source: str) -> None:
        super().__init__(parts, source)
        self.task = TokenTagging.name
        self._names = parts.labels
        self.labels = types_of(parts.labels)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Spans of each example, in order; each is as sure as all its words are."""
        return [
            self._tagged(example, rows)
            for example, rows in zip(examples, self._probabilities(examples), strict=True)
        ]

    def _tagged(self, example: Example, rows: Any) -> Prediction:
        """Spans of one text from the probabilities ``(word, tag)``."""
        words, best = borders(example), rows.max(dim=-1)
        tags = [self._names[i] for i in best.indices.tolist()]
        spans = spans_from_tags(tags, words, next(iter(example.fields)))
        sure = np.array(best.values.tolist())
        starts = [start for start, _ in words]
        inside = (np.searchsorted(starts, (span.start, span.end)) for span in spans)
        return Prediction(spans, tuple(float(sure[a:b].prod()) for a, b in inside))

    def _loss(self, logits: Any, wanted: Sequence[int], is_word: Any) -> tuple[Any, set[int]]:
        """Sum of negative log-probabilities of the given tags that are of each text's label."""
        import torch

        logs = torch.log_softmax(logits, dim=-1).max(dim=-1)  # (text, position)
        of_type = [[self.labels[k] in types_of([name]) for name in self._names] for k in wanted]
        is_of = torch.tensor(of_type).gather(1, logs.indices) & is_word
        without = {k for k, any_ in enumerate(is_of.any(dim=1).tolist()) if not any_}
        return -logs.values[is_of].sum() + logits.sum() * 0.0, without

    def _pieces(self, example: Example) -> tuple[InputPiece, ...]:
        field = next(iter(example.fields))
        return tuple(InputPiece(field, start, end) for start, end in borders(example))

    def _words(self, example: Example) -> tuple[str, ...]:
        return words_of(example)


class SequenceCutter(SequenceClassifier):
    """A network that cuts texts into words: at each two neighbors it says whether a word ends."""

    offers = frozenset({"shuffled_weights"})

    def __init__(self, parts: SequenceParts, source: str) -> None:
        super().__init__(parts, source)
        self.task, self.labels = WordSegmentation.name, ()

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Words of each example, in order; each is as sure as its borders and its inside are.

        A word ends where that is at least as likely as not, and at every blank.
        """
        return [
            self._cut(example, rows[1::2, 0].tolist())
            for example, rows in zip(examples, self._probabilities(examples), strict=True)
        ]

    def _cut(self, example: Example, apart: list[float]) -> Prediction:
        """Words of one text, from how likely each two neighbors belong to two words."""
        places = np.array(characters_of(example.text), dtype=np.int64)
        begins = np.where(np.diff(places, prepend=-2) > 1, 1.0, [1.0, *apart][: len(places)])
        sure = np.maximum(begins, 1.0 - begins)
        firsts = np.flatnonzero(begins >= 0.5).tolist()
        inside = [*zip(firsts, [*firsts[1:], len(places)], strict=False)]
        words = tuple((int(places[a]), int(places[b - 1]) + 1) for a, b in inside)
        each = tuple(float(sure[a : b + 1].prod()) for a, b in inside)
        return Prediction(Segments(next(iter(example.fields)), words), each)

    def _words(self, example: Example) -> tuple[str, ...]:
        """Its characters and their pairs."""
        return with_pairs(example.text)


#: Models of networks whose outputs are no labels of texts, by their answers.
AT_PLACES: Final[Mapping[str, type[SequenceClassifier]]] = MappingProxyType(
    {SPANS.name: SequenceTagger, SEGMENTS.name: SequenceCutter}
)
