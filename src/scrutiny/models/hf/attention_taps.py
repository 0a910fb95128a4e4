"""Attention of a network, tapped layer by layer: weights, norms of values, gradients.

transformers looks its attention up by name in each forward. Ours calls the one that the network's
own code brings for "eager", so that soft caps, sinks and masks are as that architecture has them,
and hands its weights and values to whoever taps the network; what comes back takes the place of
the weights.

A weight of .9 on a vector of length 0 moves nothing. Kobayashi et al. (2020) look at
``alpha_ij ||W_O^h (W_V^h x_j + b_V)||`` instead: what head h really takes from token j. Here x_j is
what the value projection reads, so in a pre-norm decoder the normalized input of the layer.

The weight of a pair of tokens times the derivative by it is, to the first order, what the answer
loses if the weight is taken away; its size is kept. The answer is what the network's head says: of
a language model the log-probability of each token of the text, which it sees (of a causal one, of
each token after those before it); of a classifier or tagger that of its own decision.

References
----------
G. Kobayashi, T. Kuribayashi, S. Yokoi, K. Inui (2020). Attention is not only a weight: analyzing
transformers with vector norms. EMNLP.
Y. Hao, L. Dong, F. Wei, K. Xu (2021). Self-attention attribution: interpreting information
interactions inside transformer. AAAI.
H. Chefer, S. Gur, L. Wolf (2021). Generic attention explainability for interpreting bi-modal and
encoder-decoder transformers. ICCV.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch.nn import Linear
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.pytorch_utils import Conv1D

from scrutiny.models.hf.forward_passes import close_tensors, is_causal, logits_of

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
    if NAME not in ALL_MASK_ATTENTION_FUNCTIONS:
        AttentionMaskInterface.register(NAME, ALL_MASK_ATTENTION_FUNCTIONS["eager"])
        AttentionInterface.register(NAME, _attention)
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


#: Of each layer ``(head, row, dimension)``: ``||R v|| = ||W_O^h v||`` for every v.
Factors = tuple[Any, ...]


def value_norms(factors: Factors, step: LayerStep) -> Any:
    """Norms of the values of one layer ``(sequence, head, key)`` as float32, from its factors."""
    turned = torch.einsum("shkd,hed->shke", step.values.float(), factors[step.layer])
    return torch.linalg.vector_norm(turned, dim=-1)


def find_factors(network: Any, inputs: dict[str, Any], *, shape: tuple[int, int]) -> Factors | None:
    """Factors of the output projections, or `None` if a layer has none that we recognize.

    The projection is the first linear map that reads a layer's attention output as it is: no
    architecture is known by name. Gated outputs, for one, are read by none.

    Parameters
    ----------
    network, inputs
        A network that can be tapped, and inputs to try it on.
    shape
        Layers and heads.
    """
    outputs: list[Any] = []
    found: list[Any] = []

    def tap(step: LayerStep) -> None:
        outputs[:] = [step.output.flatten(2)]  # (sequence, query, head * dimension)

    def read(module: Any, args: tuple[Any, ...]) -> None:
        if outputs and args and torch.equal(args[0], outputs[0]):
            found.append(module.weight if isinstance(module, Linear) else module.weight.T)
            outputs.clear()

    linear_maps = (m for m in network.base_model.modules() if isinstance(m, (Linear, Conv1D)))
    hooks = [module.register_forward_pre_hook(read) for module in linear_maps]
    try:
        with torch.inference_mode(), tapped(network, tap):
            network.base_model(**inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return _factors(found, n_heads=shape[1]) if len(found) == shape[0] else None


def _factors(matrices: Sequence[Any], *, n_heads: int) -> Factors:
    """Triangular factors of each head's columns, in single precision or better."""

    def factor(matrix: Any) -> Any:
        columns = matrix.float().reshape(len(matrix), n_heads, -1).permute(1, 0, 2)
        return torch.linalg.qr(columns, mode="r").R

    with torch.inference_mode():
        return tuple(factor(matrix) for matrix in matrices)


Floats = np.ndarray[Any, np.dtype[np.float32]]


class SlopeReading:
    """Settings for reading weights times gradients.

    Parameters
    ----------
    network
        In evaluation mode, with a head.
    change
        Tap under which the network runs.
    """

    #: What is kept for the way back takes several times the memory of the weights.
    share: Final = 4

    def __init__(self, network: Any, change: Tap | None) -> None:
        self._network = network
        self._is_causal = is_causal(network)
        self._change = change
        self._weights: list[Any] = []

    def running(self) -> AbstractContextManager[None]:
        """State of the network while it is read."""
        return tapped(self._network, self._tap)

    def _tap(self, step: LayerStep) -> Any:
        """Store the weights of a layer, after the change, where a gradient reaches them."""
        changed = None if self._change is None else self._change(step)
        weights = step.weights if changed is None else changed
        if not weights.requires_grad:  # a frozen network: nothing before them has a gradient
            weights = weights.detach().requires_grad_()
        self._weights.append(weights)
        return weights

    def layers(self, inputs: dict[str, Any]) -> list[Floats]:
        """Products of each layer ``(sequence, head, token, token)``."""
        self._weights.clear()
        with torch.inference_mode(mode=False), torch.enable_grad():
            own = {name: value.clone() for name, value in inputs.items()}
            said = self._said(logits_of(self._network(**own)), own)
            slopes = torch.autograd.grad(said, self._weights)
        pairs = zip(self._weights, slopes, strict=True)
        return [(weights * slope).detach().abs().float().cpu().numpy() for weights, slope in pairs]

    def _said(self, logits: Any, inputs: dict[str, Any]) -> Any:
        """Log-probability of what the network says, summed over the sequences of a batch."""
        ids, real = inputs["input_ids"], inputs.get("attention_mask")
        logprobs = logits.float().log_softmax(-1)
        if logits.ndim == 2:  # a decision about each sequence
            return logprobs.amax(-1).sum()
        n_words = self._network.get_input_embeddings().num_embeddings
        kept = torch.ones_like(ids) if real is None else real
        if logits.shape[-1] < n_words:  # a tag for each token
            return (logprobs.amax(-1) * kept).sum()
        if self._is_causal:
            logprobs, ids, kept = logprobs[:, :-1], ids[:, 1:], kept[:, 1:]
        return (logprobs.gather(-1, ids[..., None])[..., 0] * kept).sum()
