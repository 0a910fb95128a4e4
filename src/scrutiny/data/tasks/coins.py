"""A fair coin for each unit of a data set."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrutiny.core.example import Example

if TYPE_CHECKING:
    import numpy as np


def coins(examples: Sequence[Example], rng: "np.random.Generator", *, unit: str = "") -> list[bool]:
    """Coin of each example; those that share a unit share its coin.

    Coins are tossed in the order in which units appear. An example without the unit is its own.
    """
    tossed: dict[tuple[str, str | float], bool] = {}
    found = []
    for example in examples:
        key = ("unit", example.attributes[unit]) if unit in example.attributes else ("", example.id)
        if key not in tossed:
            tossed[key] = bool(rng.integers(2))
        found.append(tossed[key])
    return found
