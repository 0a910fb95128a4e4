"""Sentences of "how this was measured" and "how far to trust it", made of what the run knows."""

from collections.abc import Iterator, Sequence
from statistics import median

from scrutiny.core.estimate import Estimate
from scrutiny.report.labels import unversioned
from scrutiny.report.numbers import number, percent
from scrutiny.report.sections import Section
from scrutiny.report.view import RunView


def how_measured(section: Section, view: RunView) -> list[str]:
    """What was asked and computed, in sentences."""
    facts = view.facts
    found = list(section.notes.measured)
    metrics = dict.fromkeys(unversioned(e.key.metric) for e in section.estimates)
    if metrics:
        found.append("Metrics: " + ", ".join(metrics) + ".")
    methods = dict.fromkeys(e.method for e in section.estimates if e.method)
    if methods:
        level = percent(facts.level)
        found.append(f"Intervals: {level}, {', '.join(methods)}, {facts.draws:,} resamples.")
    if section.kinds:
        found.append("Ran as " + ", ".join(section.kinds) + ".")
    return found


def how_far(section: Section, view: RunView) -> list[str]:
    """What limits the numbers of a section, in sentences."""
    found = [_replicates(section.estimates, view)]
    found += _seed_share(section.estimates)
    found += _missing(section.estimates)
    found += _controls(section)
    found += _detectable(section)
    found += _post_hoc(section)
    return [*found, *section.notes.misleads]


def _replicates(estimates: Sequence[Estimate], view: RunView) -> str:
    subjects = view.facts.subjects
    own = [e for e in estimates if e.key.subject in subjects] or estimates
    most = max((e.n_replicates for e in own), default=len(view.facts.replicates))
    if most <= 1:
        return "One replicate: nothing here speaks of the recipe, only of this checkpoint."
    if most == 2:
        return "Two replicates: too few to speak of the recipe."
    kinds = set(view.facts.replicates_of.values())
    if kinds == {"fine-tuning"}:
        return (
            f"{most} fine-tuning replicates: they share one initialization. Claims may speak of "
            "fine-tuning from it, on this data; another pre-training was not tried."
        )
    of = f"{kinds.pop()} " if len(kinds) == 1 else ""
    return f"{most} {of}replicates: claims may speak of the recipe, on this data."


def _seed_share(estimates: Sequence[Estimate]) -> Iterator[str]:
    shares = [
        e.variance["seeds"] / sum(e.variance.values())
        for e in estimates
        if e.variance.get("seeds") is not None and sum(e.variance.values()) > 0
    ]
    if shares:
        yield f"Seeds carry {percent(median(shares))} of the variance (median over estimates)."


def _missing(estimates: Sequence[Estimate]) -> Iterator[str]:
    share = max((e.counts.missing_share for e in estimates), default=0.0)
    if share > 0:
        yield f"Up to {percent(share)} of the rows that applied failed or came out undefined."
    elif estimates:
        yield "No row failed or came out undefined."
    unasked = max((e.counts.skipped + e.counts.refused for e in estimates), default=0)
    if unasked:
        yield f"Up to {unasked} rows were skipped or refused: n is printed with every number."


def _controls(section: Section) -> Iterator[str]:
    total = len(section.rows)
    if total:
        controls = (row.finding.control for row in section.rows)
        count = sum(control is not None and control.value is not None for control in controls)
        yield f"{count} of {total} claims were held against a matched control."


def _detectable(section: Section) -> Iterator[str]:
    effects = [row.finding.minimum_detectable_effect for row in section.rows]
    known = sorted(e for e in effects if e is not None)
    if known:
        low, high = number(known[0]), number(known[-1])
        span = low if low == high else f"{low} to {high}"
        yield f"Smallest effect it would have shown with 80 % power: {span}."


def _post_hoc(section: Section) -> Iterator[str]:
    count = sum(row.finding.claim.post_hoc for row in section.rows)
    if count:
        yield f"{count} of the claims were written after the first query (post hoc)."
