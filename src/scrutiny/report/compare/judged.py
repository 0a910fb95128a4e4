"""A comparison as tests of JUnit: one for each score that its margin judges."""

from collections.abc import Iterator
from typing import Final

from scrutiny.blocks.numbers import number
from scrutiny.core.boundary.printable import points as margin_of
from scrutiny.report.compare.certified import certificate_facts
from scrutiny.report.compare.headline import level_lead, level_name, points
from scrutiny.report.findings.risks import JudgedCase, Outcome
from scrutiny.run.comparing.comparison_results import Level, SharedInvariances, SideBySide
from scrutiny.run.comparing.comparison_results import Outcome as Found

_OUTCOMES: Final[dict[str, Outcome]] = {"no regression": "pass", "regression": "fail"}


def judged_cases(found: SideBySide, margin: float, undecided: Outcome) -> Iterator[JudgedCase]:
    """Tests of a comparison: scores, then shared invariances.

    Parameters
    ----------
    found
        The comparison.
    margin
        Largest loss that does not matter.
    undecided
        What an undecided one comes to.
    """
    for level in found.judged:
        name = f"{level_name(level)} on {level.dataset}: loss of more than {_most(level, margin)}"
        said = [level_lead(level, is_first=True), *_beyond(level, margin)]
        said += [says for _, says in certificate_facts(level, margin)]
        assert level.outcome is not None  # there is a margin
        yield _case(name, (level.reference, level.subject), level.outcome, said, undecided)
    for one in () if found.shared is None else found.shared.judged:
        name = f"invariances, {one.capability} on {one.hard.key.dataset}"
        name += f": loss of more than {margin_of(one.margin)}"
        outcome = SharedInvariances.outcome_of(one)
        said = [f"{number(one.hard.value)} are kept, {number(one.ceiling.value)} could be."]
        yield _case(name, (one.hard.key.subject, one.reference), outcome, said, undecided)


def _most(level: Level, margin: float) -> str:
    """Margin in the unit of the score."""
    return margin_of(margin) if level.flips is not None else f"{margin:g}"


def _beyond(level: Level, margin: float) -> Iterator[str]:
    """Kinds of input on which a loss beyond the margin is shown."""
    sign = -1 if level.lower_is_better else 1
    for one in level.changes[1:]:
        if one.is_shown and one.loses(margin, sign):
            yield f"A loss of {points(level, abs(one.value))} is shown on inputs {one.says}."


def _case(
    name: str, models: tuple[str, str], outcome: Found, said: list[str], undecided: Outcome
) -> JudgedCase:
    """Test of an outcome; one that is undecided says so, whatever it comes to."""
    if outcome == "undecided":
        said = ["undecided:", *said]
    says, of = " ".join(said), " against ".join(models)
    return JudgedCase(name, of, _OUTCOMES.get(outcome, undecided), says, "regression")
