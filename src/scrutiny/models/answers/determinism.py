"""Determinism: whether a model gives the same answers in other batches and orders."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import predict_or_fail

Answers = list[Prediction | Failure]


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """Answers to the same questions in another order or batch, compared with those of one call.

    Parameters
    ----------
    way
        "again", "one by one", "in batches of 7", "in reverse".
    n_changed
        Examples whose label, spans, text or failure differ.
    largest_difference
        Of any probability, over examples that were answered both times.
    """

    way: str
    n_changed: int
    largest_difference: float


@dataclass(frozen=True, slots=True)
class DeterminismReport:
    """The batch invariance that a model promises, and whether it keeps it.

    Parameters
    ----------
    source
        Model string.
    n
        Examples asked.
    promises_bits
        Whether it promises equal bits in any batch; else equal labels and probabilities to 1e-6.
    comparisons
        One for each way of asking.
    failures
        What was said of the examples that it could not answer when first asked.
    """

    source: str
    n: int
    promises_bits: bool
    comparisons: tuple[AskedAgain, ...]
    failures: tuple[str, ...] = ()

    @property
    def tolerance(self) -> float:
        """Largest difference that the promise allows."""
        return 0.0 if self.promises_bits else 1e-6

    @property
    def is_kept(self) -> bool:
        """Whether every batching gave the same answers, within the tolerance."""
        return all(
            c.n_changed == 0 and c.largest_difference <= self.tolerance for c in self.comparisons
        )

    def __str__(self) -> str:
        promise = "bit-identical answers" if self.promises_bits else "answers equal to 1e-6"
        verdict = "kept" if self.is_kept else "BROKEN"
        lines = [f"{self.source} promises {promise} on {self.n} examples: {verdict}."]
        lines += [
            f"  asked {c.way}: {c.n_changed} changed, largest difference {c.largest_difference:.2g}"
            for c in self.comparisons
        ]
        if self.failures:
            n = len(self.failures)
            lines.append(f"  {n} of {self.n} failed; the first: {self.failures[0]}")
        return "\n".join(lines)


def check_determinism(model: Model, examples: Sequence[Example]) -> DeterminismReport:
    """Report on the same examples asked again, one by one, in sevens and in reverse.

    Parameters
    ----------
    model
        Any model; it is asked five times over.
    examples
        Of various lengths; a few dozen will do.

    Raises
    ------
    ModelError
        If it answers none of them.
    """
    first = predict_or_fail(model, examples)
    failures = tuple(answer.message for answer in first if isinstance(answer, Failure))
    if failures and len(failures) == len(first):
        raise ModelError(
            f"{model.source} has answered none of the {len(first)} texts it was asked; the first "
            f"error: {failures[0]}"
        )
    ways = {
        "again": predict_or_fail(model, examples),
        "one by one": _in_batches(model, examples, 1),
        "in batches of 7": _in_batches(model, examples, 7),
        "in reverse": predict_or_fail(model, examples[::-1])[::-1],
    }
    return DeterminismReport(
        source=model.source,
        n=len(examples),
        promises_bits=model.is_batch_invariant,
        comparisons=tuple(_compare(way, first, other) for way, other in ways.items()),
        failures=failures,
    )


def _in_batches(model: Model, examples: Sequence[Example], size: int) -> Answers:
    """Answers asked for a few examples at a time."""
    return [
        answer
        for start in range(0, len(examples), size)
        for answer in predict_or_fail(model, examples[start : start + size])
    ]


def _compare(way: str, first: Answers, other: Answers) -> AskedAgain:
    """Comparison of two lists of answers to the same examples."""
    pairs = list(zip(first, other, strict=True))
    return AskedAgain(
        way=way,
        n_changed=sum(_discrete(a) != _discrete(b) for a, b in pairs),
        largest_difference=max((_distance(a, b) for a, b in pairs), default=0.0),
    )


def _discrete(answer: Prediction | Failure) -> object:
    """An answer without its probabilities; for a failure its reason."""
    return answer.reason if isinstance(answer, Failure) else answer._replace(scores=None)


def _distance(a: Prediction | Failure, b: Prediction | Failure) -> float:
    """Largest difference between two answers' probabilities."""
    if isinstance(a, Failure) or isinstance(b, Failure):
        return 0.0
    pairs = zip(a.scores or (), b.scores or (), strict=True)
    return max((abs(x - y) for x, y in pairs), default=0.0)
