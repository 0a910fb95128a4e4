"""Additional capabilities of transformers: attention maps, and changed heads.

References
----------
O. Kovaleva, A. Romanov, A. Rogers, A. Rumshisky (2019). Revealing the dark secrets of BERT. EMNLP.
S. Serrano, N. A. Smith (2019). Is attention interpretable? ACL.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import torch

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import KnowsTrainingText, Model
from scrutiny.core.queries.attention import AttentionMap, HeadIndex, Intervention, Weighting, Words
from scrutiny.core.record import grouped
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.hf.attention_maps import AttentionSource
from scrutiny.models.hf.attention_taps import LayerStep, tapped


class HeadChange:
    """Replaces the attention weights of layers; a tap.

    Parameters
    ----------
    intervention
        What is changed.
    """

    def __init__(self, intervention: Intervention) -> None:
        self._how: Callable[[LayerStep, list[int]], Any] = {
            "mask": _masked,
            "uniform": _uniform,
            "erase": self._erased,
        }[intervention.change]
        self._positions = dict(intervention.erased)
        self._heads = grouped(dict.fromkeys(intervention.heads))

    def __call__(self, step: LayerStep) -> Any:
        """Weights of the layer with some heads changed, or `None` if none is."""
        heads = self._heads.get(step.layer)
        if heads is None:
            return None
        changed = step.weights.clone()
        changed[:, heads] = self._how(step, heads)
        return changed

    def _erased(self, step: LayerStep, heads: list[int]) -> Any:
        """Rows without the erased keys, scaled to sum to 1; zero if nothing is left."""
        kept = step.weights[:, heads] * ~self._keys(step)[:, None, None, :]
        total = kept.sum(-1, keepdim=True)
        return kept / total.where(total > 0, 1)

    def _keys(self, step: LayerStep) -> Any:
        """Whether each key is erased ``(sequence, key)``."""
        keys = torch.zeros_like(step.ids, dtype=torch.bool)
        real = torch.ones_like(keys) if step.real is None else step.real.bool()
        for row, (ids, is_real) in enumerate(zip(step.ids, real, strict=True)):
            own = tuple(ids[is_real].tolist())
            if own not in self._positions:
                raise AnswerError(
                    "not_stated", f"no positions to erase are stated for the sequence {own}"
                )
            places = torch.nonzero(is_real)[:, 0]
            keys[row, places[list(self._positions[own])]] = True
        return keys


def _masked(step: LayerStep, heads: list[int]) -> Any:
    """Nothing but zeros: the head's output is zero."""
    return torch.zeros_like(step.weights[:, heads])


def _uniform(step: LayerStep, heads: list[int]) -> Any:
    """The same weight for each key that may be attended to."""
    weights = step.weights[:, heads]
    if step.mask is None:
        return torch.full_like(weights, 1 / weights.shape[-1])
    is_flag = step.mask.dtype == torch.bool
    allowed = step.mask if is_flag else step.mask > torch.finfo(step.mask.dtype).min / 2
    shares = allowed.expand(len(weights), 1, *weights.shape[2:]).to(weights.dtype)
    return shares / shares.sum(-1, keepdim=True).clamp(min=1)


_VERSION: Final = "intervened@1"
#: What the network is run for, and so what an intervention reaches.
_RUN: Final = (
    "predict",
    "masked_logprobs",
    "token_logprobs",
    "next_sentence",
    "attention_received",
    "representations",
)


class Attending:
    """Attention of a model, whatever else it answers."""

    source: str
    capabilities: frozenset[str]
    #: Layers and heads; no heads where the weights cannot be had.
    attention_shape: tuple[int, int] | None = (0, 0)
    _attention: AttentionSource | None = None

    def attentions(
        self, sentences: Sequence[Words], *, weighting: Weighting = "raw"
    ) -> Iterator[AttentionMap | Failure]:
        """Maps of the sentences, in order, as `scrutiny.core.queries.attention.Attends` says.

        Raises
        ------
        ConformanceError
            For another weighting.
        ModelError
            If the weights, or the norms of the values, cannot be had from this network.
        """
        return self._source_of_attention().stream(sentences, weighting=weighting)

    def intervened(self, intervention: Intervention) -> "IntervenedModel":
        """Model with the same weights whose answers are all given with an intervention.

        Raises
        ------
        ConformanceError
            For a head that there is not.
        ModelError
            If its attention cannot be changed.
        """
        return IntervenedModel(self, self._source_of_attention(), intervention=intervention)

    def _offer(self, attention: AttentionSource | None) -> frozenset[str]:
        """Store the source of attention; return the capabilities that it gives."""
        self._attention = attention
        if attention is None:
            return frozenset()
        self.attention_shape = attention.shape
        more = {"head_interventions"} if attention.is_open else set()
        return frozenset({"attentions"} | more)

    def _source_of_attention(self) -> AttentionSource:
        """Source of attention."""
        if self._attention is None:
            raise ModelError(f"{self.source!r}: attention weights of this network cannot be had.")
        return self._attention


class IntervenedModel(Model):
    """A model under an intervention; the model itself answers as before.

    Parameters
    ----------
    model
        A model of transformers.
    attention
        Where its maps come from.
    intervention
        What is changed whenever this model is asked.

    Raises
    ------
    ConformanceError
        For a head that the model does not have.
    ModelError
        If its attention cannot be changed.
    """

    def __init__(
        self, model: Any, attention: AttentionSource, *, intervention: Intervention
    ) -> None:
        _refuse_unknown_heads(intervention.heads, attention.shape)
        if not attention.is_open:
            raise ModelError(
                f"{model.source!r}: the heads of a {type(attention.network).__name__} cannot be "
                "changed; it does not look its attention up in transformers' AttentionInterface."
            )
        self.source = model.source
        self.task = model.task
        self.labels = model.labels
        self.is_batch_invariant = model.is_batch_invariant
        self.attention_shape = attention.shape
        kept = {*_RUN, "attentions", "tokenizes", "training_hashes"}
        self.capabilities = frozenset(model.capabilities & kept)
        self.intervention = intervention
        self._model = model
        self._attention = attention
        self._change = HeadChange(intervention)
        self.limit, self.n_layers = model.limit, model.n_layers
        self.mask_id, self.begin_id = model.mask_id, model.begin_id
        self.encode, self.decode = model.encode, model.decode
        if isinstance(model, KnowsTrainingText):
            self.training_hashes = model.training_hashes
        for name in model.capabilities & {*_RUN[1:]}:
            asked = partial(_under, getattr(model, name), attention.network, self._change)
            setattr(self, name, asked)

    def fingerprint(self) -> str | None:
        """Digest of the model and of what is changed in it."""
        own = self._model.fingerprint()
        return None if own is None else digest(_VERSION, own, canonical_json(self.intervention))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction for each example, in order."""
        return list(_under(self._model.predict, self._attention.network, self._change, examples))

    def attentions(
        self, sentences: Sequence[Words], *, weighting: Weighting = "raw"
    ) -> Iterator[AttentionMap | Failure]:
        """Maps with the intervention."""
        return self._attention.stream(sentences, weighting=weighting, change=self._change)


def _under(
    ask: Callable[..., Any], network: Any, change: HeadChange, *args: Any, **given: Any
) -> Any:
    """Answer of a network that is changed during the query."""
    with tapped(network, change):
        return ask(*args, **given)


def _refuse_unknown_heads(heads: Sequence[HeadIndex], shape: tuple[int, int]) -> None:
    """Raise for a head that does not exist."""
    for layer, head in heads:
        if layer >= shape[0] or head >= shape[1]:
            raise ConformanceError(
                f"There is no head ({layer}, {head}): layers are 0 to {shape[0] - 1}, heads 0 to "
                f"{shape[1] - 1}."
            )
