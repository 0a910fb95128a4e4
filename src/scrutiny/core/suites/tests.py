"""Tests of a suite: its cases by name, and what those of one name have in common."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.core.example import Example
from scrutiny.core.grouping import grouped

#: Columns of the items that a suite brings: test, capability, and what is resampled as a whole.
TEST: Final = "a_test"
CAPABILITY: Final = "a_capability"
GROUP: Final = "u_group"


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """Cases of one name, and what they have in common.

    Parameters
    ----------
    name, capability
        As in its cases.
    expects
        Expectations of its cases, as they are written.
    n_cases
        Number of them, controls aside.
    has_base, has_gold
        Whether every case is a changed item; whether a right answer to each is known.
    has_control
        Whether each that is asked has a control.
    has_groups
        Whether a group holds a case and another one, or the item that it was made of.
    """

    name: str
    capability: str
    expects: tuple[str, ...]
    n_cases: int
    has_base: bool
    has_gold: bool
    has_control: bool
    has_groups: bool


def tests_of(examples: Sequence[Example]) -> tuple[SuiteTest, ...]:
    """Tests of a suite in the order of their first cases; none of other items."""
    named = [(case, e) for e in examples if (case := e.case) is not None]
    known = {e.id: e for e in examples if e.gold is not None}
    twins = Counter(case.twin_of for case, _ in named if case.role == "control")
    found = []
    for (name, capability), cases in grouped(
        ((case.test, case.capability), (case, e)) for case, e in named if case.role == "measured"
    ).items():
        found.append(
            SuiteTest(
                name,
                capability,
                expects=tuple(dict.fromkeys(case.expect for case, _ in cases)),
                n_cases=len(cases),
                has_base=all(case.of for case, _ in cases),
                has_gold=all(e.id in known and (case.of or e.id) in known for case, e in cases),
                has_control=all(e.id in twins for case, e in cases if case.status == "ok"),
                has_groups=all(case.of for case, _ in cases) or _share_groups(e for _, e in cases),
            )
        )
    return tuple(found)


def _share_groups(examples: Iterable[Example]) -> bool:
    """Whether two items belong to one group."""
    groups = Counter(example.attributes.get(GROUP) for example in examples)
    return groups.total() > len(groups)
