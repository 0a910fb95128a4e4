"""A temporary attention function of our own for a network.

transformers looks its attention up by name in each forward. Ours calls the one that the network's
own code brings for "eager", so that soft caps, sinks and masks are as that architecture has them,
and hands its weights and values to whoever taps the network; what comes back takes the place of
the weights.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Final, NamedTuple

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS

from scrutiny.models.hf.lm_head import close_tensors

#: Name under which transformers finds it.
NAME: Final = "scrutiny-tapped"


class LayerStep(NamedTuple):
    """The attention of one layer in one forward pass.

    Parameters
    ----------
    layer
        Counted from 0.
    weights
        ``(sequence, head, query, key)``.
    values
        What is weighted, one for each head: ``(sequence, head, key, dimension)``.
    mask
        What is added to the scores, 0 where a key may be attended to; nothing where all may.
    output
        ``(sequence, query, head, dimension)``.
    ids
        Token ids ``(sequence, token)``.
    real
        Whether each is no padding, as numbers; nothing where all are.
    """

    layer: int
    weights: Any
    values: Any
    mask: Any
    output: Any
    ids: Any
    real: Any


#: Looks at a layer, and returns other weights for it or nothing.
Tap = Callable[[LayerStep], Any]


@dataclass(slots=True)
class _Forward:
    """One forward pass of a network with a tap: the tap, its inputs, and the layers so far."""

    tap: Tap
    inputs: dict[str, Any]
    layers: int = field(default=0)


_RUNNING: ContextVar[_Forward | None] = ContextVar("scrutiny_tapped_forward", default=None)


@contextmanager
def eager(network: Any) -> Iterator[None]:
    """Attention with weights as output, temporarily; a network with a tap has them anyway."""
    before = network.config._attn_implementation
    if before == NAME:
        yield
        return
    network.set_attn_implementation("eager")
    try:
        yield
    finally:
        network.set_attn_implementation(before)


@contextmanager
def tapped(network: Any, tap: Tap) -> Iterator[None]:
    """A network whose attention layers are shown to a tap, temporarily.

    Parameters
    ----------
    network
        One that `can_be_tapped`, and is not already.
    tap
        Called once for each layer of each forward, in order.
    """
    _register()
    base, before = network.base_model, network.config._attn_implementation
    parameters = signature(base.forward)
    tokens = []

    def begin(module: Any, args: Any, kwargs: Any) -> None:
        forward = _Forward(tap, dict(parameters.bind_partial(*args, **kwargs).arguments))
        tokens.append(_RUNNING.set(forward))

    def end(module: Any, args: Any, output: Any) -> None:
        if tokens:  # none if the forward did not even begin
            _RUNNING.reset(tokens.pop())

    hooks = (
        base.register_forward_pre_hook(begin, with_kwargs=True),
        base.register_forward_hook(end, always_call=True),
    )
    network.set_attn_implementation(NAME)
    try:
        yield
    finally:
        network.set_attn_implementation(before)
        for hook in hooks:
            hook.remove()


def is_tapped(network: Any) -> bool:
    """Whether a network currently uses our attention function."""
    return bool(network.config._attn_implementation == NAME)


def can_be_tapped(network: Any, inputs: dict[str, Any], *, n_layers: int) -> bool:
    """Whether a network can use our attention function; this is tried on a few tokens.

    It must give what its own attention gives, with its weights put in place of themselves.
    """
    if not hasattr(sys.modules[type(network.base_model).__module__], "eager_attention_forward"):
        return False  # it does not look its attention up
    layers = []

    def tap(step: LayerStep) -> Any:
        layers.append(step.layer)
        return step.weights.clone()

    try:
        with torch.inference_mode():
            with eager(network):
                wanted = network.base_model(**inputs)[0]
            with tapped(network, tap):
                found = network.base_model(**inputs)[0]
    except (RuntimeError, TypeError, ValueError, AttributeError, KeyError, NotImplementedError):
        return False
    return layers == list(range(n_layers)) and close_tensors(found, wanted)


def _register() -> None:
    """Register our function in transformers, with the masks of its "eager" attention."""
    if NAME not in ALL_MASK_ATTENTION_FUNCTIONS:
        AttentionMaskInterface.register(NAME, ALL_MASK_ATTENTION_FUNCTIONS["eager"])
        AttentionInterface.register(NAME, _attention)


def _attention(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **kwargs: Any
) -> tuple[Any, Any]:
    """Output ``(sequence, query, head, dimension)`` and weights of one layer."""
    own = sys.modules[type(module).__module__].eager_attention_forward
    output, weights = own(module, query, key, value, attention_mask, **kwargs)
    forward = _RUNNING.get()
    if forward is None:  # its layers are run by hand, outside of the network's forward
        return output, weights
    shared_by = weights.shape[1] // value.shape[1]  # heads that share their values (Llama)
    values = value if shared_by == 1 else value.repeat_interleave(shared_by, dim=1)
    ids, real = forward.inputs.get("input_ids"), forward.inputs.get("attention_mask")
    step = LayerStep(forward.layers, weights, values, attention_mask, output, ids, real)
    forward.layers += 1
    changed = forward.tap(step)
    if changed is None:
        return output, weights
    return (changed @ values).transpose(1, 2).contiguous(), changed
