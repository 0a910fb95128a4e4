"""A section of one diagnostic: lines of its charts, how it was measured, how far to trust it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from scrutiny.blocks.forest import Line
from scrutiny.blocks.labels import distinct_labels, numbered
from scrutiny.blocks.numbers import number
from scrutiny.blocks.run_estimates import by_identity, identity
from scrutiny.blocks.run_view import RunView
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.boundary.printable import and_more, whole_percent
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import grouped
from scrutiny.report.findings.audit_rows import Section

MEASURED = "estimate"
AGAINST = "against control"
_ROLE = ("role",)
_MANY = 6  # groups of one metric
_FEW = 6  # estimates of a group: two or three points with their controls


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
            series = {MEASURED: main}
            beside = places.get(identity(main.key, without=_ROLE), ())
            series.update({e.key.role: e for e in beside if e.key.role != main.key.role})
            drawn = {id(e) for e in beside}
            control = row.finding.control
            if control is not None:
                series[AGAINST] = control
                same = places.get(identity(control.key, without=_ROLE), ())
                drawn |= {id(e) for e in same if e.key.role == control.key.role}
            claimed.setdefault(main.key.metric, []).append(Line(row.label, series))
            for name in drawn:
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


_MOST_NAMES: Final = 3


def how_measured(section: Section, view: RunView) -> list[str]:
    """Sentences of a section on a page: what was asked and computed."""
    facts = view.facts
    found = list(section.notes.measured)
    metrics = dict.fromkeys(e.key.metric_name for e in section.estimates)
    if metrics:
        found.append("Metrics: " + ", ".join(metrics) + ".")
    methods = dict.fromkeys(e.method for e in section.estimates if e.method)
    if methods:
        level = whole_percent(facts.level)
        found.append(f"Intervals: {level}, {', '.join(methods)}, {facts.draws:,} resamples.")
    if section.kinds:
        found.append("Ran as " + ", ".join(section.kinds) + ".")
    return found


def how_far(section: Section, view: RunView) -> list[str]:
    """Sentences of a section on a page: how far its numbers can be trusted."""
    findings = [row.finding for row in section.rows]
    found = [_replicates(section.estimates, view)]
    over_seeds = [
        e.variance
        for e in section.estimates
        if e.n_replicates > 1 and not e.method.startswith("items") and "seeds" in e.variance
    ]
    shares = [own["seeds"] / sum(own.values()) for own in over_seeds if sum(own.values()) > 0]
    if shares:
        own = whole_percent(median(shares))
        found.append(f"Seeds cause {own} of the variance (median over estimates).")
    found += _missing(section.estimates)
    if findings:
        count = sum(f.control is not None and f.control.value is not None for f in findings)
        found.append(f"{count} of {len(findings)} claims were compared with a matched control.")
    known = sorted(e for f in findings if (e := f.minimum_detectable_effect) is not None)
    if known:
        span = " to ".join(dict.fromkeys((number(known[0]), number(known[-1]))))
        found.append(f"Smallest effect that it could detect with 80 % power: {span}.")
    if count := sum(f.claim.post_hoc for f in findings):
        found.append(f"{count} of the claims were written after the first query (post hoc).")
    return [*filter(None, found), *section.notes.misleads]


def _replicates(estimates: Sequence[Estimate], view: RunView) -> str:
    """Number of replicates that claims are about, in words; empty where there is one."""
    subjects = view.facts.subjects
    own = [e for e in estimates if e.key.subject in subjects] or estimates
    most = max((e.n_replicates for e in own), default=len(view.facts.replicates))
    if most <= 1:
        return ""
    if most == 2:
        return "Two replicates: too few for results about the recipe."
    kinds = set(view.facts.replicates_of.values())
    if kinds == {"fine-tuning"}:
        return (
            f"{most} fine-tuning replicates: they share one pre-trained model. Claims are about "
            "fine-tuning it on this data; another pre-training was not tried."
        )
    of = f"{kinds.pop()} " if len(kinds) == 1 else ""
    return f"{most} {of}replicates: claims are about the recipe, on this data."


def _missing(estimates: Sequence[Estimate]) -> Iterator[str]:
    """Missing rows behind values; missing numbers; rows that were not asked."""
    valued = [e for e in estimates if e.value is not None]
    worst = max(valued, key=lambda e: e.counts.missing_share, default=None)
    if worst is not None and worst.counts.missing_share > 0:
        share, name = whole_percent(worst.counts.missing_share), _names(estimates, [worst])
        yield f"Up to {share} of the rows that applied {_lost(worst)} ({name})."
    elif worst is not None:
        yield "No row of a value failed or was undefined."
    absent = [e for e in estimates if e.value is None and e.counts.undefined + e.counts.failed]
    if absent:
        yield (
            f"{len(absent)} of {len(estimates)} numbers are missing, because their rows "
            f"{_lost(*absent)}: {_names(estimates, absent)}."
        )
    unasked = max((e.counts.skipped + e.counts.refused for e in estimates), default=0)
    if unasked:
        yield f"Up to {unasked} rows were skipped or refused: each number is printed with its n."


def _lost(*estimates: Estimate) -> str:
    """Status of the missing rows."""
    failed = any(e.counts.failed for e in estimates)
    undefined = any(e.counts.undefined for e in estimates)
    ways = ["failed"] * failed + ["were undefined"] * undefined
    return " or ".join(ways)


def _names(among: Sequence[Estimate], named: Sequence[Estimate]) -> str:
    """Distinct names of the first of some estimates."""
    labels = distinct_labels([e.key for e in among], without=frozenset({"replicate"}))
    wanted = {id(e) for e in named}
    found = [label for e, label in zip(among, labels, strict=True) if id(e) in wanted]
    return and_more(found, _MOST_NAMES)
