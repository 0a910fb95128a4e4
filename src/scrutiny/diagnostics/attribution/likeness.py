"""How alike two explanations of an answer are, and two by chance; and asking another model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import shares
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.diagnostic import Context, Diagnostic, Failure, P, Reference
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.randomness import Rng
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attribution.explained import AttributionParams, Explained
from scrutiny.diagnostics.attribution.methods.random_words import RANDOM, random_scores
from scrutiny.diagnostics.attribution.targets import EXPLAINED
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.answers.language_answers import ask_or_fail
from scrutiny.stats.association.rank_correlation import tau_b

#: Share of the words that an explanation is read for.
TOP: Final = 0.2
_SAME: Final = 1e-9  # of the largest score: what differs by less is rounding
MEASURES: Final = (
    Measure(
        "shared",
        unit="share of the words named",
        says="words that both name",
        row_range=(0.0, 1.0),
        higher_is="better",
    ),
    Measure(
        "tau",
        says="rank correlation of all words",
        row_range=(-1.0, 1.0),
        no_effect=0.0,
        higher_is="better",
    ),
)


@dataclass(frozen=True, slots=True)
class AlikeParams(AttributionParams):
    """What is explained, and from where on two explanations are the same.

    Parameters
    ----------
    same
        Share of the words named that both must name.
    """

    same: float = 0.5

    def __post_init__(self) -> None:
        AttributionParams.__post_init__(self)
        shares(self, "same", zero=False)


@dataclass(frozen=True, slots=True)
class BesideModel:
    """Another model than the context's, asked as it is asked."""

    model: Model
    labels: tuple[str, ...]
    ctx: Context
    reference: Reference | None = None

    def predict(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """Answers of the reference from its cache, or those of a model that has none."""
        if self.reference is not None:
            return self.reference.predict(examples)
        return [self._named(one) for one in predict_or_fail(self.model, examples)]

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Answers to queries, whose labels are in the data's words."""
        if self.reference is not None:
            return self.reference.ask(capability, queries)
        own = dict(zip(self.labels, self.model.labels, strict=True))
        named = [query._replace(target=own[query.target]) for query in queries]
        return ask_or_fail(self.model, capability, named)

    def rng(self, purpose: str, name: str, item: str, draw: int = 0) -> Rng:
        """That of the context, so that both draw the same."""
        return self.ctx.rng(purpose, name, item, draw)

    def _named(self, answer: Prediction | Failure) -> Prediction | Failure:
        """Answer with its label in the data's words."""
        if isinstance(answer, Failure):
            return answer
        names = dict(zip(self.model.labels, self.labels, strict=True))
        return answer._replace(answer=names.get(answer.answer, answer.answer))


def named_words(scores: Floats) -> set[int]:
    """The fifth of the words with the highest scores, but for those that tie across its border.

    Examples
    --------
    >>> named_words(np.array([0, 3, 0, 2, 1, 0.0])), named_words(np.array([0, 3, 0, 0, 0, 0.0]))
    ({1, 3}, {1})
    """
    n = ceil(TOP * len(scores))
    least, next_one = np.sort(scores)[::-1][n - 1 : n + 1]
    is_tied = least - next_one <= _SAME * np.abs(scores).max()
    limit = least + (_SAME if is_tied else -_SAME) * np.abs(scores).max()
    return {*np.flatnonzero(scores > limit).tolist()}


def likeness(one: Floats, other: Floats) -> tuple[float, ...] | Failure:
    """Share of the words named that both name, and tau-b of all words."""
    tau = float(tau_b(one, other))
    first, second = named_words(one), named_words(other)
    if not np.isfinite(tau) or not (first and second):
        return Failure("only_ties", "the scores of one name no words", "undefined")
    return len(first & second) / max(len(first), len(second)), tau


def of_pair(
    one: Explained | Failure, other: Explained | Failure, name: str
) -> tuple[float, ...] | Failure:
    """Likeness of two explanations of a text by one method."""
    for explained in (one, other):
        if isinstance(explained, Failure):
            return explained
        if isinstance(failed := explained.scores[name], Failure):
            return failed
    first, second = cast("Explained", one), cast("Explained", other)
    scores = cast("Floats", first.scores[name]), cast("Floats", second.scores[name])
    if len(scores[0]) != len(scores[1]):
        return Failure("other_words", "the second model reads other words")
    return likeness(*scores)


def by_chance(one: Explained | Failure, ctx: Context) -> tuple[float, ...] | Failure:
    """Likeness of two random attributions of a text."""
    if isinstance(one, Failure):
        return one
    return likeness(*(random_scores(one.text, ctx, draw) for draw in (0, 1)))


def targets_of(found: Mapping[str, Explained | Failure]) -> dict[str, Any]:
    """Answers that are explained, by item."""
    return {k: one.text.target for k, one in found.items() if isinstance(one, Explained)}


def agreement_estimates(
    conditions: Sequence[Mapping[str, object]], key: str
) -> Iterator[EstimateSpec]:
    """Both numbers in each condition, by chance, and the difference of the first."""
    for what in ("shared", "tau"):
        yield EstimateSpec(f"{what}/random", f"mean({what})@1", RANDOM, role="control")
        for condition in conditions:
            name = _id(condition)
            yield EstimateSpec(f"{what}/{name}", f"mean({what})@1", condition)
            yield EstimateSpec(
                f"{what}/{name} - random",
                f"gap(mean({what}))@1",
                {**condition, key: f"{condition[key]} - random"},
                sides={
                    "first": Selector("measured", condition),
                    "other": Selector("control", RANDOM),
                },
            )


def _id(condition: Mapping[str, object]) -> str:
    """Name of a condition in estimates."""
    return "/".join(map(str, condition.values()))


class OfAgreement(Diagnostic[P]):
    """Base of diagnostics that compare two explanations of the same answer."""

    needs = frozenset({"predict"})
    wants = EXPLAINED
    measures = MEASURES
    asks_other_texts = True
    reads_gold = False
    searches = True
