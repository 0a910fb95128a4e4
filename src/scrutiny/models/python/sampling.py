"""Sampled models: a user's object is asked several times, and shares of labels are counted.

What it is asked for are labels; the model's probabilities are their shares of the samples. Sample k
of n has the number ``draw * n + k``, which the object is given as ``draw=`` where it takes such an
argument, so that it can draw the same again. ``#samples=20,draw=1`` is a second, independent set of
samples of the same model: what two such sets disagree on is noise.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, Protocol

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import BAD, first_failure_raised
from scrutiny.models.strings.source import ModelSource

SAMPLES: Final = "samples"
DRAW: Final = "draw"


class DrawsAgain(Protocol):
    """An object that can be asked again with another draw."""

    source: str
    task: str
    labels: tuple[str, ...]
    draw: int | None

    def answers_or_failures(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """One answer of the current draw for each example, or what is wrong with it."""

    def fingerprint(self) -> str | None:
        """Digest of the model with its options, or `None`."""


class SampledModel(Model):
    """A classifier whose probabilities are shares of samples.

    **Measures** how often each label was answered.

    **Misleads when** shares are taken for probabilities: with n samples, two sets from the same
    distribution p lie apart by about the sum of 2 sqrt(p (1 - p) / (pi n)) over the labels (L1),
    which is .25 for two labels, p = 1/2 and n = 20. Compare a model with itself (``draw=1``) first.

    Parameters
    ----------
    model
        Asked once for each sample.
    samples, draw
        How many samples, and which set of them.
    """

    is_of_the_user = True
    capabilities: frozenset[str] = frozenset({"predict"})
    n_samples: int

    def __init__(self, model: DrawsAgain, *, samples: int, draw: int = 0) -> None:
        if len(model.labels) < 2:
            raise ModelError(
                f"{model.source!r}: the labels must be known before shares of them can be counted. "
                "Add them: #labels=negative|positive."
            )
        self.source = model.source
        self.task = model.task
        self.labels = model.labels
        self.n_samples = samples
        self._first = draw * samples
        self._model = model

    def fingerprint(self) -> str | None:
        """Digest of the object with its options, including the number of samples; or `None`."""
        return self._model.fingerprint()

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Shares of the labels in the samples for each example, in order.

        Raises
        ------
        AnswerError
            For the first example of which a sample cannot be used.
        """
        return first_failure_raised(self.answers_or_failures(examples))

    def answers_or_failures(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """Shares for each example, or what is wrong with the first of its samples that is."""
        counts: list[Counter[str]] = [Counter() for _ in examples]
        failures: dict[int, Failure] = {}
        for number in range(self._first, self._first + self.n_samples):
            self._model.draw = number
            for place, answer in enumerate(self._model.answers_or_failures(examples)):
                label = answer if isinstance(answer, Failure) else self._label(answer)
                if isinstance(label, Failure):
                    failures.setdefault(place, label)
                else:
                    counts[place][label] += 1
        return [
            failures.get(place)
            or Prediction(scores=tuple(count[label] / self.n_samples for label in self.labels))
            for place, count in enumerate(counts)
        ]

    def _label(self, answer: Prediction) -> str | Failure:
        """Label of one sample."""
        if answer.answer is None or answer.scores is not None:
            raise ModelError(
                f"{self.source!r} answers with probabilities, so there is nothing to sample: leave "
                "out samples=, or return labels."
            )
        if answer.answer not in self.labels:
            return Failure(
                BAD,
                f"{self.source!r} answered {answer.answer!r}, which is not among its labels: "
                f"{', '.join(self.labels)}.",
            )
        return str(answer.answer)


def stated_samples(source: ModelSource) -> dict[str, Any]:
    """Samples of a Python model that its options state: their number and their set; else `None`.

    Raises
    ------
    ModelError
        If they cannot be read.
    """
    samples, draw = source.options.get(SAMPLES), source.options.get(DRAW)
    if samples is None and draw is None:
        return {}
    if samples is None or not samples.isdecimal() or int(samples) < 2:
        raise ModelError(
            f"{source.text!r}: samples is a number from 2 on"
            + (", and draw needs one." if samples is None else f", not {samples!r}.")
        )
    if draw is not None and not draw.isdecimal():
        raise ModelError(f"{source.text!r}: draw is a whole number from 0 on, not {draw!r}.")
    return {SAMPLES: int(samples), DRAW: int(draw or 0)}
