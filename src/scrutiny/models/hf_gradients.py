"""Gradients of classifiers of transformers with regard to the vectors that they read.

The vectors are what the network's own input embedding gives, before positions and segments are
added. They are caught where they leave it, so that whatever it does to them (a scale, say) is part
of the matrix as well.
"""

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.gradients import InputEmbeddings, Piece, TokenGradients
from scrutiny.models.hf_batching import Answered, Budget, run_batches
from scrutiny.models.hf_forward import Columns, Forward

#: What is kept for the way back takes several times the memory of an answer.
_SHARE_OF_BUDGET: Final = 4
_WORD_MARKS: Final = ("Ġ", "▁")  # of byte-level and of SentencePiece vocabularies


class InputSlopes:
    """Slopes of minus the log-probability of a label, in float32.

    Parameters
    ----------
    forward
        A classifier's network.
    source
        Model string, for messages.
    """

    def __init__(self, forward: Forward, source: str) -> None:
        import torch

        network = forward.network
        if network.dtype != torch.float32:  # half precision rounds small slopes to nothing
            network = deepcopy(network).float()
        self._network = network.eval().requires_grad_(requires_grad=False)
        self._forward = forward
        self._source = source
        size = forward.budget
        self._budget = Budget(max(1, size.tokens // _SHARE_OF_BUDGET), size.texts)

    @property
    def embedding(self) -> Any:
        """The module that turns token ids into vectors."""
        return self._network.get_input_embeddings()

    def run(self, columns: Columns, targets: Sequence[int]) -> Iterator[Answered[Any]]:
        """Slopes ``(text, token, dimension)``, padding included, with the indices of the texts.

        Raises
        ------
        ModelError
            If the network reads its input more than once.
        AnswerError
            ``out_of_memory`` if one text alone does not fit.
        """
        lengths = [len(ids) for ids in columns["input_ids"]]

        def ask(batch: list[int]) -> Any:
            return self._batch(self._forward.inputs(columns, batch), [targets[i] for i in batch])

        yield from run_batches(lengths, self._budget, ask, release=self._forward.release)

    def _batch(self, inputs: dict[str, Any], targets: Sequence[int]) -> Any:
        """Slopes of one batch."""
        import torch

        caught: list[Any] = []

        def catch(module: Any, given: Any, vectors: Any) -> Any:
            del module, given
            caught.append(vectors.detach().requires_grad_(requires_grad=True))
            return caught[-1]

        handle = self.embedding.register_forward_hook(catch)
        try:
            with torch.enable_grad():
                logits = self._network(**inputs).logits
        finally:
            handle.remove()
        if len(caught) != 1:
            raise ModelError(
                f"{self._source!r} has no gradients: its network turns tokens into vectors "
                f"{len(caught)} times for one answer."
            )
        wanted = torch.tensor(list(targets), device=logits.device)
        # a sum, so that each text's slope is the one that it has alone
        loss = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
        (slopes,) = torch.autograd.grad(loss, caught[0])
        return slopes.float().cpu().numpy()


def slopes_of(
    slopes: InputSlopes,
    tokenized: Any,
    examples: Sequence[Example],
    *,
    targets: Sequence[int],
    side: str,
) -> list[TokenGradients | Failure]:
    """Slopes of each example at its own pieces, in order.

    Parameters
    ----------
    slopes
        Of the network.
    tokenized
        What the tokenizer made of the examples.
    examples, targets
        What was tokenized, and the index of the label asked about.
    side
        Side of the padding.
    """
    found: dict[int, TokenGradients | Failure] = {}
    for answered in slopes.run(tokenized, targets):
        for i, rows in zip(answered.indices, answered.answer, strict=True):
            one = tokenized.encodings[i]
            own = rows[: len(one.ids)] if side == "right" else rows[len(rows) - len(one.ids) :]
            found[i] = _own(examples[i], one, own)
    return [found[i] for i in range(len(examples))]


def _own(example: Example, one: Any, rows: Any) -> TokenGradients | Failure:
    """Slopes at the pieces of an example's texts."""
    fields = list(example.fields)
    kept = [i for i, text in enumerate(one.sequence_ids) if text is not None]
    pieces = tuple(_piece(example, fields[one.sequence_ids[i]], one.offsets[i]) for i in kept)
    gradient = np.ascontiguousarray(rows[kept])
    if not math.isfinite(float(np.abs(gradient).sum())):
        return Failure("non_finite", f"the gradient at item {example.id!r} is not finite")
    return TokenGradients(pieces, tuple(one.ids[i] for i in kept), gradient)


def _piece(example: Example, field: str, offsets: tuple[int, int]) -> Piece:
    """Place of a piece without the space in front of it, which some tokenizers count as its own."""
    start, end = offsets
    shown = example.fields[field][start:end]
    blank = len(shown) - len(shown.lstrip())
    return Piece(field, start + (blank if blank < len(shown) else 0), end)


def embeddings_of(embedding: Any, tokenizer: Any) -> InputEmbeddings:
    """Input vectors of a network, and what its tokenizer writes for each."""
    import torch

    count = int(embedding.weight.shape[0])
    with torch.no_grad():
        ids = torch.arange(count, device=embedding.weight.device)
        matrix = embedding(ids).float().cpu().numpy()
    writing = _Writing.of(tokenizer)
    special = set(tokenizer.all_special_ids)
    known = [i for i in range(min(count, len(tokenizer))) if i not in special]
    vocabulary, starts = [""] * count, np.zeros(count, dtype=np.bool_)
    for i, token in zip(known, tokenizer.convert_ids_to_tokens(known), strict=True):
        if token is not None:
            vocabulary[i], starts[i] = writing.read(token)
    return InputEmbeddings(matrix, tuple(vocabulary), starts)


@dataclass(frozen=True, slots=True)
class _Writing:
    """How a tokenizer writes its pieces.

    Parameters
    ----------
    tokenizer
        A fast tokenizer.
    inside
        What stands in front of a piece inside of a word (``##``); nothing where begins are marked.
    marks_begins
        Whether the begin of a word is marked; else each piece is a word.
    """

    tokenizer: Any
    inside: str
    marks_begins: bool

    @classmethod
    def of(cls, tokenizer: Any) -> "_Writing":
        model = tokenizer.backend_tokenizer.model
        kind = type(model).__name__
        inside = (getattr(model, "continuing_subword_prefix", None) or "") if kind else ""
        return cls(tokenizer, inside, kind in {"BPE", "Unigram"})

    def read(self, token: str) -> tuple[str, bool]:
        """Text of a piece without marks, and whether it begins a word; both empty for no text."""
        if self.inside:
            inside = token.startswith(self.inside)
            return token.removeprefix(self.inside), not inside
        if not self.marks_begins:
            return token, True
        text = self.tokenizer.convert_tokens_to_string([token])
        if "\ufffd" in text:  # a part of a character
            return "", False
        text = text.strip()
        return text, bool(text) and token.startswith(_WORD_MARKS)
