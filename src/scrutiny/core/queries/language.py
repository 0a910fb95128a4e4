"""Language model queries and their answers.

Each capability has one query type; `scrutiny.core.diagnostic.Context.ask` sends queries through
the answer cache in batches. A query is made of plain numbers, strings and tuples only, because its
canonical JSON is the key under which its answer is kept.

===================== =============== ==========================================================
capability            query           answer
===================== =============== ==========================================================
``masked_logprobs``   `Clozes`        for each cloze, the log-probability of each of its targets
``token_logprobs``    `Continuation`  log-probability of each token from ``start`` on
``next_sentence``     `SentencePair`  probability that the second text follows the first
``attention_received`` `TokenIds`     mean attention that each token receives
===================== =============== ==========================================================

``tokenizes`` (`Tokenizes`), ``representations`` (`Represents`) and ``landscape`` (`HasLandscape`)
are called on the model directly and never cached.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np

#: Capabilities that say how likely a sentence is.
LIKELIHOODS_OF_SENTENCES: Final = frozenset({"masked_logprobs", "token_logprobs"})
#: Names of poolings, which make one vector of a text.
Pooling = Literal["cls", "mean", "first-piece", "last", "word"]
POOLINGS: Final[tuple[Pooling, ...]] = ("cls", "mean", "first-piece", "last", "word")


class Encoded(NamedTuple):
    """Text, or pair of texts, as tokenized by a model.

    Parameters
    ----------
    ids
        Token ids, special tokens included.
    is_special
        Whether the tokenizer added the token.
    offsets
        Code points ``(start, end)`` of each token in its own text; ``(0, 0)`` for special tokens.
    words
        Index of the word that a token is a piece of, by the tokenizer's own words; None for
        special tokens.
    segments
        0 in the first text, 1 in the second.
    """

    ids: tuple[int, ...]
    is_special: tuple[bool, ...]
    offsets: tuple[tuple[int, int], ...]
    words: tuple[int | None, ...]
    segments: tuple[int, ...]


class Cloze(NamedTuple):
    """Sequence for a masked language model, with the targets at its masks.

    Parameters
    ----------
    ids
        Token ids with special tokens; those to be guessed are replaced by the mask already.
    positions
        Where the model's distribution is read.
    targets
        Token whose log-probability is wanted at each position.
    segments
        Segment of each token; empty for one text.
    """

    ids: tuple[int, ...]
    positions: tuple[int, ...]
    targets: tuple[int, ...]
    segments: tuple[int, ...] = ()


#: Clozes of one text, which are answered, cached and failed together.
Clozes = tuple[Cloze, ...]
#: A sequence of token ids.
TokenIds = tuple[int, ...]


class Continuation(NamedTuple):
    """Token ids whose probabilities a causal language model returns.

    ``start`` is the first that counts, at least 1: a token without anything before it has no
    probability. The sentence's own begin token, where the model has one, stands in ``ids``.
    """

    ids: tuple[int, ...]
    start: int = 1

    def cloze(self) -> Cloze:
        """The same as positions to read and tokens read there; nothing is read off the last one."""
        positions = tuple(range(self.start - 1, len(self.ids) - 1))
        return Cloze(self.ids[: max(1, len(self.ids) - 1)], positions, self.ids[self.start :])


class SentencePair(NamedTuple):
    """Two texts; the second may follow the first."""

    first: str
    second: str


class Passage(NamedTuple):
    """Text to be represented; ``word`` are the code points of its target word.

    ``pair`` is the second text of a pair that is read together.
    """

    text: str
    word: tuple[int, int] | None = None
    pair: str | None = None


@runtime_checkable
class Tokenizes(Protocol):
    """Model with a usable tokenizer (capability ``tokenizes``).

    ``mask_id`` is None for models without a mask; ``begin_id`` is the token that a causal model
    reads before the first one, or None; ``limit`` is the longest sequence in tokens.
    """

    mask_id: int | None
    begin_id: int | None
    limit: int | None

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Tokens of each text, or of each pair of texts; never truncated."""

    def decode(self, ids: Sequence[int]) -> str:
        """Text of token ids, as the tokenizer writes it."""


@runtime_checkable
class MaskedLanguageModel(Protocol):
    """Capability ``masked_logprobs``."""

    def masked_logprobs(self, queries: Sequence[Clozes]) -> list[tuple[tuple[float, ...], ...]]:
        """Natural log-probabilities by query, cloze and target."""


@runtime_checkable
class CausalLanguageModel(Protocol):
    """Capability ``token_logprobs``."""

    def token_logprobs(self, queries: Sequence[Continuation]) -> list[tuple[float, ...]]:
        """Natural log-probability of every token from ``start`` on, given all earlier ones."""


@runtime_checkable
class NextSentence(Protocol):
    """Capability ``next_sentence``."""

    def next_sentence(self, queries: Sequence[SentencePair]) -> list[float]:
        """Probability, by the model's own head, that the second text follows the first."""


@runtime_checkable
class AttentionReceived(Protocol):
    """Capability ``attention_received``."""

    def attention_received(self, queries: Sequence[TokenIds]) -> list[tuple[float, ...]]:
        """Attention to each token: mean over layers, heads and attending tokens."""


@runtime_checkable
class Represents(Protocol):
    """Capability ``representations``; layer 0 is the embeddings, the last is ``n_layers``."""

    n_layers: int

    def representations(
        self, passages: Sequence[Passage], *, poolings: Sequence[str], layers: Sequence[int]
    ) -> "np.ndarray[Any, Any]":
        """Vectors ``(passage, layer, pooling, dimension)`` as float32.

        ``cls`` is the first token, ``mean`` the mean of all tokens with the special ones,
        ``first-piece`` the first piece of the text encoded without special tokens, ``last`` the
        last token, ``word`` the mean over the pieces of the target word. A vector that does not
        exist (``word`` of a passage without one) is NaN.
        """


@dataclass(frozen=True, slots=True)
class Probe:
    """Settings of a loss-landscape probe around a model's weights.

    Parameters
    ----------
    seed
        Of the masks, the random directions and the start of the power iteration: the same for all
        models that share a tokenizer and an architecture.
    radius
        Length of a random step, relative to the weights' own (each row of a matrix by itself).
    directions
        Random directions, each looked at both ways.
    iterations
        Most steps of the power iteration.
    masked_share
        Share of the tokens of a text that a masked language model has to guess.
    """

    seed: int = 0
    radius: float = 0.05
    directions: int = 4
    iterations: int = 30
    masked_share: float = 0.15


@runtime_checkable
class HasLandscape(Protocol):
    """Capability ``landscape``: the loss around the weights."""

    def landscape(self, texts: Sequence[str], *, probe: Probe) -> "dict[str, np.ndarray[Any, Any]]":
        """Loss, gradient, sharpness and curvature ``(text,)``, all of them means over texts.

        A text is cut where the model takes no more; one without a token to guess has NaN.
        """


#: Capabilities that `Context.ask` sends through the cache.
ASKED: Final = ("masked_logprobs", "token_logprobs", "next_sentence", "attention_received")
