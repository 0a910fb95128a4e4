"""The state of a run on disk: weights, moments of the optimizer, the step; nothing pickled."""

import json
import os
from pathlib import Path
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import StorageError

NAME: Final = "state.safetensors"
_PARTS: Final = ("exp_avg", "exp_avg_sq")


class TrainingState(NamedTuple):
    """Where a run stands."""

    step: int
    digest: str  # of recipe, seeds, texts and vocabulary
    log: list[dict[str, float]]


def save_state(folder: Path, state: TrainingState, network: Any, optimizer: Any) -> None:
    """Write the state; the old one stands until the new one is whole."""
    from safetensors.torch import save_file

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


def load_state(folder: Path, network: Any, optimizer: Any, digest: str) -> TrainingState | None:
    """Put a saved state into the network and the optimizer; None where there is none.

    Raises
    ------
    StorageError
        If the state belongs to another recipe, other seeds or other texts.
    """
    import torch
    from safetensors import safe_open

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
