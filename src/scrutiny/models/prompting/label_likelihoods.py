"""Likelihoods of labels: queries for the tokens of their words, and probabilities of the answers.

A prompt and its continuation are cut into tokens together, as the model would have read them, and
the continuation's tokens are those that reach beyond the prompt. A prompt of which no token stands
in front gets the model's begin token. Nothing is cut: what is too long fails.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.queries.language import Cloze, Continuation, Encoded
from scrutiny.models.prompting.prompts import MASK, Prompt
from scrutiny.stats.distributions.divergence import softmax

#: What a model of each capability is asked for.
CAPABILITIES: Final = ("token_logprobs", "masked_logprobs")


class ChoiceQuestion(NamedTuple):
    """A filled template with one choice, as a query of a language model.

    Parameters
    ----------
    query
        What it is asked: of a masked model a cloze, of a causal one a continuation.
    encoded
        Tokens of the filled text.
    gap
        Code points that are filled in at a mask.
    lead
        Tokens that stand in front of those of the text.
    """

    query: Continuation | Cloze
    encoded: Encoded
    gap: int = 0
    lead: int = 0

    @property
    def cloze(self) -> Cloze:
        """Sequence for the network, and the positions to read."""
        return self.query if isinstance(self.query, Cloze) else self.query.cloze()


def log_likelihoods(
    model: Any, prompt: Prompt, examples: Sequence[Example], *, is_first_only: bool
) -> list[list[tuple[float, ...]]]:
    """Log-probabilities of the tokens of each choice, by example and choice.

    Parameters
    ----------
    model
        A language model of `scrutiny.core.queries.language`.
    prompt, examples
        What it reads.
    is_first_only
        Whether only the first token of a choice counts.

    Raises
    ------
    AnswerError
        ``too_long`` if a text does not fit.
    ModelError
        If a choice has no tokens of its own.
    """
    asked = questions(model, prompt, examples, is_first_only=is_first_only)
    flat: list[tuple[float, ...]]
    if prompt.has_mask:
        flat = [one[0] for one in model.masked_logprobs([(q.query,) for q in asked])]
    else:
        flat = model.token_logprobs([q.query for q in asked])
    size = len(prompt.choices)
    return [flat[start : start + size] for start in range(0, len(flat), size)]


def questions(
    model: Any, prompt: Prompt, examples: Sequence[Example], *, is_first_only: bool
) -> list[ChoiceQuestion]:
    """Questions of all choices of the first example, then of the next; as `log_likelihoods`.

    Raises
    ------
    ModelError
        If a choice has no tokens of its own.
    """
    ask = masked if prompt.has_mask else _continued
    return ask(model, prompt, examples, is_first_only=is_first_only)


def _continued(
    model: Any, prompt: Prompt, examples: Sequence[Example], *, is_first_only: bool
) -> list[ChoiceQuestion]:
    """Of a causal model: the tokens behind the filled template."""
    fronts = [prompt.around(example)[0] for example in examples]
    texts = [front + words for front in fronts for _, words in prompt.choices]
    borders = [len(front) for front in fronts for _ in prompt.choices]
    found = [
        continuation(model, one, border, is_first_only=is_first_only)
        for one, border in zip(model.encode(texts), borders, strict=True)
    ]
    if is_first_only:
        for start in range(0, len(found), len(prompt.choices)):
            own = found[start : start + len(prompt.choices)]
            queries = [one.query for one in own]
            if len({query.ids[:-1] for query in queries}) > 1 or len(set(queries)) < len(queries):
                shown = ", ".join(repr(model.decode(query.ids[-1:])) for query in queries)
                raise ModelError(
                    f"{model.source!r}: with other=true each label stands for the next token, but "
                    f"the choices {', '.join(prompt.labels)} begin with {shown}. Choose words that "
                    "differ in their first token."
                )
    return found


def continuation(
    model: Any, one: Encoded, border: int, *, is_first_only: bool = False
) -> ChoiceQuestion:
    """Continuation tokens of one text up to its last own one; those beyond the border count."""
    own = [i for i, is_special in enumerate(one.is_special) if not is_special]
    behind = [i for i in own if one.offsets[i][1] > border]
    if not behind:
        raise ModelError(f"A choice has no tokens of its own for {model.source!r}.")
    start, stop = behind[0], own[-1] + 1
    ids, lead = one.ids[:stop], 0
    if start == 0:
        if model.begin_id is None:
            raise ModelError(
                f"{model.source!r} has no token for the begin of a text, so its template must not "
                "be empty in front of the choice."
            )
        ids, start, lead = (model.begin_id, *ids), 1, 1
    query = Continuation(ids[: start + 1] if is_first_only else ids, start)
    return ChoiceQuestion(query, one, lead=lead)


def masked(
    model: Any, prompt: Prompt, examples: Sequence[Example], *, is_first_only: bool = False
) -> list[ChoiceQuestion]:
    """Query of a masked model: the tokens of a label's words, all masked."""
    pieces = [one.ids for one in model.encode([w for _, w in prompt.choices], special=False)]
    for (label, words), ids in zip(prompt.choices, pieces, strict=True):
        if not ids or (is_first_only and len(ids) > 1):
            raise ModelError(
                f"{model.source!r} cuts {words!r}, which stands for {label!r}, into {len(ids)} "
                "tokens; " + ("with other=true it must be one." if ids else "it has to have some.")
            )
    mark = model.decode((model.mask_id,)).strip()
    asked = [(*prompt.around(example), ids) for example in examples for ids in pieces]
    encoded = model.encode([front + mark * len(ids) + back for front, back, ids in asked])
    found = []
    for one, (front, _, ids) in zip(encoded, asked, strict=True):
        gap = len(mark) * len(ids)
        places = tuple(
            i
            for i, (token, (begin, end)) in enumerate(zip(one.ids, one.offsets, strict=True))
            if token == model.mask_id and end > len(front) and begin < len(front) + gap
        )
        if len(places) != len(ids):
            raise ModelError(
                f"{model.source!r}: its tokenizer does not read {mark!r}, which stands for "
                f"{{{MASK}}}, as the mask token."
            )
        found.append(ChoiceQuestion(Cloze(one.ids, places, tuple(ids)), one, gap=gap))
    return found


@dataclass(frozen=True, slots=True)
class Scoring:
    """Conversion of log-probabilities of tokens to probabilities of labels.

    Parameters
    ----------
    length
        ``sum`` or ``mean`` over the tokens of a choice: the sum is the choice's probability, and
        smaller for longer choices; the mean is none, and does not care.
    has_other
        Whether only the first token counts, and all other tokens are a label of their own.
    """

    length: str = "sum"
    has_other: bool = False

    def scores(self, choices: Sequence[Sequence[float]]) -> tuple[float, ...]:
        """Probabilities of one example's labels.

        Examples
        --------
        >>> half = math.log(0.5)
        >>> Scoring().scores([[half], [half, half]])  # shares of 1/2 and 1/4
        (0.6666666666666666, 0.3333333333333333)
        >>> Scoring("mean").scores([[half], [half, half]])
        (0.5, 0.5)
        >>> [round(p, 3) for p in Scoring(has_other=True).scores([[half], [math.log(0.3)]])]
        [0.5, 0.3, 0.2]
        """
        if self.has_other:
            shares = [math.exp(logs[0]) for logs in choices]
            return (*shares, max(0.0, 1.0 - sum(shares)))
        return softmax([sum(logs) / self._divisor(logs) for logs in choices])

    def slopes(self, choices: Sequence[Sequence[float]], label: int) -> list[tuple[float, ...]]:
        """Derivative of the negative log-probability of a label by each log-probability.

        Examples
        --------
        >>> half = math.log(0.5)
        >>> slopes = Scoring().slopes([[half], [half, half]], 0)  # shares of 2/3 and 1/3
        >>> [[round(s, 3) for s in one] for one in slopes]
        [[-0.333], [0.333, 0.333]]
        >>> [[round(s, 3) for s in one] for one in Scoring(has_other=True).slopes([[half]], 1)]
        [[1.0]]
        """
        scores = self.scores(choices)
        if not self.has_other:
            return [
                ((score - (i == label)) / self._divisor(logs),) * len(logs)
                for i, (score, logs) in enumerate(zip(scores, choices, strict=True))
            ]
        if label < len(choices):
            return [(-float(i == label),) for i in range(len(choices))]
        rest = scores[-1] or math.nan  # without a rest, its logarithm has no slope
        return [(score / rest,) for score in scores[:-1]]

    def _divisor(self, logs: Sequence[float]) -> int:
        """Divisor of the sum over a choice's tokens."""
        return len(logs) if self.length == "mean" else 1
