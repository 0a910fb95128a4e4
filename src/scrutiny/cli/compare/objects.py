"""Two runs side by side, as JSON objects: findings first, then what stands beside them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrutiny.run.comparing.kept import SharedInvariances
    from scrutiny.run.comparing.levels import Level, SideBySide
    from scrutiny.run.comparing.slices import Change


def objects_of(whole: "SideBySide", *, top: int) -> Iterator[dict[str, Any]]:
    """One object a line; ``part`` tells those apart that are no findings."""
    from scrutiny.store.findings import finding_to_json

    for finding in whole.comparison.findings:
        yield finding_to_json(finding)
    for level in whole.levels:
        yield from _of_level(level, top=top)
    if whole.shared is not None:
        yield from _of_shared(whole.shared)
    yield {
        "part": "outcome",
        "outcome": whole.outcome,
        "n_shared": whole.comparison.n_shared,
        "differences": list(whole.comparison.differences),
    }


def _of_level(level: "Level", *, top: int) -> Iterator[dict[str, Any]]:
    """Objects of one level, each with what it is of."""
    from scrutiny.core.canonical import plain
    from scrutiny.store.estimates import estimate_to_row

    own = {
        "subject": level.subject,
        "reference": level.reference,
        "dataset": level.dataset,
        "metric": level.metric,
        "condition": level.condition,
    }
    yield {
        "part": "level",
        **own,
        "before": level.overall.before,
        "after": level.overall.after,
        "detectable": level.detectable,
        "outcome": level.outcome,
        "noise": {k: v for k, v in plain(level.noise).items() if k != "agreement"},
    }
    if level.flips is not None:
        yield {
            "part": "flips",
            **own,
            "broken": estimate_to_row(level.flips.broken),
            "mended": estimate_to_row(level.flips.mended),
            "mcnemar_p": [test.p_value for test in level.flips.tests],
            "answers_differ": level.flips.answers_differ,
            **({"is_graded": True} if level.flips.is_graded else {}),
        }
    for agreed in level.agreement.rows:
        yield {
            "part": "agreement",
            **own,
            "measure": agreed.measure,
            "estimate": None if agreed.estimate is None else estimate_to_row(agreed.estimate),
            "reason": agreed.reason or None,
            "floor": agreed.floor,
            "floor_of": level.agreement.floor_of if agreed.floor is not None else None,
        }
    causes = {found.change.name: found.goes_back_to for found in level.shown}
    for change in level.changes:
        yield {"part": "slice", **own, **_slice(change), "goes_back_to": causes.get(change.name)}
    for one in level.disagreements[:top]:
        yield {"part": "disagreement", **own, **plain(one), "rank": one.rank}


def _of_shared(shared: "SharedInvariances") -> Iterator[dict[str, Any]]:
    """Objects of each shared invariance, and of the likeness of vectors."""
    from scrutiny.store.estimates import estimate_to_row
    from scrutiny.store.findings import finding_to_json

    for one in shared.kept:
        yield {
            "part": "invariance",
            "capability": one.capability,
            "amount": one.amount,
            "subject": one.target,
            "reference": one.reference,
            "dataset": one.dataset,
            "is_judged": one.is_forward,
            "hard": estimate_to_row(one.hard),
            "random": estimate_to_row(one.random),
            "ceiling": estimate_to_row(one.ceiling),
            "ceiling_of": one.how,
            **{name.partition("@")[0]: estimate_to_row(e) for name, e in one.further.items()},
            "finding": finding_to_json(one.finding),
            "margin": shared.margin,
            "outcome": one.outcome,
        }
    if shared.likeness is not None:
        for row in shared.likeness.rows:
            several = {"value": row.value, "own": row.own, "untrained": row.untrained}
            yield {
                "part": "representation",
                "measure": row.measure,
                "pooling": row.pooling,
                "dataset": row.dataset,
                **{name: None if e is None else estimate_to_row(e) for name, e in several.items()},
            }
        for claimed in shared.likeness.findings:
            yield {"part": "representation claim", **finding_to_json(claimed)}


def _slice(change: "Change") -> dict[str, Any]:
    """A change with what is computed of it."""
    from scrutiny.core.canonical import plain

    return {**plain(change), "value": change.value, "is_shown": change.is_shown}
