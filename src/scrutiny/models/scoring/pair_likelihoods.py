"""Preference of a language model for one of two sentences, by every named variant.

Three procedures need both sentences, because they look at what the two share:

=========== ===============================================================================
pll-shared  sum of log p(shared token | rest); whole shared words, no rounding (our default)
nangia2020  the same as released: shared pieces, order of arguments, three decimals
bias-bench  mean log p(changed token | rest), three decimals: the reverse conditional
=========== ===============================================================================

The others score each sentence by itself (`scrutiny.models.scoring.sentence_likelihoods`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.language import Encoded, Tokenizes
from scrutiny.models.scoring.likelihood_questions import (
    Alignment,
    Ask,
    Question,
    Reduce,
    agreed_alignment,
    masked_singly,
    mean_logprob,
    published_alignment,
    rest,
    rounded,
    scored,
    total,
)
from scrutiny.models.scoring.sentence_likelihoods import SENTENCES, SentenceQuestion, fits, mask_of

_DECIMALS: Final = 3


class ComparedSentences(NamedTuple):
    """Two compared sentences; ``swapped`` if the published code reads b first."""

    a: str
    b: str
    swapped: bool = False


class PairShape(NamedTuple):
    """Token counts of two sentences: all tokens of each, shared, and changed ones of each."""

    tokens_a: int
    tokens_b: int
    shared: int
    changed_a: int
    changed_b: int


class PairScore(NamedTuple):
    """Likelihoods of both sentences, only comparable with each other."""

    a: float
    b: float


class EncodedPair(NamedTuple):
    """Both sentences after tokenization."""

    a: Encoded
    b: Encoded
    swapped: bool = False

    def published(self) -> Alignment:
        """Alignment as the released code makes it, argument order included."""
        if self.swapped:
            found = published_alignment(self.b.ids, self.a.ids)
            return Alignment(found.second, found.first)
        return published_alignment(self.a.ids, self.b.ids)

    def shape(self) -> PairShape:
        """Counts of pieces, special tokens left out."""
        shared = agreed_alignment(self.a, self.b)
        changed = len(rest(self.a, shared.first)), len(rest(self.b, shared.second))
        return PairShape(
            tokens_a=len(shared.first) + changed[0],
            tokens_b=len(shared.second) + changed[1],
            shared=len(shared.first),
            changed_a=changed[0],
            changed_b=changed[1],
        )


PairQuestions = tuple[Question | Failure, Question | Failure]
Groups = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class PairVariant:
    """A named variant.

    Parameters
    ----------
    name
        As in the condition of the records.
    needs
        Capabilities of the model.
    question
        Questions of both sentences.
    """

    name: str
    needs: frozenset[str]
    question: Callable[[Tokenizes, EncodedPair], PairQuestions]

    @property
    def is_causal(self) -> bool:
        """Whether sentences are read without the tokenizer's special tokens."""
        return "token_logprobs" in self.needs


def _nangia2020(model: Tokenizes, pair: EncodedPair) -> PairQuestions:
    """Shared tokens given the rest, as released; if nothing is shared, both sides score 0."""
    first, second = pair.published()  # without the outer two: begin and end of the sentence
    inner = (first[1:-1],), (second[1:-1],)
    return _both(model, pair, inner, rounded(total, _DECIMALS))


def _pll_shared(model: Tokenizes, pair: EncodedPair) -> PairQuestions:
    """Tokens of whole shared words given the rest; undefined if no word is shared."""
    first, second = agreed_alignment(pair.a, pair.b)
    if not first:
        nothing = Failure("nothing_shared", status="undefined")
        return nothing, nothing
    return _both(model, pair, ((first,), (second,)), total)


def _bias_bench(model: Tokenizes, pair: EncodedPair) -> PairQuestions:
    """Changed tokens given the rest; a pair with an empty side is skipped, as released."""
    first, second = pair.published()
    changed = _others(pair.a, first), _others(pair.b, second)
    if not all(changed):
        skipped = Failure("empty_side", status="skipped")
        return skipped, skipped
    return _both(model, pair, ((changed[0],), (changed[1],)), rounded(mean_logprob, _DECIMALS))


def _pll_original(model: Tokenizes, pair: EncodedPair) -> PairQuestions:
    """All tokens given the rest, with queries that other variants share."""
    first, second = pair.published()
    a, b = (
        ([i for i in shared if not sentence.is_special[i]], rest(sentence, shared))
        for sentence, shared in ((pair.a, first), (pair.b, second))
    )
    return _both(model, pair, (a, b), total)


def _both(
    model: Tokenizes, pair: EncodedPair, groups: tuple[Groups, Groups], reduce: Reduce
) -> PairQuestions:
    """Questions of these positions of each sentence, each group a query of its own.

    One position is masked at a time.
    """
    a, b = (
        fits(model, len(sentence.ids))
        or Question(
            tuple(
                ("masked_logprobs", masked_singly(sentence, group, mask_of(model)))
                for group in own
                if group
            ),
            reduce,
        )
        for sentence, own in zip((pair.a, pair.b), groups, strict=True)
    )
    return a, b


def _others(sentence: Encoded, shared: Sequence[int]) -> tuple[int, ...]:
    """Positions that are not shared, including special tokens."""
    taken = set(shared)
    return tuple(i for i in range(len(sentence.ids)) if i not in taken)


def _each_by_itself(
    question: SentenceQuestion, model: Tokenizes, pair: EncodedPair
) -> PairQuestions:
    """Question of each sentence as if there were no other."""
    return question(model, pair.a), question(model, pair.b)


_MASKED: Final = frozenset({"masked_logprobs"})
#: Every procedure by its name.
PAIR_VARIANTS: Final[dict[str, PairVariant]] = {
    variant.name: variant
    for variant in (
        PairVariant("pll-shared", _MASKED, _pll_shared),
        PairVariant("nangia2020", _MASKED, _nangia2020),
        PairVariant("bias-bench", _MASKED, _bias_bench),
        PairVariant("pll-original", _MASKED, _pll_original),
        *(
            PairVariant(name, needs, partial(_each_by_itself, question))
            for name, (needs, question) in SENTENCES.items()
            if name != "pll-original"
        ),
    )
}


def encode_pairs(
    model: Tokenizes, pairs: Sequence[ComparedSentences], *, special: bool = True
) -> list[EncodedPair]:
    """Both sentences of every pair, encoded in one call."""
    encoded = model.encode([text for pair in pairs for text in (pair.a, pair.b)], special=special)
    return [
        EncodedPair(encoded[2 * i], encoded[2 * i + 1], pair.swapped)
        for i, pair in enumerate(pairs)
    ]


def score_pairs(
    model: Tokenizes, pairs: Sequence[EncodedPair], variant: PairVariant, ask: Ask
) -> list[PairScore | Failure]:
    """Likelihoods of both sentences of every pair.

    Parameters
    ----------
    model
        Its tokenizer; its answers come through ``ask``.
    pairs
        Encoded with special tokens, without them for causal procedures.
    variant, ask
        The procedure, and how the model is asked.
    """
    costs = [len(pair.a.ids) ** 2 + len(pair.b.ids) ** 2 for pair in pairs]
    found = scored(
        pairs,
        costs,
        lambda some: [side for pair in some for side in variant.question(model, pair)],
        ask,
    )
    return [
        a if isinstance(a, Failure) else b if isinstance(b, Failure) else PairScore(a, b)
        for a, b in zip(found[::2], found[1::2], strict=True)
    ]
