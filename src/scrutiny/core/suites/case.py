"""Cases: what is expected of the answers to the items of a suite, and where these came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrutiny.core.record import Role


@dataclass(frozen=True, slots=True)
class Case:
    """Case: what is expected of the answer to an item, and where the item came from.

    Parameters
    ----------
    expect
        Expectation as it is written: ``gold``, ``same``, ``moves(label=positive,most=0.1)``.
    test
        Name of the test that it belongs to.
    capability
        What the test is about: "negation"; empty where nobody said.
    of
        Item that this one is a changed version of; empty for a text of its own.
    role
        ``measured``, or ``control`` for a matched random change.
    twin_of
        Case that a control matches.
    edits
        How it was made of that item, as stored; empty where that is not known.
    draw
        Number of the draw, where chance made it.
    made_for
        Model, and replicate, that a search made it for; empty for none.
    status, reason
        As in records: only an ``ok`` case is asked. An attack that found nothing is a case, too.
    facts
        What else is known of it: texts asked, words changed.
    """

    expect: str
    test: str
    capability: str = ""
    of: str = ""
    role: Role = "measured"
    twin_of: str = ""
    edits: str = ""
    draw: int = 0
    made_for: str = ""
    status: str = "ok"
    reason: str = ""
    facts: Mapping[str, float | str] = field(default_factory=dict)
