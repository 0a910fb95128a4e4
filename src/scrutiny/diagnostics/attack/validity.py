"""Judges of adversarial texts: validity, similarity, perplexity."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attack.params import AttackParams
from scrutiny.diagnostics.attack.ratings import read_ratings
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.strings.load import load_model
from scrutiny.perturb.resources.capabilities import EntailmentJudge
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.search.state import State
from scrutiny.tasks.classification.classes import TextPairClassification

#: Task of the model that judges whether one text entails another.
_TASK: Final = TextPairClassification.name


class JudgedText(NamedTuple):
    """Judgments of a text; `None` where no judge was asked or could answer.

    Parameters
    ----------
    valid
        Probability that it keeps the meaning.
    similarity
        Cosine to the original.
    log_perplexity_ratio
        Log of its perplexity over the original's.
    """

    valid: float | None = None
    similarity: float | None = None
    log_perplexity_ratio: float | None = None


class Rater(Protocol):
    """A rater of whether texts keep the meaning of the original."""

    def rate(self, recipe: str, states: list[State]) -> list[float | None]:
        """Probability for each text; `None` if it cannot say."""


@dataclass(frozen=True, slots=True)
class EntailmentRater:
    """An entailment classifier of text pairs, asked in both directions.

    Parameters
    ----------
    model
        The classifier.
    label
        Position of its label for entailment.
    """

    model: Any
    label: int

    def rate(self, recipe: str, states: list[State]) -> list[float | None]:
        """The smaller of the probabilities that each text entails the other."""
        pairs = []
        for state in states:
            before, after = _changed_texts(state)
            pairs += [(before, after), (after, before)]
        asked = [
            Example(str(i), {"text": one, "text_pair": other})
            for i, (one, other) in enumerate(pairs)
        ]
        found = [self._probability(answer) for answer in predict_or_fail(self.model, asked)]
        both = zip(found[::2], found[1::2], strict=True)
        return [None if one is None or two is None else min(one, two) for one, two in both]

    def _probability(self, answer: Any) -> float | None:
        if not isinstance(answer, Prediction):
            return None
        if answer.scores is not None:
            return answer.scores[self.label]
        return float(answer.answer == self.model.labels[self.label])


@dataclass(frozen=True, slots=True)
class JudgeRater:
    """The resource ``nli``, asked in both directions."""

    judge: EntailmentJudge

    def rate(self, recipe: str, states: list[State]) -> list[float | None]:
        """The smaller of the probabilities that each text entails the other."""
        pairs = [_changed_texts(state) for state in states]
        found = list(self.judge.entailment([*pairs, *((b, a) for a, b in pairs)]))
        return [min(one, two) for one, two in zip(found, found[len(pairs) :], strict=False)]


def rater_of(params: AttackParams) -> Rater | None:
    """The rater, if there is one."""
    if params.ratings:
        return read_ratings(params.ratings)
    if "nli" in params.resources:
        return JudgeRater(find_resource(params.resources, "nli"))
    return _entailment(params.rater) if params.rater else None


@lru_cache(maxsize=2)
def _entailment(source: str) -> EntailmentRater:
    """Rater of a model string.

    Raises
    ------
    ModelError
        If it has no label for entailment, or several.
    """
    model = load_model(source, registry().load("task", _TASK)())
    found = [
        i
        for i, label in enumerate(model.labels)
        if label.lower().startswith("entail") or label.lower() in {"implies", "duplicate"}
    ]
    if len(found) != 1:
        raise ModelError(
            f"{source!r} cannot rate validity: one of its labels has to be 'entailment', and they "
            f"are {', '.join(model.labels)}. Rename them with #labels=…|…."
        )
    return EntailmentRater(model, found[0])


def judge(params: AttackParams, recipe: str, states: Sequence[State]) -> list[JudgedText]:
    """Judgments of texts, in order."""
    rater = rater_of(params)
    valid: Sequence[float | None] = [None] * len(states)
    if rater is not None and states:
        valid = rater.rate(recipe, list(states))
    similar, surprise = _similarities(params, states), _surprises(params, states)
    return [JudgedText(*row) for row in zip(valid, similar, surprise, strict=True)]


def _similarities(params: AttackParams, states: Sequence[State]) -> Sequence[float | None]:
    """Cosine of each text to its original; `None` without an encoder."""
    if "encoder" not in params.resources or not states:
        return [None] * len(states)
    texts = [text for state in states for text in _changed_texts(state)]
    vectors = np.asarray(find_resource(params.resources, "encoder").encode(texts), dtype=float)
    one, other = vectors[::2], vectors[1::2]
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    dots = (one * other).sum(axis=1)
    return [float(d / n) if n > 0 else None for d, n in zip(dots, lengths, strict=True)]


def _surprises(params: AttackParams, states: Sequence[State]) -> Sequence[float | None]:
    """Log perplexity ratio of each text; `None` without a language model."""
    if "perplexity" not in params.resources or not states:
        return [None] * len(states)
    texts = [text for state in states for text in _changed_texts(state)]
    found = list(find_resource(params.resources, "perplexity").perplexity(texts))
    both = zip(found[::2], found[1::2], strict=True)
    return [log(after / before) if before > 0 and after > 0 else None for before, after in both]


def _changed_texts(state: State) -> tuple[str, str]:
    """The fields that were changed, before and after, joined by a space."""
    pairs = [
        pair for pair in zip(state.origin.texts, state.texts, strict=True) if pair[0] != pair[1]
    ] or [(state.origin.texts[0], state.texts[0])]
    return " ".join(one for one, _ in pairs), " ".join(other for _, other in pairs)
