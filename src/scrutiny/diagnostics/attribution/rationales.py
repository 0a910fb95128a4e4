"""Whether attributions find the words that a label is known to rest on: rationales of people.

Rationales are spans of an item whose label begins with ``evidence`` (those of ERASER's files, a
planted word), or what was changed to flip its label, as in a contrast set.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import LABELS, OPTIONS
from scrutiny.core.record import Measure, Row, grouped
from scrutiny.diagnostics.attribution.explained import AttributionParams, Explained, explain
from scrutiny.diagnostics.attribution.gold_rationales import gold_places, rationale_of
from scrutiny.diagnostics.attribution.methods.random_words import (
    RANDOM,
    beside_random,
    random_scores,
    ranking,
)
from scrutiny.diagnostics.attribution.plausibility import (
    area_under_precision,
    span_f1,
    spans_in,
    token_scores,
)
from scrutiny.diagnostics.attribution.read_texts import ReadText
from scrutiny.text.tokens import sentences

_WHAT: Final = (
    *("precision_at_1", "precision_at_k", "token_f1", "iou_f1", "auprc"),
    "sentence_at_1",
)
_SHARE: Final = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class RationaleParams(AttributionParams):
    """What is explained, and how often it is drawn.

    Parameters
    ----------
    draws
        Random attributions of each text, of which the mean counts.
    """

    draws: int = 5

    def __post_init__(self) -> None:
        AttributionParams.__post_init__(self)
        at_least(self, draws=1)


class Rationales(Diagnostic[RationaleParams]):
    """Whether an explanation names the words that people say a label rests on.

    Scores of the words of a text beside its rationale: the words that stand in spans of evidence,
    or those in which it differs from a version with another label (contrast sets).

    Records of an item, for each ``method``: ``precision_at_1``, whether the word with the highest
    score is in the rationale; ``precision_at_k``, the share of the k words with the highest scores
    that is, where the rationale has k words; ``token_f1`` and ``iou_f1`` of these k words (a hard
    rationale); ``auprc`` of all scores (a soft one), by trapezoids as in ERASER's code; and of
    items of several sentences (``several``) ``sentence_at_1``, whether the sentence with the
    highest sum of scores holds words of the rationale. Role ``control`` holds the mean of random
    attributions of the same text. Items without a rationale are skipped.

    **Measures**: plausibility: whether the words are those that convince a reader. Of a model that
    is known to use certain words, whether a method finds them.

    **Misleads when**: read as faithfulness: a model that is right for wrong reasons is explained
    well by words that no reader would name. Rationales are rarely complete; what was changed to
    flip a label is one way of flipping it.

    **References**: DeYoung et al. (2020), ERASER: a benchmark to evaluate rationalized NLP models;
    Jacovi & Goldberg (2020), Towards faithfully interpretable NLP systems.
    """

    id = "attribution.rationales@1"
    needs = frozenset({"predict"})
    wants = (LABELS, OPTIONS)
    measures = (
        *(
            Measure(name, says=says, row_range=_SHARE, higher_is="better")
            for name, says in (
                ("precision_at_1", "texts whose highest word is in the rationale"),
                ("precision_at_k", "words named that are in the rationale"),
                ("token_f1", "token F1 with the rationale"),
                ("iou_f1", "IOU F1 with the rationale"),
                ("auprc", "area under precision and recall"),
            )
        ),
        Measure(
            "sentence_at_1",
            says="texts whose highest sentence is in the rationale",
            row_range=_SHARE,
            higher_is="better",
            among=("several",),
        ),
        Measure("several", unit="items", row_range=_SHARE),
    )
    asks_other_texts = True
    reads_gold = False
    searches = True
    only_when_named = True

    def design(self, params: RationaleParams, inputs: Inputs) -> Design:
        """Each number by method beside random attributions, and a claim on the second."""
        n = len(gold_places(inputs.data.items()))
        if not n:
            raise PlanError(
                "These items have no rationales: spans whose label begins with 'evidence', as the "
                "reader eraser: gives them, or versions of an item with another label, as in a "
                "contrast set."
            )
        names = params.names(inputs.subject.capabilities, inputs.task)
        return Design(
            conditions=(*({"method": name} for name in names), RANDOM),
            estimates=tuple(beside_random(_WHAT, names)),
            claims=tuple(
                Claim(
                    id=f"finds/{name}",
                    says=f"{name} names words of the rationale more often than chance",
                    components=(
                        Component(
                            f"precision_at_k/{name} - random", 0.0, "control: random attributions"
                        ),
                    ),
                    family="finds",
                    checks=Claim.checks_with(),
                )
                for name in names
            ),
            queries_per_item=params.asked(inputs.subject.capabilities, inputs.task),
            notes=(f"{n:,} items have a rationale. {params.note(n)}",),
            families={
                "finds": f"explanations of {inputs.subject.name} name words of the rationales"
            },
        )

    def measure(
        self, params: RationaleParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """A row for each method, and one of random attributions."""
        names = params.names(ctx.model.capabilities, ctx.task)
        every = ctx.dataset or batch.examples
        places = gold_places(every)
        asked = [one for one in batch.examples if one.id in places]
        some = [one for one in every if one.id in places]
        found = explain(params, asked, ctx, ctx, among=some)
        for example in batch.examples:
            one = found.get(example.id, _NONE)
            if isinstance(one, Explained) and not (gold := rationale_of(one.text, places)):
                one = _NONE
            if isinstance(one, Failure):
                for name in names:
                    yield RowKind.of({"method": name}).row(example.id, one)
                yield RowKind.of(RANDOM, "control").row(example.id, one)
                continue
            for name, scores in one.scores.items():
                values = (
                    scores if isinstance(scores, Failure) else _values(one.text, scores, gold, ctx)
                )
                yield RowKind.of({"method": name}).row(example.id, values)
            scores_drawn = (random_scores(one.text, ctx, draw) for draw in range(params.draws))
            rows = [_values(one.text, own, gold, ctx) for own in scores_drawn]
            drawn = np.mean(rows, axis=0).tolist()
            yield RowKind.of(RANDOM, "control").row(example.id, drawn)


_NONE: Final = Failure("no_rationale", status="skipped")


def _values(text: ReadText, scores: Floats, gold: set[int], ctx: Context) -> tuple[float, ...]:
    """Measures of one attribution of a text, whose hard rationale is as long as the gold one."""
    order = ranking(scores, text, ctx)
    named = {*order[: len(gold)]}
    precision, _, token_f1 = token_scores(gold, named)
    is_gold = [i in gold for i in range(len(text))]
    of_words = sentences_of(text)
    sums = np.bincount(of_words, weights=scores)
    return (
        float(order[0] in gold),
        precision,
        token_f1,
        span_f1(spans_in(gold), spans_in(named)),
        area_under_precision(is_gold, scores),
        float(len(sums) > 1 and int(sums.argmax()) in of_words[[*gold]]),
        float(len(sums) > 1),
    )


def sentences_of(text: ReadText) -> Integers:
    """Number of the sentence that each word stands in, counted through all fields."""
    found: list[int] = []
    before = 0
    for field, own in grouped((word.field, word) for word in text.words).items():
        ends = [end for _, end in sentences(text.example.fields[field])]
        found += [before + bisect_left(ends, word.end) for word in own]
        before = found[-1] + 1
    return np.unique(found, return_inverse=True)[1]
