"""Which estimates stand on one line of a chart: a finding, its controls, its neighbors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.report.chart_tables import Line
from scrutiny.report.labels import distinct_labels
from scrutiny.report.sections import Section

MEASURED = "estimate"
AGAINST = "against control"


@dataclass(frozen=True, slots=True)
class LineGroup:
    """Lines that stand in one chart.

    Parameters
    ----------
    metric, group
        What they are of.
    lines
        In the order of the audit table, then in plan order.
    is_claimed
        Whether a claim rests on any of them.
    """

    metric: str
    group: str
    lines: tuple[Line, ...]
    is_claimed: bool


def line_groups(section: Section) -> list[LineGroup]:
    """Lines of a section's charts: those of claims first, then what nobody claims anything of.

    A finding stands with its control and with the estimates that differ from it in their role
    alone. Estimates under the same condition of other subjects (a baseline) join its chart.
    """
    pool = {id(e): e for e in section.estimates if e.status == "ok"}
    claimed: dict[str, list[Line]] = {}
    for row in section.rows:
        main = row.finding.estimate
        if main is not None and main.value is not None:
            line, used = _line(row.label, row.finding, list(pool.values()))
            claimed.setdefault(main.key.metric, []).append(line)
            pool = {i: e for i, e in pool.items() if i not in used}
    for metric, lines in claimed.items():
        joining = [e for e in pool.values() if e.key.metric == metric and _joins(e, lines)]
        pool = {i: e for i, e in pool.items() if e not in joining}
        lines += _unclaimed(joining)
    groups = [
        LineGroup(m, "all", _distinct(lines), is_claimed=True) for m, lines in claimed.items()
    ]
    for metric, group in dict.fromkeys((e.key.metric, e.key.group) for e in pool.values()):
        own = [e for e in pool.values() if (e.key.metric, e.key.group) == (metric, group)]
        groups.append(LineGroup(metric, group, _distinct(_unclaimed(own)), is_claimed=False))
    return groups


def _joins(estimate: Estimate, lines: Sequence[Line]) -> bool:
    """Whether an estimate differs from a claimed one in its subject and role only."""
    return any(
        estimate.key.condition == e.key.condition and estimate.key.group == e.key.group
        for line in lines
        for e in line.series.values()
    )


def shared_limit(section: Section, metric: str) -> float | None:
    """Limit of the claims on one metric, if they have one in common."""
    limits = {
        row.finding.claim.components[0].limit
        for row in section.rows
        if row.finding.claim.components
        and row.finding.estimate is not None
        and row.finding.estimate.key.metric == metric
    }
    return limits.pop() if len(limits) == 1 else None


def _line(label: str, finding: Finding, pool: Sequence[Estimate]) -> tuple[Line, set[int]]:
    """Line of a finding, and the estimates of the pool that it uses up."""
    main = finding.estimate
    assert main is not None  # the caller has looked
    series = {MEASURED: main}
    used = {id(e) for e in pool if e.key == main.key}
    for estimate in pool:
        if estimate.key != main.key and replace(estimate.key, role=main.key.role) == main.key:
            series[estimate.key.role] = estimate
            used.add(id(estimate))
    if finding.control is not None:
        series[AGAINST] = finding.control
        used |= {id(e) for e in pool if e.key == finding.control.key}
    return Line(label, series), used


def _unclaimed(estimates: Sequence[Estimate]) -> list[Line]:
    """Lines of estimates without a claim: one for each identity, roles side by side."""
    if not estimates:
        return []
    keys = [e.key for e in estimates]
    labels = distinct_labels(keys, without=frozenset({"role", "diagnostic"}))
    lines: dict[tuple[str, str], dict[str, Estimate]] = {}
    for estimate, label in zip(estimates, labels, strict=True):
        place = lines.setdefault((label, _without_role(estimate.key)), {})
        role = estimate.key.role
        place[MEASURED if role == "measured" else role] = estimate
    return [Line(label, series) for (label, _), series in lines.items()]


def _without_role(key: EstimateKey) -> str:
    return repr(replace(key, role=""))


def _distinct(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines with labels that differ: a chart would lay equal ones over each other."""
    seen: dict[str, int] = {}
    distinct = []
    for line in lines:
        seen[line.label] = seen.get(line.label, 0) + 1
        count = seen[line.label]
        distinct.append(line if count == 1 else replace(line, label=f"{line.label} ({count})"))
    return tuple(distinct)
