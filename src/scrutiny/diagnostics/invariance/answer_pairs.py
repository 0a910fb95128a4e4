"""Comparison of two models' answers to a text and its changed form."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from numpy.random import Generator

from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.models.answers.compared_answers import LabelPair, kept_parts
from scrutiny.stats.distributions.output_distances import l1_bounds

AnswerPair = tuple[Prediction, Prediction]


def simulated_rerun(
    answers: AnswerPair, labels: tuple[str, ...], *, n_samples: int | None, rng: Generator
) -> AnswerPair:
    """Answers that a rerun might give to a text and its changed form: how invariant it would be.

    Parameters
    ----------
    answers
        Of the model; their frequencies stand for its probabilities.
    labels
        In the order of the scores.
    n_samples
        Samples of one answer; with nothing the answers themselves.
    rng
        Where the samples come from.
    """
    if n_samples is None:
        return answers
    drawn = []
    for answer in answers:
        if not answer.scores:
            drawn.append(answer)
            continue
        total = sum(answer.scores)
        counts = rng.multinomial(n_samples, [score / total for score in answer.scores]).tolist()
        scores = tuple(count / n_samples for count in counts)
        drawn.append(Prediction(labels[scores.index(max(scores))], scores=scores))
    return drawn[0], drawn[1]


class TrialNumbers(NamedTuple):
    """One trial as numbers; if ``made`` is 0, all others are 0, too."""

    made: float = 0.0
    inv1: float = 0.0
    inv2: float = 0.0
    d: float = 0.0
    agree: float = 0.0
    changed_words: float = 0.0


NO_PAIR = TrialNumbers()
#: Label of all answers that have no label of their own.
OTHER: Final = "other"
#: Of the reference and the target, each before and after the change: their signed sum.
_SIGNS: Final = (1, -1, -1, 1)


@dataclass(frozen=True, slots=True)
class BothLabels(LabelPair):
    """Labels of both models, and the changes of their probabilities.

    Parameters
    ----------
    is_complete
        Whether a label without probability has none. Otherwise, where both models have the label
        ``other``, it may hold what a label lacks: an endpoint that gives its k likeliest answers
        says nothing of the next one.
    others
        See `scrutiny.models.answers.compared_answers.LabelPair`.
    """

    is_complete: bool = False

    @property
    def has_other(self) -> bool:
        """Whether both models have a label for all other answers."""
        return OTHER in self.reference and OTHER in self.target

    def changes(self, reference: AnswerPair, target: AnswerPair) -> float | None:
        """L1 distance between the changes of both models' probabilities.

        The least that it can be, where answers are left to "other". Nothing where a model gives no
        probabilities, or the models do not have the same labels.
        """
        rows = [answer.scores for answer in (*reference, *target)]
        if self.order is None or any(not row for row in rows):
            return None
        if self.has_other and not self.is_complete:
            return l1_bounds(self._named(rows), signs=_SIGNS).low
        p, p_changed, q, q_changed = (row for row in rows if row)
        return sum(
            abs((p[i] - p_changed[i]) - (q[j] - q_changed[j])) for i, j in enumerate(self.order)
        )

    def at_most(self, reference: AnswerPair, target: AnswerPair) -> float:
        """Upper bound of the distance: as if nothing in "other" were common."""
        rows = [answer.scores for answer in (*reference, *target)]
        return l1_bounds(self._named(rows), signs=_SIGNS).high

    def _named(self, rows: Sequence[tuple[float, ...] | None]) -> list[dict[Hashable, float]]:
        """Probabilities by label, without "other" and what it may contain."""
        found: list[dict[Hashable, float]] = []
        for row, labels in zip(rows, [self.reference] * 2 + [self.target] * 2, strict=True):
            given = dict(zip(labels, row or (), strict=True))
            rest = 0.0 if self.is_complete else given.get(OTHER, 0.0)
            found.append({k: p for k, p in given.items() if k != OTHER and (p > 0 or rest <= 0)})
        return found


def pair_of(
    reference: AnswerPair,
    target: AnswerPair,
    *,
    example: Example,
    edits: Sequence[Edit],
    labels: BothLabels,
    words: int,
) -> TrialNumbers:
    """Numbers of one trial, from both models' answers to the text and to the changed text."""
    one, other = (kept_parts(*both, example=example, edits=edits) for both in (reference, target))
    if one is None or other is None:
        return NO_PAIR
    return TrialNumbers(
        made=1.0,
        inv1=float(one.is_whole),
        inv2=float(other.is_whole),
        d=labels.changes(reference, target) or 0.0,
        agree=float(reference[1].agrees(target[1])),
        changed_words=float(words),
    )
