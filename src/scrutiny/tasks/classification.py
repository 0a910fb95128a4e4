"""Classification tasks, and the score of one predicted class."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.randomness import Rng
from scrutiny.core.record import Measure
from scrutiny.core.task import ClassCounts, ExchangesLabels, Prediction, Score
from scrutiny.tasks.tasks import LABEL as LABEL_ROLE
from scrutiny.tasks.tasks import TEXT, TEXT_PAIR, TWO_TEXTS, ByColumns


class Classification(ByColumns, ExchangesLabels):
    """One label for one or several texts; a task only states its columns."""

    measures = (
        Measure("hit", unit="items"),
        Measure("pred", unit="index of a label"),
        Measure("p_gold", unit="probability"),
    )
    scored_by = Score(level="accuracy@1", no_skill="the share of the commonest label")
    answer_type = LABEL

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Hit, index of the predicted label, and probability of the gold label.

        A model that gives labels without probabilities is taken at its word: the probability is 1
        or 0.
        """
        if gold not in labels:
            what = "there is no gold label" if gold is None else f"the gold label is {gold!r}"
            raise DataError(f"{what}; the model's labels are {', '.join(labels)}.")
        if prediction.answer not in labels:
            raise ModelError(
                f"the model predicted {prediction.answer!r}, which is none of its labels: "
                f"{', '.join(labels)}."
            )
        hit = float(prediction.answer == gold)
        p_gold = hit
        if prediction.scores is not None:
            if len(prediction.scores) != len(labels):
                raise ModelError(
                    f"the model gave {len(prediction.scores)} scores for {len(labels)} labels."
                )
            p_gold = float(prediction.scores[labels.index(gold)])
        return hit, float(labels.index(prediction.answer)), p_gold

    def class_counts(self, gold: Any, answer: Any) -> Mapping[str, ClassCounts]:
        """One class right, or one given and another one missed."""
        if gold == answer:
            return {gold: ClassCounts(tp=1.0)}
        return {gold: ClassCounts(fn=1.0), answer: ClassCounts(fp=1.0)}

    def chance(self, examples: Sequence[Example]) -> float:
        """Share of the most frequent label."""
        counts = Counter(example.gold for example in examples if example.gold is not None)
        if not counts:
            raise DataError("The data has no gold labels, so there is no chance level.")
        return max(counts.values()) / counts.total()

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Whoever answers the most frequent label to everything.

        Examples
        --------
        >>> examples = [Example(str(i), {}, gold) for i, gold in enumerate(["ham", "spam", "ham"])]
        >>> TextClassification().without_skill(examples)
        "always answering 'ham'"
        """
        counts = Counter(example.gold for example in examples if example.gold is not None)
        return f"always answering {counts.most_common(1)[0][0]!r}" if counts else ""

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples with gold labels exchanged at random; label counts stay the same."""
        order = rng.permutation(len(examples)).tolist()
        golds = [examples[k].gold for k in order]
        return tuple(replace(e, gold=gold) for e, gold in zip(examples, golds, strict=True))


class TextClassification(Classification):
    """Text classification: sentiment, topic, any label of a whole text."""

    name = "text-classification"
    roles = (TEXT, LABEL_ROLE)
    identifying_columns = ("text",)


class TextPairClassification(Classification):
    """Classification of text pairs: inference, paraphrase, question and answer."""

    name = "text-pair-classification"
    roles = (TEXT, TEXT_PAIR, LABEL_ROLE)
    side_by_side = TWO_TEXTS
    identifying_columns = ("text", "text_pair")
