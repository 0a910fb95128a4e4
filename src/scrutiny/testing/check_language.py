"""Conformance of language models: every capability that they declare."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.queries.language import (
    ASKED,
    POOLINGS,
    Cloze,
    Clozes,
    Continuation,
    Encoded,
    Passage,
    SentencePair,
)
from scrutiny.models.answers.language_answers import ask_or_fail
from scrutiny.testing.checking import Promises, promise, promises

#: Capabilities of language models; a model has one of these or ``predict``, or both.
LANGUAGE: Final = frozenset({*ASKED, "tokenizes", "representations"})
_TEXTS: Final = (
    "He is a doctor, and she is a nurse.",
    "ok",
    "The plot isn't bad, but 2 hours of Paris in 1999 is too much!",
    "Straße, naïve café, Ωμέγα, привет",
    "I ❤️ it 👩‍👩‍👧",
    "word " * 12,
    "She is a doctor, and he is a nurse.",
)
_NEAR: Final = 1e-4


def check_language_model(model: Any) -> None:
    """Raise unless a model fulfills the contracts of its language capabilities.

    Checked: tokens that lie where they say; one sound answer to each query, the same asked again,
    one by one and in reverse (to the last bit where that is promised, else to 1e-4); probabilities
    of distinct tokens that do not sum to more than 1; causal models that are blind to what
    follows; attention that sums to 1; vectors of the right shape, NaN where there is none.

    Parameters
    ----------
    model
        With ``tokenizes`` among its capabilities, which all checks but that of vectors need.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    claimed = model.capabilities
    if claimed & LANGUAGE == {"representations"}:  # it reads words, and has no pieces to show
        promises(model.source, _check_vectors(model))
        return
    promise(
        model.source,
        "a language model must have the capability 'tokenizes'.",
        "tokenizes" in claimed,
    )
    promise(model.source, "encode([]) must give an empty list.", model.encode([]) == [])
    encoded: list[Encoded] = model.encode(list(_TEXTS))
    promises(model.source, _check_tokens(model, encoded))
    try:
        if "masked_logprobs" in claimed:
            # raise unless masked log-probabilities are valid
            queries = [_pseudo_likelihood(model, one) for one in encoded]
            _ask(model, "masked_logprobs", [*queries, queries[0], ()])
            distinct = tuple(dict.fromkeys(token for one in encoded for token in one.ids))
            cloze = queries[0][0]
            every = cloze._replace(positions=cloze.positions * len(distinct), targets=distinct)
            promises(model.source, _check_sum(model, model.masked_logprobs([(every,)])[0][0]))
        if "token_logprobs" in claimed:
            promises(model.source, _check_causal(model, encoded))
        if "next_sentence" in claimed:
            pairs = [SentencePair(_TEXTS[i], _TEXTS[j]) for i, j in ((0, 1), (1, 0), (1, 1))]
            _ask(model, "next_sentence", pairs)
        if "attention_received" in claimed:
            for received in _ask(model, "attention_received", [one.ids for one in encoded]):
                promise(
                    model.source,
                    f"attention received sums to {sum(received):.4g} over the tokens, not to 1.",
                    abs(sum(received) - 1) <= _NEAR,
                )
    except ModelError as error:
        raise ConformanceError(f"{model.source}: an answer is malformed. {error}") from error
    if "representations" in claimed:
        promises(model.source, _check_vectors(model))


def _pseudo_likelihood(model: Any, encoded: Encoded) -> Clozes:
    """One cloze for each token of a text that the tokenizer did not add, itself masked."""
    ids = encoded.ids
    return tuple(
        Cloze((*ids[:i], model.mask_id, *ids[i + 1 :]), (i,), (ids[i],), encoded.segments)
        for i, special in enumerate(encoded.is_special)
        if not special
    )


def _check_tokens(model: Any, encoded: Sequence[Encoded]) -> Promises:
    """Raise unless the tokens of the sample texts are sound, and the same without special ones."""
    yield "encode must give one for each text.", len(encoded) == len(_TEXTS)
    bare = model.encode(list(_TEXTS), special=False)
    for text, one, plain in zip(_TEXTS, encoded, bare, strict=True):
        # columns have equal lengths, and tokens lie within the text
        is_even = len({len(column) for column in one}) == 1
        yield f"the columns of {text[:40]!r} differ in length.", is_even
        for special, (start, end), word in zip(one.is_special, one.offsets, one.words, strict=True):
            lies_within = (start, end) == (0, 0) if special else 0 <= start <= end <= len(text)
            place = f"the place {start}-{end} and the word {word}"
            is_kept = lies_within and (word is None) == special
            yield f"a token of {text[:40]!r} has {place}.", is_kept
        own = tuple(
            token for token, added in zip(one.ids, one.is_special, strict=True) if not added
        )
        where = f"encode(special=False) of {text[:40]!r}"
        yield (
            f"{where} must give the same tokens less the special ones.",
            own == plain.ids and not any(plain.is_special),
        )
    pair = model.encode([_TEXTS[0]], pairs=[_TEXTS[1]])[0]
    yield (
        "segments of a pair must be 0 in the first text and 1 in the second.",
        set(pair.segments) == {0, 1} and list(pair.segments) == sorted(pair.segments),
    )


def _check_causal(model: Any, encoded: Sequence[Encoded]) -> Promises:
    """Raise unless token log-probabilities are valid and independent of later tokens."""
    begin = () if model.begin_id is None else (model.begin_id,)
    queries = [Continuation((*begin, *one.ids)) for one in encoded]
    answers = _ask(model, "token_logprobs", [*queries, queries[0]])
    for query, answer in zip(queries, answers, strict=False):
        half = Continuation(query.ids[: 1 + len(query.ids) // 2])
        yield (
            "log-probabilities of tokens depend on the tokens behind them.",
            _is_near(model.token_logprobs([half])[0], answer[: len(half.ids) - 1]),
        )
    distinct = dict.fromkeys(token for one in encoded for token in one.ids)
    first = queries[0].ids[0]
    yield from _check_sum(
        model, [model.token_logprobs([Continuation((first, t))])[0][0] for t in distinct]
    )


def _check_sum(model: Any, logs: Sequence[float]) -> Promises:
    """Raise if probabilities of distinct tokens sum to more than 1."""
    total = float(np.exp(logs).sum())
    yield f"probabilities of distinct tokens sum to {total:.4g}, more than 1.", total <= 1 + _NEAR


def _check_vectors(model: Any) -> Promises:
    """Raise unless vectors have the right shape and do not depend on the batch."""
    layers = model.n_layers, 0
    passages = [Passage(text, (0, 2)) for text in _TEXTS] + [Passage(_TEXTS[0])]

    def ask(some: Sequence[Passage]) -> "np.ndarray[Any, Any]":
        found: np.ndarray[Any, Any] = model.representations(some, poolings=POOLINGS, layers=layers)
        return found

    found = ask(passages)
    yield (
        f"vectors must be float32 and 4-dimensional, not {found.dtype} {found.shape}.",
        found.dtype == np.float32 and found.ndim == 4,
    )
    wanted = (len(passages), 2, len(POOLINGS))
    yield (
        f"vectors must have the shape {wanted} and the dimension, not {found.shape}.",
        found.shape[:3] == wanted,
    )
    word = POOLINGS.index("word")
    is_missing = np.isnan(found).all(-1)  # (passage, layer, pooling)
    wants_missing = np.zeros_like(is_missing)
    wants_missing[-1, :, word] = True
    yield (
        "a vector must be NaN exactly where it does not exist.",
        np.array_equal(is_missing, wants_missing),
    )
    turned = ask(passages[::-1])[::-1]
    for other in (turned, np.concatenate([ask([passage]) for passage in passages])):
        yield (
            "vectors depend on the order or the company of the passages.",
            np.allclose(found, other, atol=1e-3, rtol=1e-3, equal_nan=True),
        )


def _ask(model: Any, capability: str, queries: Sequence[Any]) -> list[Any]:
    """Answers to queries, checked, and compared with those to the same queries in other batches."""

    def ask(some: Sequence[Any]) -> list[Any]:
        return ask_or_fail(model, capability, some)

    promise(
        model.source,
        f"{capability}([]) must give an empty list.",
        list(getattr(model, capability)([])) == [],
    )
    first = ask(queries)
    for answer in first:
        if isinstance(answer, Failure):
            raise ConformanceError(f"{model.source}: {capability} failed: {answer.message}")
    ways: dict[str, Callable[[], list[Any]]] = {
        "again": lambda: ask(queries),
        "one by one": lambda: [ask([query])[0] for query in queries],
        "in reverse": lambda: ask(queries[::-1])[::-1],
    }
    for way, other in ways.items():
        promise(
            model.source,
            f"{capability} asked {way} gives other answers.",
            first == other() if model.is_batch_invariant else _is_near(first, other()),
        )
    return first


def _is_near(one: Any, two: Any) -> bool:
    """Whether nested answers are equal up to rounding."""
    if isinstance(one, (int, float)):
        return bool(abs(one - two) <= _NEAR)
    return len(one) == len(two) and all(map(_is_near, one, two))
