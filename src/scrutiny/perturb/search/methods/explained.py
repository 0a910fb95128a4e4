"""Methods that an explanation guides: what is changed is chosen before the model is asked.

A word's weight is what it does for the answer that the goal starts from: integrated gradients of
that label's logit, where the model gives them; otherwise what the model loses without the word
(occlusion), for which it is asked about texts that cannot be a result.

References
----------
Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?
"""

from bisect import bisect_right
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.gradients import InputPiece, PathGradient, complete_paths
from scrutiny.perturb.search.judging import Judged
from scrutiny.perturb.search.methods.greedy_ranked import probe_without
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State
from scrutiny.text.tokens import is_lexical

Weighing = Generator[Sequence[State], Sequence[Judged], list[float]]


def word_weights(problem: Problem, words: Sequence[InputPiece]) -> Weighing:
    """Weight of each of some words of the base for the answer that the goal starts from.

    Words without an answer to the text that lacks them have the weight 0.
    """
    state = problem.base.state
    (known,) = path_weights(problem, [state], [words])
    if known is not None:
        return known
    judged = yield [probe_without(state, *word) for word in words]
    return [0.0 if one.answer is None else one.score - problem.base.score for one in judged]


def path_weights(
    problem: Problem, states: Sequence[State], words: Sequence[Sequence[InputPiece]]
) -> list[list[float] | None]:
    """Integrated gradients of words of some texts, in the goal's direction; none without them."""
    slope = problem.slope
    if problem.paths is None or slope is None:
        return [None] * len(states)
    queries = [PathGradient.of(state.example, slope.label) for state in states]
    sign = -1.0 if slope.sign < 0 else 1.0
    found: list[list[float] | None] = []
    for (query, answer), own in zip(complete_paths(problem.paths, queries), words, strict=True):
        if isinstance(answer, Failure):
            found.append(None)
            continue
        sums = [0.0] * len(own)
        order = sorted(range(len(own)), key=lambda i: own[i])
        starts = [(own[i].field, own[i].start) for i in order]
        for piece, value in zip(answer.pieces(query), answer.attributions, strict=True):
            at = bisect_right(starts, (piece.field, piece.end - 1)) - 1
            held = own[order[at]] if at >= 0 else None
            if held is not None and held.field == piece.field and piece.end <= held.end:
                sums[order[at]] += sign * value
        found.append(sums)
    return found


@dataclass(frozen=True, slots=True)
class NamedPlaces(Method):
    """The words that an explanation names first are changed, one after the other.

    Words are changed in the order of their weight for the answer, whatever comes of it: the model
    is asked about the text with one, with two, and so on.

    Parameters
    ----------
    most
        Words that are changed at most.

    **Measures** whether an explanation knows which words the answer hangs on.

    **Misleads when** no single word decides: then no order does.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?

    Examples
    --------
    >>> NamedPlaces(most=3).most
    3
    """

    id = "named_places@1"

    most: int = 5

    def __post_init__(self) -> None:
        at_least(self, most=1)

    def search(self, problem: Problem) -> Asking:
        """Weigh all places, then change the first ones together."""
        state = problem.base.state
        places = problem.places(state)
        if not places:
            return None
        words = [InputPiece(place.field, place.low, place.high) for place in places]
        weights = yield from word_weights(problem, words)
        for i in sorted(range(len(places)), key=lambda i: -weights[i])[: self.most]:
            place = problem.space.place(state, places[i].key)
            if place is None:
                continue
            yield from problem.prepare([(state, [place])])
            for candidate in problem.candidates(state, place)[:1]:
                (judged,) = yield [candidate]
                state = candidate
                if judged.is_reached:
                    return judged
        return None  # the engine has the best text seen


@dataclass(frozen=True, slots=True)
class NamedWords(Method):
    """Of all candidates, those with the words of the first text that an explanation names.

    A candidate counts by the weights, in either direction, of the words of the first text that it
    brings in.

    Parameters
    ----------
    tries
        Candidates that are asked about.

    **Measures** whether a model falls for the words that its answer hangs on.

    **Misleads when** the candidates all have the same words.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?

    Examples
    --------
    >>> NamedWords().tries
    1
    """

    id = "named_words@1"

    tries: int = 1

    def __post_init__(self) -> None:
        at_least(self, tries=1)

    def search(self, problem: Problem) -> Asking:
        """Weigh the words of the first text, then ask about the candidates that count most."""
        state = problem.base.state
        first = state.origin.names[0]
        document = state.document(first)
        words = [
            InputPiece(first, *at)
            for at, word in zip(document.tokens, document.words, strict=True)
            if is_lexical(word)
        ]
        candidates = problem.neighbors(state)
        if not words or not candidates:
            return None
        weights = yield from word_weights(problem, words)
        named: dict[str, float] = {}
        for word, weight in zip(words, weights, strict=True):
            text = document.text[word.start : word.end].lower()
            named[text] = max(named.get(text, 0.0), abs(weight))
        counts = [_named(candidate, named) for candidate in candidates]
        order = sorted(range(len(candidates)), key=lambda i: -counts[i])[: self.tries]
        for i in order:
            (judged,) = yield [candidates[i]]
            if judged.is_reached:
                return judged
        return None


def _named(state: State, named: dict[str, float]) -> float:
    """Weight of the distinct named words that edits bring in."""
    brought = {
        state.document(edit.field).text[a:b].lower()
        for edit in state.edits
        for a, b in state.document(edit.field).tokens
        if edit.start <= a and b <= edit.start + len(edit.text)
    }
    return sum(named.get(word, 0.0) for word in brought)


@dataclass(frozen=True, slots=True)
class MostHarmful(Method):
    """Of all candidates, those whose new words speak most against the answer, by an explanation.

    Each changed text is explained by integrated gradients; the model is asked about those whose
    new words have the lowest sum. A model without them is asked about candidates in random order.

    Parameters
    ----------
    tries
        Candidates that are asked about.
    explained
        Whether candidates are explained; otherwise their order is random.

    **Measures** whether an explanation of a changed text knows that the answer changes.

    **Misleads when** a text has few candidates: most of them are asked about in any order.

    References
    ----------
    Sundararajan, Taly & Yan (2017), Axiomatic attribution for deep networks.

    Examples
    --------
    >>> MostHarmful(tries=3).explained
    True
    """

    id = "most_harmful@1"

    tries: int = 5
    explained: bool = True

    def __post_init__(self) -> None:
        at_least(self, tries=1)

    def search(self, problem: Problem) -> Asking:
        """Explain each candidate, then ask about those that look worst."""
        candidates = problem.neighbors(problem.base.state)
        order = problem.rng(self.id).permutation(len(candidates)).tolist()
        if self.explained:
            new = [[_brought(one)] for one in candidates]
            sums = path_weights(problem, candidates, new)
            order.sort(key=lambda i: 0.0 if (own := sums[i]) is None else own[0])
        for i in order[: self.tries]:
            (judged,) = yield [candidates[i]]
            if judged.is_reached:
                return judged
        return None


def _brought(state: State) -> InputPiece:
    """Stretch of a changed text that its first edit has brought."""
    edit = state.edits[0]
    return InputPiece(edit.field, edit.start, edit.start + len(edit.text))
