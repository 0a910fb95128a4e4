"""Gradients of transformers by their input vectors.

The vectors are what the network's own input embedding gives, before positions and segments are
added. They are caught where they leave it, so that whatever it does to them (a scale, say) is part
of the matrix as well.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputEmbeddings, InputPiece, TokenGradients
from scrutiny.models.hf.batching import Answered, TokenBudget, own_tokens, run_batches
from scrutiny.models.hf.forward_passes import Runner, logits_of
from scrutiny.models.hf.word_pieces import own_places

#: What is kept for the way back takes several times the memory of an answer.
_SHARE_OF_BUDGET: Final = 4
_WORD_MARKS: Final = ("Ġ", "▁")  # of byte-level and of SentencePiece vocabularies
#: Loss of a batch from the indices of its texts and their logits: a sum over the texts.
Loss = Callable[[list[int], Any], Any]


class InputSlopes:
    """Gradients of a loss, in float32.

    Parameters
    ----------
    network
        In evaluation mode, on its device.
    budget
        What one batch of answers holds; one of slopes holds less.
    source
        Model string, for messages.
    """

    def __init__(self, network: Any, *, budget: TokenBudget, source: str) -> None:
        if network.dtype != torch.float32:  # half precision rounds small slopes to nothing
            network = deepcopy(network).float()
        self.network = network.eval().requires_grad_(requires_grad=False)
        self._source = source
        self.budget = TokenBudget(max(1, budget.tokens // _SHARE_OF_BUDGET), budget.texts)

    @property
    def embedding(self) -> Any:
        """The module that turns token ids into vectors."""
        return self.network.get_input_embeddings()

    def run(
        self, lengths: Sequence[int], inputs: Callable[[list[int]], dict[str, Any]], loss: Loss
    ) -> Iterator[Answered[Any]]:
        """Gradients ``(text, token, dimension)``, including padding, with the indices of the texts.

        Parameters
        ----------
        lengths
            Tokens of each text.
        inputs
            Padded tensors of the texts of these indices, by name.
        loss
            Its sum over the texts of a batch, so that each one's slope is that which it has alone.

        Raises
        ------
        ModelError
            If the network reads its input more than once.
        AnswerError
            ``out_of_memory`` if one text alone does not fit.
        """

        def ask(batch: list[int]) -> Any:
            vectors, logits = self.forward(inputs(batch))
            with torch.enable_grad():
                (slopes,) = torch.autograd.grad(loss(batch, logits), vectors)
            return slopes.float().cpu().numpy()

        yield from run_batches(lengths, self.budget, ask, device=self.network.device)

    def forward(
        self, inputs: dict[str, Any], moved: Callable[[Any], Any] = lambda vectors: vectors
    ) -> tuple[Any, Any]:
        """Vectors ``(text, token, dimension)`` that the network reads, and its logits of them.

        ``moved`` puts other vectors in the place of those of the tokens.
        """
        caught: list[Any] = []

        def catch(module: Any, given: Any, vectors: Any) -> Any:
            caught.append(moved(vectors.detach()).requires_grad_(requires_grad=True))
            return caught[-1]

        handle = self.embedding.register_forward_hook(catch)
        try:
            with torch.enable_grad():
                logits = logits_of(self.network(**inputs))
        finally:
            handle.remove()
        if len(caught) != 1:
            raise ModelError(
                f"{self._source!r} has no gradients: its network turns tokens into vectors "
                f"{len(caught)} times for one answer."
            )
        return caught[0], logits


class WithInputSlopes:
    """A model with gradients by its input vectors."""

    source: str
    _tokenizer: Any
    _runner: Runner
    _slopes: InputSlopes | None = None
    _embeddings: InputEmbeddings | None = None

    def embeddings(self) -> InputEmbeddings:
        """Input vectors of the whole vocabulary; the same object each time."""
        if self._embeddings is None:
            embedding = self._input_slopes().embedding
            count = int(embedding.weight.shape[0])
            with torch.no_grad():
                ids = torch.arange(count, device=embedding.weight.device)
                matrix = embedding(ids).float().cpu().numpy()
            writing = _Writing.of(self._tokenizer)
            special = set(self._tokenizer.all_special_ids)
            known = [i for i in range(min(count, len(self._tokenizer))) if i not in special]
            vocabulary, starts = [""] * count, np.zeros(count, dtype=np.bool_)
            for i, token in zip(known, self._tokenizer.convert_ids_to_tokens(known), strict=True):
                if token is not None:
                    vocabulary[i], starts[i] = writing.read(token)
            self._embeddings = InputEmbeddings(matrix, tuple(vocabulary), starts)
        return self._embeddings

    def _input_slopes(self) -> InputSlopes:
        """Backward pass through the network, created at first use."""
        if self._slopes is None:
            network, budget = self._runner.network, self._budget()
            self._slopes = InputSlopes(network, budget=budget, source=self.source)
        return self._slopes

    def _budget(self) -> TokenBudget:
        """Size limit of a batch without gradients."""
        return self._runner.budget


def loss_of_labels(targets: Sequence[int]) -> Loss:
    """Negative log-probability of each text's label, from logits ``(text, label)``."""

    def loss(batch: list[int], logits: Any) -> Any:
        wanted = torch.tensor([targets[i] for i in batch], device=logits.device)
        return torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")

    return loss


def slopes_of(
    answers: Iterator[Answered[Any]], tokenized: Any, examples: Sequence[Example], *, side: str
) -> list[TokenGradients | Failure]:
    """Gradients of a network's loss at the tokens of each example, in order.

    Parameters
    ----------
    answers
        Slopes of the network, batch by batch.
    tokenized
        What the tokenizer made of the examples.
    examples
        What was tokenized.
    side
        Side of the padding.
    """
    found: dict[int, TokenGradients | Failure] = {}
    for answered in answers:
        for i, rows in zip(answered.indices, answered.answer, strict=True):
            one = tokenized.encodings[i]
            own = own_tokens(len(one.ids), len(rows), side)
            found[i] = _own(examples[i], one, rows[own])
    return [found[i] for i in range(len(examples))]


def _own(example: Example, one: Any, rows: Any) -> TokenGradients | Failure:
    """Gradients at the tokens of an example's texts."""
    kept, places = own_places(one, list(example.fields.values()))
    names = list(example.fields)
    pieces = [InputPiece(names[text], start, end) for text, start, end in places]
    return checked(example, pieces, [one.ids[i] for i in kept], rows[kept])


def checked(
    example: Example, pieces: Sequence[InputPiece], ids: Sequence[int], slopes: Any
) -> TokenGradients | Failure:
    """Gradients ``(token, dimension)`` of an example, or ``non_finite``."""
    gradient = np.ascontiguousarray(slopes)
    if not math.isfinite(float(np.abs(gradient).sum())):
        return Failure("non_finite", f"the gradient at item {example.id!r} is not finite")
    return TokenGradients(tuple(pieces), tuple(ids), gradient)


@dataclass(frozen=True, slots=True)
class _Writing:
    """How a tokenizer writes its tokens.

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
        """Text of a token without marks, and whether it begins a word; empty if it has none."""
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
