"""Estimates and claims of dependency heads, for each relation."""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.claim import Claim
from scrutiny.core.diagnostic import Design, Inputs
from scrutiny.diagnostics.attention.arcs.params import ALL, PROCEDURES, ArcsParams
from scrutiny.diagnostics.attention.claims import (
    beside_others,
    claimed_presets,
    preset_claim,
    specs_of,
)

DIAGNOSTIC: Final = "attention.arcs"
SELECTED: Final = "selected_head(accuracy)"
OVER: Final = "selected_head_over_baseline(accuracy)"
_ALONG: Final = {
    "head(accuracy)": ("direction", "layer", "head"),
    "baseline(accuracy)": ("offset",),
    "mean_head(accuracy)": (),
    "best_head(accuracy)": (),
    SELECTED: (),
    "selected_baseline(accuracy)": (),
    OVER: (),
}
#: A preset that reads an equation as it is printed is shown; no claim has to survive it.


def make_arcs_design(params: ArcsParams, inputs: Inputs) -> Design:
    """Design for one family on one dataset."""
    presets = tuple(params.conditions())
    cases = params.cases()
    return Design(
        conditions=tuple(case.condition for case in cases),
        estimates=tuple(spec for case in cases for spec in specs_of(case.condition, _ALONG)),
        claims=tuple(_claims(params, inputs, presets)),
        queries_per_item=len({p.is_lower_cased for p in params.conditions().values()}),
        notes=tuple(_notes(params)),
        families={
            "attention.relations": f"heads of {inputs.subject.name} encode dependency relations "
            "beyond offsets and untrained networks",
            **(
                {
                    "attention.relations.tuned": "fine-tuning strengthens the encoding of "
                    f"dependency relations in heads of {inputs.subject.name}"
                }
                if inputs.base
                else {}
            ),
        },
        contrasts=tuple(beside_others(case.named(SELECTED) for case in cases)),
    )


def _claims(params: ArcsParams, inputs: Inputs, presets: Sequence[str]) -> Iterator[Claim]:
    """Claims about relations: beyond offsets, and increased by fine-tuning."""
    choices = claimed_presets(presets)
    for relation in params.claimed:
        yield preset_claim(
            f"{relation}/beyond-offsets",
            f"some attention head finds the syntactic head of {_words(relation)} by "
            f"{params.margin:g} more often than the best offset, on the other half",
            [
                (OVER, "baselines: offsets", "{}"),
                (SELECTED, "control: untrained", "untrained/{}"),
            ],
            {name: f"{name}/{relation}" for name in choices},
            margin=params.margin,
            diagnostic=DIAGNOSTIC,
            family="attention.relations",
        )
    parts = [(SELECTED, "before fine-tuning", "base/{}")]
    if "control" in inputs.controls:
        parts.append((SELECTED, "control: control task", "control/{}"))
    for relation in params.tuned if inputs.base else ():
        yield preset_claim(
            f"{relation}/tuned",
            f"fine-tuning raises the accuracy of the chosen head at {_words(relation)} by "
            f"{params.margin:g}",
            parts,
            {name: f"{name}/{relation}" for name in choices},
            margin=params.margin,
            diagnostic=DIAGNOSTIC,
            family="attention.relations.tuned",
        )


def _words(relation: str) -> str:
    return "words" if relation == ALL else f"words that are {relation}"


def _notes(params: ArcsParams) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        "Accuracy: each scored word counts as one prediction, so F1 is the same number. A relation "
        f"includes its subtypes; {PROCEDURES[params.procedure]}."
    )
    yield (
        "Direction 1 predicts the word that a word attends to most as its head, direction 2 the "
        "word that attends to it most. Heads, directions and offsets are chosen on one half of the "
        "sentences and scored on the other, in both directions; best_head(accuracy) is chosen and "
        "scored on the same sentences, as published."
    )
    if params.has_trees:
        yield "Maximum spanning trees are given the annotated root, which is not scored."
