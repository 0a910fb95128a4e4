"""Batches of similar length within limits, and recovery when one does not fit into memory.

Texts are sorted by their number of tokens, so that a batch holds little padding, and a batch is
as large as a budget of tokens allows. When a batch runs out of memory, half of its tokens become
the budget from then on; a single text that does not fit is given up on. Every cut halves a batch,
so the work ends.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from scrutiny.core.errors import ModelError
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.strings.model_strings import ModelSource

T = TypeVar("T")
_LOG: Final = logging.getLogger("scrutiny")
#: Tokens, padding included, that a batch starts with. A processor gains nothing from more.
START_TOKENS: Final = {"cpu": 1024, "cuda": 32768}
_MOST_TEXTS: Final = 1024
_NO_END: Final = 2**62
_SIGNS: Final = ("out of memory", "can't allocate memory", "not enough memory")


@dataclass(slots=True)
class TokenBudget:
    """Size limit of a batch; it shrinks permanently when memory runs out.

    ``tokens`` counts padding; ``texts`` is the most texts.
    """

    tokens: int
    texts: int = _MOST_TEXTS

    def share(self, texts: int, length: int) -> int:
        """Most of so many texts, padded to this length, that may share a batch; at least one."""
        return max(1, min(texts, self.texts, self.tokens // max(1, length)))


def start_budget(batch: int | str, device_type: str) -> TokenBudget:
    """Budget that a model starts with: a number of texts, or by the device for "auto".

    Raises
    ------
    ModelError
        If it is neither.
    """
    if isinstance(batch, int) and batch > 0:
        return TokenBudget(tokens=_NO_END, texts=batch)
    if batch != "auto":
        raise ModelError(f"The batch size is a number of texts from 1 on, or auto; not {batch!r}.")
    return TokenBudget(tokens=START_TOKENS.get(device_type, START_TOKENS["cpu"]))


def longest_first(lengths: Sequence[int]) -> list[int]:
    """Indices of texts, longest first, so that memory runs out early if at all.

    Examples
    --------
    >>> longest_first([3, 9, 4, 9])
    [1, 3, 2, 0]
    """
    return sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))


def own_tokens(length: int, width: int, side: str) -> slice:
    """Places of the tokens of a text among those of its padded row.

    Examples
    --------
    >>> own_tokens(3, 5, "right"), own_tokens(3, 5, "left")
    (slice(0, 3, None), slice(2, 5, None))
    """
    return slice(0, length) if side == "right" else slice(width - length, width)


def batches_of(lengths: Sequence[int], budget: TokenBudget) -> list[list[int]]:
    """Indices of the texts of each batch, if memory does not run out.

    Examples
    --------
    >>> batches_of([3, 9, 4, 9], TokenBudget(tokens=18))
    [[1, 3], [2, 0]]
    """
    order, found = longest_first(lengths), []
    while order:
        size = budget.share(len(order), lengths[order[0]])
        found.append(order[:size])
        order = order[size:]
    return found


def a_few_at_a_time(count: int, size: int) -> list[list[int]]:
    """Indices of so many texts, a few at a time.

    Examples
    --------
    >>> a_few_at_a_time(5, 2)
    [[0, 1], [2, 3], [4]]
    """
    return [list(range(count)[at : at + size]) for at in range(0, count, size)]


def by_length(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Indices of the texts of each batch of a size, longest texts first."""
    return batches_of(lengths, TokenBudget(tokens=_NO_END, texts=size))


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """Indices of the texts of one batch, and the answer to them."""

    indices: list[int]
    answer: T


def run_batches(
    lengths: Sequence[int], budget: TokenBudget, ask: Callable[[list[int]], T], *, device: Any
) -> Iterator[Answered[T]]:
    """Answers to all texts, batch by batch.

    Parameters
    ----------
    lengths
        Tokens of each text.
    budget
        What one batch may hold; changed when memory runs out.
    ask
        Asks the model for the texts of these indices.
    device
        Whose cached memory is freed after it ran out, before the next try.

    Raises
    ------
    AnswerError
        ``out_of_memory`` if one text alone does not fit.
    """
    order = longest_first(lengths)
    done = 0
    while done < len(order):
        length = lengths[order[done]]
        batch = order[done : done + budget.share(len(order) - done, length)]
        answer, message = _try(ask, batch)
        if not message:
            done += len(batch)
            yield Answered(batch, answer[0])
            continue
        import torch

        if device.type == "cuda":
            torch.cuda.empty_cache()
        if len(batch) == 1:
            raise AnswerError("out_of_memory", f"a text of {length} tokens: {message}")
        budget.tokens = len(batch) // 2 * length
        _LOG.warning(
            "Out of memory with %d texts of up to %d tokens; going on with %d.",
            *(len(batch), length, len(batch) // 2),
        )


def _try(ask: Callable[[list[int]], T], batch: list[int]) -> tuple[list[T], str]:
    """Answer in a list, or none and the message; the traceback must not keep tensors alive."""
    try:
        return [ask(batch)], ""
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        return [], str(error).partition("\n")[0] or type(error).__name__


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on an accelerator or on the host."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    message = str(error).lower()
    return isinstance(error, RuntimeError) and any(sign in message for sign in _SIGNS)


_NO_LIMIT: Final = 10**6  # tokenizers that know no limit say 10**30


def find_limit(tokenizer: Any, config: Any, source: ModelSource) -> int | None:
    """Largest number of tokens of a text: given, or the limit of tokenizer and network."""
    limits = [tokenizer.model_max_length] if tokenizer.model_max_length < _NO_LIMIT else []
    positions = getattr(config, "max_position_embeddings", None)
    if positions and positions > 0:
        # RoBERTa counts positions from behind the padding index
        is_shifted = "roberta" in config.model_type or config.model_type == "camembert"
        limits.append(positions - (config.pad_token_id + 1 if is_shifted else 0))
    return source.max_length(limits)
