"""Execution of one search."""

from collections.abc import Callable, Mapping, Sequence

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import UserError
from scrutiny.perturb.search.found import Ended, Found
from scrutiny.perturb.search.goal import Answer, Base, Judged
from scrutiny.perturb.search.ledger import Ledger
from scrutiny.perturb.search.origin import Key, Origin
from scrutiny.perturb.search.problem import Asking, Problem
from scrutiny.perturb.search.setting import Search, Settings, Victim
from scrutiny.perturb.search.state import State
from scrutiny.perturb.search.warming import Needed


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

    __slots__ = (
        "_asking",
        "_ledger",
        "_origin",
        "_pending",
        "_problem",
        "_search",
        "_victim",
        "_was_cut",
        "found",
        "needed",
        "wanted",
    )

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
        if self._problem is None:
            answer = answers[self._pending[0].key]
            if isinstance(answer, Failure):
                self._ledger.take(self.wanted, answers)
                item = self._origin.example.id
                self._close(Found(item, "failed", answer.reason, n_asked=1, n_failed=1))
                return
        self._ledger.take(self.wanted, answers)
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
        facts = Base(self._origin.example, answer, self._victim.labels)
        reason = goal.skips(facts)
        judged = None
        if reason is None:
            (judged,) = self._ledger.judge([start], goal=goal, base=facts)
            reason = "already_there" if judged.is_reached else None
        if reason is not None or judged is None:
            item = self._origin.example.id
            self._close(Found(item, "skipped", reason, base_answer=answer, n_asked=1))
            return
        self._problem = Problem(
            judged,
            facts,
            self._search.space,
            goal.slope(facts),
            self._victim.gradients,
            self._ledger.remaining,
        )
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
            ledger, item = self._ledger, self._origin.example.id
            reason = f"error:{type(error).__name__}"
            self._close(
                Found(item, "failed", reason, n_asked=ledger.n_asked, n_failed=ledger.n_failed)
            )

    def _finish(self, result: Judged | None, ended: Ended) -> None:
        """End the search with the text that the method returns, or else the best that it saw."""
        ledger, problem = self._ledger, self._problem
        item = self._origin.example.id
        if problem is None or ledger.best is None:
            self._close(Found(item, "skipped", "out_of_time", ended=ended))
            return
        best = ledger.best
        if result is not None and _is_result(result, best):
            best = result
        self._close(
            Found(
                item,
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
        )

    def _close(self, found: Found) -> None:
        if self._asking is not None:
            self._asking.close()
        self.found = found
        self.wanted = {}
        self.needed = None
        self._pending = ()
        self._asking = self._problem = None
        self._ledger = Ledger(0)


def _is_result(result: Judged, best: Judged) -> bool:
    """Whether a method's result is valid, given the best text of its search."""
    if result.answer is None or result.state.is_probe:
        return False
    return result.is_reached or not best.is_reached
