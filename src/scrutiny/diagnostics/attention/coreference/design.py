"""Estimates and claims of coreference heads, by kind of mention."""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.claim import Claim
from scrutiny.core.diagnostic import Design, EstimateSpec, Inputs, Selector
from scrutiny.diagnostics.attention.claims import (
    beside_others,
    checks_over,
    claimed_presets,
    under_each_preset,
)

#: Kinds of mentions as conditions; ``all`` first.
KINDS: Final = ("all", "pronoun", "proper", "nominal")
_SELECTED: Final = "selected_head(accuracy)"
_OVER: Final = "selected_head_over_baseline(accuracy)"
_ALONG: Final = {
    "head(accuracy)": ("layer", "head"),
    "baseline(accuracy)": ("baseline",),
    "mean_head(accuracy)": (),
    "best_head(accuracy)": (),
    _SELECTED: (),
    "selected_baseline(accuracy)": (),
    _OVER: (),
}


def make_coreference_design(
    presets: Sequence[str],
    inputs: Inputs,
    *,
    margin: float,
    queries: int,
    notes: tuple[str, ...],
) -> Design:
    """Design for one family on one dataset."""
    places = [(name, kind) for name in presets for kind in KINDS]
    return Design(
        conditions=tuple({"preset": name, "kind": kind} for name, kind in places),
        estimates=tuple(spec for name, kind in places for spec in _specs(name, kind)),
        claims=(_claim(presets, margin=margin),),
        queries_per_item=queries,
        notes=notes,
        families={
            "attention.coreference": f"heads of {inputs.subject.name} find antecedents beyond the "
            "nearest mention, the same head word and untrained networks"
        },
        contrasts=tuple(beside_others(f"{name}/{kind}/{_SELECTED}" for name, kind in places)),
    )


def _specs(preset: str, kind: str) -> Iterator[EstimateSpec]:
    """What is computed of one kind of mention under one preset."""
    condition = {"preset": preset, "kind": kind}
    for metric, along in _ALONG.items():
        yield EstimateSpec(
            f"{preset}/{kind}/{metric}",
            f"{metric}@1",
            {"": Selector("measured", condition)},
            condition=condition,
            along=along,
        )


def _claim(presets: Sequence[str], *, margin: float) -> Claim:
    """Claim that some head beats every baseline under every preset."""
    choices = {name: f"{name}/all" for name in claimed_presets(presets)}
    parts = [(_OVER, "baselines", "{}"), (_SELECTED, "control: untrained", "untrained/{}")]
    return Claim(
        id="antecedents",
        says=f"some head finds antecedents by {margin:g} more often than the nearest mention, the "
        "same head word and chance, on the half it was not chosen on",
        diagnostic="attention.coreference",
        components=under_each_preset(parts, choices, margin),
        family="attention.coreference",
        checks=checks_over("preset", choices),
    )
