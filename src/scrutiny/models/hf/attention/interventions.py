"""Heads of a network changed while it runs.

References
----------
O. Kovaleva, A. Romanov, A. Rogers, A. Rumshisky (2019). Revealing the dark secrets of BERT. EMNLP.
S. Serrano, N. A. Smith (2019). Is attention interpretable? ACL.
"""

from typing import TYPE_CHECKING, Any

from scrutiny.models.answers.checked import AnswerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrutiny.core.attention import Intervention
    from scrutiny.models.hf.attention.function import LayerStep


class HeadChange:
    """Gives layers of attention other weights; a tap.

    Parameters
    ----------
    intervention
        What is changed.
    """

    def __init__(self, intervention: "Intervention") -> None:
        self._how: Callable[[LayerStep, list[int]], Any] = {
            "mask": _masked,
            "uniform": _uniform,
            "erase": self._erased,
        }[intervention.change]
        self._positions = dict(intervention.erased)
        self._heads: dict[int, list[int]] = {}
        for layer, head in dict.fromkeys(intervention.heads):
            self._heads.setdefault(layer, []).append(head)

    def __call__(self, step: "LayerStep") -> Any:
        """Weights of the layer with some heads changed, or nothing where none is."""
        heads = self._heads.get(step.layer)
        if heads is None:
            return None
        changed = step.weights.clone()
        changed[:, heads] = self._how(step, heads)
        return changed

    def _erased(self, step: "LayerStep", heads: list[int]) -> Any:
        """Rows without the erased keys, scaled to sum to 1; zero where nothing is left."""
        kept = step.weights[:, heads] * ~self._keys(step)[:, None, None, :]
        total = kept.sum(-1, keepdim=True)
        return kept / total.where(total > 0, 1)

    def _keys(self, step: "LayerStep") -> Any:
        """Whether each key is erased ``(sequence, key)``."""
        import torch

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


def _masked(step: "LayerStep", heads: list[int]) -> Any:
    """Nothing but zeros: the head's output is zero."""
    import torch

    return torch.zeros_like(step.weights[:, heads])


def _uniform(step: "LayerStep", heads: list[int]) -> Any:
    """The same weight for each key that may be attended to."""
    import torch

    weights = step.weights[:, heads]
    if step.mask is None:
        return torch.full_like(weights, 1 / weights.shape[-1])
    is_flag = step.mask.dtype == torch.bool
    allowed = step.mask if is_flag else step.mask > torch.finfo(step.mask.dtype).min / 2
    shares = allowed.expand(len(weights), 1, *weights.shape[2:]).to(weights.dtype)
    return shares / shares.sum(-1, keepdim=True).clamp(min=1)
