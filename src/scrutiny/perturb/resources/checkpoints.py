"""Resources from `transformers` checkpoints: sentence encoding, perplexity, entailment.

Imported only when such a resource is asked for; mask filling has a module of its own
(`scrutiny.perturb.resources.mask_filler`). Everything runs in single precision.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from math import exp
from typing import Any, ClassVar, Final, Self, TypeVar

import numpy as np
import numpy.typing as npt

from scrutiny.core.errors import ModelError

_ROWS: Final = 32
SCORES: Final = 1 << 26  # logits of one batch: a quarter of a gigabyte
_REMEMBERED: Final = 1 << 14

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def batches(rows: Sequence[T], width: Callable[[T], int], *, limit: int) -> Iterator[Sequence[T]]:
    """Rows for a resource's checkpoint, shortest first, in batches within a limit.

    Examples
    --------
    >>> list(batches(["a", "bb", "cccc"], len, limit=4))
    [['a', 'bb'], ['cccc']]
    """
    at = 0
    while at < len(rows):
        end = min(at + _ROWS, len(rows))
        while end > at + 1 and (end - at) * width(rows[end - 1]) > limit:
            end -= 1
        yield rows[at:end]
        at = end


def remembered(
    known: dict[K, V], keys: Sequence[K], ask: Callable[[Sequence[K]], Sequence[V]]
) -> list[V]:
    """Cached answers by key; unknown ones are queried, and a full cache is emptied.

    Examples
    --------
    >>> known = {"a": 1}
    >>> remembered(known, ["b", "a", "b"], lambda keys: [len(keys) for _ in keys]), known
    ([1, 1, 1], {'a': 1, 'b': 1})
    """
    missing = [key for key in dict.fromkeys(keys) if key not in known]
    fresh = dict(zip(missing, ask(missing), strict=True)) if missing else {}
    found = [fresh[key] if key in fresh else known[key] for key in keys]
    if len(known) + len(fresh) > _REMEMBERED:
        known.clear()  # a search that never ends must not fill the memory
    known.update(fresh)
    return found


def load_checkpoint(checkpoint: str, kind: str) -> tuple[Any, Any]:
    """Model and tokenizer of a resource; refused if weights of its head are missing."""
    import torch
    import transformers

    from scrutiny.models.hf.checkpoint import quiet

    try:
        with quiet():
            tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
            model, info = getattr(transformers, kind).from_pretrained(
                checkpoint, output_loading_info=True, dtype=torch.float32
            )
    except (OSError, ValueError) as error:
        raise ModelError(
            f"No {kind.removeprefix('AutoModelFor')} model with a tokenizer could be loaded from "
            f"{checkpoint!r}: {str(error).splitlines()[0]}"
        ) from error
    missing = sorted(key for key in info["missing_keys"] if "pooler" not in key)
    if missing:
        raise ModelError(
            f"The checkpoint {checkpoint!r} lacks {len(missing)} weights that {kind} needs "
            f"({', '.join(missing[:3])}, …); they would be random and so would every answer. "
            "Use a checkpoint that was saved with this head."
        )
    return model.eval(), tokenizer


class OverCheckpoint:
    """A resource with a model and its tokenizer; ``head`` is the class that loads the model."""

    head: ClassVar[str]

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer

    @classmethod
    def load(cls, checkpoint: str) -> Self:
        """Resource over a checkpoint.

        Raises
        ------
        ModelError
            If it cannot be loaded, or weights of its head are missing.
        """
        return cls(*load_checkpoint(checkpoint, cls.head))


class CheckpointEncoder(OverCheckpoint):
    """Mean of the last hidden states over a text's tokens."""

    head = "AutoModel"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Array of shape (text, dimension)."""
        import torch

        parts: list[npt.NDArray[np.float32]] = []
        for batch in batches(list(texts), lambda _: 1, limit=_ROWS):
            fed = self._tokenizer(batch, padding=True, truncation=True, return_tensors="pt")
            with torch.inference_mode():
                states = self._model(**fed).last_hidden_state  # (text, piece, dimension)
            weights = fed["attention_mask"].unsqueeze(-1).to(states.dtype)
            means = (states * weights).sum(1) / weights.sum(1).clamp(min=1)
            parts.append(means.float().numpy())
        return np.concatenate(parts)


class CheckpointPerplexity(OverCheckpoint):
    """Likelihood of texts by a causal language model."""

    head = "AutoModelForCausalLM"

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__(model, tokenizer)
        self._perplexity: dict[str, float] = {}
        self._log_probability: dict[str, float] = {}

    def perplexity(self, texts: Sequence[str]) -> list[float]:
        """Perplexity of each text from its second token on; 1.0 for a text of a single token."""

        def ask(missing: Sequence[str]) -> list[float]:
            sums = self._sums([self._ids(text) for text in missing])
            return [exp(-total / count) if count else 1.0 for total, count in sums]

        return remembered(self._perplexity, texts, ask)

    def log_probability(self, texts: Sequence[str]) -> list[float]:
        """Log-probability of each text, in nats.

        The first piece counts where the tokenizer has a mark for the beginning of a text, and is
        given for free where it has none.
        """
        begin = self._tokenizer.bos_token_id

        def ask(missing: Sequence[str]) -> list[float]:
            rows = [self._ids(text) for text in missing]
            if begin is not None:
                rows = [row if row[:1] == [begin] else [begin, *row] for row in rows]
            return [total for total, _ in self._sums(rows)]

        return remembered(self._log_probability, texts, ask)

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, truncation=True)["input_ids"])

    def _sums(self, rows: Sequence[list[int]]) -> list[tuple[float, int]]:
        """Sum of log-probabilities from the second token on, and their number."""
        import torch

        found: dict[int, tuple[float, int]] = {i: (0.0, 0) for i in range(len(rows))}
        order = sorted(
            (i for i, row in enumerate(rows) if len(row) > 1), key=lambda i: len(rows[i])
        )
        limit = max(1, SCORES // int(self._model.config.vocab_size))
        for batch in batches(order, lambda i: len(rows[i]), limit=limit):
            width = len(rows[batch[-1]])
            ids = torch.tensor([rows[i] + [0] * (width - len(rows[i])) for i in batch])
            seen = torch.tensor([[1] * len(rows[i]) + [0] * (width - len(rows[i])) for i in batch])
            with torch.inference_mode():
                scores = self._model(input_ids=ids, attention_mask=seen).logits[:, :-1].float()
                taken = scores.log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0]
            sums = (taken * seen[:, 1:]).double().sum(1).tolist()
            found.update({i: (s, len(rows[i]) - 1) for i, s in zip(batch, sums, strict=True)})
        return [found[i] for i in range(len(rows))]


class CheckpointEntailment(OverCheckpoint):
    """Probability of entailment by a classifier of text pairs."""

    head = "AutoModelForSequenceClassification"

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__(model, tokenizer)
        labels = {int(i): str(label) for i, label in model.config.id2label.items()}
        found = [i for i, label in sorted(labels.items()) if label.lower().startswith("entail")]
        if len(found) != 1:
            raise ModelError(
                "A judge of entailment has one label that begins with 'entail'; the labels of this "
                f"checkpoint are {', '.join(labels[i] for i in sorted(labels))}."
            )
        self._label = found[0]
        self._known: dict[tuple[str, str], float] = {}

    def entailment(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Probability that the second text of each pair follows from the first."""
        return remembered(self._known, pairs, self._ask)

    def _ask(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        order = sorted(range(len(pairs)), key=lambda i: (sum(map(len, pairs[i])), pairs[i]))
        found: dict[int, float] = {}
        for batch in batches(order, lambda _: 1, limit=_ROWS):
            one, other = zip(*(pairs[i] for i in batch), strict=True)
            fed = self._tokenizer(
                list(one), list(other), padding=True, truncation=True, return_tensors="pt"
            )
            with torch.inference_mode():
                shares = self._model(**fed).logits.float().softmax(-1)[:, self._label]
            found.update(zip(batch, shares.tolist(), strict=True))
        return [found[i] for i in range(len(pairs))]
