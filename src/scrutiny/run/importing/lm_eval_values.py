"""Numbers in a line logged by lm-evaluation-harness."""

import math
import re
from collections.abc import Sequence
from typing import Any, Final

from scrutiny.core.task import Prediction
from scrutiny.run.importing.samples import number_of

_PER_UNIT: Final = {
    "word_perplexity": "loglik_per_word",
    "byte_perplexity": "loglik_per_byte",
    "bits_per_byte": "loglik_per_byte",
}
_NUMBER: Final = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")


def score_of(metric: str, value: Any) -> tuple[str, float | None] | None:
    """Name and number of a logged metric; ``None`` if it is not about a single item.

    What lm-eval keeps for a perplexity is a log-likelihood and how many words or bytes it is of:
    the number is their quotient, under a name that says so. A Brier score is computed from the
    probabilities that it is kept as. Pairs of gold and prediction, which become an F1 over all
    items, are no number of one item.

    Examples
    --------
    >>> score_of("acc", 1.0), score_of("word_perplexity", [-28.0, 8])
    (('acc', 1.0), ('loglik_per_word', -3.5))
    >>> score_of("f1", [1, 0]) is None
    True
    """
    if isinstance(value, (list, tuple)):
        if metric in _PER_UNIT and len(value) == 2:
            total, count = number_of(value[0]), number_of(value[1])
            return _PER_UNIT[metric], None if total is None or not count else total / count
        if metric == "brier_score" and len(value) == 2:
            return metric, _brier(*value)
        return None
    if isinstance(value, dict):
        return None
    return ("loglik" if metric == "perplexity" else metric), number_of(value)


def _brier(gold: Any, probabilities: Any) -> float | None:
    """Squared distance of the probabilities from the one-hot right answer."""
    if isinstance(probabilities, str):  # numpy's own words: "[0.2 0.8]"
        if "..." in probabilities:
            return None
        probabilities = _NUMBER.findall(probabilities)
    found = [number_of(p) for p in probabilities]
    if not isinstance(gold, int) or not 0 <= gold < len(found) or None in found:
        return None
    return sum((p - (k == gold)) ** 2 for k, p in enumerate(found) if p is not None)


def choice_of(responses: Any, choices: Sequence[str]) -> Prediction | None:
    """Choice of the highest likelihood, with likelihoods normalized over the choices.

    Parameters
    ----------
    responses
        ``[log-likelihood, is greedy]`` of each choice, as numbers or as text.
    choices
        The choices, in the order of the responses.

    Examples
    --------
    >>> found = choice_of([["-2.0", "False"], ["-0.5", "True"]], ["bad", "good"])
    >>> found.label, [round(p, 3) for p in found.scores]
    ('good', [0.182, 0.818])
    """
    found = [_likelihood(r) for r in responses[: len(choices)]]
    top = max((p for p in found if p is not None), default=-math.inf)
    if len(found) != len(choices) or None in found or top == -math.inf:
        return None
    weights = [math.exp(p - top) for p in found if p is not None]
    label = choices[max(range(len(weights)), key=weights.__getitem__)]
    return Prediction(label, scores=tuple(w / sum(weights) for w in weights))


def _likelihood(response: Any) -> float | None:
    """Log-likelihood of one response; minus infinity is one."""
    if not isinstance(response, (list, tuple)) or not response:
        return None
    try:
        value = float(response[0])
    except (TypeError, ValueError):
        return None
    return None if math.isnan(value) or value == math.inf else value


def distinct(choices: Sequence[str]) -> tuple[str, ...]:
    """Choices without surrounding space, numbered where two are alike.

    Examples
    --------
    >>> distinct([" yes", " no", " yes"])
    ('1: yes', '2: no', '3: yes')
    """
    stripped = [choice.strip() for choice in choices]
    if len(set(stripped)) == len(stripped):
        return tuple(stripped)
    return tuple(f"{k}: {choice}" for k, choice in enumerate(stripped, start=1))
