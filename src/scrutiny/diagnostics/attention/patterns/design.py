"""Estimates and claims of surface patterns."""

from typing import Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.diagnostic import ContrastSpec, Design, EstimateSpec, Inputs, Selector

#: Means of every head, by metric.
OF_HEADS: Final = (
    "attention_to(self)",
    "attention_to(previous)",
    "attention_to(next)",
    "attention_to(first)",
    "attention_to(last)",
    "attention_to(punctuation)",
    "attention_entropy",
    "first_row_entropy",
    "attention_confidence",
    "positional_share",
    "rarest_share",
)
#: Counts of labeled heads, and what they are said to be.
COUNTS: Final = {
    "labeled_heads(positional)": "look at one neighbor or at themselves most of the time",
    "labeled_heads(special)": "look at special tokens most of the time",
    "labeled_heads(broad)": "look everywhere",
}
_CLAIMED: Final = ("labeled_heads(positional)", "labeled_heads(special)")
_OTHERS: Final = (("untrained", "null"), ("control", "control"), ("base", "base"))


def make_patterns_design(inputs: Inputs, *, n_words: int, margin: float) -> Design:
    """Design for one family on one dataset."""
    side = {"": Selector()}
    of_heads = (EstimateSpec(name, f"{name}@1", side, along=("layer", "head")) for name in OF_HEADS)
    return Design(
        conditions=({},),
        estimates=(*of_heads, *(EstimateSpec(name, f"{name}@1", side) for name in COUNTS)),
        claims=tuple(_claim(name, margin) for name in _CLAIMED),
        notes=(
            f"The first {n_words} words of each text, each cut by itself; rows of words' pieces, "
            "special tokens among the columns. Rows of entropy are smoothed as in the released "
            "code. Rarity goes by the place in the model's vocabulary.",
            "Labels of Clark et al.: positional above .5 of the attention on one neighbor or the "
            "piece itself, special above .6 on special tokens, broad above 3.8 nats.",
        ),
        families={
            "attention.patterns": f"heads of {inputs.subject} have learned patterns that say "
            "nothing of the text"
        },
        contrasts=tuple(
            ContrastSpec(f"{who}/{name}", name, name, role=role)
            for who, role in _OTHERS
            for name in COUNTS
        ),
    )


def _claim(name: str, margin: float) -> Claim:
    """Claim that more heads have a label than in untrained networks."""
    return Claim(
        id=name,
        says=f"more heads than in untrained networks {COUNTS[name]}, by {margin:g}",
        diagnostic="attention.patterns",
        components=(Component(f"untrained/{name}", margin, "control: untrained"),),
        family="attention.patterns",
        checks=("items", "seeds", "datasets"),
    )
