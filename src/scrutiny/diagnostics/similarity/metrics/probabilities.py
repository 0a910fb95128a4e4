"""Distances of two models' probabilities, and what they give the right answer."""

import numpy as np

from scrutiny.core.arrays import Floats, Integers
from scrutiny.stats.distributions.outputs import (
    collision,
    js_divergence,
    kl_divergence,
    total_variation,
)


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
