"""Estimates and claims of changed heads.

For each change: accuracy drop without each head, without the average head, and without the head
that was chosen on the other half of the texts; the same beyond another head of its layer (beyond
random other words, for erased anchors).
"""

from collections.abc import Iterator, Sequence
from math import ceil

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.queries.attention import Change
from scrutiny.core.shares import points, whole_percent
from scrutiny.diagnostics.faithfulness.params import HeadChangeParams

#: Estimates of one number a change, and their metrics.
_SINGLE = {
    "mean_head_accuracy_drop": "mean_changed_head(drop(accuracy))@1",
    "selected_head_drop": "selected_changed_head(drop(accuracy))@1",
    "selected_head_gain": "selected_changed_head(gain(accuracy))@1",
}


def make_heads_design(params: HeadChangeParams, inputs: Inputs) -> Design:
    """Design for one family on one dataset."""
    heads = inputs.subject.n_layers * inputs.subject.n_heads
    whole = [change for change in params.changes if change != "erase"]
    drops = [f"selected_head_drop/{change}" for change in params.changes]
    return Design(
        conditions=tuple({"change": change} for change in params.changes),
        estimates=tuple(spec for change in params.changes for spec in _specs(change, params)),
        claims=tuple(_claims(params, inputs, whole)),
        queries_per_item=1 + ceil(params.answers(heads) * params.share_of(heads)),
        notes=tuple(_notes(params, params.share_of(heads))),
        families={
            "heads": f"some head of {inputs.subject.name} matters to its score, more than others "
            "of its layer"
        },
        contrasts=tuple(ContrastSpec.untrained(drops)),
    )


def _specs(change: Change, params: HeadChangeParams) -> Iterator[EstimateSpec]:
    """Specifications of one change."""
    condition: dict[str, object] = {"change": change}
    own = {"": Selector("measured", condition)}
    if change == params.changes[0]:
        yield EstimateSpec("level", "accuracy@1", own, role="baseline", condition=condition)
    yield EstimateSpec(
        f"head_accuracy_drop/{change}",
        "changed_head(drop(accuracy))@1",
        own,
        condition=condition,
        along=("layer", "head"),
    )
    for name, metric in _SINGLE.items():
        yield EstimateSpec(f"{name}/{change}", metric, own, condition=condition)
    yield EstimateSpec(
        f"selected_head_over_layer/{change}",
        "selected_head_over_layer@1",
        {**own, "control": Selector("control", condition)},
        condition=condition,
    )


def _claims(params: HeadChangeParams, inputs: Inputs, whole: Sequence[Change]) -> Iterator[Claim]:
    """Claims: some head matters; some head's attention to the anchors matters."""
    skill = (("level", inputs.data.chance),)
    if whole:
        yield Claim(
            id="some head matters",
            says=f"without the head chosen on one half, accuracy on the other half drops by "
            f"{points(params.margin)}, more than without another head of its layer",
            components=tuple(
                part
                for position, change in enumerate(whole)
                for part in _parts(change, params, inputs, choice=position > 0)
            ),
            family="heads",
            checks=Claim.checks_with(change=whole),
            competence=skill,
        )
    if "erase" in params.changes:
        yield Claim(
            id="some head's weight on the anchors matters",
            says="without attention to anchor words in the head chosen on one half, accuracy on "
            f"the other half drops by {points(params.margin)}, more than for random other words",
            components=tuple(_parts("erase", params, inputs, choice=False)),
            family="heads",
            checks=Claim.checks_with(),
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


def _notes(params: HeadChangeParams, share: float) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        "One head is changed at a time. It is chosen on one half of the texts and tested on the "
        "other, in both directions; texts of one unit stay in one half."
    )
    if "erase" in params.changes:
        yield (
            f"Anchor words: {', '.join(params.anchors)}. Their weight is erased in every row of "
            "the head and the others normalized to sum 1; texts without any are skipped."
        )
    if share < 1:
        yield f"A random {whole_percent(share)} of the texts was measured; the others are skipped."
