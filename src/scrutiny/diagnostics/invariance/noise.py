"""What a model would score against itself, where its probabilities are frequencies of samples."""

from typing import TYPE_CHECKING

from scrutiny.core.task import Prediction

if TYPE_CHECKING:
    from numpy.random import Generator

Answers = tuple[Prediction, Prediction]


def n_samples_of(model: object) -> int | None:
    """Samples that a model's probabilities are frequencies of; nothing if they are exact."""
    stated = getattr(model, "n_samples", None)
    return int(stated) if stated else None


def resampled(
    answers: Answers, labels: tuple[str, ...], *, n_samples: int | None, rng: "Generator"
) -> Answers:
    """Answers to a text and its changed form as another run of the same model might give them.

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
    first, second = (_sampled(a, labels, n_samples=n_samples, rng=rng) for a in answers)
    return first, second


def _sampled(
    answer: Prediction, labels: tuple[str, ...], *, n_samples: int, rng: "Generator"
) -> Prediction:
    if not answer.scores:
        return answer
    total = sum(answer.scores)
    counts = rng.multinomial(n_samples, [score / total for score in answer.scores]).tolist()
    scores = tuple(count / n_samples for count in counts)
    return Prediction(label=labels[scores.index(max(scores))], scores=scores)
