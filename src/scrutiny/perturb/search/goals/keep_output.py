"""The model shall answer as before, though the text is another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from typing import ClassVar, Final, Literal

from rapidfuzz.distance import Levenshtein

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.perturb.search.goal import Answer, Base, label_of, single
from scrutiny.perturb.search.state import State

Distance = Literal["l1", "kl", "js", "max_abs", "mse", "cosine"]
Scores = Sequence[float]


@dataclass(frozen=True, slots=True)
class KeepOutput:
    """Another text with the output of the base; the score is 1 / (1 + distance of outputs).

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

    id: ClassVar[str] = "keep_output@1"
    summary: ClassVar[str] = "the model answers as before to another text"

    distance: Distance = "l1"
    keeps_label: bool = True
    least: int = 1
    most: int | None = None
    unit: Literal["words", "characters"] = "words"

    def __post_init__(self) -> None:
        if self.distance not in DISTANCES:
            raise PlanError(f"A distance is one of {', '.join(DISTANCES)}, not {self.distance!r}.")
        if self.least < 1 or (self.most is not None and self.most < self.least):
            raise PlanError(
                f"least and most must satisfy 1 <= least <= most; they are {self.least} and "
                f"{self.most}."
            )

    def skips(self, base: Base) -> str | None:
        """Never: any answer can be kept."""
        del base
        return None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 / (1 + distance) less what is missing, and whether nothing is."""
        before, after = single(base.answer), single(answer)
        score = 1.0 / (1.0 + DISTANCES[self.distance](_scores(before), _scores(after)))
        labels = base.labels
        is_lost = self.keeps_label and label_of(before, labels) != label_of(after, labels)
        missing = self._missing(state)
        is_same = state.texts == state.origin.texts
        return score - missing - is_lost, not (missing or is_lost or is_same)

    def _missing(self, state: State) -> int:
        """Units of change that are missing, or too many."""
        changed = amount_changed(state, self.unit)
        if changed < self.least:
            return self.least - changed
        return 0 if self.most is None else max(0, changed - self.most)


def amount_changed(state: State, unit: Literal["words", "characters"]) -> int:
    """Words touched, or the edit distance in code points, over all fields."""
    if unit == "words":
        return state.words_changed
    pairs = zip(state.origin.texts, state.texts, strict=True)
    return sum(Levenshtein.distance(old, new) for old, new in pairs)


def _scores(prediction: object) -> Scores:
    scores: Scores | None = getattr(prediction, "scores", None)
    if scores is None:
        raise ModelError("The goal keep_output needs probabilities; the model gives none.")
    return scores


def l1(p: Scores, q: Scores) -> float:
    """Sum of absolute differences, 0 to 2."""
    return sum([abs(a - b) for a, b in zip(p, q, strict=True)])


def kl(p: Scores, q: Scores) -> float:
    """Relative entropy of p to q in bits; infinite where q has none of p's support."""
    total = 0.0
    for a, b in zip(p, q, strict=True):
        if a > 0:
            if b <= 0:
                return float("inf")
            total += a * log2(a / b)
    return max(0.0, total)


def js(p: Scores, q: Scores) -> float:
    """Jensen-Shannon divergence in bits, 0 to 1."""
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return (kl(p, middle) + kl(q, middle)) / 2


def max_abs(p: Scores, q: Scores) -> float:
    """Largest absolute difference."""
    return max([abs(a - b) for a, b in zip(p, q, strict=True)])


def mse(p: Scores, q: Scores) -> float:
    """Mean squared difference over labels."""
    return sum([(a - b) ** 2 for a, b in zip(p, q, strict=True)]) / len(p)


def cosine(p: Scores, q: Scores) -> float:
    """1 - cosine; 1 where either is zero."""
    norm = sqrt(sum(a * a for a in p) * sum(b * b for b in q))
    dot = sum([a * b for a, b in zip(p, q, strict=True)])
    return max(0.0, 1.0 - dot / norm) if norm else 1.0


DISTANCES: Final[Mapping[str, Callable[[Scores, Scores], float]]] = {
    "l1": l1,
    "kl": kl,
    "js": js,
    "max_abs": max_abs,
    "mse": mse,
    "cosine": cosine,
}
