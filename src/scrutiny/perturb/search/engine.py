"""The search engine: many searches at once, with one batch of queries in each round.

A method is a generator, and its local variables are all the state that a search has. Nothing is
saved: after a kill the searches run again, and what was answered comes from the cache behind
``ask``. What a search finds depends on its item, the seed and the model's answers alone, never on
the window, on the batches or on other items.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example
from scrutiny.core.garbage import seldom_collected
from scrutiny.perturb.search.found import Found
from scrutiny.perturb.search.move import Move
from scrutiny.perturb.search.origin import Key, Origin
from scrutiny.perturb.search.running import Running
from scrutiny.perturb.search.setting import Ask, Search, Settings, Victim
from scrutiny.perturb.search.warming import warm

if TYPE_CHECKING:
    from scrutiny.core.diagnostic import Failure
    from scrutiny.perturb.search.goal import Answer


def search_all(
    examples: Iterable[Example],
    search: Search,
    *,
    victim: Victim,
    settings: Settings | None = None,
    resources: Mapping[str, Any] | None = None,
    excluded: Mapping[str, frozenset[Key]] | None = None,
    clock: Callable[[], float] = monotonic,
) -> Iterator[Found]:
    """Result of the search of each example, in order.

    Parameters
    ----------
    examples
        Items, taken as the window has room for them.
    search
        Space, goal and method.
    victim
        Who is asked.
    settings
        Budget, seed and window.
    resources
        What transformations and constraints may need, by name.
    excluded
        By item: keys of texts that may not be found (`State.key`), say those of earlier draws.
    clock
        Seconds, for ``settings.seconds``.

    Raises
    ------
    ConformanceError
        If the victim gives another number of answers than there are questions.

    Examples
    --------
    >>> from scrutiny.perturb.search.goals.labels import Untargeted
    >>> from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
    >>> from scrutiny.perturb.search.space import Space
    >>> from scrutiny.perturb.characters.typos import Typos
    >>> from scrutiny.testing.toy_models import KeywordClassifier
    >>> model = KeywordClassifier()
    >>> item = Example("1", {"text": "A good and charming film"}, gold="positive")
    >>> search = Search(Space.of(Typos(mode="delete"), most=1), Untargeted(), GreedyRanked())
    >>> found, = search_all([item], search, victim=Victim(model.predict, model.labels))
    >>> found.is_success, found.state.texts[0], found.n_asked
    (True, 'A god and charming film', 5)
    """
    chosen = settings or Settings()
    held = excluded or {}
    until = None if chosen.seconds is None else clock() + chosen.seconds
    moves = search.space.moves
    window = _Window(victim.ask, moves, is_late=lambda: until is not None and clock() >= until)
    for example in examples:
        origin = Origin(
            example,
            seed=chosen.seed,
            draw=chosen.draw,
            resources=resources,
            excluded=held.get(example.id, frozenset()),
            documents=chosen.analyzed.setdefault(example.id, {}),
        )
        window.add(Running(origin, search, victim=victim, settings=chosen))
        while len(window.live) >= chosen.window:
            window.play_round()
        yield from window.finished()
    while window.live:
        window.play_round()
        yield from window.finished()
    yield from window.finished()


class _Window:
    """Running searches, in the order of their examples."""

    __slots__ = ("_ask", "_is_late", "_moves", "_queue", "live")

    def __init__(self, ask: Ask, moves: Sequence[Move], *, is_late: Callable[[], bool]) -> None:
        self._ask = ask
        self._moves = moves
        self._is_late = is_late
        self._queue: deque[Running] = deque()
        self.live: list[Running] = []

    def add(self, running: Running) -> None:
        """Add a search, unless the time is up."""
        self._queue.append(running)
        if self._is_late():
            running.stop("time")
        else:
            self.live.append(running)

    def play_round(self) -> None:
        """Ask the queries of all searches, each distinct text once, and continue them."""
        self._prepare()
        with seldom_collected():
            batch = self._batch()
        if not batch:
            return
        answers: Sequence[Answer | Failure] = self._ask(list(batch.values()))
        if len(answers) != len(batch):
            raise ConformanceError(f"{len(batch)} texts were asked, {len(answers)} answered.")
        by_key = dict(zip(batch, answers, strict=True))
        with seldom_collected():
            for running in self.live:
                running.tell(by_key)
        if self._is_late():
            for running in self.live:
                running.stop("time")
        self.live = [running for running in self.live if running.found is None]

    def _batch(self) -> dict[Key, Example]:
        """Queries of all searches, each distinct text once."""
        batch: dict[Key, Example] = {}
        for running in self.live:
            for key, state in running.wanted.items():
                if key not in batch:
                    batch[key] = state.example
        return batch

    def _prepare(self) -> None:
        """Let the moves query what the searches need, until the searches need answers."""
        while waiting := [running for running in self.live if running.needed is not None]:
            warm(self._moves, [running.needed for running in waiting if running.needed])
            for running in waiting:
                running.resume()
        self.live = [running for running in self.live if running.found is None]

    def finished(self) -> Iterator[Found]:
        """Results of the finished searches at the front of the queue."""
        while self._queue and (found := self._queue[0].found) is not None:
            self._queue.popleft()
            yield found
