"""Changes of attention heads of an encoder: which heads the task needs.

For each change: accuracy drop without each head, without the average head, and without the head
that was chosen on the other half of the texts; the same beyond another head of its layer (beyond
random other words, for erased anchors).
"""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.printable import points, whole_percent
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS
from scrutiny.core.queries.attention import Change
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.core.task import Prediction, Task
from scrutiny.diagnostics.faithfulness.head_answers import (
    HeadChangeParams,
    Hits,
    heads_to_erase,
    hits_under,
    hits_without_anchors,
)

_ROLES: Final = ("measured", "control")
_NAME: Final = "faithfulness.heads@1"


class FaithfulHeads(Diagnostic[HeadChangeParams]):
    """Which attention heads a task needs: masked, uniform, without anchor words.

    Accuracy with each head of an encoder masked, made uniform, or kept from anchor words.

    Records of an item, for each ``change``: ``hit`` of the model's own answer, ``half`` that the
    item belongs to (0 or 1; heads are chosen on one and tested on the other), and ``hit_changed``
    when the head is changed, by layer and head. Role ``control`` holds the hits for another head
    of the same layer, drawn at random for each item; under ``erase`` those for as many random
    other words whose weights are erased in the head itself.

    **Measures**: which heads a task's score depends on while all others stay; some heads hurt, and
    the score rises without them.

    **Misleads when**: read as how important a head is: others may do the same work, so that a head
    that is used can be taken out at no cost, and two together at great cost. A changed head is
    something that the network has never seen. The largest drop of many heads is large by chance.

    **References**: Kovaleva et al. (2019), Revealing the dark secrets of BERT, EMNLP (uniform
    attention); Michel, Levy & Neubig (2019), Are sixteen heads really better than one?, NeurIPS
    (masking); Serrano & Smith (2019), Is attention interpretable?, ACL (erasure).
    """

    id = _NAME
    needs = frozenset({"predict", "head_interventions"})
    wants = (LABELS,)
    measures = (
        Measure("hit", unit="items"),
        Measure("half"),
        Measure("hit_changed", (LAYERS, HEADS), unit="items"),
    )

    def audit_params(self, task: Task) -> HeadChangeParams:
        """Parameters in an audit: masking only, on a fifth of the texts or fewer."""
        return HeadChangeParams(changes=("mask",), share=0.2, budget=20)

    def design(self, params: HeadChangeParams, inputs: Inputs) -> Design:
        """Drop without each head, and the claim that some head matters."""
        heads = inputs.subject.n_layers * inputs.subject.n_heads
        share = params.share_of(heads)
        drops = [f"selected_head_drop/{change}" for change in params.changes]
        notes = [
            "One head is changed at a time. It is chosen on one half of the texts and tested on "
            "the other, in both directions; texts of one unit stay in one half."
        ]
        if "erase" in params.changes:
            notes.append(
                f"Anchor words: {', '.join(params.anchors)}. Their weight is erased in every row "
                "of the head and the others normalized to sum 1; texts without any are skipped."
            )
        if share < 1:
            drawn = f"A random {whole_percent(share)} of the texts"
            notes.append(f"{drawn} was measured; the others are skipped.")
        return Design(
            conditions=tuple({"change": change} for change in params.changes),
            estimates=tuple(spec for change in params.changes for spec in _specs(change, params)),
            claims=tuple(_claims(params, inputs)),
            queries_per_item=1 + ceil(params.answers(heads) * share),
            notes=tuple(notes),
            families={
                "heads": f"some head of {inputs.subject.name} matters to its score, more than "
                "others of its layer"
            },
            contrasts=tuple(ContrastSpec.untrained(drops)),
        )

    def measure(
        self, params: HeadChangeParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Two rows for each item and change."""
        answers = ctx.predict(batch.examples)
        share = params.share_of(len(heads_to_erase(ctx)))
        lost = dict(_lost(batch.examples, answers, share, ctx))
        kept = [example for example in batch.examples if example.id not in lost]
        before = {
            example.id: (float(answer.answer == example.gold), _half_of(example, ctx))
            for example, answer in zip(batch.examples, answers, strict=True)
            if isinstance(answer, Prediction)
        }
        outcomes = {
            change: hits_without_anchors(ctx, kept, frozenset(params.anchors), _NAME)
            if change == "erase"
            else _whole_head(ctx, kept, change)
            for change in params.changes
        }
        for example in batch.examples:
            failed = lost.get(example.id)
            for change in params.changes:
                both = (failed, failed) if failed else outcomes[change][example.id]
                for role, hits in zip(_ROLES, both, strict=True):
                    values = (
                        hits
                        if isinstance(hits, Failure)
                        else (*before[example.id], *hits.ravel().tolist())
                    )
                    yield RowKind.of({"change": change}, role).row(example.id, values)


def _half_of(example: Example, ctx: Context) -> float:
    """Half of an item; items of one unit stay together."""
    unit = next(
        (f"{name}={value}" for name, value in example.attributes.items() if name[:2] == "u_"),
        example.id,
    )
    return float(ctx.rng("half", _NAME, unit).integers(2))


def _lost(
    examples: Sequence[Example], answers: Sequence[Prediction | Failure], share: float, ctx: Context
) -> Iterator[tuple[str, Failure]]:
    """Why some items are not measured."""
    for example, answer in zip(examples, answers, strict=True):
        if isinstance(answer, Failure):
            yield example.id, answer
        elif example.gold is None:
            yield example.id, Failure("no_gold", status="skipped")
        elif share < 1 and ctx.rng("share", _NAME, example.id).random() >= share:
            yield example.id, Failure("not_drawn", status="skipped")


def _whole_head(
    ctx: Context, examples: Sequence[Example], change: Change
) -> dict[str, tuple[Hits, Hits]]:
    """Hits of each item with a head masked, or uniform, and with another head of its layer."""
    found: dict[str, tuple[Hits, Hits]] = {}
    for example, hits in zip(examples, hits_under(ctx, examples, change), strict=True):
        rng = ctx.rng("other head", _NAME, example.id)
        found[example.id] = hits, hits if isinstance(hits, Failure) else other_heads(hits, rng)
    return found


def other_heads(hits: Floats, rng: np.random.Generator) -> Hits:
    """Control of erased heads: hits ``(layer, head)`` of another head of the same layer, for each.

    Undefined where layers have a single head.

    Examples
    --------
    >>> other_heads(np.array([[1.0, 0.0]]), np.random.default_rng(0)).tolist()
    [[0.0, 1.0]]
    """
    layers, heads = hits.shape
    if heads < 2:
        return Failure("one_head", status="undefined")
    steps = rng.integers(1, heads, size=(layers, heads))
    return np.take_along_axis(hits, (np.arange(heads) + steps) % heads, axis=1)


#: Estimates of one number a change, and their metrics.
_SINGLE = {
    "mean_head_accuracy_drop": "mean_changed_head(drop(accuracy))@1",
    "selected_head_drop": "selected_changed_head(drop(accuracy))@1",
    "selected_head_gain": "selected_changed_head(gain(accuracy))@1",
    "selected_head_over_layer": "selected_head_over_layer@1",
}


def _specs(change: Change, params: HeadChangeParams) -> Iterator[EstimateSpec]:
    """Specifications of one change."""
    condition: dict[str, object] = {"change": change}
    if change == params.changes[0]:
        own = {"": Selector("measured", condition)}
        yield EstimateSpec("level", "accuracy@1", condition, role="baseline", sides=own)
    every, axes = f"head_accuracy_drop/{change}", ("layer", "head")
    yield EstimateSpec(every, "changed_head(drop(accuracy))@1", condition, along=axes)
    for name, metric in _SINGLE.items():
        yield EstimateSpec(f"{name}/{change}", metric, condition)


def _claims(params: HeadChangeParams, inputs: Inputs) -> Iterator[Claim]:
    """Claims: some head matters; some head's attention to the anchors matters."""
    skill = (("level", inputs.data.chance),)
    whole = [change for change in params.changes if change != "erase"]
    erased = [change for change in params.changes if change == "erase"]
    head = "the head chosen on one half"
    of_anchors = "some head's weight on the anchors matters"
    for changes, name, without, beyond in (
        (whole, "some head matters", head, "without another head of its layer"),
        (erased, of_anchors, f"attention to anchor words in {head}", "for random other words"),
    ):
        if not changes:
            continue
        yield Claim(
            id=name,
            says=f"without {without}, accuracy on the other half drops by "
            f"{points(params.margin)}, more than {beyond}",
            components=tuple(
                part
                for position, change in enumerate(changes)
                for part in _parts(change, params, inputs, choice=position > 0)
            ),
            family="heads",
            checks=Claim.checks_with(change=changes),
            competence=skill,
        )


def _parts(
    change: Change, params: HeadChangeParams, inputs: Inputs, *, choice: bool
) -> Iterator[Component]:
    """A drop, its excess over the control, and over untrained networks."""
    what = "random other words" if change == "erase" else "another head of its layer"
    start = f"choice: change {change}, " if choice else ""
    drop, over = f"selected_head_drop/{change}", f"selected_head_over_layer/{change}"
    yield Component(drop, params.margin, f"{start}all heads" if choice else "reference")
    yield Component(over, 0.0, f"{start}{what}" if choice else f"control: {what}")
    if not choice:
        yield from inputs.beyond_untrained(drop, 0.0)
