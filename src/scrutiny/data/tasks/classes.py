"""How one predicted class is scored; shared by the tasks that answer with a class."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction, Score

if TYPE_CHECKING:
    import numpy as np

MEASURES: Final = (
    Measure("hit", unit="items"),
    Measure("pred", unit="index of a label"),
    Measure("p_gold", unit="probability"),
)
ACCURACY: Final = Score(level="accuracy@1", margin=0.01)


def score_class(
    gold: Any, prediction: Prediction, *, labels: Sequence[str]
) -> tuple[float, float, float]:
    """Hit, index of the predicted label, and probability of the gold label.

    A model that gives labels without probabilities is taken at its word: the probability is 1 or 0.

    Raises
    ------
    DataError
        If there is no gold label or the model does not have it.
    ModelError
        If the prediction is none of the labels, or has another number of scores.
    """
    if gold not in labels:
        what = "there is no gold label" if gold is None else f"the gold label is {gold!r}"
        raise DataError(f"{what}; the model's labels are {', '.join(labels)}.")
    if prediction.label not in labels:
        raise ModelError(
            f"the model predicted {prediction.label!r}, which is none of its labels: "
            f"{', '.join(labels)}."
        )
    hit = float(prediction.label == gold)
    p_gold = hit
    if prediction.scores is not None:
        if len(prediction.scores) != len(labels):
            raise ModelError(
                f"the model gave {len(prediction.scores)} scores for {len(labels)} labels."
            )
        p_gold = float(prediction.scores[labels.index(gold)])
    return hit, float(labels.index(prediction.label)), p_gold


def majority_share(golds: Sequence[Any]) -> float:
    """Share of the commonest label: what a model without skill can reach.

    Raises
    ------
    DataError
        If there is no gold label.

    Examples
    --------
    >>> majority_share(["a", "a", "b", None])
    0.6666666666666666
    """
    counts = Counter(gold for gold in golds if gold is not None)
    if not counts:
        raise DataError("The data has no gold labels, so there is no score to reach by chance.")
    return max(counts.values()) / counts.total()


def with_exchanged_labels(
    examples: Sequence[Example], rng: "np.random.Generator"
) -> tuple[Example, ...]:
    """Examples that have exchanged their gold labels at random; as many of each as before."""
    order = rng.permutation(len(examples)).tolist()
    return tuple(replace(e, gold=examples[k].gold) for e, k in zip(examples, order, strict=True))
