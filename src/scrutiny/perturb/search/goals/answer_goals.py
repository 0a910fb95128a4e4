"""What goals share, and goals about answers of any type: a score falls, a right part is lost.

What is right of a changed text follows from the edits, as spans, words and mentions move with them;
a text whose edits do not say it is no candidate.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log2, sqrt
from typing import Any, ClassVar, Final, Literal

from scrutiny.core.answers.answer import label_in, type_of
from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.answers.texts import judged_parts
from scrutiny.core.boundary.parameters import at_least, shares
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS
from scrutiny.core.task import Prediction
from scrutiny.perturb.search.judging import Answer, Base, Goal, Slope, single
from scrutiny.perturb.search.state import State
from scrutiny.text.edits import apply_to_answer

Against = Literal["gold", "prediction"]


def starting_label(base: Base, against: Against) -> int:
    """Index of the label that a goal starts from: the gold answer, or the model's own.

    Raises
    ------
    ModelError
        If the model's answer is no label of its own.
    """
    if against == "gold" and (gold := base.gold) is not None:
        return gold
    predicted = single(base.answer).label_among(base.labels)
    if predicted not in base.labels:
        raise ModelError(
            f"The model answered {predicted!r}, which is not among its labels "
            f"({', '.join(base.labels) or 'none were given'})."
        )
    return base.labels.index(predicted)


def why_skipped(base: Base, against: Against) -> str | None:
    """Reason why a goal skips an item: ``no_gold``, ``unknown_label`` or ``already_wrong``."""
    if against == "prediction":
        return None
    if label_in(base.example.gold) is None:
        return "no_gold"
    if base.gold is None:
        return "unknown_label"
    predicted = single(base.answer).label_among(base.labels)
    return None if predicted == base.example.gold else "already_wrong"


class LeavesLabel(Goal):
    """Goal that starts from a label, of which the model shall be less sure."""

    __slots__ = ()

    wants = (LABELS,)
    against: Against

    def skips(self, base: Base) -> str | None:
        """``no_gold``, ``unknown_label`` or ``already_wrong``."""
        return why_skipped(base, self.against)

    def slope(self, base: Base) -> Slope | None:
        """The starting label, whose loss should increase."""
        return Slope(base.labels[starting_label(base, self.against)], 1)


def probability(prediction: Prediction, label: int, labels: tuple[str, ...]) -> float:
    """Probability of a label in the answer that a goal judges; 1 or 0 if the model gives none."""
    if prediction.scores is not None:
        return prediction.scores[label]
    return float(prediction.answer == labels[label])


Distance = Literal["l1", "kl", "js", "max_abs", "mse", "cosine"]
Scores = Sequence[float]


def scores_of(prediction: Prediction, labels: Sequence[str]) -> Scores:
    """Probabilities of the labels; 1 for the predicted label if the model gives none.

    Raises
    ------
    ModelError
        If the answer is no classification.
    """
    if prediction.scores is not None:
        return prediction.scores
    given = label_in(prediction.answer)
    if given is None:
        raise ModelError("This goal compares probabilities or labels; the answer has neither.")
    return tuple([float(label == given) for label in labels])


# For the few labels of a classifier plain lists are quicker than arrays: a search computes one
# distance for each text.
def l1(p: Scores, q: Scores) -> float:
    """Sum of absolute differences, 0 to 2.

    Examples
    --------
    >>> l1((0.5, 0.5), (1.0, 0.0))
    1.0
    """
    return sum([abs(a - b) for a, b in zip(p, q, strict=True)])


def kl(p: Scores, q: Scores) -> float:
    """Kullback-Leibler divergence of q from p in bits; infinite if q is 0 where p is not.

    Examples
    --------
    >>> kl((1.0, 0.0), (0.5, 0.5)), kl((0.5, 0.5), (1.0, 0.0))
    (1.0, inf)
    """
    total = 0.0
    for a, b in zip(p, q, strict=True):
        if a > 0:
            if b <= 0:
                return inf
            total += a * log2(a / b)
    return max(0.0, total)


def js(p: Scores, q: Scores) -> float:
    """Jensen-Shannon divergence in bits, 0 to 1.

    Examples
    --------
    >>> js((1.0, 0.0), (0.0, 1.0))
    1.0
    """
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return (kl(p, middle) + kl(q, middle)) / 2


def max_abs(p: Scores, q: Scores) -> float:
    """Largest absolute difference, 0 to 1.

    Examples
    --------
    >>> max_abs((0.5, 0.5), (0.75, 0.25))
    0.25
    """
    return max([abs(a - b) for a, b in zip(p, q, strict=True)])


def mse(p: Scores, q: Scores) -> float:
    """Mean over labels of the squared difference.

    Examples
    --------
    >>> mse((0.5, 0.5), (1.0, 0.0))
    0.25
    """
    return sum([(a - b) ** 2 for a, b in zip(p, q, strict=True)]) / len(p)


def cosine(p: Scores, q: Scores) -> float:
    """1 - cosine, 0 to 1; 1 where either is zero.

    Examples
    --------
    >>> cosine((1.0, 0.0), (0.0, 1.0)), cosine((0.5, 0.5), (0.5, 0.5))
    (1.0, 0.0)
    """
    norm = sqrt(sum([a * a for a in p]) * sum([b * b for b in q]))
    dot = sum([a * b for a, b in zip(p, q, strict=True)])
    return max(0.0, 1.0 - dot / norm) if norm else 1.0


DISTANCES: Final[Mapping[str, Callable[[Scores, Scores], float]]] = {
    distance.__name__: distance for distance in (l1, kl, js, max_abs, mse, cosine)
}


@dataclass(frozen=True, slots=True)
class ScoreFalls(Goal):
    """The item's score falls below a share of what it was.

    The score is the task's own, of this item alone: F1 of its spans or of its answer, its LAS, its
    chrF. That of the search is the share of it that is gone, and how much less sure the model is of
    what it still has right, where it says so.

    Parameters
    ----------
    below
        Share of the score before the change below which the goal is reached.

    **Measures** how much of an answer can be destroyed, whatever its type.

    **Misleads when** items are short: of an item with one entity the first error takes the whole
    score, of one with ten it takes a tenth.

    Examples
    --------
    >>> ScoreFalls(below=0.3).does("LAS")
    'brings {} % of texts below 30 % of their LAS'
    >>> ScoreFalls().does("accuracy")
    'takes the right answer from {} % of texts'
    """

    id = "score_falls@1"
    is_scored: ClassVar[bool] = True

    below: float = 0.5

    def __post_init__(self) -> None:
        shares(self, "below", zero=False, one=True)

    def skips(self, base: Base) -> str | None:
        """``no_gold``; ``already_wrong`` if the score is 0 as it is."""
        if base.example.gold is None:
            return "no_gold"
        return None if _score(base, base.example, base.answer) > 0 else "already_wrong"

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Share of the score that is gone, and whether little enough of it is left.

        Where the model says how sure it is of each part, what is left counts as much less as it has
        become less sure of the right ones: an answer that stays moves towards another one, too.
        """
        left = _score(base, state.example, answer) / _score(base, base.example, base.answer)
        sure = _sureness_left(base, answer, state.example.gold, base.example.gold)
        return 1.0 - left * sure, left < self.below

    def does(self, score: str) -> str:
        """What it does to texts, with their number to be filled in.

        A text whose answer is right or wrong as a whole has no score to be half of.
        """
        if score == "accuracy":
            return "takes the right answer from {} % of texts"
        share = "half" if self.below == 0.5 else whole_percent(self.below)
        return f"brings {{}} % of texts below {share} of their {score}"


def _sureness_left(base: Base, answer: Answer, right: Any, right_before: Any) -> float:
    """How sure the model still is of its right parts, as a share of how sure it was before.

    1 if the model gives no probabilities: an answer that stays then does not tell how near it is to
    another one. 1 as well where one probability is of a right answer, and the other of one that is
    right in part: what a model is surer of is not the same then.
    """
    now, before = _sureness(base, answer, right), _sureness(base, base.answer, right_before)
    if now is None or before is None or now[1] != before[1] or not before[0]:
        return 1.0
    return now[0] / before[0]


def _sureness(base: Base, answer: Answer, right: Any) -> tuple[float, bool] | None:
    """Mean probability of the right parts of an answer; None if it is not known.

    An answer that is judged as a whole has one probability, its own. Beside it stands whether that
    is of what is right.
    """
    said, scores = _said(base, answer), single(answer).scores
    if said is None or not scores or right is None:
        return None
    kind = type_of(said)
    if kind is LABEL:  # its scores are those of all labels
        return (scores[base.labels.index(said)], True) if said in base.labels else None
    if kind.is_judged_whole:
        ((_, is_right),) = judged_parts(said, right)
        return scores[0], is_right
    parts = zip(judged_parts(said, right), scores, strict=True)
    sure = [score for (_, is_right), score in parts if is_right]
    return (sum(sure) / len(sure), True) if sure else None


def _score(base: Base, example: Example, answer: Answer) -> float:
    if base.score is None:
        raise PlanError("The goal score_falls needs the score of a task (Victim.score).")
    return base.score(example, single(answer))


@dataclass(frozen=True, slots=True)
class PartLost(Goal):
    """A part of the answer that was right is lost: an entity, the head of a word, a link.

    Parts are those of the answer's type: spans with their labels; words with head and relation;
    links of mentions; words of an extract or of a written text; a label, which is one. The score is
    the share of them that is lost, and how much less sure the model is of the others. What was
    wrong as it was cannot be lost.

    Parameters
    ----------
    least
        How many of them are lost at least.
    against
        What is right: the gold answer, or what the model says of the base.

    **Measures** whether one of the things that a model found can be taken from it.

    **Misleads when** items are long: the more parts there are, the easier is losing one. Compare
    with random change.

    Examples
    --------
    >>> PartLost().does("F1")
    'costs {} % of texts a right part of the answer'
    """

    id = "part_lost@1"

    least: int = 1
    against: Against = "gold"

    def __post_init__(self) -> None:
        at_least(self, least=1)

    def skips(self, base: Base) -> str | None:
        """``no_gold``; ``already_wrong`` if too few parts are right as they are."""
        if self.against == "gold" and base.example.gold is None:
            return "no_gold"
        said = _said(base, base.answer)
        right = base.example.gold if self.against == "gold" else said
        return "already_wrong" if len(_right_parts(said, right)) < self.least else None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Share of the right parts that are lost, and whether those are enough.

        What is left counts less where the model has become less sure of it, as in `ScoreFalls`.
        """
        before = _said(base, base.answer)
        try:
            said = apply_to_answer(before, base.example, state.edits)
        except EditRefusedError:
            return 0.0, False
        right, right_before = said, before
        if self.against == "gold":
            right, right_before = state.example.gold, base.example.gold
        held = _right_parts(said, right)
        lost = held - _right_parts(_said(base, answer), right)
        if not held:
            return 0.0, False
        left = 1.0 - len(lost) / len(held)
        sure = _sureness_left(base, answer, right, right_before)
        return 1.0 - left * sure, len(lost) >= self.least

    def does(self, score: str) -> str:
        """What it does to texts, with their number to be filled in."""
        parts = "a right part" if self.least == 1 else f"{self.least} right parts"
        return f"costs {{}} % of texts {parts} of the answer"


def _said(base: Base, answer: Answer) -> Any:
    """Answer of a model, or the likeliest label of one that gives probabilities alone."""
    given = single(answer)
    return given.label_among(base.labels) if given.answer is None else given.answer


def _right_parts(said: Any, right: Any) -> frozenset[Hashable]:
    if said is None or right is None:
        return frozenset()
    return type_of(right).right_parts(said, right)
