"""A comparison as lines of a terminal, and as JSON objects."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from rich.text import Text

from scrutiny.blocks.terminal_and_markdown import part_lines, wrapped
from scrutiny.core.boundary.json_text import plain
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.report.compare.certified import certified
from scrutiny.report.compare.headline import (
    headline,
    verdicts,
)
from scrutiny.report.compare.sections import parts_of
from scrutiny.report.wording import mark
from scrutiny.run.comparing.comparison_results import SharedInvariances, SideBySide
from scrutiny.store.run_tables import estimate_to_row, finding_to_json

_COLORS: Final = {"worse": "red", "better": "green", "no difference": ""}


def lines_of(found: SideBySide, *, margin: float | None, top: int, is_whole: bool) -> list[Text]:
    """Lines of a comparison, what changed first."""
    said = headline(found)
    lines = wrapped(f"{mark(said.state)} {said.lead}", style=f"bold {_COLORS[said.found]}".strip())
    for sentence in said.rest:
        lines += wrapped(sentence, hanging=2)
    lines += map(Text, verdicts(found, margin))
    for sentence in certified(found, margin):
        lines += wrapped(sentence, hanging=2)
    for part in parts_of(found, margin=margin, top=top, is_whole=is_whole):
        lines += part_lines(part)
    return lines


Object = dict[str, Any]
#: What tells the levels of a comparison apart.
_OF_LEVEL: Final = ("subject", "reference", "dataset", "metric", "condition")


def objects_of(whole: SideBySide, *, top: int) -> Iterator[Object]:
    """One object a line; ``part`` tells those apart that are no findings."""
    yield from map(finding_to_json, whole.comparison.findings)
    for level in whole.levels:
        own = _members(level, *_OF_LEVEL)
        noise = _members(level.noise, "how", "share", "n_items", "n_pairs")
        sides = {"before": level.overall.before, "after": level.overall.after, "noise": noise}
        told = _members(level, "detectable", "outcome")
        if level.certificates:
            each = [{**_members(one), "at_most": one.at_most} for one in level.certificates]
            told |= {"certificates": each} | _members(level, "needed")
        yield {"part": "level", **own} | sides | told
        if level.flips is not None:
            tests = {"mcnemar_p": [test.p_value for test in level.flips.tests]}
            graded = {"is_graded": True} if level.flips.is_graded else {}
            flips = _members(level.flips, "broken", "mended", "answers_differ")
            yield {"part": "flips", **own} | flips | tests | graded
        for agreed in level.agreement.rows:
            of = level.agreement.floor_of if agreed.floor is not None else None
            more = {"reason": agreed.reason or None, "floor_of": of}
            yield {"part": "agreement", **own} | _members(agreed) | more
        causes = {found.change.name: found.goes_back_to for found in level.shown}
        for change in level.changes:
            shown = {"is_shown": change.is_shown, "goes_back_to": causes.get(change.name)}
            yield {"part": "slice", **own} | _members(change) | {"value": change.value} | shown
        for one in level.disagreements[:top]:
            yield {"part": "disagreement", **own} | _members(one) | {"rank": one.rank}
    if whole.shared is not None:
        yield from _of_shared(whole.shared)
    found = _members(whole.comparison, "n_shared", "n_unmatched", "differences")
    yield {"part": "outcome", "outcome": whole.outcome, **found}


def _of_shared(shared: SharedInvariances) -> Iterator[Object]:
    """Objects of each shared invariance, and of the likeness of vectors."""
    for one in shared.kept:
        key = one.hard.key
        of = {"subject": key.subject, "reference": key.reference, "dataset": key.dataset}
        changed = {name: str(value) for name, value in key.condition.items()}
        own = _members(one, "hard", "random", "ceiling", "finding")
        told = {"is_judged": one in shared.judged, "ceiling_of": one.how}
        further = {name.partition("@")[0]: _said(found) for name, found in one.further.items()}
        judged = {"margin": one.margin, "outcome": shared.outcome_of(one)}
        yield {"part": "invariance", **of, **changed, **own, **told, **further, **judged}
    for row in shared.likened:
        of = {"measure": row.measure, "pooling": row.pooling, "dataset": row.value.key.dataset}
        yield {"part": "representation", **of, **_members(row)}
    for claimed in shared.findings:
        yield {"part": "representation claim", **finding_to_json(claimed)}


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
