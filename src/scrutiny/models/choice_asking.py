"""The words of labels as queries of language models: which tokens they are, and where they stand.

A prompt and its continuation are cut into tokens together, as the model would have read them, and
the continuation's tokens are those that reach beyond the prompt. A prompt of which no token stands
in front gets the model's begin token. Nothing is cut: what is too long fails.
"""

from collections.abc import Sequence
from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.language import Cloze, Continuation, Encoded
from scrutiny.models.choice_prompt import MASK, Prompt

#: What a model of each capability is asked for.
CAPABILITIES: Final = ("token_logprobs", "masked_logprobs")


def log_likelihoods(
    model: Any, prompt: Prompt, examples: Sequence[Example], *, is_first_only: bool
) -> list[list[tuple[float, ...]]]:
    """Log-probabilities of the tokens of each choice, by example and choice.

    Parameters
    ----------
    model
        A language model of `scrutiny.core.language`.
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
    ask = _masked if prompt.has_mask else _continued
    flat = ask(model, prompt, examples, is_first_only=is_first_only)
    size = len(prompt.choices)
    return [flat[start : start + size] for start in range(0, len(flat), size)]


def _continued(
    model: Any, prompt: Prompt, examples: Sequence[Example], *, is_first_only: bool
) -> list[tuple[float, ...]]:
    """Of a causal model: log-probabilities of the tokens behind the filled template."""
    fronts = [prompt.around(example)[0] for example in examples]
    texts = [front + words for front in fronts for _, words in prompt.choices]
    borders = [len(front) for front in fronts for _ in prompt.choices]
    queries = [
        _continuation(model, one, border, is_first_only=is_first_only)
        for one, border in zip(model.encode(texts), borders, strict=True)
    ]
    if is_first_only:
        for start in range(0, len(queries), len(prompt.choices)):
            _refuse_equal(model, prompt, queries[start : start + len(prompt.choices)])
    found: list[tuple[float, ...]] = model.token_logprobs(queries)
    return found


def _continuation(model: Any, one: Encoded, border: int, *, is_first_only: bool) -> Continuation:
    """Tokens of one text up to its last own one; those that end behind the border count."""
    own = [i for i, is_special in enumerate(one.is_special) if not is_special]
    behind = [i for i in own if one.offsets[i][1] > border]
    if not behind:
        raise ModelError(f"A choice has no tokens of its own for {model.source!r}.")
    start, stop = behind[0], own[-1] + 1
    ids = one.ids[:stop]
    if start == 0:
        if model.begin_id is None:
            raise ModelError(
                f"{model.source!r} has no token for the begin of a text, so its template must not "
                "be empty in front of the choice."
            )
        ids, start = (model.begin_id, *ids), 1
    return Continuation(ids[: start + 1] if is_first_only else ids, start)


def _refuse_equal(model: Any, prompt: Prompt, queries: Sequence[Continuation]) -> None:
    """Raise unless the choices of one text differ in their first token, and in nothing before."""
    if len({query.ids[:-1] for query in queries}) > 1 or len(set(queries)) < len(queries):
        shown = ", ".join(repr(model.decode(query.ids[-1:])) for query in queries)
        raise ModelError(
            f"{model.source!r}: with other=true each label stands for the next token, but the "
            f"choices {', '.join(prompt.labels)} begin with {shown}. Choose words that differ in "
            "their first token."
        )


def _masked(
    model: Any, prompt: Prompt, examples: Sequence[Example], *, is_first_only: bool
) -> list[tuple[float, ...]]:
    """Of a masked model: log-probabilities of the pieces of a label's words, all of them masked."""
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
    clozes = []
    for one, (front, _, ids) in zip(encoded, asked, strict=True):
        places = _masks(one, len(front), len(front) + len(mark) * len(ids), model.mask_id)
        if len(places) != len(ids):
            raise ModelError(
                f"{model.source!r}: its tokenizer does not read {mark!r}, which stands for "
                f"{{{MASK}}}, as the mask token."
            )
        clozes.append((Cloze(one.ids, places, tuple(ids)),))
    return [answer[0] for answer in model.masked_logprobs(clozes)]


def _masks(one: Encoded, start: int, stop: int, mask_id: int) -> tuple[int, ...]:
    """Positions of mask tokens within a stretch of a text: its own may hold some, too."""
    borders = zip(one.ids, one.offsets, strict=True)
    return tuple(
        i
        for i, (token, (begin, end)) in enumerate(borders)
        if token == mask_id and end > start and begin < stop
    )
