"""One engine for every search over texts: attacks, shared invariances, disagreements.

See ``design/009-search.md`` and ``docs/search.md``.
"""

from scrutiny.perturb.search.judging import Answer, AnswerPair, Base, Found, Goal, Judged, Mark
from scrutiny.perturb.search.moves import Amount, Changeable, Move, Origin, Place
from scrutiny.perturb.search.problem import Ask, Asking, Method, Problem, Search, Settings, Victim
from scrutiny.perturb.search.running import search_all
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
