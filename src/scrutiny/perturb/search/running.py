"""The search engine: many searches at once, with one batch of queries in each round.

A method is a generator, and its local variables are all the state that a search has. Nothing is
saved: after a kill the searches run again, and what was answered comes from the cache behind
``ask``. What a search finds depends on its item, the seed and the model's answers alone, never on
the window, on the batches or on other items.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import Any

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, UserError
from scrutiny.core.example import Example
from scrutiny.core.long_runs import seldom_collected
from scrutiny.perturb.search.judging import Answer, Base, Ended, Found, Judged, Ledger
from scrutiny.perturb.search.moves import Key, Move, Origin
from scrutiny.perturb.search.problem import (
    Ask,
    Asking,
    Needed,
    Problem,
    Search,
    Settings,
    Victim,
    warm,
)
from scrutiny.perturb.search.state import State


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
    >>> from scrutiny.perturb.search.goals.label_goals import Untargeted
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


class Running:
    """A running search: the generator of its method, and its account.

    Attributes
    ----------
    wanted
        Texts that it waits for, by key; empty once it is over.
    needed
        Candidates that it will ask for once it is resumed, or nothing.
    found
        What came of it; nothing as long as it runs.
    """

    def __init__(
        self, origin: Origin, search: Search, *, victim: Victim, settings: Settings
    ) -> None:
        self._origin = origin
        self._search = search
        self._victim = victim
        self._ledger = Ledger(settings.budget, settings.keep)
        self._asking: Asking | None = None
        self._problem: Problem | None = None
        self._was_cut = False
        self._pending: Sequence[State] = [State.start(origin)]
        self.found: Found | None = None
        self.needed: Needed | None = None
        self.wanted: Mapping[Key, State] = {}
        self._go_on()

    def tell(self, answers: Mapping[Key, Answer | Failure]) -> None:
        """Continue with the answers, until the next queries are needed."""
        self._ledger.take(self.wanted, answers)
        first = answers[self._pending[0].key] if self._problem is None else None
        if isinstance(first, Failure):
            self._close("failed", first.reason, n_asked=1, n_failed=1)
            return
        self._guarded(self._deliver)
        self._go_on()

    def resume(self) -> None:
        """Continue after the moves have queried what was needed."""
        self.needed = None
        self._guarded(self._deliver)
        self._go_on()

    def stop(self, ended: Ended) -> None:
        """End the search with its current result."""
        if self.found is None:
            self._finish(None, ended)

    def _go_on(self) -> None:
        """Run until there is something to ask, or the search is finished."""
        while self.found is None and self.needed is None:
            self.wanted, is_cut = self._ledger.wanted(self._pending)
            self._was_cut = self._was_cut or is_cut
            if self.wanted:
                return
            if is_cut:
                self._finish(None, "budget")
            else:
                self._guarded(self._deliver)

    def _deliver(self) -> None:
        """Give the method its judgments, and receive its next request."""
        if self._problem is None:
            self._begin()
            return
        assert self._asking is not None
        problem = self._problem
        judged = self._ledger.judge(self._pending, goal=self._search.goal, base=problem.facts)
        self._take(self._asking.send(judged))

    def _begin(self) -> None:
        """Judge the base, and start the method if there is something to search for."""
        start, goal = self._pending[0], self._search.goal
        answer = self._ledger.answers[start.key]
        assert answer is not None
        facts = Base(self._origin.example, answer, self._victim.labels, self._victim.score)
        reason = goal.skips(facts)
        judged = None
        if reason is None:
            (judged,) = self._ledger.judge([start], goal=goal, base=facts)
            reason = "already_there" if judged.is_reached else None
        if reason is not None or judged is None:
            self._close("skipped", reason, base_answer=answer, n_asked=1)
            return
        space, victim, left = self._search.space, self._victim, self._ledger.remaining
        slope, gradients = goal.slope(facts), victim.gradients
        self._problem = Problem(judged, facts, space, slope, gradients, victim.paths, left)
        self._asking = self._search.method.search(self._problem)
        self._take(next(self._asking))

    def _take(self, said: Sequence[State] | Needed) -> None:
        """Process the method's next request: answers, or candidates."""
        self.needed = said if isinstance(said, Needed) else None
        self._pending = () if isinstance(said, Needed) else said

    def _guarded(self, step: Callable[[], None]) -> None:
        """Run a step; an error about this item only is an outcome."""
        try:
            step()
        except StopIteration as stop:
            self._finish(stop.value, "budget" if self._was_cut else "done")
        except UserError:
            raise  # a missing resource concerns every item
        except Exception as error:
            asked, failed = self._ledger.n_asked, self._ledger.n_failed
            self._close("failed", f"error:{type(error).__name__}", n_asked=asked, n_failed=failed)

    def _finish(self, result: Judged | None, ended: Ended) -> None:
        """End the search with the text that the method returns, or else the best that it saw."""
        ledger, problem, best = self._ledger, self._problem, self._ledger.best
        if problem is None or best is None:
            self._close("skipped", "out_of_time", ended=ended)
            return
        is_result = result is not None and result.answer is not None and not result.state.is_probe
        if result is not None and is_result and (result.is_reached or not best.is_reached):
            best = result
        self._close(
            "ok",
            is_success=best.is_reached,
            state=best.state,
            answer=best.answer,
            score=best.score,
            base_answer=problem.base.answer,
            n_asked=ledger.n_asked,
            n_considered=ledger.n_considered,
            n_tried=ledger.n_tried,
            n_failed=ledger.n_failed,
            n_gradients=problem.n_gradients,
            refused=dict(sorted(problem.refused.items())),
            trace=tuple(ledger.trace),
            reached=tuple(ledger.reached),
            ended=ended,
        )

    def _close(self, status: str, reason: str | None = None, **told: Any) -> None:
        """End with what came of it: the other members of `Found`."""
        if self._asking is not None:
            self._asking.close()
        self.found = Found(self._origin.example.id, status, reason, **told)
        self.wanted = {}
        self.needed = None
        self._pending = ()
        self._asking = self._problem = None
        self._ledger = Ledger(0)


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
        # the moves query what the searches need, until the searches need answers
        while waiting := [running for running in self.live if running.needed is not None]:
            warm(self._moves, [running.needed for running in waiting if running.needed])
            for running in waiting:
                running.resume()
        self.live = [running for running in self.live if running.found is None]
        with seldom_collected():
            batch: dict[Key, Example] = {}
            for key, state in (one for running in self.live for one in running.wanted.items()):
                if key not in batch:
                    batch[key] = state.example
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

    def finished(self) -> Iterator[Found]:
        """Results of the finished searches at the front of the queue."""
        while self._queue and (found := self._queue[0].found) is not None:
            self._queue.popleft()
            yield found
