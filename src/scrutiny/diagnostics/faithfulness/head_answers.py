"""Whether a model still answers right when one of its heads is changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.attention import Change, HeadIndex, Intervenes, Intervention
from scrutiny.core.diagnostic import Context, Failure
from scrutiny.core.example import Example
from scrutiny.core.language import Encoded, TokenIds
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import predict_or_fail

#: Positions to erase in each sequence.
Erased = dict[TokenIds, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class HeadHits:
    """Whether the answers to some texts are right under one change of one head at a time.

    Parameters
    ----------
    values
        ``(text, layer, head)``; NaN where an answer failed.
    reasons
        Why, for each text; empty where none failed.
    """

    values: Floats
    reasons: tuple[str, ...]


def heads_of(ctx: Context) -> list[HeadIndex]:
    """All heads of the cell's model, layer by layer."""
    layers, heads = cast("Intervenes", ctx.model).attention_shape
    return list(product(range(layers), range(heads)))


def hits_under(
    ctx: Context, examples: Sequence[Example], change: Change, erased: Erased | None = None
) -> HeadHits:
    """Whether the answers are right, for each head that is changed.

    Parameters
    ----------
    ctx
        Gives the model and the names of its labels.
    examples
        What is asked.
    change
        What is done to the head.
    erased
        For ``erase``, positions in the token ids of each example.
    """
    model = cast("Intervenes", ctx.model)
    found = np.full((len(examples), *model.attention_shape), np.nan)
    reasons = [""] * len(examples)
    positions = tuple((erased or {}).items())
    for layer, head in heads_of(ctx) if examples else ():
        changed = model.intervened(Intervention(change, ((layer, head),), positions))
        answers = predict_or_fail(changed, examples)
        for i, (example, answer) in enumerate(zip(examples, answers, strict=True)):
            if isinstance(answer, Failure):
                reasons[i] = reasons[i] or answer.reason
            else:
                found[i, layer, head] = is_right(example, answer, ctx)
    return HeadHits(found, tuple(reasons))


def is_right(example: Example, answer: Prediction, ctx: Context) -> float:
    """1.0 if the model's label, in the data's words, is the gold one."""
    names = () if ctx.model is None else ctx.model.labels
    label = str(answer.label)
    return float((ctx.labels[names.index(label)] if label in names else label) == example.gold)


def encodings(ctx: Context, examples: Sequence[Example]) -> list[Encoded]:
    """Tokens of each example, as the model is asked with them."""
    fields = list(zip(*(example.fields.values() for example in examples), strict=True))
    if not fields:
        return []
    model = cast("Intervenes", ctx.model)
    pairs = list(fields[1]) if len(fields) > 1 else None
    return model.encode(list(fields[0]), pairs=pairs)


def anchor_words(text: str, anchors: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Code points ``(start, end)`` of a text's words that are anchors.

    An anchor that begins with ``n'`` is one at the end of a word, too: "n't" in "isn't".

    Examples
    --------
    >>> text = "It isn't good, not at all."
    >>> [text[a:b] for a, b in anchor_words(text, frozenset({"not", "n't"}))]
    ["isn't", 'not']
    """
    from scrutiny.text.tokens import token_spans

    endings = tuple(anchor for anchor in anchors if anchor.startswith("n'"))
    for start, end in token_spans(text):
        word = text[start:end].lower().replace("\u2019", "'")
        if word in anchors or (endings and word.endswith(endings)):
            yield start, end


def positions_of(encoded: Encoded, words: Sequence[tuple[int, int]], segment: int) -> list[int]:
    """Positions of the tokens that share a code point with some words of one text.

    Examples
    --------
    >>> cut = Encoded((1, 7, 8, 2), (True, False, False, True), ((0, 0), (0, 3), (4, 8), (0, 0)),
    ...               (None, 0, 1, None), (0, 0, 0, 0))
    >>> positions_of(cut, [(4, 8)], 0)
    [2]
    """
    return [
        i
        for i, (start, end) in enumerate(encoded.offsets)
        if not encoded.is_special[i]
        and encoded.segments[i] == segment
        and any(start < stop and begin < end for begin, stop in words)
    ]
