"""Likelihood of a single sentence, by every variant that needs no pair.

=================== ======================================================================
pll-original        sum of log p(token | rest), one token masked at a time
pll-within-word-l2r the same, with the later pieces of the token's word masked too
aul                 mean log p of every token at its own place, nothing masked
aula                the same, each token weighted by the attention that it receives
causal-sum          sum of log p(token | tokens before), after the begin token
causal-mean         mean of the same; the begin token precedes the first token only
=================== ======================================================================
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.language import Continuation, Encoded, Tokenizes
from scrutiny.models.scoring.likelihood_questions import (
    Ask,
    Question,
    logprobs_of,
    masked_singly,
    masked_within_word,
    mean_logprob,
    scored,
    text_positions,
    total,
    unmasked,
)

SentenceQuestion = Callable[[Tokenizes, Encoded], Question | Failure]
NO_TOKENS: Final = Failure("no_tokens", status="undefined")


def fits(model: Tokenizes, length: int) -> Failure | None:
    """Reason why a sequence of this length cannot be asked, or `None`."""
    if model.limit is not None and length > model.limit:
        return Failure("too_long")
    return None


def mask_of(model: Tokenizes) -> int:
    """Mask token in place of a token to score; every masked language model has one."""
    if model.mask_id is None:  # the capability promises one
        raise ValueError("a model without a mask token was asked to fill a gap")
    return model.mask_id


def _pll_original(model: Tokenizes, sentence: Encoded) -> Question | Failure:
    """Pseudo-log-likelihood, one token masked at a time.

    References
    ----------
    Salazar et al. (2020), Masked language model scoring.
    """
    clozes = masked_singly(sentence, text_positions(sentence), mask_of(model))
    return _masked(model, sentence, clozes, total)


def _pll_within_word(model: Tokenizes, sentence: Encoded) -> Question | Failure:
    """Pseudo-log-likelihood with the later tokens of a word masked, too.

    References
    ----------
    Kauf & Ivanova (2023), A better way to do masked language model scoring.
    """
    clozes = masked_within_word(sentence, text_positions(sentence), mask_of(model))
    return _masked(model, sentence, clozes, total)


def _all_unmasked(model: Tokenizes, sentence: Encoded) -> Question | Failure:
    """Mean log-probability of every token at its own position, nothing masked.

    References
    ----------
    Kaneko & Bollegala (2022), Unmasking the mask.
    """
    if not text_positions(sentence):
        return NO_TOKENS
    return _masked(model, sentence, unmasked(sentence), mean_logprob)


def _all_unmasked_by_attention(model: Tokenizes, sentence: Encoded) -> Question | Failure:
    """Mean of log-probability times the attention that the token receives.

    References
    ----------
    Kaneko & Bollegala (2022), Unmasking the mask.
    """
    positions = text_positions(sentence)
    if not positions:
        return NO_TOKENS

    def weighted(answers: Sequence[Any]) -> float:
        attention = answers[1]
        values = zip(logprobs_of(answers[0]), positions, strict=True)
        return float(sum(value * attention[i] for value, i in values)) / len(positions)

    queries = (("masked_logprobs", unmasked(sentence)), ("attention_received", sentence.ids))
    return fits(model, len(sentence.ids)) or Question(queries, weighted)


def _causal_sum(model: Tokenizes, sentence: Encoded) -> Question | Failure:
    """Log-probability of the whole sentence after the begin token.

    A model without a begin token gives the first token no probability, so it does not count.
    """
    ids = sentence.ids if model.begin_id is None else (model.begin_id, *sentence.ids)
    if len(ids) < 2:
        return NO_TOKENS
    return fits(model, len(ids)) or Question((("token_logprobs", Continuation(ids)),), total)


def causal_mean(model: Tokenizes, sentence: Encoded) -> Question | Failure:
    """Mean log-probability; the begin token is only used before the first token.

    So the released code of StereoSet and bias-bench reads it: the first token is predicted from
    the begin token, the others without it. Their score is two to the power of the mean binary
    logarithm, which orders sentences alike.
    """
    ids = sentence.ids
    queries: list[tuple[str, Any]] = []
    if ids and model.begin_id is not None:
        queries.append(("token_logprobs", Continuation((model.begin_id, ids[0]))))
    if len(ids) > 1:
        queries.append(("token_logprobs", Continuation(ids)))
    if not queries:
        return NO_TOKENS
    return fits(model, len(ids)) or Question(tuple(queries), mean_logprob)


def _masked(
    model: Tokenizes, sentence: Encoded, clozes: Any, reduce: Callable[[Sequence[Any]], float]
) -> Question | Failure:
    if not clozes:
        return NO_TOKENS
    return fits(model, len(sentence.ids)) or Question((("masked_logprobs", clozes),), reduce)


#: By name: the capabilities that a procedure needs, and its question.
SENTENCES: Final[dict[str, tuple[frozenset[str], SentenceQuestion]]] = {
    "pll-original": (frozenset({"masked_logprobs"}), _pll_original),
    "pll-within-word-l2r": (frozenset({"masked_logprobs"}), _pll_within_word),
    "aul": (frozenset({"masked_logprobs"}), _all_unmasked),
    "aula": (frozenset({"masked_logprobs", "attention_received"}), _all_unmasked_by_attention),
    "causal-sum": (frozenset({"token_logprobs"}), _causal_sum),
    "causal-mean": (frozenset({"token_logprobs"}), causal_mean),
}
#: Likelihoods of a whole sentence, in the order of preference.
_WHOLE: Final = ("pll-within-word-l2r", "causal-sum")


def procedure(capabilities: frozenset[str]) -> str | None:
    """Name of the score of whole sentences that a model's capabilities allow, or `None`."""
    return next((name for name in _WHOLE if SENTENCES[name][0] <= capabilities), None)


def likelihoods(
    model: Tokenizes, texts: Sequence[str], name: str, ask: Ask
) -> tuple[list[float | Failure], list[int]]:
    """Log-likelihood of each text in nats, or why there is none, and its number of tokens."""
    needs, question = SENTENCES[name]
    encoded = model.encode(texts, special="token_logprobs" not in needs)
    counts = [len(one.ids) - sum(one.is_special) for one in encoded]
    costs = [len(sentence.ids) ** 2 for sentence in encoded]
    found = scored(encoded, costs, lambda some: [question(model, one) for one in some], ask)
    return found, counts
