"""Records of two models' answers to an item, and statistics of them.

=========  ===========================  ==========================================================
role       condition                    row of an item
=========  ===========================  ==========================================================
measured   of=labels                    whether both say the same, and what
measured   of=gold                      whether each is right
measured   of=probabilities             divergences of both distributions
measured   of=gold probabilities        probability of the right answer, and of saying the same
measured   of=both answers              of what is no label: measures of the task, of the target's
                                        answer as if the reference's were the right one
baseline   of=target, of=reference      measures of the task for each model
=========  ===========================  ==========================================================

Numbers of a row that it is not about are 0, and nothing reads them.

a is the reference, b the subject. Labels (``same``, ``hit_a``, ``hit_b``, ``pred_a``, ``pred_b``):

``agreement@1``, ``kappa@1``
    **Measures**: items with the same label; beyond what both models' label frequencies give.
    **Misleads when**: labels are lopsided: agreement is high and kappa low whatever the models do;
    when the reference does not agree with a second run of itself.
``accuracy_change@1``, ``accuracy_gap@1``
    **Measures**: accuracy of b minus that of a, with McNemar's test of each replicate; its size, as
    published beside SCoPE. **Misleads when**: read as "the same model": answers may have changed on
    any number of items. The gap is at least 0 and so is biased upward.
``nfr@1``, ``pfr@1``, ``correctness_flips@1``
    **Measures**: items that were right and are wrong, that were wrong and are right, and both.
    **Misleads when**: the reference flips as many between two runs of its own.
``error_consistency@1``
    **Measures**: whether both are wrong on the same items, beyond their accuracies. **Misleads
    when**: accuracies differ (they bound it) or errors are few.

Probabilities (``p_dot``, ``pa_gold``, ``pb_gold``, ``n_classes``, ``js``, ``kl_ab``, ``kl_ba``,
``tv``):

``capa@1``, ``capa_of_labels@1``
    **Measures**: agreement of probabilities (of labels) beyond what the accuracies give, errors
    spread evenly. **Misleads when**: read against 1: an unsure model with itself is far below.
``jsd@1``, ``tv@1``, ``kl_ab@1``, ``kl_ba@1``
    **Measures**: mean Jensen-Shannon divergence in bits, total variation, and Kullback-Leibler
    divergence in nats from the reference, and to it. **Misleads when**: a few items carry the KL
    divergence; the floor of 1e-9 bounds it.
``p_gold_change@1``, ``p_gold_rms@1``
    **Measures**: mean, and root mean square, of the change of the right answer's probability.
    **Misleads when**: the mean alone is read: gains and losses cancel.

**References**: Cohen (1960); Geirhos, Meding & Wichmann (2020), Beyond accuracy; Goel et al.
(2025), Great models think alike and this undermines AI oversight; Yan et al. (2021),
Positive-congruent training; Dutta et al. (2024), Accuracy is not all you need; Lin (1991),
Divergence measures based on the Shannon entropy.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scrutiny.core.answers.answer import type_of
from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.reliability.replicates import mcnemar_of_hits
from scrutiny.reliability.row_statistics import Additive, Array, divide, over_rows, with_count
from scrutiny.reliability.statistics import BROKEN_RATE, FLIP_RATE, MENDED_RATE
from scrutiny.stats.agreement.error_consistency import consistency_of_sums
from scrutiny.stats.agreement.kappa import capa_of_sums
from scrutiny.stats.distributions.output_distances import (
    collision,
    js_divergence,
    kl_divergence,
    total_variation,
)

OF_LABELS, OF_GOLD, OF_PROBABILITIES, OF_GOLD_PROBABILITIES, OF_TARGET, OF_REFERENCE = (
    {"of": of}
    for of in ("labels", "gold", "probabilities", "gold probabilities", "target", "reference")
)
OF_BOTH: Final = {"of": "both answers"}
MEASURES: Final = (
    Measure("same", unit="items"),
    Measure("pred_a", unit="index of a label"),
    Measure("pred_b", unit="index of a label"),
    Measure("hit_a", unit="items"),
    Measure("hit_b", unit="items"),
    Measure("n_classes", unit="labels"),
    Measure("p_dot", unit="probability"),
    Measure("pa_gold", unit="probability"),
    Measure("pb_gold", unit="probability"),
    Measure("js", unit="bits"),
    Measure("kl_ab", unit="nats"),
    Measure("kl_ba", unit="nats"),
    Measure("tv", unit="probability"),
)
Answer = Prediction | Failure
Numbers = Mapping[str, float | Floats]
_NO_GOLD: Final = Failure("no_gold", status="skipped")
_ONE_CLASS: Final = Failure("one_class", status="skipped")


@dataclass(frozen=True, slots=True)
class OfItem:
    """Both answers to one item.

    Parameters
    ----------
    example, task, labels
        The item, how it is scored, and what both models call things.
    a, b
        Answers of the reference and of the target.
    """

    example: Example
    task: Task
    labels: LabelPair
    a: Answer
    b: Answer

    def rows(self) -> Iterator[Row]:
        """All rows of the item; a failure of either model fails all."""
        if isinstance(self.a, Failure) or isinstance(self.b, Failure):
            failures = [one for one in (self.a, self.b) if isinstance(one, Failure)]
            of_labels = (OF_GOLD, OF_PROBABILITIES, OF_GOLD_PROBABILITIES)
            for condition in (OF_LABELS, *(of_labels if self.task.gives_labels else (OF_BOTH,))):
                yield self._row("measured", condition, failures[0])
            for condition in (OF_TARGET, OF_REFERENCE):
                yield self._row("baseline", condition, failures[0])
            return
        # rows of two answers
        labels = {
            "same": float(self.a.agrees(self.b)),
            "pred_a": self.labels.number(self.a),
            "pred_b": self.labels.number(self.b),
        }
        yield self._row("measured", OF_LABELS, labels)
        if self.task.gives_labels:
            right: Numbers | Failure = _NO_GOLD if self.example.gold is None else _ONE_CLASS
            if self.example.gold is not None and len(self.labels.known) > 1:
                right = {
                    **labels,
                    "hit_a": float(self.a.answer == self.example.gold),
                    "hit_b": float(self.b.answer == self.example.gold),
                    "n_classes": float(len(self.labels.known)),
                }
            yield self._row("measured", OF_GOLD, right)
            yield from self._of_probabilities(self.a, self.b)
        else:
            as_right = type_of(self.a.answer).as_right(self.a.answer)
            scored = self._scored(as_right, self.b, self.labels.target)
            yield self._row("measured", OF_BOTH, {**labels, **scored})
        yield self._of_task(OF_TARGET, self.b, self.labels.target, labels)
        yield self._of_task(OF_REFERENCE, self.a, self.labels.reference, labels)

    def _of_probabilities(self, a: Prediction, b: Prediction) -> Iterator[Row]:
        """Divergences, and probabilities of the right answer."""
        both = self.labels.distributions(a, b)
        gold = self.example.gold
        right: Numbers | Failure = _NO_GOLD
        if isinstance(both, Failure):
            yield self._row("measured", OF_PROBABILITIES, both)
            right = _NO_GOLD if gold is None else both
        else:
            p, q = both
            yield self._row("measured", OF_PROBABILITIES, divergences(p, q))
            if gold is not None and len(p) < 2:
                right = _ONE_CLASS
            elif gold is not None:
                place = np.array(self.labels.reference.index(str(gold)))
                right = {**of_right_answer(p, q, place), "n_classes": float(len(p))}
        yield self._row("measured", OF_GOLD_PROBABILITIES, right)

    def _of_task(
        self,
        condition: Mapping[str, str],
        answer: Prediction,
        own: tuple[str, ...],
        labels: Numbers,
    ) -> Row:
        """Measures of the task for one model."""
        if self.example.gold is None:
            return self._row("baseline", condition, _NO_GOLD)
        scored = self._scored(self.example.gold, answer, own)
        return self._row("baseline", condition, {**labels, **scored})

    def _scored(self, right: object, answer: Prediction, own: tuple[str, ...]) -> Numbers:
        """Measures of the task by name, for an answer beside what counts as right."""
        found = self.task.score(right, answer, labels=own)
        return dict(zip((m.name for m in self.task.measures), found, strict=True))

    def _row(self, role: str, condition: Mapping[str, str], found: Numbers | Failure) -> Row:
        measures = (*MEASURES, *self.task.measures)
        return RowKind.of(condition, role).named_row(self.example.id, measures, found)


def divergences(p: Floats, q: Floats) -> dict[str, Floats]:
    """Measures of how two models' probabilities ``(..., label)`` differ: divergences, by name."""
    return {
        "js": js_divergence(p, q),
        "kl_ab": kl_divergence(p, q),
        "kl_ba": kl_divergence(q, p),
        "tv": total_variation(p, q),
    }


def of_right_answer(p: Floats, q: Floats, gold: Integers) -> dict[str, Floats]:
    """Probability of the same answer, and of the right answer; ``gold`` are its positions."""
    at = np.broadcast_to(gold[..., None], (*p.shape[:-1], 1))
    pa, pb = (np.take_along_axis(side, at, axis=-1)[..., 0] for side in (p, q))
    return {"p_dot": collision(p, q), "pa_gold": pa, "pb_gold": pb}


_SHARE: Final = (0.0, 1.0)
_HITS: Final = ("hit_a", "hit_b")


def _mean(name: str, says: str, need: str, *, is_bounded: bool = True) -> Additive:
    """Mean of one measure."""
    return Additive(
        name,
        says,
        (need,),
        scale="logit" if is_bounded else "amount",
        row_range=_SHARE if is_bounded else None,
    )


def _consistency(measures: Array) -> Array:
    """Hits of both, items on which both are right or both wrong, items."""
    a, b = measures[..., 0], measures[..., 1]
    return with_count(a, b, (a == b).astype(np.float64))


def _capa(measures: Array) -> Array:
    """Agreement, both skills, chance of agreeing on a wrong choice, items."""
    same, a, b, choices = np.moveaxis(measures, -1, 0)
    # an item with one choice has no wrong one to agree on; the diagnostic skips it
    spread = np.divide(1.0, choices - 1.0, out=np.zeros_like(choices), where=choices > 1)
    return with_count(same, a, b, spread)


AGREEMENT: Final = _mean("agreement@1", "same label", "same")
ACCURACY_CHANGE: Final = Additive(
    "accuracy_change@1",
    "accuracy, beyond the reference",
    _HITS,
    lambda m: with_count(m[..., 1] - m[..., 0]),
    higher_is="better",
    row_range=(-1.0, 1.0),
    no_effect=0.0,
    tests=mcnemar_of_hits,
)
ACCURACY_GAP: Final = Additive(
    "accuracy_gap@1",
    "gap of accuracies",
    _HITS,
    lambda m: with_count(m[..., 0], m[..., 1]),
    lambda sums: np.abs(divide(sums[..., 0] - sums[..., 1], sums[..., -1])),
    scale="share",
)
NFR: Final = replace(
    BROKEN_RATE, id="nfr@1", says="right for the reference, wrong now", needs=_HITS
)
PFR: Final = replace(
    MENDED_RATE, id="pfr@1", says="wrong for the reference, right now", needs=_HITS
)
CORRECTNESS_FLIPS: Final = replace(
    FLIP_RATE, id="correctness_flips@1", says="right for one of both", needs=_HITS
)
ERROR_CONSISTENCY: Final = Additive(
    "error_consistency@1",
    "error consistency",
    _HITS,
    _consistency,
    consistency_of_sums,
    scale="fisher_z",
    no_effect=0.0,
)
CAPA, CAPA_OF_LABELS = (
    Additive(
        name,
        f"agreement of {of} beyond accuracy (CAPA)",
        needs,
        _capa,
        capa_of_sums,
        scale="fisher_z",
        no_effect=0.0,
    )
    for name, of, needs in (
        ("capa@1", "probabilities", ("p_dot", "pa_gold", "pb_gold", "n_classes")),
        ("capa_of_labels@1", "labels", ("same", *_HITS, "n_classes")),
    )
)
JSD: Final = _mean("jsd@1", "Jensen-Shannon divergence, bits", "js")
TV: Final = _mean("tv@1", "total variation", "tv")
KL_AB: Final = _mean("kl_ab@1", "KL divergence from the reference, nats", "kl_ab", is_bounded=False)
KL_BA: Final = _mean("kl_ba@1", "KL divergence to the reference, nats", "kl_ba", is_bounded=False)
P_GOLD_CHANGE: Final = Additive(
    "p_gold_change@1",
    "change of the right answer's probability",
    ("pa_gold", "pb_gold"),
    lambda m: with_count(m[..., 1] - m[..., 0]),
    row_range=(-1.0, 1.0),
    no_effect=0.0,
)
P_GOLD_RMS: Final = Additive(
    "p_gold_rms@1",
    "root mean square change of the right answer's probability",
    ("pa_gold", "pb_gold"),
    lambda m: with_count(np.square(m[..., 1] - m[..., 0])),
    lambda sums: np.sqrt(np.maximum(over_rows(sums), 0.0)),
    scale="share",
)
