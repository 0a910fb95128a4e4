"""Two runs side by side, as JSON objects: findings first, then what stands beside them."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from scrutiny.core.canonical import plain
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.run.comparing.kept import Kept, SharedInvariances
from scrutiny.run.comparing.levels import Level, SideBySide
from scrutiny.store.estimates import estimate_to_row
from scrutiny.store.findings import finding_to_json

_NAMES = ("subject", "reference", "dataset", "metric", "condition")


def objects_of(whole: SideBySide, *, top: int) -> Iterator[Mapping[str, Any]]:
    """One object a line; ``part`` tells those apart that are no findings."""
    yield from map(_said, whole.comparison.findings)
    for level in whole.levels:
        own = {name: getattr(level, name) for name in _NAMES}
        for part, said in _of_level(level, top):
            yield {"part": part, **own, **said}
    if whole.shared is not None:
        yield from _of_shared(whole.shared)
    yield {
        "part": "outcome",
        "outcome": whole.outcome,
        "n_shared": whole.comparison.n_shared,
        "differences": list(whole.comparison.differences),
    }


def _of_level(level: Level, top: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and members of each object of one level."""
    noise = _members(level.noise)
    del noise["agreement"]
    sides = {"before": level.overall.before, "after": level.overall.after}
    known = {"detectable": level.detectable, "outcome": level.outcome, "noise": noise}
    yield "level", sides | known
    if level.flips is not None:
        flips = _members(level.flips)
        del flips["n_pairs"]
        flips["mcnemar_p"] = [test["p_value"] for test in flips.pop("tests")]
        if not flips["is_graded"]:
            del flips["is_graded"]
        yield "flips", flips
    for agreed in level.agreement.rows:
        of = level.agreement.floor_of if agreed.floor is not None else None
        yield "agreement", _members(agreed) | {"reason": agreed.reason or None, "floor_of": of}
    causes = {found.change.name: found.goes_back_to for found in level.shown}
    for change in level.changes:
        shown = {"value": change.value, "is_shown": change.is_shown}
        yield "slice", _members(change) | shown | {"goes_back_to": causes.get(change.name)}
    for one in level.disagreements[:top]:
        yield "disagreement", _members(one) | {"rank": one.rank}


def _of_shared(shared: SharedInvariances) -> Iterator[dict[str, Any]]:
    """Objects of each shared invariance, and of the likeness of vectors."""
    for one in shared.kept:
        judged = {"margin": shared.margin, "outcome": one.outcome}
        yield {"part": "invariance", **_of_kept(one), **judged}
    if shared.likeness is not None:
        for row in shared.likeness.rows:
            yield {"part": "representation", **_members(row)}
        for claimed in shared.likeness.findings:
            yield {"part": "representation claim", **_said(claimed)}


def _of_kept(one: Kept) -> dict[str, Any]:
    names = {"target": "subject", "is_forward": "is_judged", "how": "ceiling_of"}
    found = {names.get(name, name): value for name, value in _members(one).items()}
    further = found.pop("further")
    return found | {name.partition("@")[0]: value for name, value in further.items()}


def _members(value: Any) -> dict[str, Any]:
    """Members of a value by their names, estimates and findings as their files have them."""
    return {one.name: _said(getattr(value, one.name)) for one in fields(value)}


def _said(value: Any) -> Any:
    if isinstance(value, Estimate):
        return estimate_to_row(value)
    if isinstance(value, Finding):
        return finding_to_json(value)
    if isinstance(value, Mapping):
        return {name: _said(one) for name, one in value.items()}
    return plain(value)
