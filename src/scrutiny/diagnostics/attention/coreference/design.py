"""Estimates and claims of coreference heads, by kind of mention."""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.diagnostic import ContrastSpec, Design, EstimateSpec, Inputs, Selector

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
_OTHERS: Final = (("untrained", "null"), ("control", "control"), ("base", "base"))


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
            "attention.coreference": f"heads of {inputs.subject} find antecedents beyond the "
            "nearest mention, the same head word and untrained networks"
        },
        contrasts=tuple(
            ContrastSpec(f"{who}/{spec}", spec, spec, role=role)
            for who, role in _OTHERS
            for spec in [f"{name}/{kind}/{_SELECTED}" for name, kind in places]
        ),
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
    choices = [name for name in presets if name != "as_published"] or [presets[0]]
    components = []
    for position, name in enumerate(choices):
        choice = "" if position == 0 else f"choice: preset {name}, "
        components += [
            Component(f"{name}/all/{_OVER}", margin, f"{choice}baselines"),
            Component(f"untrained/{name}/all/{_SELECTED}", margin, f"{choice}control: untrained"),
        ]
    several = ("choices:preset",) if len(choices) > 1 else ()
    return Claim(
        id="antecedents",
        says=f"some head finds antecedents by {margin:g} more often than the nearest mention, the "
        "same head word and chance, on the half it was not chosen on",
        diagnostic="attention.coreference",
        components=tuple(components),
        family="attention.coreference",
        checks=("items", "seeds", *several, "datasets"),
    )
