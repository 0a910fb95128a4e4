"""Removal of words in the order of an attribution, and what it does to the answer.

=================  ================================================================================
comprehensiveness  what the answer's probability loses without the words of the highest scores
sufficiency        what it loses with these words alone
flip_share         share of the words that are removed, in this order, until the answer flips
infidelity         how far scores, up to one factor, lie from what removing some words costs
=================  ================================================================================

The first two are means over bins: 1, 5, 10, 20 and 50 % of the words, at least one of them, and
never all.

References
----------
J. DeYoung et al. (2020). ERASER: a benchmark to evaluate rationalized NLP models. ACL.
C.-K. Yeh et al. (2019). On the (in)fidelity and sensitivity of explanations. NeurIPS.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final, Literal, NamedTuple

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.record import Measure
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText, Said, ask_changed

#: Shares of the words that are removed, or kept alone.
BINS: Final = (0.01, 0.05, 0.1, 0.2, 0.5)
_STEPS: Final = 10  # of the way to the last word, after which a flip is looked for
_SUBSETS: Final = 8  # of the words, whose removal the infidelity looks at
#: The mean over bins: as in ERASER's released code, or as in its paper, whose sum over five bins
#: is divided by six, for the bin of no word, in which nothing is lost.
Aopc = Literal["code", "paper"]
AOPC: Final[Mapping[Aopc, int]] = {"code": len(BINS), "paper": len(BINS) + 1}

_LOSS: Final = (-1.0, 1.0)
MEASURES: Final = (
    Measure(
        "comprehensiveness",
        unit="probability",
        says="loss of the answer's probability without the words named",
        row_range=_LOSS,
        no_effect=0.0,
        higher_is="better",
    ),
    Measure(
        "sufficiency",
        unit="probability",
        says="loss of the answer's probability with the words named alone",
        row_range=_LOSS,
        no_effect=0.0,
        higher_is="worse",
    ),
    Measure(
        "flip_share",
        unit="share of the words",
        says="words removed until the answer flips",
        row_range=(0.0, 1.0),
        higher_is="worse",
    ),
    Measure("flips", unit="texts", says="texts whose answer flips", row_range=(0.0, 1.0)),
    Measure(
        "infidelity",
        unit="probability squared",
        says="distance of scores from what removing words costs",
        row_range=(0.0, 1.0),
        higher_is="worse",
    ),
    Measure(
        "curve",
        (("bin", len(BINS)),),
        unit="probability",
        says="loss of the answer's probability",
        row_range=_LOSS,
        no_effect=0.0,
    ),
)


class Effects(NamedTuple):
    """What removing words in one order does to one text; the measures in their order."""

    comprehensiveness: float
    sufficiency: float
    flip_share: float
    flips: float
    infidelity: float
    curve: tuple[float, ...]

    def values(self) -> tuple[float, ...]:
        """As a row keeps them."""
        return (*self[:-1], *self.curve)


def sizes_of(n: int) -> list[int]:
    """Numbers of words of each bin, in a text of so many.

    Examples
    --------
    >>> sizes_of(20), sizes_of(2)
    ([1, 1, 2, 4, 10], [1, 1, 1, 1, 1])
    """
    return [min(n - 1, max(1, ceil(share * n))) for share in BINS]


def _looked_at(n: int) -> list[int]:
    """Numbers of words after whose removal the answer is asked."""
    steps = (ceil(n * step / _STEPS) for step in range(1, _STEPS))
    return sorted({*sizes_of(n), *(min(n - 1, step) for step in steps)})


def most_asked(orders: int) -> int:
    """How many changed texts are asked about for a text in so many orders, at most."""
    return _SUBSETS + orders * (_STEPS + 2 * len(BINS))


class WordOrder(NamedTuple):
    """Scores of the words of a text, and the words from the highest score down."""

    scores: Floats
    ranking: Sequence[int]


def erased(
    texts: Sequence[ReadText], orders: Sequence[Sequence[WordOrder]], ctx: AskedModel, *, aopc: Aopc
) -> list[list[Effects | Failure]]:
    """Effects of each order of the words of each text; all texts are asked about together."""
    asked = []
    for text, own in zip(texts, orders, strict=True):
        asked += [(text, text.without(removed)) for removed in _subsets(text, ctx)]
        for order in own:
            asked += [(text, text.without({*order.ranking[:k]})) for k in _looked_at(len(text))]
            asked += [(text, text.only({*order.ranking[:k]})) for k in {*sizes_of(len(text))}]
    said = iter(ask_changed(asked, ctx))
    found = []
    for text, own in zip(texts, orders, strict=True):
        subsets = _subsets(text, ctx)
        losses = [next(said) for _ in subsets]
        rows: list[Effects | Failure] = []
        for order in own:
            after = {k: next(said) for k in _looked_at(len(text))}
            alone = {k: next(said) for k in {*sizes_of(len(text))}}
            every = (*losses, *after.values(), *alone.values())
            failed = next((one for one in every if isinstance(one, Failure)), None)
            rows.append(failed or _effects(text, order, subsets, losses, after, alone, aopc))
        found.append(rows)
    return found


def _subsets(text: ReadText, ctx: AskedModel) -> list[set[int]]:
    """Random sets of words of a text, the same for every order and model."""
    rng = ctx.rng("subsets", "attribution", text.example.id)
    n = len(text)
    sizes = rng.integers(1, n, size=_SUBSETS)
    return [{*rng.choice(n, size=int(k), replace=False).tolist()} for k in sizes]


def _effects(
    text: ReadText,
    order: WordOrder,
    subsets: Sequence[set[int]],
    losses: Sequence[Said | Failure],
    after: Mapping[int, Said | Failure],
    alone: Mapping[int, Said | Failure],
    aopc: Aopc,
) -> Effects:
    """Measures of one order of one text, none of whose answers failed."""

    def lost(said: Said | Failure) -> float:
        return text.score - said.score if isinstance(said, Said) else np.nan

    sizes = sizes_of(len(text))
    curve = tuple(lost(after[k]) for k in sizes)
    rest = [lost(alone[k]) for k in sizes]
    first = next((k for k, s in after.items() if isinstance(s, Said) and not s.is_same), None)
    sums = np.array([order.scores[[*removed]].sum() for removed in subsets])
    costs = np.array([*map(lost, losses)])
    squares = float(sums @ sums)
    scaled = sums * (float(sums @ costs) / squares) if squares else sums
    return Effects(
        comprehensiveness=sum(curve) / AOPC[aopc],
        sufficiency=sum(rest) / AOPC[aopc],
        flip_share=1.0 if first is None else first / len(text),
        flips=float(first is not None),
        infidelity=float(np.square(scaled - costs).mean()),
        curve=curve,
    )
