"""The first screen of a page: risks worst first, each with its picture and its cases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from scrutiny.core.grouping import grouped
from scrutiny.parts.charts.glyphs import Glyph, glyphs
from scrutiny.parts.run.front import FoundRisk, Front, front_of
from scrutiny.parts.run.view import EvidenceItem, RunView
from scrutiny.parts.wording.diffs import Stretch, stretches

_MOST_CARDS: Final = 3
_CASES: Final = 2


@dataclass(frozen=True, slots=True)
class CasePage:
    """An item behind a verdict, its changes marked."""

    case: EvidenceItem
    fields: tuple[tuple[str, tuple[Stretch, ...]], ...]


@dataclass(frozen=True, slots=True)
class RiskPage:
    """A risk with the anchor of its claim, its picture, and the clearest of its cases."""

    risk: FoundRisk
    anchor: str
    glyph: Glyph | None
    cases: tuple[CasePage, ...]


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """What stands above the fold: all risks, and the worst of them as cards."""

    front: Front
    rows: tuple[RiskPage, ...]

    @property
    def cards(self) -> tuple[RiskPage, ...]:
        """The worst risks: those that hurt, or else the first that cannot be told."""
        hurt = [row for row in self.rows if row.risk.state == "hurts"]
        told = sorted(hurt, key=lambda row: not row.cases)  # those that can be shown come first
        return tuple(told[:_MOST_CARDS])


def first_screen(view: RunView, anchors: Mapping[str, str]) -> FirstScreen | None:
    """First screen of a run; nothing where it has no risks.

    Parameters
    ----------
    view
        The run.
    anchors
        Anchor of each claim's section, by the claim's id.
    """
    front = front_of(view)
    if front is None:
        return None
    drawn: dict[int, Glyph | None] = {}
    by_kind = grouped((risk.finding.claim.diagnostic, i) for i, risk in enumerate(front.risks))
    for places in by_kind.values():
        findings = [front.risks[i].finding for i in places]
        ticks = [f.claim.risk.tolerance if f.claim.risk else 0.0 for f in findings]
        drawn |= zip(places, glyphs([f.estimate for f in findings], ticks), strict=True)
    return FirstScreen(
        front,
        tuple(
            RiskPage(
                risk,
                anchors.get(risk.finding.claim.id, ""),
                drawn[i],
                tuple(case_page(case) for case in risk.cases[:_CASES]),
            )
            for i, risk in enumerate(front.risks)
        ),
    )


def case_page(case: EvidenceItem) -> CasePage:
    """An item with the changes of its texts; fields that did not change are left out."""
    changed = [name for name in case.fields if any(e.field == name for e in case.edits)]
    names = changed or list(case.fields)
    return CasePage(
        case=case,
        fields=tuple(
            (
                name,
                tuple(stretches(case.fields[name], [e for e in case.edits if e.field == name])),
            )
            for name in names
        ),
    )
