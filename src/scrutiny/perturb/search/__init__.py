"""One engine for every search over texts: attacks, shared invariances, disagreements.

::

    State           a text on the way: the base with edits
    Space           where a search may go: moves (transformations), constraints, amount of change
    Goal            how good a text is, and whether it is good enough      goals/
    Method          which texts to ask about next                          methods/
    search_all      many searches at once, each round one batch
    Found           what came of one

See ``design/009-search.md`` and ``docs/search.md``.
"""

from scrutiny.perturb.search.engine import search_all
from scrutiny.perturb.search.found import Found, Mark
from scrutiny.perturb.search.goal import Answer, AnswerPair, Base, Goal, Judged
from scrutiny.perturb.search.move import Amount, Changeable, Move, Place
from scrutiny.perturb.search.origin import Origin
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.setting import Ask, Search, Settings, Victim
from scrutiny.perturb.search.space import Space
from scrutiny.perturb.search.state import State

__all__ = [
    "Amount",
    "Answer",
    "AnswerPair",
    "Ask",
    "Asking",
    "Base",
    "Changeable",
    "Found",
    "Goal",
    "Judged",
    "Mark",
    "Method",
    "Move",
    "Origin",
    "Place",
    "Problem",
    "Search",
    "Settings",
    "Space",
    "State",
    "Victim",
    "search_all",
]
