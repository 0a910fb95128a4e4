"""Changes of one attention head, and the correct answers of a model under them.

Where weight on words is erased: positions of anchor words in the model's tokens, and of as many
other words beside them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import above_zero, shares
from scrutiny.core.diagnostic import Context, Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.queries.attention import CHANGES, Change, HeadIndex, Intervenes, Intervention
from scrutiny.core.queries.language import Encoded, TokenIds
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.text.tokens import is_word, token_spans

#: Negation cues: words that a decision may hang on.
CUES: Final = ("not", "no", "never", "n't", "nothing", "nobody", "none", "neither", "nor")


@dataclass(frozen=True, slots=True)
class HeadChangeParams:
    """Changes of heads, and the texts to use.

    Parameters
    ----------
    changes
        ``mask`` (the head's output is zero), ``uniform`` (it attends alike to everything),
        ``erase`` (it attends to anchor words no more, the rest sums to 1 again).
    anchors
        Words in lower case whose weight is erased; a token that ends with an anchor that begins
        with ``n'`` counts, as in "isn't".
    share
        Share of the texts that are measured, drawn at random; the others are skipped. A head costs
        as many answers as there are texts.
    budget
        Most answers that all heads together may cost, for each text of the data, measured or not:
        of a network with many heads a smaller share is measured. No bound unless given.
    margin
        Smallest drop of accuracy worth a claim.
    """

    changes: tuple[Change, ...] = CHANGES
    anchors: tuple[str, ...] = CUES
    share: float = 1.0
    budget: float | None = None
    margin: float = 0.01

    def __post_init__(self) -> None:
        if not self.changes or set(self.changes) - set(CHANGES):
            raise PlanError(
                f"changes are {', '.join(CHANGES)}, at least one; not "
                f"{', '.join(self.changes) or 'none'}."
            )
        if "erase" in self.changes and not self.anchors:
            raise PlanError("anchors is empty: say whose weight is erased, or leave out 'erase'.")
        shares(self, "share", zero=False, one=True)
        above_zero(self, "budget")

    def answers(self, heads: int) -> int:
        """Additional answers that a measured text needs, for this number of heads."""
        return heads * (len(self.changes) + ("erase" in self.changes))

    def share_of(self, heads: int) -> float:
        """Share of the texts to measure for a network with this number of heads."""
        if self.budget is None:
            return self.share
        return min(self.share, self.budget / max(1, self.answers(heads)))


#: Positions to erase in each sequence.
ErasedPositions = dict[TokenIds, tuple[int, ...]]


#: Whether the answers to an item are right, ``(layer, head)``, or why there are none.
Hits = Floats | Failure


def heads_to_erase(ctx: Context) -> list[HeadIndex]:
    """All heads of the cell's model, each to be erased, layer by layer."""
    layers, heads = cast("Intervenes", ctx.model).attention_shape
    return list(product(range(layers), range(heads)))


def hits_under(
    ctx: Context, examples: Sequence[Example], change: Change, erased: ErasedPositions | None = None
) -> list[Hits]:
    """Whether the answers to each example are correct, for each changed head.

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
    lost: dict[int, Failure] = {}
    positions = tuple((erased or {}).items())
    for layer, head in heads_to_erase(ctx) if examples else ():
        changed = model.intervened(Intervention(change, ((layer, head),), positions))
        answers = predict_or_fail(changed, examples)
        for i, (example, answer) in enumerate(zip(examples, answers, strict=True)):
            if isinstance(answer, Failure):
                lost.setdefault(i, Failure(answer.reason))
            else:
                names, label = ctx.model.labels, str(answer.answer)
                said = ctx.labels[names.index(label)] if label in names else label
                found[i, layer, head] = float(said == example.gold)  # in the words of the data
    return [lost.get(i, hits) for i, hits in enumerate(found)]


def _anchor_words(text: str, anchors: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Code points ``(start, end)`` of a text's anchor words.

    An anchor that begins with ``n'`` is one at the end of a word, too: "n't" in "isn't".

    Examples
    --------
    >>> text = "It isn't good, not at all."
    >>> [text[a:b] for a, b in _anchor_words(text, frozenset({"not", "n't"}))]
    ["isn't", 'not']
    """
    endings = tuple(anchor for anchor in anchors if anchor.startswith("n'"))
    for start, end in token_spans(text):
        word = text[start:end].lower().replace("\u2019", "'")
        if word in anchors or (endings and word.endswith(endings)):
            yield start, end


def hits_without_anchors(
    ctx: Context, examples: Sequence[Example], anchors: frozenset[str], name: str
) -> dict[str, tuple[Hits, Hits]]:
    """Hits of each item when weight on anchor words is erased, and on as many random other words.

    Parameters
    ----------
    ctx
        Gives the model and the source of randomness; equal sequences have equal draws.
    examples
        Items.
    anchors
        Words in lower case.
    name
        Versioned name of the diagnostic that draws.
    """
    found: dict[str, tuple[Hits, Hits]] = {}
    kept: list[Example] = []
    of_anchors: ErasedPositions = {}
    of_others: ErasedPositions = {}
    columns = list(zip(*(example.fields.values() for example in examples), strict=True))
    model = cast("Intervenes", ctx.model)
    pairs = list(columns[1]) if len(columns) > 1 else None
    sent = model.encode(list(columns[0]), pairs=pairs) if columns else []
    for example, encoded in zip(examples, sent, strict=True):
        texts = list(example.fields.values())
        words = [list(_anchor_words(text, anchors)) for text in texts]
        count = sum(map(len, words))
        rng = ctx.rng("other words", name, ",".join(map(str, encoded.ids)))
        others = _others(texts, words, count, rng) if count else None
        if others is None:
            lacking = Failure("no_other_words" if count else "no_anchor", status="skipped")
            found[example.id] = lacking, lacking
            continue
        kept.append(example)
        of_anchors[encoded.ids] = _positions(encoded, words)
        of_others[encoded.ids] = _positions(encoded, others)
    both = (hits_under(ctx, kept, "erase", positions) for positions in (of_anchors, of_others))
    for example, own, control in zip(kept, *both, strict=True):
        lost = next((one for one in (control, own) if isinstance(one, Failure)), None)
        found[example.id] = (own, control) if lost is None else (lost, lost)
    return found


def _positions(encoded: Encoded, words: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, ...]:
    """Positions of the tokens that overlap with words of the texts, ascending.

    Examples
    --------
    >>> cut = Encoded((1, 7, 8, 2), (True, False, False, True), ((0, 0), (0, 3), (4, 8), (0, 0)),
    ...               (None, 0, 1, None), (0, 0, 0, 0))
    >>> _positions(cut, [[(4, 8)]])
    (2,)
    """
    places = zip(encoded.offsets, encoded.segments, encoded.is_special, strict=True)
    return tuple(
        i
        for i, ((start, end), segment, is_special) in enumerate(places)
        if not is_special and any(start < stop and begin < end for begin, stop in words[segment])
    )


def _others(
    texts: Sequence[str],
    anchors: Sequence[Sequence[tuple[int, int]]],
    count: int,
    rng: np.random.Generator,
) -> list[list[tuple[int, int]]] | None:
    """Random other words, as many as anchors; `None` if there are too few."""
    words = [
        (number, span)
        for number, text in enumerate(texts)
        for span in token_spans(text)
        if span not in anchors[number] and is_word(text[slice(*span)])
    ]
    if len(words) < count:
        return None
    chosen = sorted(rng.choice(len(words), size=count, replace=False).tolist())
    drawn = [words[i] for i in chosen]
    return [[span for number, span in drawn if number == k] for k in range(len(texts))]
