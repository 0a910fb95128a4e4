"""One text, one label."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrutiny.core.example import Example
from scrutiny.core.task import ExchangesLabels, Prediction
from scrutiny.data.tasks.cells import attributes_of, id_of, label_of, language_of, text_of
from scrutiny.data.tasks.classes import (
    ACCURACY,
    MEASURES,
    majority_share,
    score_class,
    with_exchanged_labels,
)

if TYPE_CHECKING:
    import numpy as np


class TextClassification(ExchangesLabels):
    """Sentiment, topic, any label of a whole text."""

    name = "text-classification"
    fields = ("text",)
    columns = ("text", "label")
    told_by = ("text",)
    measures = MEASURES
    scored_by = ACCURACY

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row with ``text`` and, where there is gold, ``label``."""
        return Example(
            id=id_of(row),
            fields={"text": text_of(row, "text")},
            gold=label_of(row),
            source=source,
            attributes=attributes_of(row),
            language=language_of(row),
        )

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Hit, index of the predicted label, probability of the gold label."""
        return score_class(gold, prediction, labels=labels)

    def chance(self, golds: Sequence[Any]) -> float:
        """Share of the commonest label."""
        return majority_share(golds)

    def permute(
        self, examples: Sequence[Example], rng: "np.random.Generator"
    ) -> tuple[Example, ...]:
        """Examples that have exchanged their labels at random."""
        return with_exchanged_labels(examples, rng)
