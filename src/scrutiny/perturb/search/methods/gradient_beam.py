"""A beam whose candidates gradients propose and whose answers decide."""

from typing import TYPE_CHECKING

from scrutiny.perturb.search.methods.choosing import ranked, reached
from scrutiny.perturb.search.methods.importance import loss_gradients
from scrutiny.perturb.search.problem import Asking, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrutiny.core.gradients import TokenGradients
    from scrutiny.perturb.search.goal import Judged
    from scrutiny.perturb.search.state import State

    Proposing = Callable[[State, TokenGradients], Iterable[State]]


def gradient_beam(problem: Problem, propose: "Proposing", *, width: int, steps: int) -> Asking:
    """Go on with the best answers of what gradients propose, up to so many steps.

    One backward pass serves all texts of a step.

    Parameters
    ----------
    problem
        What is searched.
    propose
        Texts one change away from a state whose gradients are given, the best estimates first.
    width
        Texts that go on after a step.
    steps
        Largest number of steps.

    Raises
    ------
    PlanError
        If the victim gives no gradients.
    """
    beam: list[Judged] = [problem.base]
    seen = {problem.base.state.key}
    for _ in range(steps):
        states = [one.state for one in beam]
        found: list[State] = []
        for state, slopes in zip(states, loss_gradients(problem, states), strict=True):
            if slopes is None:
                continue
            for near in propose(state, slopes):
                if near.key not in seen:
                    seen.add(near.key)
                    found.append(near)
        if not found:
            break
        judged = yield found
        there = reached(judged)
        if there is not None:
            return there
        beam = ranked(judged)[:width]
    return None
