"""Likelihood of several completions by a language model: StereoSet's variants.

============================== ==========================================================
intrasentence                  a gap in a context
log-mean                       mean log p of the gap's pieces, later pieces masked (ours)
nadeem2021                     mean probability, as released
causal                         mean log p of the whole sentence, as released
intersentence                  a sentence after a context
nsp                            probability of the model's own next-sentence head
causal-conditional             mean log p of the sentence after the context
causal-conditional-minus-...   the same minus the mean log p of the sentence by itself
============================== ==========================================================
"""

import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.language import Cloze, Continuation, Encoded, SentencePair, Tokenizes
from scrutiny.models.scoring.likelihood_questions import (
    Ask,
    Question,
    logprobs_of,
    masked_from_here,
    mean_logprob,
    mean_probability,
    scored,
)
from scrutiny.models.scoring.sentence_likelihoods import NO_TOKENS, causal_mean, fits, mask_of

BLANK: Final = "BLANK"
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_NO_TARGET: Final = Failure("no_target", status="undefined")


class Filling(NamedTuple):
    """A context and one completion: in its blank, or after it as a whole sentence."""

    context: str
    sentence: str

    def blanks(self) -> list[tuple[int, int]]:
        """Code points of what fills each BLANK; none if the sentence is of another context.

        Examples
        --------
        >>> Filling("The chef is BLANK.", "The chef is bald.").blanks()
        [(12, 16)]
        """
        found = _pattern(self.context).fullmatch(self.sentence)
        return [found.span(i) for i in range(1, found.re.groups + 1)] if found else []


Questions = list[Question | Failure]


@lru_cache(maxsize=1024)
def _pattern(context: str) -> re.Pattern[str]:
    """Pattern that filled contexts match, ignoring letter case and outer spaces."""
    parts = [re.escape(part) for part in context.strip().split(BLANK)]
    return re.compile(r"\s*" + "(.+?)".join(parts) + r"\s*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class FillingVariant:
    """A named variant; ``kind`` is intrasentence or intersentence."""

    name: str
    kind: str
    needs: frozenset[str]
    question: Callable[[Tokenizes, Sequence[Filling]], Questions]


def _nadeem2021(model: Tokenizes, fillings: Sequence[Filling]) -> Questions:
    """Mean probability of the word's tokens, with the tokens to the left shown, as released.

    The word is the whitespace-separated part of the sentence that stands where the last BLANK of
    the context stands, without any punctuation; its pieces are decoded and encoded again in the
    context; every BLANK is replaced and the first mask is read.
    """
    words = [_published_word(filling) for filling in fillings]
    pieces = [e.ids for e in model.encode([word or "" for word in words], special=False)]
    mask = model.decode([mask_of(model)]).strip()
    texts = [
        filling.context.replace(BLANK, (model.decode(ids[:k]) if k else "") + mask)
        for filling, ids in zip(fillings, pieces, strict=True)
        for k in range(len(ids))
    ]
    encoded = iter(model.encode(texts))
    return [_first_masks(model, ids, encoded) for ids in pieces]


def _published_word(filling: Filling) -> str | None:
    """Word at the position of the last BLANK, or `None`."""
    places = [i for i, part in enumerate(filling.context.split(" ")) if BLANK in part]
    parts = filling.sentence.split(" ")
    if not places or places[-1] >= len(parts):
        return None
    return parts[places[-1]].translate(_NO_PUNCTUATION) or None


def _first_masks(
    model: Tokenizes, ids: Sequence[int], encoded: Iterator[Encoded]
) -> Question | Failure:
    """Question of one word's tokens, each read at the first mask of its own text."""
    clozes = []
    mask_id = mask_of(model)
    too_long = None
    for target, text in [(target, next(encoded)) for target in ids]:
        if mask_id not in text.ids:
            return Failure("no_mask")
        too_long = too_long or fits(model, len(text.ids))
        clozes.append(Cloze(text.ids, (text.ids.index(mask_id),), (target,)))
    if not clozes:
        return _NO_TARGET
    return too_long or Question((("masked_logprobs", tuple(clozes)),), mean_probability)


def _log_mean(model: Tokenizes, fillings: Sequence[Filling]) -> Questions:
    """Mean log-probability of all tokens in the blank, later tokens masked.

    The gap is found in the sentence itself, so pieces are those of the sentence as it stands;
    pieces of the gap to the left are shown, this one and the later ones are masks.
    """
    encoded = model.encode([filling.sentence for filling in fillings])
    return [_gap(model, f, e) for f, e in zip(fillings, encoded, strict=True)]


def _gap(model: Tokenizes, filling: Filling, sentence: Encoded) -> Question | Failure:
    positions = [
        i
        for i, (start, end) in enumerate(sentence.offsets)
        if not sentence.is_special[i]
        and any(start < high and low < end for low, high in filling.blanks())
    ]
    if not positions:
        return _NO_TARGET
    clozes = masked_from_here(sentence, positions, mask_of(model))
    too_long = fits(model, len(sentence.ids))
    return too_long or Question((("masked_logprobs", clozes),), mean_logprob)


def _causal(model: Tokenizes, fillings: Sequence[Filling]) -> Questions:
    """Mean log-probability of the whole sentence; the begin token only before the first token."""
    encoded = model.encode([filling.sentence for filling in fillings], special=False)
    return [causal_mean(model, sentence) for sentence in encoded]


def _next_sentence(model: Tokenizes, fillings: Sequence[Filling]) -> Questions:
    """Probability, by the model's own head, that the sentence follows the context."""
    pairs = (("next_sentence", SentencePair(*filling)) for filling in fillings)
    return [Question((pair,), lambda answers: float(answers[0])) for pair in pairs]


def _causal_conditional(model: Tokenizes, fillings: Sequence[Filling]) -> Questions:
    """Mean log-probability of the sentence's tokens after context and a space."""
    return [
        Question((("token_logprobs", query),), mean_logprob)
        if isinstance(query, Continuation)
        else query
        for query in _conditional(model, fillings)
    ]


def _conditional_minus_unconditional(model: Tokenizes, fillings: Sequence[Filling]) -> Questions:
    """Mean log-probability after the context, minus the same after the begin token alone."""
    alone = model.encode([filling.sentence for filling in fillings], special=False)
    questions: Questions = []
    for query, sentence in zip(_conditional(model, fillings), alone, strict=True):
        begin = () if model.begin_id is None else (model.begin_id,)
        ids = (*begin, *sentence.ids)
        if isinstance(query, Failure):
            questions.append(query)
        elif len(ids) < 2:
            questions.append(NO_TOKENS)
        else:
            both = (("token_logprobs", query), ("token_logprobs", Continuation(ids)))
            questions.append(Question(both, _first_minus_second))
    return questions


def _first_minus_second(answers: Sequence[Any]) -> float:
    first, second = map(logprobs_of, answers)
    return sum(first) / len(first) - sum(second) / len(second)


def _conditional(model: Tokenizes, fillings: Sequence[Filling]) -> Iterator[Continuation | Failure]:
    """Tokens of context and sentence, from the sentence's first token on."""
    texts = [f"{filling.context.rstrip()} {filling.sentence.lstrip()}" for filling in fillings]
    for filling, text in zip(fillings, model.encode(texts, special=False), strict=True):
        begin = () if model.begin_id is None else (model.begin_id,)
        border = len(filling.context.rstrip()) + 1
        start = next((i for i, (_, end) in enumerate(text.offsets) if end > border), None)
        ids = (*begin, *text.ids)
        if start is None or len(begin) + start < 1:
            yield NO_TOKENS
        else:
            yield fits(model, len(ids)) or Continuation(ids, len(begin) + start)


def score_fillings(
    model: Tokenizes, fillings: Sequence[Filling], variant: FillingVariant, ask: Ask
) -> list[float | Failure]:
    """Score of every completion by one variant, on the variant's own scale.

    Parameters
    ----------
    model
        Its tokenizer; its answers come through ``ask``.
    fillings, variant, ask
        What is scored, how, and how the model is asked.
    """
    costs = [len(f.context) * len(f.sentence) for f in fillings]  # in characters: more than enough
    return scored(fillings, costs, partial(variant.question, model), ask)


_INTRA: Final = "intrasentence"
_INTER: Final = "intersentence"
_MASKED: Final = frozenset({"masked_logprobs"})
_CAUSAL: Final = frozenset({"token_logprobs"})
#: Every procedure by its name.
FILLING_VARIANTS: Final[dict[str, FillingVariant]] = {
    variant.name: variant
    for variant in (
        FillingVariant("log-mean", _INTRA, _MASKED, _log_mean),
        FillingVariant("nadeem2021", _INTRA, _MASKED, _nadeem2021),
        FillingVariant("causal", _INTRA, _CAUSAL, _causal),
        FillingVariant("nsp", _INTER, frozenset({"next_sentence"}), _next_sentence),
        FillingVariant("causal-conditional", _INTER, _CAUSAL, _causal_conditional),
        FillingVariant(
            "causal-conditional-minus-unconditional",
            _INTER,
            _CAUSAL,
            _conditional_minus_unconditional,
        ),
    )
}
