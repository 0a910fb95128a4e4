"""Sentences of a page on "how this was measured" and "how far to trust it"."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from scrutiny.core.boundary.listing import and_more
from scrutiny.core.estimate import Estimate
from scrutiny.core.shares import whole_percent
from scrutiny.parts.run.sections import Section
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import distinct_labels
from scrutiny.parts.wording.numbers import number

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
    return [
        *_replicates(section.estimates, view),
        *_seed_share(section.estimates),
        *_missing(section.estimates),
        *_controls(section),
        *_detectable(section),
        *_post_hoc(section),
        *section.notes.misleads,
    ]


def _replicates(estimates: Sequence[Estimate], view: RunView) -> Iterator[str]:
    """Number of replicates that claims are about, in words; empty where there is one."""
    subjects = view.facts.subjects
    own = [e for e in estimates if e.key.subject in subjects] or estimates
    most = max((e.n_replicates for e in own), default=len(view.facts.replicates))
    if most <= 1:
        return
    if most == 2:
        yield "Two replicates: too few for results about the recipe."
        return
    kinds = set(view.facts.replicates_of.values())
    if kinds == {"fine-tuning"}:
        yield (
            f"{most} fine-tuning replicates: they share one pre-trained model. Claims are about "
            "fine-tuning it on this data; another pre-training was not tried."
        )
        return
    of = f"{kinds.pop()} " if len(kinds) == 1 else ""
    yield f"{most} {of}replicates: claims are about the recipe, on this data."


def _seed_share(estimates: Sequence[Estimate]) -> Iterator[str]:
    shares = [
        e.variance["seeds"] / sum(e.variance.values())
        for e in estimates
        if _is_over_seeds(e) and sum(e.variance.values()) > 0
    ]
    if shares:
        own = whole_percent(median(shares))
        yield f"Seeds cause {own} of the variance (median over estimates)."


def _is_over_seeds(estimate: Estimate) -> bool:
    """Whether an estimate has variance between seeds."""
    is_drawn = estimate.n_replicates > 1 and not estimate.method.startswith("items")
    return is_drawn and "seeds" in estimate.variance


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


def _controls(section: Section) -> Iterator[str]:
    total = len(section.rows)
    if total:
        controls = (row.finding.control for row in section.rows)
        count = sum(control is not None and control.value is not None for control in controls)
        yield f"{count} of {total} claims were compared with a matched control."


def _detectable(section: Section) -> Iterator[str]:
    effects = [row.finding.minimum_detectable_effect for row in section.rows]
    known = sorted(e for e in effects if e is not None)
    if known:
        low, high = number(known[0]), number(known[-1])
        span = low if low == high else f"{low} to {high}"
        yield f"Smallest effect that it could detect with 80 % power: {span}."


def _post_hoc(section: Section) -> Iterator[str]:
    count = sum(row.finding.claim.post_hoc for row in section.rows)
    if count:
        yield f"{count} of the claims were written after the first query (post hoc)."
