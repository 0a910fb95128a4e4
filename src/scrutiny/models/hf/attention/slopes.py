"""Attention weights times their gradients: what a network's own answer takes from each.

The weight of a pair of tokens times the derivative by it is, to the first order, what the answer
loses if the weight is taken away; its size is kept. The answer is what the network's head says: of
a language model the log-probability of each token of the text, which it sees (of a causal one, of
each token after those before it); of a classifier or tagger that of its own decision.

References
----------
Y. Hao, L. Dong, F. Wei, K. Xu (2021). Self-attention attribution: interpreting information
interactions inside transformer. AAAI.
H. Chefer, S. Gur, L. Wolf (2021). Generic attention explainability for interpreting bi-modal and
encoder-decoder transformers. ICCV.
"""

from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np
import torch

from scrutiny.models.hf.attention.function import LayerStep, Tap, tapped
from scrutiny.models.hf.lm_head import is_causal, logits_of

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
