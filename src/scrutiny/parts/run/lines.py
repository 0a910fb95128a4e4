"""Lines of a run: which of its estimates share one, as a finding with its controls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.grouping import grouped
from scrutiny.parts.run.identity import by_identity, identity
from scrutiny.parts.run.sections import Section
from scrutiny.parts.wording.labels import distinct_labels, numbered

MEASURED = "estimate"
AGAINST = "against control"
_ROLE = ("role",)
_MANY = 6  # groups of one metric
_FEW = 6  # estimates of a group: two or three points with their controls


@dataclass(frozen=True, slots=True)
class Line:
    """One line of estimates: its label, and the estimates by the name of the series."""

    label: str
    series: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LineGroup:
    """Lines of one chart.

    Parameters
    ----------
    metric, group
        What they are of.
    lines
        In the order of the audit table, then in plan order.
    is_claimed
        Whether a claim rests on any of them.
    what
        What is measured, where a condition says it.
    """

    metric: str
    group: str
    lines: tuple[Line, ...]
    is_claimed: bool
    what: str = ""


def line_groups(section: Section) -> list[LineGroup]:
    """Lines of a section's charts: those of claims first, then estimates without claims.

    A finding stands with its control and with the estimates that differ from it in their role
    alone. Estimates under the same condition of other subjects (a baseline) join its chart.
    """
    pool = {id(e): e for e in section.estimates if e.status == "ok"}
    places = by_identity(pool.values(), without=_ROLE)
    claimed: dict[str, list[Line]] = {}
    for row in section.rows:
        main = row.finding.estimate
        if main is not None and main.value is not None:
            line, used = _line(row.label, row.finding, places)
            claimed.setdefault(main.key.metric, []).append(line)
            for name in used:
                pool.pop(name, None)
    groups = []
    for metric, lines in claimed.items():
        near = {_condition(e.key) for line in lines for e in line.series.values()}
        of_metric = [e for e in pool.values() if e.key.metric == metric]
        joining = [e for e in of_metric if _condition(e.key) in near]
        pool = {i: e for i, e in pool.items() if e.key.metric != metric} | {
            id(e): e for e in of_metric if _condition(e.key) not in near
        }
        together = _distinct([*lines, *_unclaimed(joining)])
        groups.append(LineGroup(metric, "all", together, is_claimed=True))
    return groups + _unclaimed_groups(list(pool.values()))


def _unclaimed_groups(estimates: Sequence[Estimate]) -> list[LineGroup]:
    """Groups of estimates without a claim, by metric and by the items they are over.

    A chart for each of forty categories that has two points is read by nobody: where a metric has
    many groups and few estimates in each, they share one chart.
    """
    by_metric = grouped(
        ((e.key.metric, tuple(e.key.measured_condition.values())), (e.key.group, e))
        for e in estimates
    )
    found = []
    for (metric, what), members in by_metric.items():
        groups = grouped(members)
        if len(groups) > _MANY and sum(map(len, groups.values())) <= _FEW * len(groups):
            groups = {"all": [e for own in groups.values() for e in own]}
        found += [
            LineGroup(
                metric, group, _distinct(_unclaimed(own)), is_claimed=False, what=" ".join(what)
            )
            for group, own in groups.items()
        ]
    return found


def _line(
    label: str, finding: Finding, places: Mapping[str, Sequence[Estimate]]
) -> tuple[Line, set[int]]:
    """Line of a finding, and the estimates that it contains."""
    main = finding.estimate
    assert main is not None  # the caller has looked
    series = {MEASURED: main}
    beside = places.get(identity(main.key, without=_ROLE), ())
    series.update({e.key.role: e for e in beside if e.key.role != main.key.role})
    used = {id(e) for e in beside}
    control = finding.control
    if control is not None:
        series[AGAINST] = control
        same = places.get(identity(control.key, without=_ROLE), ())
        used |= {id(e) for e in same if e.key.role == control.key.role}
    return Line(label, series), used


def _unclaimed(estimates: Sequence[Estimate]) -> list[Line]:
    """Lines of estimates without a claim: one for each key, with roles side by side."""
    if not estimates:
        return []
    keys = [e.key for e in estimates]
    labels = distinct_labels(keys, without=frozenset({"role", "diagnostic"}))
    lines: dict[tuple[str, str], dict[str, Estimate]] = {}
    for estimate, label in zip(estimates, labels, strict=True):
        place = lines.setdefault((label, identity(estimate.key, without=_ROLE)), {})
        role = estimate.key.role
        place[MEASURED if role == "measured" else role] = estimate
    return [Line(label, series) for (label, _), series in lines.items()]


def _condition(key: EstimateKey) -> str:
    """Varied conditions, and the items."""
    return canonical_json([dict(key.condition), key.group])


def _distinct(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Lines with distinct labels, because a chart would draw equal ones over each other."""
    labels = numbered(line.label for line in lines)
    return tuple(replace(line, label=label) for line, label in zip(lines, labels, strict=True))
