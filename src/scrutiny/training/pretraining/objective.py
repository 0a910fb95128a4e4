"""Training objective: masked pieces, next sentence, and distillation."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch.nn.functional import cross_entropy, kl_div, log_softmax

from scrutiny.core.arrays import Integers
from scrutiny.training.pretraining.batches import IGNORED, StepInput
from scrutiny.training.pretraining.network import PretrainingForward


class Losses(NamedTuple):
    """Loss of a step and its components."""

    total: Any
    masked: Any
    next_sentence: Any


def on_device(batch: StepInput[Integers], device: str) -> StepInput[Any]:
    """Batch as tensors on a device."""
    return StepInput(*(torch.from_numpy(part).to(device) for part in batch))


@dataclass(frozen=True, slots=True)
class Distillation:
    """Distillation from a teacher, with weight and temperature.

    Parameters
    ----------
    teacher
        Forward pass of a trained model with the same vocabulary.
    weight
        Of the divergence from the teacher, in [0, 1]; the hidden piece has the rest.
    temperature
        Both distributions are flattened by it.
    """

    teacher: PretrainingForward
    weight: float = 0.7
    temperature: float = 2.0


def losses(
    forward: PretrainingForward,
    batch: StepInput[Any],
    *,
    next_weight: float,
    distill: Distillation | None = None,
) -> Losses:
    """Mean cross-entropy of masked pieces, that of the next sentence, and their weighted sum."""
    hidden = forward.hidden(batch.pieces, batch.segments)
    scores = forward.scores(hidden, batch.places)
    masked = cross_entropy(scores, batch.answers)
    main = masked if distill is None else _taught(distill, batch, scores, masked)
    if next_weight == 0 or bool((batch.is_next == IGNORED).all()):
        return Losses(main, masked.detach(), None)
    follows = cross_entropy(forward.next_scores(hidden), batch.is_next, ignore_index=IGNORED)
    return Losses(main + next_weight * follows, masked.detach(), follows.detach())


def _taught(distill: Distillation, batch: StepInput[Any], scores: Any, masked: Any) -> Any:
    """Divergence of the softened distributions, times temperature squared (Hinton et al. 2015)."""
    t = distill.temperature
    with torch.no_grad():
        teacher = distill.teacher
        wanted = teacher.scores(teacher.hidden(batch.pieces, batch.segments), batch.places)
    own, other = log_softmax(scores / t, -1), log_softmax(wanted / t, -1)
    divergence = kl_div(own, other, reduction="batchmean", log_target=True)
    return distill.weight * t * t * divergence + (1 - distill.weight) * masked
