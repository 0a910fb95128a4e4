"""Importance of each place of a text for the answer."""

from collections.abc import Generator, Sequence
from math import inf
from typing import Final, Literal, NamedTuple, get_args

from scrutiny.core.diagnostic import Failure
from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.gradients import TokenGradients
from scrutiny.perturb.search.goal import Judged, Slope, best, single
from scrutiny.perturb.search.move import Place
from scrutiny.perturb.search.problem import Problem
from scrutiny.perturb.search.state import State
from scrutiny.perturb.search.warming import Needed
from scrutiny.stats.distributions.unchecked import softmax

Ranking = Literal["unk", "delete", "saliency", "gradient", "random"]
RANKINGS: Final[tuple[str, ...]] = get_args(Ranking)


class How(NamedTuple):
    """A ranking method and its settings; see `GreedyRanked`."""

    ranking: Ranking
    unknown: str = "[UNK]"
    as_released: bool = False
    adds_flip: bool = False


class Ranked(NamedTuple):
    """A place, its importance, and the best candidate there if candidates were asked."""

    place: Place
    importance: float
    choice: Judged | None = None


RankingSteps = Generator[Sequence[State] | Needed, Sequence[Judged], list[Ranked]]


def rank(problem: Problem, how: How) -> RankingSteps:
    """Places of the base, most important first; equal ones in text order."""
    places = problem.places(problem.base.state)
    if how.ranking == "random":
        keys = problem.rng("ranking@1").random(len(places)).tolist()
        found = [Ranked(place, key) for place, key in zip(places, keys, strict=True)]
    elif how.ranking == "gradient":
        found = _by_gradient(problem, places)
    elif how.ranking == "saliency":
        found = yield from _by_saliency(problem, places, how)
    else:
        drops = [_drop(problem, one, how) for one in (yield from _probed(problem, places, how))]
        found = [Ranked(place, drop) for place, drop in zip(places, drops, strict=True)]
    return sorted(found, key=lambda one: -one.importance)


def _without(state: State, place: Place) -> State:
    """Probe with a word and one adjacent space deleted."""
    text = state.texts[state.origin.numbers[place.field]]
    low, high = place.low, place.high
    if text[high : high + 1].isspace():
        high += 1
    elif text[low - 1 : low].isspace() and low:
        low -= 1
    return state.probe([Edit(place.field, low, high, "")])


def _replaced(state: State, place: Place, by: str) -> State:
    """Probe with another word at a place."""
    return state.probe([Edit(place.field, place.low, place.high, by)])


def _probed(
    problem: Problem, places: Sequence[Place], how: How
) -> Generator[Sequence[State], Sequence[Judged], list[Judged | None]]:
    """Judgments without each word, or with it unknown; `None` for the whole text as a site."""
    state = problem.base.state
    probes = [
        _without(state, place) if how.ranking == "delete" else _replaced(state, place, how.unknown)
        for place in places
        if place.token >= 0
    ]
    judged = iter((yield probes))
    return [next(judged) if place.token >= 0 else None for place in places]


def _drop(problem: Problem, probe: Judged | None, how: How) -> float:
    """Gain of the goal's score without a word; minus infinity if unknown."""
    if probe is None or probe.answer is None:
        return float("-inf")
    drop = probe.score - problem.base.score
    if how.adds_flip and problem.base.answer is not None:
        labels = problem.facts.labels
        before, after = single(problem.base.answer), single(probe.answer)
        label = after.label_among(labels)
        if (
            label in labels
            and label != before.label_among(labels)
            and before.scores
            and after.scores
        ):
            at = labels.index(label)
            drop += after.scores[at] - before.scores[at]
    return drop


def _by_saliency(problem: Problem, places: Sequence[Place], how: How) -> RankingSteps:
    """Softmax of the drops, times the gain of the best candidate of each place."""
    start = problem.base.state
    yield from problem.prepare([(start, places)])
    groups = [problem.candidates(start, place) for place in places]
    probes = [_replaced(start, place, how.unknown) for place in places if place.token >= 0]
    judged = yield [*probes, *(state for group in groups for state in group)]
    probed, rest = iter(judged[: len(probes)]), iter(judged[len(probes) :])
    drops = [_drop(problem, next(probed) if place.token >= 0 else None, how) for place in places]
    choices = [best([next(rest) for _ in group]) for group in groups]
    can_fall = max(drops, default=-inf) != -inf
    weights = softmax(drops) if can_fall else [0.0] * len(drops)
    found = []
    for place, weight, choice in zip(places, weights, choices, strict=True):
        gain = 0.0
        if choice is not None:
            gain = choice.score if how.as_released else choice.score - problem.base.score
        found.append(Ranked(place, weight * gain, choice))
    return found


def _by_gradient(problem: Problem, places: Sequence[Place]) -> list[Ranked]:
    """L1 norm of the mean gradient over the tokens of each word."""
    (gradients,) = loss_gradients(problem, [problem.base.state])
    return [Ranked(place, _norm(gradients, place)) for place in places]


def loss_gradients(problem: Problem, states: Sequence[State]) -> list[TokenGradients | None]:
    """Gradients of the loss of the goal's label; `None` if that failed.

    Raises
    ------
    PlanError
        If the victim gives no gradients.
    """
    if problem.model is None:
        raise PlanError(
            "This search method follows gradients, and the model gives none: it lacks the "
            "capability 'gradients'."
        )
    found = problem.gradients(states, wanted_slope(problem).label)
    return [None if isinstance(one, Failure) else one for one in found]


def wanted_slope(problem: Problem) -> Slope:
    """Gradient that the goal needs, or else an increase of the loss of the model's label.

    Raises
    ------
    PlanError
        If the model's answer has no label.
    """
    if problem.slope is not None:
        return problem.slope
    label = single(problem.facts.answer).label_among(problem.facts.labels)
    if label is None:
        raise PlanError("Gradients are those of a label; the model's answer has none.")
    return Slope(label, 1)


def _norm(gradients: TokenGradients | None, place: Place) -> float:
    if gradients is None:
        return float("-inf")
    rows = [
        i
        for i, (field, start, end) in enumerate(gradients.pieces)
        if field == place.field and start < place.high and end > place.low
    ]
    if not rows:
        return float("-inf")
    return float(abs(gradients.gradient[rows].mean(axis=0)).sum())
