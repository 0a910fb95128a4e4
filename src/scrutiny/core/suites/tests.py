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
    has_base
        Whether every case is a changed item.
    has_level, has_gold
        Whether the right answers to all these items are known; and those to the cases, too.
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
    has_level: bool
    has_gold: bool
    has_control: bool
    has_groups: bool


def suite_tests(examples: Sequence[Example]) -> tuple[SuiteTest, ...]:
    """Tests of a suite in the order of their first cases; none of other items."""
    named = [(case, e) for e in examples if (case := e.case) is not None]
    known = {e.id: e for e in examples if e.gold is not None}
    twins = Counter(case.twin_of for case, _ in named if case.role == "control")
    found = []
    for (name, capability), cases in grouped(
        ((case.test, case.capability), (case, e)) for case, e in named if case.role == "measured"
    ).items():
        has_base = all(case.of for case, _ in cases)
        has_level = has_base and all(case.of in known for case, _ in cases)
        found.append(
            SuiteTest(
                name,
                capability,
                expects=tuple(dict.fromkeys(case.expect for case, _ in cases)),
                n_cases=len(cases),
                has_base=has_base,
                has_level=has_level,
                has_gold=(has_level or not has_base) and all(e.id in known for _, e in cases),
                has_control=bool(twins)
                and all(e.id in twins for case, e in cases if case.status == "ok"),
                has_groups=has_base or _share_groups(e for _, e in cases),
            )
        )
    return tuple(found)


def originals(examples: Sequence[Example]) -> list[Example]:
    """Original items that the cases of a behavioral suite change; all if no case names one."""
    made_of = {e.case.of for e in examples if e.case is not None} - {""}
    return [e for e in examples if not made_of or e.id in made_of]


def _share_groups(examples: Iterable[Example]) -> bool:
    """Whether two items belong to one group."""
    groups = Counter(example.attributes.get(GROUP) for example in examples)
    return groups.total() > len(groups)
