"""Labels of two models in a common order."""

from dataclasses import dataclass, field
from typing import cast

import numpy as np

from scrutiny.core.answers.answer import label_in
from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.task import Prediction


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of two models in the words of the data.

    Parameters
    ----------
    reference, target
        Labels of each, in the order of its scores.
    known
        Every label that either has, the reference's first.
    order
        Place among the target's scores of each of the reference's labels; nothing where the two
        models do not have the same labels.

    Examples
    --------
    >>> labels = Labels(("no", "yes"), ("yes", "no"))
    >>> labels.order, labels.number(Prediction("yes"))
    ((1, 0), 1.0)
    """

    reference: tuple[str, ...]
    target: tuple[str, ...]
    known: tuple[str, ...] = field(init=False)
    order: tuple[int, ...] | None = field(init=False)

    def __post_init__(self) -> None:
        same = sorted(self.reference) == sorted(self.target)
        order = tuple(self.target.index(label) for label in self.reference) if same else None
        known = tuple(dict.fromkeys((*self.reference, *self.target)))
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "known", known)

    def number(self, answer: Prediction) -> float:
        """Index of an answer among all labels of both; for spans, whether there are any.

        An answer that is none of the labels has the next index.
        """
        label = label_in(answer.answer)
        if label is None:
            return float(bool(answer.answer))
        return float(self.known.index(label) if label in self.known else len(self.known))

    def distributions(
        self, a: Prediction | Failure, b: Prediction | Failure
    ) -> tuple[Floats, Floats] | Failure:
        """Probabilities ``(label,)`` of both in the reference's order, or why there are none."""
        if isinstance(a, Failure) or isinstance(b, Failure):
            return a if isinstance(a, Failure) else cast("Failure", b)
        if self.order is None:
            return Failure("other_labels", status="undefined")
        if not a.scores or not b.scores:
            return Failure("no_probabilities", status="undefined")
        return np.array(a.scores), np.array([b.scores[i] for i in self.order])
