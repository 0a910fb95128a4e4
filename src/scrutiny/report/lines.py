"""Which estimates stand on one line of a chart: a finding, its controls, its neighbors."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.report.chart_tables import Line
from scrutiny.report.labels import distinct_labels
from scrutiny.report.sections import Section

MEASURED = "estimate"
AGAINST = "against control"


def lines_by_metric(section: Section) -> dict[str, list[Line]]:
    """Lines of a section's charts, by the metric of their main estimate.

    Findings come first, each with its control and with the estimates that differ from it in their
    role alone; then what nobody claims anything of.
    """
    left = {id(e): e for e in section.estimates if e.status == "ok"}
    grouped: dict[str, list[Line]] = {}
    for row in section.rows:
        main = row.finding.estimate
        if main is None or main.value is None:
            continue
        line, used = _line(row.label, row.finding, list(left.values()))
        for estimate in used:
            left.pop(id(estimate), None)
        grouped.setdefault(main.key.metric, []).append(line)
    for metric, line in _unclaimed(list(left.values())):
        grouped.setdefault(metric, []).append(line)
    return {metric: _distinct(lines) for metric, lines in grouped.items()}


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


def _line(label: str, finding: Finding, pool: Sequence[Estimate]) -> tuple[Line, list[Estimate]]:
    """Line of a finding, and the estimates of the pool that it uses up."""
    main = finding.estimate
    assert main is not None  # the caller has looked
    series = {MEASURED: main}
    used = [e for e in pool if e.key == main.key]
    for estimate in pool:
        if estimate.key != main.key and replace(estimate.key, role=main.key.role) == main.key:
            series[estimate.key.role] = estimate
            used.append(estimate)
    if finding.control is not None:
        series[AGAINST] = finding.control
        used += [e for e in pool if e.key == finding.control.key]
    return Line(label, series), used


def _unclaimed(estimates: Sequence[Estimate]) -> Iterable[tuple[str, Line]]:
    """Lines of estimates without a claim: one for each identity, roles side by side."""
    metrics = dict.fromkeys(e.key.metric for e in estimates)
    for metric in metrics:
        own = [e for e in estimates if e.key.metric == metric]
        labels = distinct_labels([e.key for e in own], without=frozenset({"role"}))
        lines: dict[tuple[str, str], dict[str, Estimate]] = {}
        for estimate, label in zip(own, labels, strict=True):
            place = lines.setdefault((label, _without_role(estimate.key)), {})
            role = estimate.key.role
            place[MEASURED if role == "measured" else role] = estimate
        for (label, _), series in lines.items():
            yield metric, Line(label, series)


def _without_role(key: EstimateKey) -> str:
    return repr(replace(key, role=""))


def _distinct(lines: Iterable[Line]) -> list[Line]:
    """Lines with labels that differ: a chart would lay equal ones over each other."""
    seen: dict[str, int] = {}
    distinct = []
    for line in lines:
        seen[line.label] = seen.get(line.label, 0) + 1
        count = seen[line.label]
        distinct.append(line if count == 1 else replace(line, label=f"{line.label} ({count})"))
    return distinct
