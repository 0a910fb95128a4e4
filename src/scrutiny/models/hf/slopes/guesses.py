"""Prediction tasks for the loss around a language model's weights."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Final

import numpy as np
import torch

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.queries.language import Encoded, Probe
from scrutiny.core.randomness import generator
from scrutiny.models.hf.encoder import HfEncoder
from scrutiny.models.hf.lm_head import find_head
from scrutiny.models.hf.sequences import Runner, Sequences
from scrutiny.models.hf.slopes.landscape import IGNORED, LossSurface, landscape

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
    """As many tokens as fit, one less for the begin that causal models read first."""
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
