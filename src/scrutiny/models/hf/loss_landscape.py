"""The loss around a network's weights for each text: gradient, sharpness, curvature.

A language model is given tokens to predict; masked ones are the same for every model with its
tokenizer. Everything is a loss of single texts at weights moved along a fixed direction, so that
every property is a mean over texts and gets the interval that means get:

=============  =====================================================================================
``loss``       at the weights as they are
``gradient``   slope along the mean gradient's direction; its mean is the norm of the mean gradient
``sharpness``  mean rise of the loss at a step in random directions, both ways
``curvature``  second derivative along the top eigenvector of the mean loss's Hessian, found by
               power iteration with Hessian-vector products; its mean is that eigenvalue
=============  =====================================================================================
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.queries.language import Encoded, Probe
from scrutiny.core.randomness import generator
from scrutiny.models.hf.forward_passes import Head, Runner, Sequences, find_head, logits_of
from scrutiny.models.hf.transformer import HfEncoder

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
        total = [torch.zeros_like(w) for w in weights]
        for _, inputs, labels in losses.batches:
            loss = losses.of(inputs, labels).sum() / losses.count
            _add(total, torch.autograd.grad(loss, weights, allow_unused=True))
        gradient = total
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


#: Token ids that go in and labels that are wanted, or nothing where there is nothing to guess.
Guess = Callable[[str, Encoded], tuple[Sequence[int], Sequence[int]] | None]
_BATCH: Final = 32
_PROPERTIES: Final = ("loss", "gradient", "sharpness", "curvature")


def landscape_of(
    model: HfEncoder, runner: Runner, texts: Sequence[str], *, guess: Guess, probe: Probe
) -> dict[str, Floats]:
    """Properties ``(text,)`` of the loss around a model's weights, by name.

    Parameters
    ----------
    model, runner
        The model, and its network; a copy of that in float64 is worked on.
    texts
        What is guessed in.
    guess
        What is to be guessed of one text.
    probe
        How the surroundings are looked at.
    """
    encoded = [_cut(one, model.limit) for one in model.encode(texts)]
    made = [guess(t, e) for t, e in zip(texts, encoded, strict=True)]
    fit = [i for i, one in enumerate(made) if one is not None]
    found = {name: np.full(len(texts), np.nan) for name in _PROPERTIES}
    if fit:
        network = deepcopy(runner.network).double().eval().requires_grad_(requires_grad=True)
        batches = _batches([made[i] for i in fit], runner)
        losses = LossSurface(network, batches, len(fit), head=find_head(network))
        for name, values in landscape(losses, probe).items():
            found[name][fit] = values
    return found


def masked_guess(model: HfEncoder, probe: Probe) -> Guess:
    """Randomly masked tokens, the same ones for every model with this tokenizer."""

    def guess(text: str, encoded: Encoded) -> tuple[Sequence[int], Sequence[int]] | None:
        open_to = [i for i, special in enumerate(encoded.is_special) if not special]
        if not open_to or model.mask_id is None:
            return None
        rng = generator(probe.seed, "landscape-masks", name="tokens", item=text)
        count = max(1, round(probe.masked_share * len(open_to)))
        masked = set(rng.choice(open_to, size=count, replace=False).tolist())
        ids = [model.mask_id if i in masked else token for i, token in enumerate(encoded.ids)]
        wanted = [token if i in masked else IGNORED for i, token in enumerate(encoded.ids)]
        return ids, wanted

    return guess


def causal_guess(model: HfEncoder) -> Guess:
    """Every token but the first, predicted from all before it."""

    def guess(text: str, encoded: Encoded) -> tuple[Sequence[int], Sequence[int]] | None:
        ids = list(encoded.ids)
        if model.begin_id is not None and ids[:1] != [model.begin_id]:
            ids = [model.begin_id, *ids]
        return (ids, [*ids[1:], IGNORED]) if len(ids) > 1 else None

    return guess


def _cut(encoded: Encoded, limit: int | None) -> Encoded:
    """Tokens of a text that fit: one less for causal models, which read a begin first."""
    most = None if limit is None else limit - 1
    return Encoded._make(part[:most] for part in encoded)


def _batches(made: Sequence[Any], runner: Runner) -> list[tuple[Integers, dict[str, Any], Any]]:
    """Batches of texts of about the same length: positions, inputs, labels."""
    sequences = Sequences([ids for ids, _ in made])
    order = np.argsort(sequences.lengths, kind="stable")
    batches = []
    for start in range(0, len(order), _BATCH):
        place = order[start : start + _BATCH]
        inputs = runner.inputs(sequences, place.tolist())
        labels = torch.full_like(inputs["input_ids"], IGNORED)
        for row, i in enumerate(place):
            wanted = made[i][1]
            labels[row, : len(wanted)] = torch.tensor(wanted)
        batches.append((place, inputs, labels))
    return batches
