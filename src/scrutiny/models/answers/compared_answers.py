"""Answers to the same questions side by side: of one model asked again, and of two models.

A model may answer otherwise in other batches and orders; two models may have the same labels in
another order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, cast

import numpy as np

from scrutiny.core.answers.answer import Agreement, has_places, label_in, type_of
from scrutiny.core.arrays import Floats
from scrutiny.core.design import Inputs
from scrutiny.core.diagnostic import Failure
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS, SPANS
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.text.edits import track_of

Answers = list[Prediction | Failure]
#: Entropy in bits of 95 and 5 of 100: a target must use its labels more evenly than that.
_LEAST_ENTROPY: Final = 0.286


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
        "one by one": predict_in_batches(model, examples, 1),
        "in batches of 7": predict_in_batches(model, examples, 7),
        "in reverse": predict_or_fail(model, examples[::-1])[::-1],
    }
    pairs_of_ways = {way: list(zip(first, other, strict=True)) for way, other in ways.items()}
    return DeterminismReport(
        source=model.source,
        n=len(examples),
        promises_bits=model.is_batch_invariant,
        comparisons=tuple(
            AskedAgain(
                way=way,
                n_changed=sum(_discrete(a) != _discrete(b) for a, b in pairs),
                largest_difference=max((_distance(a, b) for a, b in pairs), default=0.0),
            )
            for way, pairs in pairs_of_ways.items()
        ),
        failures=failures,
    )


def predict_in_batches(model: Model, examples: Sequence[Example], size: int) -> Answers:
    """Checked answers or failures, asked for a few examples at a time."""
    return [
        answer
        for start in range(0, len(examples), size)
        for answer in predict_or_fail(model, examples[start : start + size])
    ]


def _discrete(answer: Prediction | Failure) -> object:
    """An answer without its probabilities; for a failure its reason."""
    return answer.reason if isinstance(answer, Failure) else answer._replace(scores=None)


def _distance(a: Prediction | Failure, b: Prediction | Failure) -> float:
    """Largest difference between two answers' probabilities."""
    if isinstance(a, Failure) or isinstance(b, Failure):
        return 0.0
    pairs = zip(a.scores or (), b.scores or (), strict=True)
    return max((abs(x - y) for x, y in pairs), default=0.0)


@dataclass(frozen=True, slots=True)
class LabelPair:
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
    >>> labels = LabelPair(("no", "yes"), ("yes", "no"))
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


def has_variety(task: Task) -> bool:
    """Whether answers to a task are labels, or may be none: how varied they are can be counted."""
    return any(one.are_of(task.facts) for one in (LABELS, SPANS))


def skill_of_both(inputs: Inputs, entropy: str) -> tuple[tuple[str, float], ...]:
    """Skill of two models if gold answers are known; otherwise that labels are used at all.

    A model that answers the same whatever it is asked is told so, and not only that it has no
    skill. Of other answers than labels, variety says nothing: of tags it is whether there are any.

    Parameters
    ----------
    inputs
        Of a design that estimates ``level`` and ``level_reference``.
    entropy
        Its estimate of the entropy of the target's labels.
    """
    chance, gives_labels = inputs.data.chance, inputs.task.gives_labels
    if gives_labels and chance <= 0:
        return ((entropy, _LEAST_ENTROPY),)
    varied = ((entropy, 0.0),) if gives_labels else ()
    return (("level", chance), ("level_reference", chance), *varied)


def kept_parts(
    before: Prediction, after: Prediction, *, example: Example, edits: Sequence[Edit]
) -> Agreement | None:
    """Agreement of the answers to a text and to its changed form, part by part.

    Parts that only moved agree, and what an edit adds is not compared. None where the edits do not
    say what became of the first answer, as where they cut one of its spans.

    Examples
    --------
    >>> item, edit = Example("1", {"text": "so good"}), Edit("text", 0, 2, "very")
    >>> kept_parts(Prediction("a"), Prediction("a"), example=item, edits=[edit])
    Agreement(equal=1, compared=1)
    """
    if not has_places(before.answer):
        return Agreement(int(before.agrees(after)), 1)
    kind = type_of(before.answer)
    if after.answer is None or type_of(after.answer) is not kind:
        return Agreement(0, 1)
    try:
        return kind.kept(before.answer, after.answer, track_of(example, edits))
    except EditRefusedError:
        return None
