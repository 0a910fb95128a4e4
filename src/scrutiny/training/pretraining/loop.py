"""Training loop: fixed steps of the objective, resumable by step, with its state on disk.

The objective: masked pieces, next sentence, and distillation. The state: weights, moments of the
optimizer, the step; without pickle. A signal ends the loop after the current step.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Final, NamedTuple

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch.nn.functional import cross_entropy, kl_div, log_softmax

from scrutiny.core.arrays import Integers
from scrutiny.core.errors import StorageError
from scrutiny.training.pretraining.batches import IGNORED, Batches, StepInput
from scrutiny.training.pretraining.bert import PretrainingForward
from scrutiny.training.pretraining.recipe import PretrainingRecipe


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
    main = masked
    if distill is not None:
        # divergence of the softened distributions, times temperature squared (Hinton et al. 2015)
        t, teacher = distill.temperature, distill.teacher
        with torch.no_grad():
            wanted = teacher.scores(teacher.hidden(batch.pieces, batch.segments), batch.places)
        own, other = log_softmax(scores / t, -1), log_softmax(wanted / t, -1)
        divergence = kl_div(own, other, reduction="batchmean", log_target=True)
        main = distill.weight * t * t * divergence + (1 - distill.weight) * masked
    if next_weight == 0 or bool((batch.is_next == IGNORED).all()):
        return Losses(main, masked.detach(), None)
    follows = cross_entropy(forward.next_scores(hidden), batch.is_next, ignore_index=IGNORED)
    return Losses(main + next_weight * follows, masked.detach(), follows.detach())


STATE_FILE: Final = "state.safetensors"
_MOMENTS: Final = ("exp_avg", "exp_avg_sq")


class TrainingState(NamedTuple):
    """State of a run: its step and losses."""

    step: int
    digest: str  # of recipe, seeds, texts and vocabulary
    log: list[dict[str, float]]


def _save_state(folder: Path, state: TrainingState, network: Any, optimizer: Any) -> None:
    """Write the state atomically: the old one is kept until the new one is complete."""
    tensors: dict[str, Any] = {}
    for name, parameter in network.named_parameters():
        tensors[f"weight/{name}"] = parameter.detach().cpu().contiguous()
        moments = optimizer.state.get(parameter, {})
        for part in _MOMENTS:
            if part in moments:
                tensors[f"{part}/{name}"] = moments[part].detach().cpu().contiguous()
    metadata = {"step": str(state.step), "digest": state.digest, "log": json.dumps(state.log)}
    new = folder / f"{STATE_FILE}.new"
    try:
        save_file(tensors, str(new), metadata=metadata)
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(folder / STATE_FILE)
    except OSError as error:
        raise StorageError(
            f"{folder / STATE_FILE}: the state could not be written: {error}"
        ) from error


def _load_state(folder: Path, network: Any, optimizer: Any, digest: str) -> TrainingState | None:
    """Load a saved state into network and optimizer; None if there is none.

    Raises
    ------
    StorageError
        If the state belongs to another recipe, other seeds or other texts.
    """
    path = folder / STATE_FILE
    if not path.is_file():
        return None
    with safe_open(str(path), framework="pt") as file:
        metadata = file.metadata()
        if metadata["digest"] != digest:
            raise StorageError(
                f"{path} belongs to a run with another recipe, seed, text or vocabulary. "
                "Name another --out, or remove the folder."
            )
        step = int(metadata["step"])
        names = set(file.keys())
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                parameter.copy_(file.get_tensor(f"weight/{name}"))
                if f"exp_avg/{name}" in names:
                    moments = {p: file.get_tensor(f"{p}/{name}").to(parameter) for p in _MOMENTS}
                    count = torch.tensor(float(step), device=parameter.device)
                    optimizer.state[parameter] = {"step": count, **moments}
    return TrainingState(step, digest, json.loads(metadata["log"]))


_LOG_EVERY: Final = 100  # steps


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """Settings of saving and logging; none of them changes a weight.

    Parameters
    ----------
    folder
        Of the run's state.
    digest
        Digest of everything that can change a weight.
    checkpoints
        Steps after which ``on_checkpoint`` is called.
    on_checkpoint
        Called with the step and the network.
    on_log
        Called with the mean losses of every hundred steps.
    save_every_s
        Seconds between two savings of the state.
    should_stop
        Called after each step; if it returns True, the state is saved and the loop ends.
    """

    folder: Path
    digest: str
    checkpoints: tuple[int, ...] = ()
    on_checkpoint: Callable[[int, Any], None] = lambda _step, _network: None
    on_log: Callable[[dict[str, float]], None] = lambda _row: None
    save_every_s: float = 120.0
    should_stop: Callable[[], bool] = lambda: False


def train(
    network: Any,
    batches: Batches,
    *,
    recipe: PretrainingRecipe,
    keeping: Checkpointing,
    device: str = "cpu",
    distill: Distillation | None = None,
) -> TrainingState:
    """Train to the last step, resuming from a saved state; returns the final state."""
    network.to(device)
    optimizer = optimizer_for(network, recipe)
    forward = PretrainingForward(network, is_bf16=recipe.precision == "bf16")
    saved = _load_state(keeping.folder, network, optimizer, keeping.digest)
    step, log = (saved.step, saved.log) if saved else (0, [])
    window: list[Losses] = []
    written = time.monotonic()
    while step < recipe.steps and not keeping.should_stop():
        found = losses(
            forward,
            on_device(batches.at(step), device),
            next_weight=recipe.next_sentence,
            distill=distill,
        )
        pretraining_step(
            optimizer, found.total, clip=recipe.clip, rate=recipe.learning_rate_at(step)
        )
        step += 1
        window.append(found)
        if step % _LOG_EVERY == 0 or step == recipe.steps:
            log.append({"step": step, **_means(window)})
            window.clear()
            keeping.on_log(log[-1])
        if step in keeping.checkpoints:
            keeping.on_checkpoint(step, network)
        if time.monotonic() - written > keeping.save_every_s:
            _save_state(
                keeping.folder, TrainingState(step, keeping.digest, log), network, optimizer
            )
            written = time.monotonic()
    state = TrainingState(step, keeping.digest, log)
    _save_state(keeping.folder, state, network, optimizer)
    return state


def _means(rows: Sequence[Losses]) -> dict[str, float]:
    """Means of the losses since the last line of the log."""
    masked = [float(row.masked) for row in rows]
    follows = [float(r.next_sentence) for r in rows if r.next_sentence is not None]
    means = {"masked": sum(masked) / len(masked)}
    return {**means, "next_sentence": sum(follows) / len(follows)} if follows else means


def optimizer_for(network: Any, recipe: PretrainingRecipe) -> Any:
    """AdamW without weight decay of biases and normalizations."""
    parameters = list(network.parameters())
    for parameter in parameters:  # a part that a batch does not use has gradient 0, not none:
        parameter.grad = torch.zeros_like(parameter)  # all moments count the same steps
    groups = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=recipe.betas, fused=True)


def pretraining_step(optimizer: Any, loss: Any, *, clip: float, rate: float) -> None:
    """Take one step of a pretraining: the loss's gradients, clipped, at a learning rate."""
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    torch.nn.utils.clip_grad_norm_(parameters, clip)
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()


@contextmanager
def stopping_on_signals() -> Iterator[Event]:
    """Context in which SIGINT and SIGTERM request a stop after the current step.

    Only in the main thread; elsewhere signals are not handled.
    """
    stop, before = Event(), {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda *_: stop.set())
    except ValueError:  # not the main thread
        pass
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
