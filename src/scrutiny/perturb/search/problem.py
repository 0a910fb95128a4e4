"""The problem that a search method solves: space, goal, victim, limits, and what it asks ahead."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.plugin_base import PlugIn
from scrutiny.core.queries.gradients import AskPaths, Gradients, TokenGradients
from scrutiny.core.randomness import Rng, generator
from scrutiny.core.record import grouped
from scrutiny.core.transformation import AsksAhead
from scrutiny.perturb.engine.batch import ask_ahead
from scrutiny.perturb.search.judging import Answer, Base, Goal, Judged, Scorer, Slope
from scrutiny.perturb.search.moves import Documents, Move, Place
from scrutiny.perturb.search.space import Space
from scrutiny.perturb.search.state import State


class Needed(NamedTuple):
    """Announcement of a method: the texts and places whose candidates it needs."""

    pairs: tuple[tuple[State, tuple[Place, ...]], ...]


Asking = Generator[Sequence[State] | Needed, Sequence[Judged], Judged | None]
Preparing = Generator[Needed, Sequence[Judged], None]


class Method(PlugIn, ABC):
    """A search method; each is a frozen dataclass of its parameters.

    ``search`` is a generator: it yields texts to ask about, is sent their judgments in the same
    order, and returns the best that it found, or nothing to let the engine choose the best text
    it saw. It keeps no state anywhere else. Before it asks for candidates it may say so
    (``yield from problem.prepare(...)``): moves that ask a model of their own then do it in batches
    over all searches. ``least_cosine`` is how near words of the victim's vocabulary are to those
    that they replace, where it asks for any.
    """

    __slots__ = ()
    kind = "search_method"

    id: ClassVar[str]
    stream: ClassVar[str] = ""
    least_cosine: float | None = None

    @abstractmethod
    def search(self, problem: "Problem") -> Asking:
        """Search one problem."""


@dataclass(slots=True)
class Problem:
    """One search problem: the start, the space, and the model to ask.

    Attributes
    ----------
    base
        The base and its judgment.
    facts
        The base as goals see it, with the labels of the model.
    space
        Where it may go.
    slope
        What the goal wants of the loss, or nothing if it does not say.
    model
        What gives gradients, or nothing.
    paths
        What answers queries of integrated gradients, or nothing.
    remaining
        How many more texts may be asked about; nothing without a budget. Kept by the engine.
    refused
        How many candidates were vetoed, by reason.
    n_gradients
        How many gradients were computed.
    """

    base: Judged
    facts: Base
    space: Space
    slope: Slope | None = None
    model: Gradients | None = None
    paths: AskPaths | None = None
    remaining: Callable[[], int | None] = lambda: None
    refused: Counter[str] = field(default_factory=Counter)
    n_gradients: int = 0

    def places(self, state: State) -> Sequence[Place]:
        """Places of a text that may be changed, in text order."""
        return self.space.places(state)

    def prepare(self, pairs: Iterable[tuple[State, Sequence[Place]]]) -> Preparing:
        """Announce the texts and places whose candidates are needed next."""
        if self.space.is_warmed:
            yield Needed(tuple([(state, tuple(places)) for state, places in pairs if places]))

    def candidates(self, state: State, place: Place) -> list[State]:
        """Texts one step away, by a change at a place."""
        return self.space.candidates(state, place, self.refused)

    def neighbors(self, state: State) -> list[State]:
        """Texts one step away, by a change at any place, each once."""
        return self.space.neighbors(state, self.refused)

    def rng(self, name: str) -> Rng:
        """Random stream of this search: the same for every model and any order."""
        origin = self.base.state.origin
        return generator(origin.seed, "search", name=name, item=origin.example.id, draw=origin.draw)

    def gradients(self, states: Sequence[State], label: str) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label for each text."""
        if self.model is None:
            return [Failure("no_gradients")] * len(states)
        self.n_gradients += len(states)
        return self.model.gradients([s.example for s in states], [label] * len(states))


#: A function that answers: one model, or two. One answer for each example, in order.
Ask = Callable[[Sequence[Example]], Sequence[Answer | Failure]]


@dataclass(frozen=True, slots=True)
class Search:
    """Definition of a search: its space, goal and method."""

    space: Space
    goal: Goal
    method: Method


@dataclass(frozen=True, slots=True)
class Victim:
    """The model under attack.

    Parameters
    ----------
    ask
        Answers many texts at once; a failing one is a value. An error that it raises ends
        everything.
    labels
        The model's labels, in the order of its scores.
    gradients
        What gives gradients, where the method needs them.
    paths
        What answers queries of integrated gradients, where the method can use them.
    score
        Score of an answer by the task, where the goal needs it.
    """

    ask: Ask
    labels: tuple[str, ...] = ()
    gradients: Gradients | None = None
    paths: AskPaths | None = None
    score: Scorer | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and random seed of a search.

    Parameters
    ----------
    seed, draw
        Seed of the run, and which of the independent draws these searches are.
    budget
        Distinct texts that may be asked about for one item, its base among them.
    seconds
        Wall time for all searches together. Whatever it cuts short cannot be repeated, and says
        so.
    window
        How many searches go on at the same time.
    keep
        How many of the best texts at which the goal is reached come back.
    analyzed
        By item: documents of its fields. Searches with the same resources that share them, as an
        attack and the random change beside it, read each text once.
    """

    seed: int = 0
    draw: int = 0
    budget: int | None = None
    seconds: float | None = None
    window: int = 256
    keep: int = 1
    analyzed: dict[str, Documents] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        at_least(self, budget=1, window=1, keep=1)  # of the budget, the base is one


def warm(moves: Sequence[Move], needs: Iterable[Needed]) -> None:
    """Let every move query in a batch what many searches need next.

    What comes out is the same without: only the batches differ. Where it fails for no fault of the
    user's, every search asks by itself afterwards, and fails by itself.
    """
    pairs = [pair for need in needs for pair in need.pairs]
    for number, move in enumerate(moves):
        if not isinstance(move.transformation, AsksAhead):
            continue
        held = []
        for state, places in pairs:
            of_field = grouped(
                (place.field, site) for place in places for at, site in place.sites if at == number
            )
            held += [(state.document(field), sites) for field, sites in of_field.items()]
        if held:
            documents, sites = zip(*held, strict=True)
            ask_ahead(move.transformation, documents, sites)
