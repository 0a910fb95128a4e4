"""Spaces and searches of registered parts.

Parts declare their names on the class, protocols on the object; the registry checks what they are,
so they are taken here as they come.
"""

from collections.abc import Sequence
from typing import Any

from scrutiny.perturb.search.move import Amount, Changeable
from scrutiny.perturb.search.setting import Search
from scrutiny.perturb.search.space import Space


def space_of(
    *transformations: Any,
    may_change: Changeable | None = None,
    amount: Amount | None = None,
    most: int | None = None,
    constraints: Sequence[Any] = (),
    step_constraints: Sequence[Any] = (),
) -> Space:
    """Space of transformations that share a rule.

    Parameters
    ----------
    transformations
        What proposes candidates, in this order.
    may_change, amount, most
        Which words, how many, and how many candidates of each.
    constraints, step_constraints
        Vetoes against the item, and against the text before the step.
    """
    return Space.of(
        *transformations,
        most=most,
        may_change=may_change,
        amount=amount,
        constraints=constraints,
        step_constraints=step_constraints,
    )


def search_of(space: Space, goal: Any, method: Any) -> Search:
    """Search of a space, a goal and a method."""
    return Search(space, goal, method)
