"""Training loop: fixed steps, resumable by step, with its state on disk.

The state: weights, moments of the optimizer, the step; without pickle.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from scrutiny.core.errors import StorageError
from scrutiny.training.pretraining.batches import Batches
from scrutiny.training.pretraining.network import PretrainingForward
from scrutiny.training.pretraining.objective import Distillation, Losses, losses, on_device
from scrutiny.training.pretraining.recipe import PretrainingRecipe

NAME: Final = "state.safetensors"
_PARTS: Final = ("exp_avg", "exp_avg_sq")


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
        for part in _PARTS:
            if part in moments:
                tensors[f"{part}/{name}"] = moments[part].detach().cpu().contiguous()
    metadata = {"step": str(state.step), "digest": state.digest, "log": json.dumps(state.log)}
    new = folder / f"{NAME}.new"
    try:
        save_file(tensors, str(new), metadata=metadata)
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(folder / NAME)
    except OSError as error:
        raise StorageError(f"{folder / NAME}: the state could not be written: {error}") from error


def _load_state(folder: Path, network: Any, optimizer: Any, digest: str) -> TrainingState | None:
    """Load a saved state into network and optimizer; None if there is none.

    Raises
    ------
    StorageError
        If the state belongs to another recipe, other seeds or other texts.
    """
    path = folder / NAME
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
                    moments = {p: file.get_tensor(f"{p}/{name}").to(parameter) for p in _PARTS}
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
