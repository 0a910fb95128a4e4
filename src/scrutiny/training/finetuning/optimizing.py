"""AdamW steps over one epoch."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import isfinite
from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.grouping import grouped
from scrutiny.training.finetuning.batches import padded
from scrutiny.training.finetuning.network import Parted
from scrutiny.training.finetuning.recipe import FinetuningRecipe
from scrutiny.training.finetuning.targets import IGNORED, EncodedExamples
from scrutiny.training.native_bfloat16 import has_bfloat16

#: Parameters up to which casting costs a processor more than it saves.
_SMALL: Final = 8_000_000
_NO_DECAY: Final = ("bias", "LayerNorm", "layer_norm", "layernorm", ".norm")


def optimizer_of(parted: Parted, recipe: FinetuningRecipe, *, rate: float) -> Any:
    """AdamW with a higher rate for the head, and weight decay of matrices only.

    Parameters
    ----------
    parted
        The network.
    recipe
        Decay, and how much faster the head is.
    rate
        Peak rate of the encoder.
    """
    import torch

    groups = grouped(
        ((name in parted.head, not any(part in name for part in _NO_DECAY)), parameter)
        for name, parameter in parted.network.named_parameters()
    )
    made = [
        {
            "params": parameters,
            "peak": rate * (recipe.head_lr_factor if is_head else 1.0),
            "weight_decay": recipe.weight_decay if is_decayed else 0.0,
        }
        for (is_head, is_decayed), parameters in groups.items()
    ]
    # one kernel for all tensors: a tiny network would otherwise wait for Python
    return torch.optim.AdamW(made, lr=rate, fused=True)


def train_epoch(
    parted: Parted,
    optimizer: Any,
    encoded: EncodedExamples,
    batches: Sequence[Sequence[int]],
    *,
    recipe: FinetuningRecipe,
    done: int,
    steps: int,
) -> Iterator[float]:
    """Loss of each step of one epoch; a step is taken when its loss is requested.

    Parameters
    ----------
    parted, optimizer
        Changed in place.
    encoded, batches
        The epoch's texts, and which of them share a step.
    recipe
        Schedule, clipping, precision.
    done, steps
        Steps before this epoch, and of the whole run.

    Raises
    ------
    ModelError
        If the loss is not finite.
    """
    import torch

    from scrutiny.models.hf.labeled import logits_of  # it imports torch

    network = parted.network.train()
    casting = _casting(recipe, parted)
    for number, batch in enumerate(batches):
        rate = recipe.share_at(done + number, steps=steps)
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * rate
        inputs, targets = padded(encoded, batch, pads=parted.pads, device=network.device)
        with casting():
            logits = logits_of(network(**inputs))
        loss = torch.nn.functional.cross_entropy(
            logits.float().flatten(0, -2), targets.flatten(), ignore_index=IGNORED
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
        optimizer.step()
        value = float(loss.detach())
        if not isfinite(value):
            raise ModelError(
                f"The loss is {value} at step {done + number + 1}: the training diverged. Choose a "
                "smaller lr, or precision float32."
            )
        yield value


def precision_on(recipe: FinetuningRecipe, parted: Parted) -> str:
    """Precision of a recipe for a network on its device: "float32" or "bfloat16".

    A processor with instructions for bfloat16 takes 0.63 of the time for 22 M parameters, and 1.4
    times as long for 5 M (`docs/finetuning.md`), so small networks stay in float32.
    """
    if recipe.precision != "auto":
        return recipe.precision
    device = parted.network.device.type
    is_worth_it = device == "cuda" or parted.n_parameters > _SMALL
    return "bfloat16" if is_worth_it and has_bfloat16(device) else "float32"


def _casting(recipe: FinetuningRecipe, parted: Parted) -> Callable[[], AbstractContextManager[Any]]:
    """Factory of the autocast context in which the network runs."""
    import torch

    if precision_on(recipe, parted) == "float32":
        return nullcontext
    return lambda: torch.autocast(parted.network.device.type, dtype=torch.bfloat16)
