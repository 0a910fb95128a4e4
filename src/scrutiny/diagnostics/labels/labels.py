"""Label errors: items whose gold label is doubtful, by confident models or nearly equal texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.texts import is_right, judged_parts
from scrutiny.core.boundary.parameters import shares
from scrutiny.core.claim import NO_CONFIDENCES, NO_PROBABILITIES, Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import ARCS, EXTRACTS, LABELS, OPTIONS, SEGMENTS, SPANS
from scrutiny.core.record import Measure, Row, grouped
from scrutiny.core.task import Prediction
from scrutiny.data.near_duplicates import conflicting_labels

_SHARE: Final = "share(doubtful)@1"
#: Probabilities that are equal may differ by so much from their mean.
_SLACK: Final = 1e-9
#: When a gold answer is doubtful, of labels and of answers in parts.
_NOTES: Final = {
    True: "A label is doubtful if the model's answer is another label, with at least the "
    "mean probability that it gives this label on the items that have it, or if a "
    "text that shares {:g} % of its word pairs has another label.",
    False: "A gold answer is doubtful if the model gives a part that it has not, with at least the "
    "mean probability of parts of this class that gold answers have, or if the same text has "
    "another gold answer. Models whose answers have no parts on an item doubt nothing there.",
}


@dataclass(frozen=True, slots=True)
class LabelsParams:
    """Which labels are doubtful, and how many of them may be.

    Parameters
    ----------
    near
        Smallest overlap (Jaccard index of word pairs) of near duplicates.
    tolerance
        Share of the items.
    """

    near: float = 0.9
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        shares(self, "near", "tolerance", zero=False)


class DoubtfulLabels(Diagnostic[LabelsParams]):
    """Share of items whose gold label is doubtful, to be read by a person.

    A label is doubtful if the model is confident of another one, or if a nearly identical text has
    another label. The model is confident if it gives its answer at least the probability that it
    gives this label, on average, on the items that have it.

    Of spans, words, extracts and options, an item is doubtful if the model gives a part that the
    gold answer has not, and is at least as sure of it as, on average, of parts of the same class
    (type, relation) that the gold answer has; or if the same text has another gold answer. What the
    model does not find cannot be doubted in this way.

    **Measures**: how many gold labels can be wrong, as far as this model shows. The share is an
    upper estimate: a confident error of the model and a wrong label look the same. So the check can
    rule out many label errors, and never proves any: read the items.

    **Misleads when**: the model was trained on data with the same errors, which it then repeats;
    the model is poor or overconfident, so that most doubtful labels are its own errors; texts are
    ambiguous; two texts differ in one decisive word.

    **References**: Northcutt, Jiang & Chuang (2021), Confident learning: estimating uncertainty in
    dataset labels; Northcutt, Athalye & Mueller (2021), Pervasive label errors in test sets.
    """

    id = "labels@1"
    needs = frozenset({"predict"})
    wants = (LABELS, SPANS, ARCS, SEGMENTS, EXTRACTS, OPTIONS)
    why_only = "of other answers there are no parts that are right or wrong and have a confidence"
    scope = "dataset"
    tolerates = MappingProxyType({"tolerance": _SHARE})
    measures = (
        Measure("right", unit="items", says="answers that are right", row_range=(0.0, 1.0)),
        Measure("disagreed", unit="items", says="items with confident disagreement"),
        Measure("conflicting", unit="items", says="items with a near duplicate of another label"),
        Measure(
            "doubtful",
            unit="items",
            says="items with a doubtful label",
            higher_is="worse",
            tolerance=0.05,
        ),
    )

    def design(self, params: LabelsParams, inputs: Inputs) -> Design:
        """The share of doubtful labels and its two sources; the risk that it is large."""
        gives_labels = inputs.task.gives_labels
        return Design(
            estimates=(
                EstimateSpec("doubtful", _SHARE),
                EstimateSpec("disagreed", "share(disagreed)@1"),
                EstimateSpec("conflicting", "share(conflicting)@1"),
                EstimateSpec("right", "share(right)@1", role="baseline", sides={"": Selector()}),
            ),
            claims=(
                Claim(
                    id="doubtful",
                    says="gold labels are wrong",
                    components=(Component("doubtful", 0.0),),
                    checks=("items", "seeds", "datasets"),
                    competence=(("right", inputs.data.chance if gives_labels else 0.0),),
                    needs_control=False,
                    risk=Risk(
                        "doubtful labels",
                        params.tolerance,
                        "{} % of the items",
                        settled_by="read the doubtful items: model errors look the same",
                        without_scores=NO_PROBABILITIES if gives_labels else NO_CONFIDENCES,
                    ),
                ),
            ),
            notes=(
                _NOTES[gives_labels].format(100 * params.near),
                "A confident error of the model looks like a wrong label: only reading the items "
                "tells which it is.",
            ),
        )

    def measure(
        self, params: LabelsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item; doubt needs probabilities and a gold label."""
        examples = batch.examples
        answers = ctx.predict(examples)
        if ctx.task.gives_labels:
            doubted = _doubted(examples, answers, ctx.labels)
            near = set(
                ctx.once(
                    f"{self.id} {cell.dataset} {params.near:g}",
                    lambda: sorted(conflicting_labels(examples, least=params.near)),
                )
            )
        else:
            doubted = _doubted_parts(examples, answers)
            # items whose very text is there again, with a gold answer that says something else
            told = [(i, e) for i, e in enumerate(examples) if e.gold is not None]
            texts = grouped((tuple(e.fields.items()), (i, e.gold)) for i, e in told)
            near = {
                i
                for same in texts.values()
                for i, gold in same
                if not all(type_of(gold).agree(gold, other).is_whole for _, other in same)
            }
        for i, (example, answer) in enumerate(zip(examples, answers, strict=True)):
            found: tuple[bool, ...] | Failure = Failure("no_gold", status="skipped")
            if i in doubted:
                is_right, is_doubted = doubted[i]
                found = is_right, is_doubted, i in near, is_doubted or i in near
            elif isinstance(answer, Failure):
                found = answer
            elif example.gold is not None and answer.scores is None:
                found = Failure("no_probabilities", status="undefined")
            yield RowKind().row(example.id, found)


def _doubted(
    examples: Sequence[Example], answers: Sequence[Prediction | Failure], labels: Sequence[str]
) -> dict[int, tuple[bool, bool]]:
    """Whether the model is right, and confidently disagrees, of every item that can be checked."""
    places: dict[object, int] = {label: place for place, label in enumerate(labels)}
    known = {
        i: (answer.scores, places[examples[i].gold])
        for i, answer in enumerate(answers)
        if isinstance(answer, Prediction) and answer.scores and examples[i].gold in places
    }
    if not known:
        return {}
    scores, golds = map(np.array, zip(*known.values(), strict=True))
    is_right = (scores.argmax(axis=1) == golds).tolist()
    is_doubted = confident_disagreements(scores, golds).tolist()
    return dict(zip(known, zip(is_right, is_doubted, strict=True), strict=True))


def _doubted_parts(
    examples: Sequence[Example], answers: Sequence[Prediction | Failure]
) -> dict[int, tuple[bool, bool]]:
    """The same of answers in parts: whether the whole is right, and whether a part is doubted."""
    known = {
        i: (list(zip(judged_parts(a.answer, e.gold), a.scores, strict=True)), a.answer, e.gold)
        for i, (e, a) in enumerate(zip(examples, answers, strict=True))
        if isinstance(a, Prediction) and a.scores is not None and e.gold is not None
    }
    right = grouped(
        (name, score) for parts, *_ in known.values() for (name, ok), score in parts if ok
    )
    least = {name: fmean(scores) for name, scores in right.items()}
    return {
        i: (
            is_right(answer, gold),
            any(
                not ok and score >= least.get(name, np.inf) - _SLACK for (name, ok), score in parts
            ),
        )
        for i, (parts, answer, gold) in known.items()
    }


Array = np.ndarray[Any, Any]


def confident_disagreements(scores: Array, golds: Array) -> Array:
    """Whether the model is confident of another label than the gold one ``(item,)``.

    Its answer is another label, whose probability is at least the mean probability that the model
    gives this label on the items that have it: the confident joint of Northcutt et al. (2021),
    restricted to the model's answers.

    Parameters
    ----------
    scores
        Probabilities ``(item, label)``.
    golds
        Index of each item's gold label ``(item,)``.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.85, 0.15]])
    >>> confident_disagreements(scores, np.array([0, 0, 1, 1])).tolist()
    [False, False, False, True]
    """
    answers = scores.argmax(axis=1)
    own = golds[:, None] == np.arange(scores.shape[1])  # (item, label)
    counts = own.sum(axis=0)
    sums = np.where(own, scores, 0.0).sum(axis=0)
    # nobody has the label: no probability is enough
    least = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    confidence = scores[np.arange(len(scores)), answers]
    return np.asarray((answers != golds) & (confidence >= least[answers]))
