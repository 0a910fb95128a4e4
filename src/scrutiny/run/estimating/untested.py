"""What a rule of a gate did not test: it neither passes nor fails, whatever its number says.

A number that nobody asked for has no value; a change that altered no text costs nothing whatever
the model does, and so does every change where the model answers without reading the text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrutiny.core.claim import OF_ITSELF, Component, Finding
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.verdicts.touched import touched_of


def only_tested(
    found: Iterable[Finding],
    estimated: Mapping[str, Estimated],
    touching: Mapping[str, Sequence[str]],
    counts: Mapping[str, Estimated],
    of_run: Iterable[Finding],
) -> Iterator[Finding]:
    """Findings on rules, refused where the number of a rule was not tested.

    Parameters
    ----------
    found
        Findings on rules.
    estimated
        Their numbers.
    touching
        Estimates of the share of items that a change altered, by the number that it is about.
    counts
        Those estimates.
    of_run
        Findings of the run: what it refused for want of skill, no rule passes on.
    """
    lacking = {
        component.estimate: one.reason
        for one in of_run
        if one.claim.risk is not None and one.lacks_skill
        for component in one.claim.components
    }
    for finding in found:
        if finding.verdict == "not supported":
            yield finding
            continue
        told = _with_values(finding, estimated)
        if told is finding:
            told = _touched(finding, touching, counts)
        yield _with_skill(finding, lacking) if told is finding else told


def _with_values(finding: Finding, estimated: Mapping[str, Estimated]) -> Finding:
    """Finding on a rule, refused where a number of it has no value."""
    for component in finding.claim.components:
        if estimated[component.estimate].estimate.value is None:
            return _refused(finding, component, finding.reason)
    return finding


def _with_skill(finding: Finding, lacking: Mapping[str, str]) -> Finding:
    """Finding on a rule, refused where a model without skill has the number."""
    for component in finding.claim.components:
        if component.estimate in lacking:
            return _refused(finding, component, lacking[component.estimate])
    return finding


def _touched(
    finding: Finding, touching: Mapping[str, Sequence[str]], counts: Mapping[str, Estimated]
) -> Finding:
    """Finding on a rule, refused where a change altered no text."""
    for component in finding.claim.components:
        one = replace(finding.claim, coverage=tuple(touching.get(component.estimate, ())))
        touched = touched_of(one, counts)
        if touched is not None and not touched.items:
            return _refused(finding, component, touched.says("changed"), touched=touched)
    return finding


def _refused(finding: Finding, component: Component, reason: str, **more: Any) -> Finding:
    """Finding on a rule that was not tested, on one of its numbers."""
    said = f"not tested: {component.against.removeprefix(OF_ITSELF)}: {reason}"
    return replace(finding, verdict="refused", reason=said, **more)
