"""The language-modeling head as a function of single rows of hidden states.

A head over the vocabulary costs as much as several layers, so it is applied only where somebody
reads. Where it sits differs by architecture; what is found is tried on a few tokens against the
network's own logits, and without agreement the network's own are used.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import torch

Head = Callable[[Any], Any]
_PROBE: Final = 6  # tokens
_PLAIN: Final = ("lm_head", "predictions", "embed_out")


def logits_of(output: Any) -> Any:
    """Scores over the vocabulary ``(sequence, token, word)`` of a network's output."""
    found = getattr(output, "logits", None)
    return output.prediction_logits if found is None else found


def probe_inputs(network: Any) -> dict[str, Any]:
    """One short sequence of any tokens but padding."""
    pad = getattr(network.config, "pad_token_id", None)
    size = network.get_input_embeddings().num_embeddings
    ids = [i for i in ((7 * n + 5) % size for n in range(2 * _PROBE)) if i != pad][:_PROBE]
    return {"input_ids": torch.tensor([ids], device=network.device)}


def find_head(network: Any) -> Head | None:
    """Head over rows ``(row, hidden)``, or `None` if no part of the network agrees with it."""
    with torch.inference_mode():
        inputs = probe_inputs(network)
        wanted = logits_of(network(**inputs))[0]
        hidden = network.base_model(**inputs)[0][0]
        return next((h for h in _candidates(network) if _agrees(h, hidden, wanted)), None)


def is_causal(network: Any) -> bool:
    """Whether the network's outputs for a token do not depend on later tokens."""
    with torch.inference_mode():
        inputs = probe_inputs(network)
        before = logits_of(network(**inputs))[0, :-1]
        inputs["input_ids"][0, -1] = inputs["input_ids"][0, 0]
        return close_tensors(before, logits_of(network(**inputs))[0, :-1])


def _candidates(network: Any) -> Iterator[Head]:
    """Modules that are the head in some architecture."""
    if hasattr(getattr(network, "cls", None), "predictions"):  # BERT and its kin
        yield network.cls.predictions
    if hasattr(network, "vocab_projector"):  # DistilBERT
        yield lambda rows: network.vocab_projector(
            network.vocab_layer_norm(network.activation(network.vocab_transform(rows)))
        )
    if hasattr(network, "generator_lm_head"):  # ELECTRA's generator
        yield lambda rows: network.generator_lm_head(network.generator_predictions(rows))
    for name in _PLAIN:  # RoBERTa, ALBERT, causal models
        if hasattr(network, name):
            yield getattr(network, name)


def _agrees(head: Head, hidden: Any, wanted: Any) -> bool:
    """Whether a head gives the wanted logits."""
    try:
        found = head(hidden)
    except (RuntimeError, TypeError, ValueError):  # not made for rows
        return False
    return getattr(found, "shape", None) == wanted.shape and close_tensors(found, wanted)


def close_tensors(one: Any, two: Any) -> bool:
    """Whether two ways to read a checkpoint's network agree: tensors equal up to rounding."""
    small = 1e-4 if one.dtype == torch.float32 else 3e-2
    scale = 1.0 + float(two.float().abs().max())
    return bool(((one.float() - two.float()).abs() <= small * scale).all())
