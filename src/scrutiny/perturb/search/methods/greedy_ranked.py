"""Greedy search, one word after the other, and the importance by which words are ranked."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Final, Literal, NamedTuple, get_args

from scrutiny.core.answers.answer import fences_of
from scrutiny.core.boundary.parameters import one_of, shares
from scrutiny.core.diagnostic import Failure
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Span
from scrutiny.core.queries.gradients import TokenGradients
from scrutiny.core.record import grouped
from scrutiny.perturb.search.judging import Closeness, Judged, Slope, best, reached, single
from scrutiny.perturb.search.moves import Place
from scrutiny.perturb.search.problem import Asking, Method, Needed, Problem
from scrutiny.perturb.search.state import State
from scrutiny.stats.distributions.divergence import softmax

Ranking = Literal["unk", "delete", "saliency", "candidate", "gradient", "random"]
RANKINGS: Final[tuple[str, ...]] = get_args(Ranking)


class Ranked(NamedTuple):
    """A place, its importance, and the best candidate there if candidates were asked."""

    place: Place
    importance: float
    choice: Judged | None = None


RankingSteps = Generator[Sequence[State] | Needed, Sequence[Judged], list[Ranked]]


def rank(problem: Problem, how: "GreedyRanked") -> RankingSteps:
    """Places of the base, most important first; equal ones in text order."""
    places = problem.places(problem.base.state)
    if how.ranking == "random":
        keys = problem.rng("ranking@1").random(len(places)).tolist()
        found = [Ranked(place, key) for place, key in zip(places, keys, strict=True)]
    elif how.ranking == "gradient":
        (gradients,) = loss_gradients(problem, [problem.base.state])
        found = [Ranked(place, _norm(gradients, place)) for place in places]
    elif how.ranking == "saliency":
        found = yield from _by_saliency(problem, places, how)
    elif how.ranking == "candidate":
        found = yield from _by_candidate(problem, places)
    else:
        judged = yield _probes(problem.base.state, places, how)
        drops = _drops(problem, places, judged, how)
        found = [Ranked(place, drop) for place, drop in zip(places, drops, strict=True)]
    return sorted(found, key=lambda one: -one.importance)


def probe_without(state: State, field: str, low: int, high: int) -> State:
    """Probe with a word and one adjacent space deleted."""
    text = state.texts[state.origin.numbers[field]]
    if text[high : high + 1].isspace():
        high += 1
    elif text[low - 1 : low].isspace() and low:
        low -= 1
    return state.probe([Edit(field, low, high, "")])


def _probes(state: State, places: Sequence[Place], how: "GreedyRanked") -> list[State]:
    """Texts without each word, or with it unknown; the whole text as a site has no probe."""
    words = [place for place in places if place.token >= 0]
    if how.ranking == "delete":
        return [probe_without(state, p.field, p.low, p.high) for p in words]
    return [state.probe([Edit(p.field, p.low, p.high, how.unknown)]) for p in words]


def _drops(
    problem: Problem, places: Sequence[Place], judged: Sequence[Judged], how: "GreedyRanked"
) -> list[float]:
    rest = iter(judged)
    probes = (next(rest) if place.token >= 0 else None for place in places)
    return [_drop(problem, probe, how) for probe in probes]


def _drop(problem: Problem, probe: Judged | None, how: "GreedyRanked") -> float:
    """Gain of the goal's score without a word; minus infinity if unknown."""
    if probe is None or probe.answer is None:
        return float("-inf")
    drop = probe.score - problem.base.score
    if how.adds_flip and problem.base.answer is not None:
        labels = problem.facts.labels
        before, after = single(problem.base.answer), single(probe.answer)
        label = after.label_among(labels)
        is_flip = label in labels and label != before.label_among(labels)
        if label is not None and is_flip and before.scores and after.scores:
            at = labels.index(label)
            drop += after.scores[at] - before.scores[at]
    return drop


def _by_saliency(problem: Problem, places: Sequence[Place], how: "GreedyRanked") -> RankingSteps:
    """Softmax of the drops, times the gain of the best candidate of each place."""
    start = problem.base.state
    yield from problem.prepare([(start, places)])
    groups = [problem.candidates(start, place) for place in places]
    probes = _probes(start, places, how)
    judged = yield [*probes, *(state for group in groups for state in group)]
    drops = _drops(problem, places, judged[: len(probes)], how)
    rest = iter(judged[len(probes) :])
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


def _by_candidate(problem: Problem, places: Sequence[Place]) -> RankingSteps:
    """Score of the first candidate of each place, up to the first that reaches the goal.

    Asked first are the places nearest to what the answer speaks of, equal ones in random order.
    With a budget, half of it goes into the ranking: of a long text most places are not looked at.
    """
    start, left = problem.base.state, problem.remaining()
    keys = problem.rng("ranking@1").random(len(places)).tolist()
    far = _distances(fences_of(problem.facts.example.gold), places)
    found: list[Ranked] = []
    for number in sorted(range(len(places)), key=lambda i: (far[i], keys[i])):
        if left is not None and len(found) >= left / 2:
            break
        place = places[number]
        yield from problem.prepare([(start, [place])])
        for state in problem.candidates(start, place)[:1]:
            (judged,) = yield [state]
            found.append(Ranked(place, judged.score, judged))
            if judged.is_reached:
                return found[-1:]
    return found


def _distances(spans: Sequence[Span], places: Sequence[Place]) -> list[int]:
    """Code points between each place and the nearest of some spans; 0 in a field without any."""
    by_field = grouped((span.field, span) for span in spans)
    return [
        min(
            (max(s.start - p.end, p.start - s.end, 0) for s in by_field.get(p.field, ())), default=0
        )
        for p in places
    ]


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
    """L1 norm of the mean gradient over the tokens of a word."""
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


Proposing = Generator[Needed, Sequence[Judged], list[State]]


@dataclass(frozen=True, slots=True)
class GreedyRanked(Method):
    """Words in order of importance, each changed if that helps.

    Rank the places of the base once, then change them in this order while it helps.

    At each place all candidates of the current text are asked about. If the goal is reached at
    one, the search ends there; otherwise the best is taken if it is better than where it stands.
    Choices that were fixed beforehand are taken in any case, as they are in the paper.

    Parameters
    ----------
    ranking
        What makes a place important: the score with the word replaced by ``unknown`` (``unk``) or
        left out (``delete``); the length of the loss gradient at the word (``gradient``); the
        drop by ``unk`` put through a softmax and multiplied by what the best candidate there gains
        (``saliency``); the score of the first candidate there (``candidate``), for which no text is
        asked about that cannot be a result; nothing (``random``).
    as_released
        For ``saliency``: multiply by the absolute score after the change, as a released toolkit
        does, in place of the gain that the paper states.
    fixes_choice
        For ``saliency``: use the candidate that was best alone, as the paper states, instead of
        asking about all candidates again.
    adds_flip
        For ``delete`` and ``unk``: where the word's absence changes the label, its importance
        grows by what the new label gains.
    unknown
        What stands for an unknown word.
    share
        Only so large a part of the ranked places is visited.
    prefer
        Where several candidates reach the goal, the one that this finds closest to the base; with
        nothing, the one of the highest score.

    References
    ----------
    Gao, Lanchantin, Soffa, Qi (2018), DeepWordBug. Jin et al. (2020), TextFooler. Ren, Deng, He,
    Che (2019), probability weighted word saliency.

    Examples
    --------
    >>> GreedyRanked(ranking="delete").unknown
    '[UNK]'
    """

    id = "greedy_ranked@1"

    ranking: Ranking = "unk"
    as_released: bool = False
    fixes_choice: bool = False
    adds_flip: bool = False
    unknown: str = "[UNK]"
    share: float = 1.0
    prefer: Closeness | None = None

    def __post_init__(self) -> None:
        one_of(self, ranking=RANKINGS)
        shares(self, "share", zero=False, one=True)

    def search(self, problem: Problem) -> Asking:
        """Rank, then change in order."""
        order = yield from rank(problem, self)
        first = order[0].choice if order and self.ranking == "candidate" else None
        if first is not None and first.is_reached:
            return first
        current = problem.base
        for one in order[: ceil(self.share * len(order))]:
            candidates = yield from self._candidates(problem, current.state, one)
            if not candidates:
                continue
            judged = yield candidates
            there = reached(judged, self.prefer)
            if there is not None:
                return there
            top = best(judged)
            if top is not None and (self.fixes_choice or top.score > current.score):
                current = top
        return None if self.fixes_choice else current  # the engine has the best text seen

    def _candidates(self, problem: Problem, state: State, one: Ranked) -> Proposing:
        """Candidates to ask about at a place of the current text."""
        if self.ranking != "saliency" or not self.fixes_choice:
            place = problem.space.place(state, one.place.key)
            if place is None:
                return []
            yield from problem.prepare([(state, [place])])
            return problem.candidates(state, place)
        if one.choice is None:
            return []
        try:
            after = State.of(state.origin, (*state.edits, *one.choice.state.edits))
        except EditRefusedError:
            return []
        return [after] if problem.space.admits(after) else []
