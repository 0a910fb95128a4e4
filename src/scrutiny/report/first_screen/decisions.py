"""Sentences about several risks: how many hurt, what to do, what would decide the rest."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from scrutiny.blocks.scores import NoSkill
from scrutiny.core.boundary.printable import and_more, hundred
from scrutiny.core.record import grouped
from scrutiny.reliability.verdicts.reasons import rough
from scrutiny.report.first_screen.found_risks import FoundRisk, in_sentence

_MOST_NAMED: Final = 3
#: Of a risk that hurts whose limits reach into the tolerance.
MAYBE: Final = "maybe within the tolerance"
_MOST_HELD: Final = 8
_NOTHING_ELSE: Final = "nothing else can be told."


def counts_of(risks: Sequence[FoundRisk], lacking: NoSkill | None = None) -> str:
    """How many risks hurt (and may be tolerable all the same), hold, or cannot be told.

    A model without shown skill is said first; none is found where nothing was told.
    """
    n = Counter(risk.state for risk in risks)
    hurt = f"{n['hurts']} risk{'s' * (n['hurts'] != 1)} found"
    if not n["hurts"]:  # what cannot be told yet is no good news
        hurt = "No risk found" if n["holds"] else "" if n["can't tell"] else "Nothing can be told"
    if lacking is not None:
        hurt = f"{lacking.short}, {hurt}" if n["hurts"] else lacking.short
    perhaps = sum(risk.state == "hurts" and not risk.is_beyond for risk in risks)
    open_ones, holds = n["can't tell"], n["holds"]
    parts = [hurt, *[f"{perhaps} of them " * (n["hurts"] > 1) + MAYBE] * bool(perhaps)]
    parts += [f"{open_ones} can't be told yet"] * bool(open_ones)
    parts += [f"{holds} hold{'s' * (holds == 1)}"] * bool(holds)
    parts += [f"{n[state]} {state}" for state in ("not tested", "not asked") if n[state]]
    return ", ".join(filter(None, parts)) + "."


def decision_of(risks: Sequence[FoundRisk], lacking: NoSkill | None = None) -> str:
    """Decision for the reader: mind that there is no skill, look at what hurts, or wait."""
    hurt = [risk for risk in risks if risk.state == "hurts"]
    open_ones = [risk for risk in risks if risk.state == "can't tell"]
    untested = [risk for risk in risks if risk.state == "not tested"]
    if hurt:
        perhaps = _names_of([risk for risk in hurt if not risk.is_beyond])
        names = [f"{n} ({MAYBE})" if n in perhaps else n for n in _names_of(hurt)]
        said = f"Look at {len(hurt)} risk{'s' * (len(hurt) > 1)}: {_listed(names)}."
    elif open_ones:
        said = f"Can't tell yet: {_listed(_names_of(open_ones))}."
    elif not any(risk.state == "holds" for risk in risks):
        reasons = list(dict.fromkeys(risk.finding.reason for risk in (*untested, *risks)))
        said = f"Nothing can be told: {and_more(reasons, 1)}."
    else:
        tolerable = {(r.span.tolerance, r.unit) for r in risks if r.span and r.state == "holds"}
        most = "the tolerance"
        if len(tolerable) == 1:
            ((least, unit),) = tolerable
            most = f"{least:g} {unit}"
        rest = f"; not tested: {_listed(_names_of(untested))}" if untested else ""
        said = f"Nothing found above {most}{rest}."
    if lacking is None:
        return said
    is_all = lacking.is_everywhere and not any(risk.state == "hurts" for risk in risks)
    nothing = f"{lacking.short}: {_NOTHING_ELSE} {lacking.advice}".rstrip()
    return nothing if is_all else f"{lacking.short}. {said}"


def rest_of(open_ones: Sequence[FoundRisk]) -> str:
    """What would decide what cannot be told yet, the cheapest step first."""
    if not open_ones:
        return ""
    ways = [(r.ways, r) for r in open_ones if r.ways]
    by_items = [(way.items, risk) for way, risk in ways if way.items]
    by_seeds = [(way.seeds, risk) for way, risk in ways if way.seeds and not way.is_near]
    parts = [_step(by_items, "item", len(ways))] if by_items else []
    parts += [_step(by_seeds, "seed", len(ways))] if by_seeds else []
    near = _names_of([risk for way, risk in ways if way.is_near])
    few = _names_of([risk for way, risk in ways if way.is_few])
    far = [(way, risk) for way, risk in ways if way.is_far]
    if near:
        parts.append(f"too near the tolerance to decide: {_listed(near)}")
    if far:
        most, _ = max(far, key=lambda one: one[0].needed)
        names = _names_of([risk for _, risk in far])
        each = " at most" * (len(far) > 1)
        parts.append(f"{_listed(names)}: need{'s' * (len(far) == 1)}{each} {most.far()}")
    if few:
        parts.append(f"too few items to say how many it takes: {_listed(few)}")
    others = grouped((risk.scope, risk) for risk in open_ones if not risk.ways and risk.scope)
    parts += [f"{_listed(_names_of(risks))}: {scope}" for scope, risks in others.items()]
    return "; ".join(parts) + "." if parts else ""


def _step(needed: Sequence[tuple[int, FoundRisk]], unit: str, total: int) -> str:
    """How many are decided by the fewest more items or seeds, and how many by the most."""
    least, most = min(count for count, _ in needed), max(count for count, _ in needed)
    first = _names_of([risk for count, risk in needed if rough(count) == rough(least)])
    many = f"all {total}" if len(needed) == total else f"{len(needed)} of {total}"
    plural = "s" * (least > 1)
    said = f"about {rough(least)} more {unit}{plural} would decide {_listed(first)}"
    if rough(most) != rough(least):
        said += f", about {rough(most)} would decide {many}"
    return said


def held_words(risks: Sequence[FoundRisk]) -> str:
    """What holds, in one sentence: "6 hold: at most 1.9 points each: typos, OCR noise"."""
    told = [(risk.finding.claim.risk, risk) for risk in risks]
    by_cost = grouped((declared.costs, risk) for declared, risk in told if declared)
    said = []
    for costs, own in by_cost.items():  # alike, with the largest of their upper limits
        if len(own) == 1:
            said.append(f"{_names_of(own)[0]} {own[0].costs}")
            continue
        most = hundred(max(risk.span.high for risk in own if risk.span) / 100)
        words = f"{costs.removeprefix('costs ').format(f'at most {most}')} each"
        said.append(f"{words}: {and_more(_names_of(own), _MOST_HELD)}")
    return f"{len(risks)} hold{'s' * (len(risks) == 1)}: {'; '.join(said)}"


def _names_of(risks: Sequence[FoundRisk]) -> list[str]:
    """Names of risks; one that is found alike on several datasets is named once."""
    alike = grouped((risk.what, risk) for risk in risks).values()
    names = []
    for own in alike:
        found = [(risk.finding.estimate, risk.finding.claim.id) for risk in own]
        data = {told.key.dataset if told else name for told, name in found}
        count = f" on {len(data)} datasets" if len(data) > 1 else f", {len(own)} times"
        names.append(own[0].spoken if len(own) == 1 else in_sentence(own[0]) + count)
    return names


def _listed(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are.

    Examples
    --------
    >>> _listed(["typos", "OCR noise"]), _listed(["a", "b", "c", "d"]), _listed(list("abcdef"))
    ('typos and OCR noise', 'a, b, c and d', 'a, b, c and 3 more')
    """
    shown = [*names[:_MOST_NAMED]]
    if len(names) == _MOST_NAMED + 1:
        shown = [*names]
    elif len(names) > _MOST_NAMED:
        shown.append(f"{len(names) - _MOST_NAMED} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
