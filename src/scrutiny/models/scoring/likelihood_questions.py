"""A likelihood as a question: masked positions, queries, and the reduction of the answers.

Masked is one token, a word from here on, several tokens from here on, or nothing. What two
sequences share is found by the published procedure, and without its accidents.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.language import Cloze, Clozes, Encoded


class Alignment(NamedTuple):
    """Positions of corresponding tokens, the same number on both sides."""

    first: tuple[int, ...]
    second: tuple[int, ...]


def published_alignment(first: Sequence[int], second: Sequence[int]) -> Alignment:
    """Shared tokens of two sentences to score, special tokens included, as published.

    ``difflib``'s equal blocks, with its habit of ignoring frequent tokens in sequences of 200 or
    more. It depends on the order of the two.

    References
    ----------
    Nangia et al. (2020), CrowS-Pairs; the released ``get_span`` with operation "equal".

    Examples
    --------
    >>> published_alignment([1, 7, 8, 2], [1, 9, 8, 2])
    Alignment(first=(0, 2, 3), second=(0, 2, 3))
    """
    return _equal(tuple(first), tuple(second), autojunk=True)


@lru_cache(maxsize=8192)  # every procedure, seed and untrained network aligns the same pairs
def _equal(first: tuple[int, ...], second: tuple[int, ...], *, autojunk: bool) -> Alignment:
    """Equal blocks of two sequences; common prefixes and suffixes are matched first."""
    blocks = SequenceMatcher(None, first, second, autojunk=autojunk).get_matching_blocks()
    return Alignment(
        tuple(i for block in blocks for i in range(block.a, block.a + block.size)),
        tuple(i for block in blocks for i in range(block.b, block.b + block.size)),
    )


def agreed_alignment(first: Encoded, second: Encoded) -> Alignment:
    """Shared tokens of whole shared words, whichever sentence comes first.

    Those that ``difflib`` matches in both orders, frequent tokens too, and without special tokens.
    A token counts only if every piece of its word is shared on both sides: a piece of a changed
    word is part of the change.

    Examples
    --------
    >>> from scrutiny.core.queries.language import Encoded
    >>> def of(ids, words):
    ...     special = tuple(w is None for w in words)
    ...     return Encoded(ids, special, ((0, 0),) * len(ids), words, (0,) * len(ids))
    >>> one = of((1, 5, 6, 8, 2), (None, 0, 0, 1, None))
    >>> other = of((1, 7, 6, 8, 2), (None, 0, 0, 1, None))
    >>> agreed_alignment(one, other)  # 6 ends two different words
    Alignment(first=(3,), second=(3,))
    """
    there = _equal(first.ids, second.ids, autojunk=False)
    back = _equal(second.ids, first.ids, autojunk=False)
    both = set(zip(*there, strict=True)) & set(zip(back.second, back.first, strict=True))
    pairs = sorted(p for p in both if not first.is_special[p[0]] and not second.is_special[p[1]])
    while True:
        broken_first = _broken_words(first, {i for i, _ in pairs})
        broken_second = _broken_words(second, {j for _, j in pairs})
        kept = [
            (i, j)
            for i, j in pairs
            if first.words[i] not in broken_first and second.words[j] not in broken_second
        ]
        if len(kept) == len(pairs):
            return Alignment(tuple(i for i, _ in kept), tuple(j for _, j in kept))
        pairs = kept


def _broken_words(sentence: Encoded, shared: set[int]) -> set[int]:
    """Words with a token that is not shared."""
    return {
        word
        for position, word in enumerate(sentence.words)
        if word is not None and position not in shared
    }


def rest(sentence: Encoded, shared: Sequence[int]) -> tuple[int, ...]:
    """Positions of the other tokens, except special ones."""
    taken = set(shared)
    return tuple(i for i in text_positions(sentence) if i not in taken)


def text_positions(sentence: Encoded) -> tuple[int, ...]:
    """Positions of the tokens that the tokenizer did not add."""
    return tuple(i for i, special in enumerate(sentence.is_special) if not special)


def masked_singly(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """One cloze for each position, in which this token alone is masked.

    Examples
    --------
    >>> from scrutiny.core.queries.language import Encoded
    >>> text = Encoded((1, 5, 6, 2), (True, False, False, True), (), (None, 0, 1, None), (0,) * 4)
    >>> [cloze.ids for cloze in masked_singly(text, [1, 2], mask_id=0)]
    [(1, 0, 6, 2), (1, 5, 0, 2)]
    """
    return tuple(_cloze(sentence, (i,), read=i, mask_id=mask_id) for i in positions)


def masked_within_word(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """One cloze for each position, in which it and the later tokens of its word are masked.

    References
    ----------
    Kauf & Ivanova (2023), A better way to do masked language model scoring.
    """
    return tuple(
        _cloze(sentence, _from_here_in_word(sentence, i), read=i, mask_id=mask_id)
        for i in positions
    )


def masked_from_here(sentence: Encoded, positions: Sequence[int], mask_id: int) -> Clozes:
    """Clozes that score from left to right: one a position, it and the later ones are masked."""
    return tuple(
        _cloze(sentence, tuple(positions[k:]), read=i, mask_id=mask_id)
        for k, i in enumerate(positions)
    )


def unmasked(sentence: Encoded) -> Clozes:
    """One cloze in which nothing is masked and every token of the text is read."""
    positions = text_positions(sentence)
    targets = tuple(sentence.ids[i] for i in positions)
    return (Cloze(sentence.ids, positions, targets, _segments(sentence)),)


def _from_here_in_word(sentence: Encoded, position: int) -> tuple[int, ...]:
    """Position itself and the later ones of the same word."""
    word = sentence.words[position]
    if word is None:
        return (position,)
    later = range(position + 1, len(sentence.ids))
    return (position, *(i for i in later if sentence.words[i] == word))


def _cloze(sentence: Encoded, masked: Sequence[int], *, read: int, mask_id: int) -> Cloze:
    ids = list(sentence.ids)
    for i in masked:
        ids[i] = mask_id
    return Cloze(tuple(ids), (read,), (sentence.ids[read],), _segments(sentence))


def _segments(sentence: Encoded) -> tuple[int, ...]:
    """Segments, where there are two."""
    return sentence.segments if any(sentence.segments) else ()


T = TypeVar("T")
Reduce = Callable[[Sequence[Any]], float]


def logprobs_of(answer: Any) -> list[float]:
    """Log-probabilities that answer a question of scoring, however deep they lie."""
    if isinstance(answer, (int, float)):
        return [float(answer)]
    found: list[float] = []
    for part in answer:
        found += [part] if type(part) is float else logprobs_of(part)
    return found


def total(answers: Sequence[Any]) -> float:
    """Sum of all log-probabilities.

    Examples
    --------
    >>> total([((-1.0,), (-2.0,)), (-0.5,)])
    -3.5
    """
    return sum(logprobs_of(answers))


def mean_logprob(answers: Sequence[Any]) -> float:
    """Mean of all log-probabilities that answer a question of scoring, with equal weights."""
    found = logprobs_of(answers)
    return sum(found) / len(found)


def mean_probability(answers: Sequence[Any]) -> float:
    """Arithmetic mean of the probabilities that answer a question of scoring."""
    found = [math.exp(value) for value in logprobs_of(answers)]
    return sum(found) / len(found)


def rounded(reduce: Reduce, decimals: int) -> Reduce:
    """Reduction of the answers to a question, rounded as published before scores are compared."""
    return lambda answers: round(reduce(answers), decimals)


#: Sends queries of one capability to a model: answers, or failures, in order.
Ask = Callable[[str, Sequence[Any]], Sequence[Any]]
#: Tokens of masked sequences that are held at a time: many for batches, few for the memory.
MOST_TOKENS: Final = 2**20


@dataclass(frozen=True, slots=True)
class Question:
    """Queries for one likelihood.

    Parameters
    ----------
    queries
        ``(capability, query)``, see `scrutiny.core.queries.language`.
    reduce
        Likelihood of the answers, in the order of the queries.
    """

    queries: tuple[tuple[str, Any], ...]
    reduce: Callable[[Sequence[Any]], float]


def answer_all(questions: Sequence[Question | Failure], ask: Ask) -> list[float | Failure]:
    """Likelihood of each question; each capability is asked once for all of them.

    Parameters
    ----------
    questions
        What to ask; one that cannot be asked stays as it is.
    ask
        How the model is asked (`scrutiny.core.diagnostic.Context.ask`).
    """
    wanted: dict[str, dict[Any, None]] = {}
    for question in questions:
        if isinstance(question, Question):
            for capability, query in question.queries:
                wanted.setdefault(capability, {})[query] = None
    answers = {
        capability: dict(zip(queries, ask(capability, list(queries)), strict=True))
        for capability, queries in wanted.items()
    }
    return [_answered(question, answers) for question in questions]


def scored_together(costs: Sequence[int], *, most: int = MOST_TOKENS) -> Iterator[slice]:
    """Stretches of sentences to score together, of about ``most`` in costs; one may exceed it.

    A sentence of n tokens, one masked at a time, is n sequences of n tokens: long sentences are
    asked a few at a time, so that memory does not grow with their number.

    Examples
    --------
    >>> [(part.start, part.stop) for part in scored_together([3, 3, 3, 9, 1], most=6)]
    [(0, 2), (2, 4), (4, 5)]
    """
    start, total = 0, 0
    for stop, cost in enumerate(costs, 1):
        total += cost
        if total >= most:
            yield slice(start, stop)
            start, total = stop, 0
    if start < len(costs):
        yield slice(start, len(costs))


def scored(
    items: Sequence[T],
    costs: Sequence[int],
    questions: Callable[[Sequence[T]], Sequence[Question | Failure]],
    ask: Ask,
) -> list[float | Failure]:
    """Likelihood of each question about items, of which those that cost much are asked apart.

    Parameters
    ----------
    items, costs
        What is scored, and the tokens that each costs.
    questions
        Questions about some of the items.
    ask
        How the model is asked.
    """
    parts = (questions(items[part]) for part in scored_together(costs))
    return [answer for some in parts for answer in answer_all(some, ask)]


def _answered(question: Question | Failure, answers: dict[str, dict[Any, Any]]) -> float | Failure:
    """Likelihood of one question; failed if one of its queries did."""
    if isinstance(question, Failure):
        return question
    found = [answers[capability][query] for capability, query in question.queries]
    failure = next((answer for answer in found if isinstance(answer, Failure)), None)
    if failure is not None:
        return failure
    value = question.reduce(found)
    return value if math.isfinite(value) else Failure("non_finite")
