"""Base class of search methods, and the problem that they solve."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from scrutiny.core.diagnostic import Failure
from scrutiny.core.plugin import PlugIn
from scrutiny.core.queries.gradients import Gradients, TokenGradients
from scrutiny.core.randomness import generator
from scrutiny.perturb.engine.change import Rng
from scrutiny.perturb.search.goal import Base, Judged, Slope
from scrutiny.perturb.search.move import Place
from scrutiny.perturb.search.space import Space
from scrutiny.perturb.search.state import State
from scrutiny.perturb.search.warming import Needed

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
