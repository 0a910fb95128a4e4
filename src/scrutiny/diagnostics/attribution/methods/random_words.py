"""Random attributions: the null that every method has to beat."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText

#: Condition of random attributions.
RANDOM: Final = {"method": "random"}


def random_scores(text: ReadText, ctx: AskedModel, draw: int) -> Floats:
    """Scores of one draw, the same for every model and replicate."""
    rng = ctx.rng("random words", "attribution", text.example.id, draw)
    return np.asarray(rng.standard_normal(len(text)))


def ranking(scores: Floats, text: ReadText, ctx: AskedModel) -> list[int]:
    """Words from the highest score down; equal ones in an order that is drawn.

    Words that a method cannot tell apart must not be in the order of the text, which may be one
    that matters.
    """
    ties = ctx.rng("ties", "attribution", text.example.id).permutation(len(text))
    return [int(i) for i in np.lexsort((ties, -scores))]


def beside_random(measures: Sequence[str], names: Sequence[str]) -> Iterator[EstimateSpec]:
    """Each number of each method and of random attributions, and their difference."""
    for what in measures:
        yield EstimateSpec(f"{what}/random", f"mean({what})@1", RANDOM, role="control")
        for name in names:
            own = {"method": name}
            yield EstimateSpec(f"{what}/{name}", f"mean({what})@1", own)
            yield EstimateSpec(
                f"{what}/{name} - random",
                f"gap(mean({what}))@1",
                {"method": f"{name} - random"},
                sides={"first": Selector("measured", own), "other": Selector("control", RANDOM)},
            )
