"""Goals that keep the answer: for another text, or for fewer and fewer words."""

from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein

from scrutiny.core.boundary.limits import at_least, one_of
from scrutiny.core.errors import PlanError
from scrutiny.perturb.search.goal import Answer, Base, Goal, Slope, single
from scrutiny.perturb.search.goals.distances import DISTANCES, Distance, scores_of
from scrutiny.perturb.search.goals.starting import (
    Against,
    probability,
    starting_label,
    why_skipped,
)
from scrutiny.perturb.search.state import State

Unit = Literal["words", "characters"]


@dataclass(frozen=True, slots=True)
class KeepOutput(Goal):
    """The model gives the same answer to a changed text.

    Another text with the output of the base; the score is 1 / (1 + distance of outputs).

    Below the least change the score falls by 1 for each unit that is missing, above the most by 1
    for each that is too many, and by 1 where the label is lost: such texts are never better than
    one that may stand. The base itself has the score 0 with the default of one word.

    Parameters
    ----------
    distance
        Between the probabilities of the base and of the text: ``l1``; ``kl`` (base relative to
        text, in bits); ``js`` (Jensen-Shannon divergence, in bits); ``max_abs``; ``mse``;
        ``cosine`` (1 - cosine).
    keeps_label
        Whether the predicted label has to stay.
    least, most
        How much of the text has to change, and may; ``most`` may be nothing.
    unit
        What that counts: words touched, or the edit distance in code points.

    **Measures** what a reference cannot tell apart: the raw material of shared invariances.

    **Misleads when** little has to change: minimizing is easy, and trivial texts win. State the
    result beside the amount of change.

    References
    ----------
    Shared invariances by search against a reference model (SCoPE), 2024.

    Examples
    --------
    >>> from scrutiny.core.edit import Edit
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.core.task import Prediction
    >>> from scrutiny.perturb.search.origin import Origin
    >>> item = Example("1", {"text": "a fine film"})
    >>> base = Base(item, Prediction("good", (0.25, 0.75)), ("bad", "good"))
    >>> text = State.start(Origin(item)).step([Edit("text", 2, 6, "good")])
    >>> KeepOutput().judge(base, Prediction("good", (0.75 - 0.25, 0.5)), text)
    (0.6666666666666666, True)
    """

    id = "keep_output@1"

    distance: Distance = "l1"
    keeps_label: bool = True
    least: int = 1
    most: int | None = None
    unit: Unit = "words"

    def __post_init__(self) -> None:
        one_of(self, distance=DISTANCES)
        if self.least < 1 or (self.most is not None and self.most < self.least):
            raise PlanError(
                f"least and most must satisfy 1 <= least <= most; they are {self.least} and "
                f"{self.most}."
            )

    def skips(self, base: Base) -> str | None:
        """Never: any answer can be kept."""
        return None

    def slope(self, base: Base) -> Slope:
        """The model's own label, whose loss should stay the same."""
        return Slope(base.labels[starting_label(base, "prediction")], 0)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 / (1 + distance) minus missing conditions, and whether all conditions are met."""
        before, after = single(base.answer), single(answer)
        labels = base.labels
        far = DISTANCES[self.distance](scores_of(before, labels), scores_of(after, labels))
        is_lost = self.keeps_label and before.label_among(labels) != after.label_among(labels)
        missing = self._missing(state)
        is_same = state.texts == state.origin.texts
        return 1.0 / (1.0 + far) - missing - is_lost, not (missing or is_lost or is_same)

    def _missing(self, state: State) -> int:
        """Units of change that are missing, or too many."""
        changed = _amount_changed(state, self.unit)
        if changed < self.least:
            return self.least - changed
        return 0 if self.most is None else max(0, changed - self.most)


def _amount_changed(state: State, unit: Unit) -> int:
    """Number of words touched, or edit distance in code points, over all fields."""
    if unit == "words":
        return state.words_changed
    pairs = zip(state.origin.texts, state.texts, strict=True)
    return sum(Levenshtein.distance(old, new) for old, new in pairs)


@dataclass(frozen=True, slots=True)
class FewestWords(Goal):
    """The model gives the same answer to as few words as possible.

    The starting label with as few words as possible.

    The score is the share of the base's words that are gone, plus p / words of the base, so that of
    two equally short texts the surer one is better; p / words - 1 where the label is lost. The goal
    counts as reached at ``words`` words; short of that, the shortest text found is still the
    result, and its score says how short it is.

    Parameters
    ----------
    words
        How many words may be left.
    against
        What the starting label is: what the model says of the base, or the gold answer.
    fields
        Text fields whose words count ("hypothesis" alone of a pair); empty for all.

    **Measures** how little of a text decides: a model that is as sure of one word as of the whole
    text does not use the rest.

    **Misleads when** the class prior alone gives the label: compare with the empty text.

    References
    ----------
    Feng, Wallace, Grissom, Iyyer, Rodriguez, Boyd-Graber (2018), Pathologies of neural models make
    interpretations difficult.

    Examples
    --------
    >>> FewestWords().words
    1
    """

    id = "input_reduction@1"

    words: int = 1
    against: Against = "prediction"
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        at_least(self, words=1)

    def skips(self, base: Base) -> str | None:
        """Same reasons as for losing a label."""
        return why_skipped(base, self.against)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Share of removed words while the label stays, and whether few enough words are left."""
        prediction, start = single(answer), starting_label(base, self.against)
        names = [n for n in state.origin.names if not self.fields or n in self.fields]
        total = max(1, sum(state.origin.document(name).word_count for name in names))
        sure = probability(prediction, start, base.labels) / total
        if prediction.label_among(base.labels) != base.labels[start]:
            return sure - 1.0, False
        left = sum(state.document(name).word_count for name in names)
        return (total - left) / total + sure, left <= self.words
