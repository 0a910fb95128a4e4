"""The loss around a network's weights for each text: gradient, sharpness, curvature.

Everything is a loss of single texts at weights moved along a fixed direction, so that every
property is a mean over texts and gets the interval that means get:

=============  =====================================================================================
``loss``       at the weights as they are
``gradient``   slope along the mean gradient's direction; its mean is the norm of the mean gradient
``sharpness``  mean rise of the loss at a step in random directions, both ways
``curvature``  second derivative along the top eigenvector of the mean loss's Hessian, found by
               power iteration with Hessian-vector products; its mean is that eigenvalue
=============  =====================================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.queries.language import Probe
from scrutiny.core.randomness import generator
from scrutiny.models.hf.lm_head import Head, logits_of

Direction = list[Any]  # a tensor for each parameter

#: Label of a token that is not to be guessed.
IGNORED: Final = -100
#: Steps of the central differences, relative to a direction of length 1; weights are in float64.
_SLOPE_STEP: Final = 1e-4
_CURVE_STEP: Final = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class LossSurface:
    """The loss of each of some texts as a function of a network's weights.

    Parameters
    ----------
    network
        In float64, on its device, without dropout.
    batches
        ``(positions of the texts, input tensors, labels)``.
    count
        How many texts.
    head
        Scores over the vocabulary of single rows of hidden states; nothing where they can be had
        of all tokens only, at many times the cost.
    """

    network: Any
    batches: Sequence[tuple[Integers, dict[str, Any], Any]]
    count: int
    head: Head | None = None

    def each(self) -> Floats:
        """Losses ``(text,)`` at the current weights."""
        found = np.full(self.count, np.nan)
        with torch.inference_mode():
            for place, inputs, labels in self.batches:
                found[place] = self.of(inputs, labels).cpu().numpy()
        return found

    def of(self, inputs: dict[str, Any], labels: Any) -> Any:
        """Loss ``(text,)`` of one batch: the mean over its guessed tokens."""
        wanted = labels != IGNORED  # (text, token)
        if self.head is None:
            rows = logits_of(self.network(**inputs))[wanted]
        else:
            rows = self.head(self.network.base_model(**inputs)[0][wanted])
        losses = torch.nn.functional.cross_entropy(rows, labels[wanted], reduction="none")
        total = losses.new_zeros(len(labels)).index_add(0, wanted.nonzero()[:, 0], losses)
        return total / wanted.sum(1)


def landscape(losses: LossSurface, probe: Probe) -> dict[str, Floats]:
    """Properties ``(text,)`` by name.

    Parameters
    ----------
    losses
        The loss of each text.
    probe
        How the surroundings are looked at.
    """
    weights = [p for p in losses.network.parameters() if p.requires_grad]
    with sdpa_kernel(SDPBackend.MATH):  # fused kernels of attention have no second derivative
        gradient = _mean_gradient(losses, weights)
        top = _top_eigenvector(losses, weights, probe)
        here = losses.each()
        slope = _along(losses, weights, _unit(gradient), _SLOPE_STEP)
        curve = _along(losses, weights, top, _CURVE_STEP)
        rises = []
        for number in range(probe.directions):
            forth, back = _along(losses, weights, _random_step(weights, probe, number), 1.0)
            rises.append((forth + back) / 2 - here)
    return {
        "loss": here,
        "gradient": (slope[0] - slope[1]) / (2 * _SLOPE_STEP),
        "sharpness": np.mean(rises, axis=0),
        "curvature": (curve[0] - 2 * here + curve[1]) / _CURVE_STEP**2,
    }


def _mean_gradient(losses: LossSurface, weights: Sequence[Any]) -> Direction:
    """Gradient of the mean loss."""
    total = [torch.zeros_like(w) for w in weights]
    for _, inputs, labels in losses.batches:
        loss = losses.of(inputs, labels).sum() / losses.count
        _add(total, torch.autograd.grad(loss, weights, allow_unused=True))
    return total


def _times_hessian(losses: LossSurface, weights: Sequence[Any], direction: Direction) -> Direction:
    """Hessian of the mean loss times a direction."""
    total = [torch.zeros_like(w) for w in weights]
    for _, inputs, labels in losses.batches:
        loss = losses.of(inputs, labels).sum() / losses.count
        first = torch.autograd.grad(loss, weights, create_graph=True, allow_unused=True)
        dot = sum((g * d).sum() for g, d in zip(first, direction, strict=True) if g is not None)
        _add(total, torch.autograd.grad(dot, weights, allow_unused=True))
    return total


def _top_eigenvector(losses: LossSurface, weights: Sequence[Any], probe: Probe) -> Direction:
    """Eigenvector of the eigenvalue with the largest absolute value, by power iteration."""
    direction = _unit(_gaussian(weights, probe.seed, "landscape-start", 0))
    before = 0.0
    for _ in range(probe.iterations):
        image = _times_hessian(losses, weights, direction)
        value = _dot(image, direction)
        if _dot(image, image) == 0:
            break
        direction = _unit(image)
        if abs(value - before) <= 1e-4 * abs(value):
            break
        before = value
    return direction


def _along(
    losses: LossSurface, weights: Sequence[Any], direction: Direction, step: float
) -> tuple[Floats, Floats]:
    """Losses ``(text,)`` after a step along a direction, and a step back; restores the weights."""
    kept = [w.detach().clone() for w in weights]
    found = []
    try:
        for by in (step, -step):
            _put(weights, [old + by * part for old, part in zip(kept, direction, strict=True)])
            found.append(losses.each())
    finally:
        _put(weights, kept)
    return found[0], found[1]


def _put(weights: Sequence[Any], values: Sequence[Any]) -> None:
    """Set the weights to other values."""
    with torch.no_grad():
        for weight, value in zip(weights, values, strict=True):
            weight.copy_(value)


def _random_step(weights: Sequence[Any], probe: Probe, number: int) -> Direction:
    """Random step whose rows have a length relative to the weights' rows, given by the radius.

    Normalized by filter (Li et al. 2018): a network whose weights are scaled up, and whose next
    layer makes up for it, is not called flatter.
    """
    step = []
    gaussian = _gaussian(weights, probe.seed, "landscape-step", number)
    for weight, part in zip(weights, gaussian, strict=True):
        count = weight.shape[0] if weight.ndim > 1 else 1  # a bias is one row
        rows, flat = weight.detach().reshape(count, -1), part.reshape(count, -1)
        scale = torch.linalg.vector_norm(rows, dim=1) / torch.linalg.vector_norm(flat, dim=1)
        step.append((probe.radius * scale[:, None] * flat).reshape(weight.shape))
    return step


def _gaussian(weights: Sequence[Any], seed: int, purpose: str, number: int) -> Direction:
    """Standard normal direction, the same for every network of this shape."""
    rng = generator(seed, purpose, name="weights", item="", draw=number)
    return [
        torch.from_numpy(rng.standard_normal(tuple(w.shape))).to(w.device, w.dtype) for w in weights
    ]


def _unit(direction: Direction) -> Direction:
    """Direction of length 1; a direction of length 0 stays as it is."""
    length = _dot(direction, direction) ** 0.5
    return [part / length for part in direction] if length else direction


def _dot(one: Direction, other: Direction) -> float:
    return float(sum(float((a * b).sum()) for a, b in zip(one, other, strict=True)))


def _add(total: Direction, parts: Sequence[Any]) -> None:
    for place, part in enumerate(parts):
        if part is not None:  # a weight that the loss does not touch (a pooler)
            total[place] += part.detach()
