"""A comparison as JSON objects: findings first, then the other results."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from scrutiny.core.boundary.canonical import plain
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.run.comparing.levels import Level, SideBySide
from scrutiny.run.comparing.shared import SharedInvariances
from scrutiny.store.estimates import estimate_to_row
from scrutiny.store.findings import finding_to_json

Object = dict[str, Any]
#: What tells the levels of a comparison apart.
_OF_LEVEL: Final = ("subject", "reference", "dataset", "metric", "condition")


def objects_of(whole: SideBySide, *, top: int) -> Iterator[Object]:
    """One object a line; ``part`` tells those apart that are no findings."""
    yield from map(finding_to_json, whole.comparison.findings)
    for level in whole.levels:
        own = _members(level, *_OF_LEVEL)
        yield from ({"part": name, **own, **said} for name, said in _of_level(level, top))
    if whole.shared is not None:
        yield from ({"part": name, **said} for name, said in _of_shared(whole.shared))
    found = _members(whole.comparison, "n_shared", "n_unmatched", "differences")
    yield {"part": "outcome", "outcome": whole.outcome, **found}


def _of_level(level: Level, top: int) -> Iterator[tuple[str, Object]]:
    """Name and members of each object of one level."""
    noise = _members(level.noise, "how", "share", "n_items", "n_pairs")
    sides = {"before": level.overall.before, "after": level.overall.after, "noise": noise}
    yield "level", sides | _members(level, "detectable", "outcome")
    if level.flips is not None:
        tests = {"mcnemar_p": [test.p_value for test in level.flips.tests]}
        graded = {"is_graded": True} if level.flips.is_graded else {}
        yield "flips", _members(level.flips, "broken", "mended", "answers_differ") | tests | graded
    for agreed in level.agreement.rows:
        of = level.agreement.floor_of if agreed.floor is not None else None
        yield "agreement", _members(agreed) | {"reason": agreed.reason or None, "floor_of": of}
    causes = {found.change.name: found.goes_back_to for found in level.shown}
    for change in level.changes:
        shown = {"is_shown": change.is_shown, "goes_back_to": causes.get(change.name)}
        yield "slice", _members(change) | {"value": change.value} | shown
    for one in level.disagreements[:top]:
        yield "disagreement", _members(one) | {"rank": one.rank}


def _of_shared(shared: SharedInvariances) -> Iterator[tuple[str, Object]]:
    """Name and members of each shared invariance, and of the likeness of vectors."""
    for one in shared.kept:
        key = one.hard.key
        of = {"subject": key.subject, "reference": key.reference, "dataset": key.dataset}
        own = _members(one, "hard", "random", "ceiling", "finding")
        told = {"is_judged": one in shared.judged, "ceiling_of": one.how}
        further = {name.partition("@")[0]: _said(found) for name, found in one.further.items()}
        changed = {name: str(value) for name, value in key.condition.items()}
        judged = {"margin": one.margin, "outcome": shared.outcome_of(one)}
        yield "invariance", {**of, **changed, **own, **told, **further, **judged}
    for row in shared.likened:
        of = {"measure": row.measure, "pooling": row.pooling, "dataset": row.value.key.dataset}
        yield "representation", of | _members(row)
    for claimed in shared.findings:
        yield "representation claim", finding_to_json(claimed)


def _members(value: Any, *names: str) -> Object:
    """Members of a value, all of them unless named, estimates and findings as files have them."""
    return {
        one.name: _said(getattr(value, one.name))
        for one in fields(value)
        if not names or one.name in names
    }


def _said(value: Any) -> Any:
    if isinstance(value, Estimate):
        return estimate_to_row(value)
    return finding_to_json(value) if isinstance(value, Finding) else plain(value)
