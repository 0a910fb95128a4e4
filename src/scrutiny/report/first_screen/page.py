"""The first screen of a page: one chart of all risks, the worst as cards with their cases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from scrutiny.blocks.cases import first_stretches
from scrutiny.blocks.drawings import Axis
from scrutiny.blocks.labels import capitalized
from scrutiny.blocks.numbers import NO_VALUE
from scrutiny.blocks.run_view import RunView
from scrutiny.core.plugin_base import unversioned
from scrutiny.core.record import grouped
from scrutiny.report.cases.changed_texts import outcomes_in_words, rule_of
from scrutiny.report.cases.shown import CasePage, ToldCase, case_page, told_cases
from scrutiny.report.first_screen.content import ON_CARD, FirstScreen, first_screen_of
from scrutiny.report.first_screen.decisions import MAYBE
from scrutiny.report.first_screen.found_risks import FoundRisk

_MOST_CARDS: Final = 3
_CONTEXT: Final = 70  # code points around a change, in a card
_LONGEST: Final = 400  # code points of a text on a card
_TITLES: Final = {"points": "In points", "%": "In percent"}


@dataclass(frozen=True, slots=True)
class RiskPage:
    """A risk with the anchor of its claim and its clearest cases."""

    risk: FoundRisk
    anchor: str
    cases: tuple[CasePage, ...]

    @property
    def soft(self) -> list[str]:
        """What stands beside its name: the items, the texts that were altered, the tolerance."""
        risk = self.risk
        perhaps = [MAYBE] * (risk.state == "hurts" and not risk.is_beyond)
        return [*[f"on {risk.part}"] * bool(risk.part), *filter(None, [risk.share]), *perhaps]

    @property
    def id(self) -> str:
        """Name as users type it; nothing where it is the name for people."""
        name = unversioned(self.risk.change)
        return "" if name == self.risk.what else name


@dataclass(frozen=True, slots=True)
class RiskPanel:
    """Risks whose costs are counted alike, on one axis; one without costs has none."""

    title: str
    axis: Axis | None
    rows: tuple[RiskPage, ...]

    @property
    def reasons(self) -> dict[str, list[RiskPage]]:
        """Rows without costs by their reason; where it can't be told, with what would decide."""
        risks = [(row.risk, row) for row in self.rows]
        return grouped(
            (f"{r.costs}; {r.scope}" if r.state == "can't tell" and r.scope else r.costs, row)
            for r, row in risks
        )


@dataclass(frozen=True, slots=True)
class RisksPage:
    """A first screen of risks above the fold: all of them, and the worst as cards."""

    screen: FirstScreen
    panels: tuple[RiskPanel, ...]
    told: tuple[ToldCase, ...] = ()
    rule: str = ""

    @property
    def has_costs(self) -> bool:
        """Whether any risk has a cost, so that the table has columns of costs."""
        return any(panel.axis is not None for panel in self.panels)

    @property
    def failed(self) -> str:
        """How many cases of small suites failed, as a sentence; nothing without any case."""
        said = outcomes_in_words(case.outcome for case in self.told)
        return f"{capitalized(said)}." if self.told else ""

    @property
    def cards(self) -> tuple[tuple[RiskPage, Axis | None], ...]:
        """The worst risks that hurt, with their axes; of one on several datasets, the worst."""
        order = {id(risk): i for i, risk in enumerate(self.screen.risks)}
        hurt = [(r, p.axis) for p in self.panels for r in p.rows if r.risk.state == "hurts"]
        hurt.sort(key=lambda pair: order[id(pair[0].risk)])
        worst = {row.risk.what: (row, axis) for row, axis in reversed(hurt)}
        return tuple(reversed(worst.values()))[:_MOST_CARDS]

    @property
    def has_more(self) -> bool:
        """Whether any risk was compared with random change."""
        return any(risk.more != NO_VALUE for risk in self.screen.risks)

    @property
    def has_inner(self) -> bool:
        """Whether limits of these models are drawn beside wider ones."""
        return any(risk.span and risk.span.inner for risk in self.screen.risks)


def risks_page(view: RunView, anchors: Mapping[str, str]) -> RisksPage | None:
    """First screen of risks as the HTML page shows it; nothing where a run has none.

    Parameters
    ----------
    view
        The run.
    anchors
        Anchor of each claim's section, by the claim's id.
    """
    screen = first_screen_of(view)
    if not screen.risks:
        return None
    counted = []  # losses in points, shares in percent, others by themselves
    for risk in screen.risks:
        stated, title = risk.finding.claim.risk, risk.state.capitalize()
        if risk.span is not None:
            # what is no loss of the score would stretch the axis of those that are
            is_shared = stated is None or stated.costs.startswith(("costs", "{} points"))
            is_shared |= risk.unit == "%"
            title = _TITLES[risk.unit] if is_shared else f"{_TITLES[risk.unit]}: {risk.what}"
        counted.append((title, risk))
    panels = []
    for title, risks in grouped(counted).items():
        spans = [risk.span for risk in risks if risk.span]
        axis = Axis.of(spans) if spans else None
        found = []
        for risk in risks:  # the worst first
            anchor = anchors.get(risk.finding.claim.id, "")
            by_turn = grouped((case.turn, case) for case in risk.cases)
            clearest = [c for turn, most in ON_CARD.items() for c in by_turn.get(turn, [])[:most]]
            cards = []
            for case in clearest:  # cut to what was changed
                fields = case_page(case, context=_CONTEXT).fields
                cut = ((name, tuple(first_stretches(own, _LONGEST))) for name, own in fields)
                cards.append(CasePage(case, tuple(cut)))
            found.append(RiskPage(risk, anchor, tuple(cards)))
        panels.append(RiskPanel(title, axis, tuple(found)))
    ordered = sorted(panels, key=lambda panel: panel.axis is None)
    rows = (rows for cases in screen.cases.values() for rows in cases.values())
    rule = next(filter(None, map(rule_of, rows)), "")
    return RisksPage(screen, tuple(ordered), tuple(told_cases(screen.cases)), rule)
