"""Comparison with published figures and findings: the plan's ``[[published]]``."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import NO_VALUE, bracketed, decimals_for, number
from scrutiny.blocks.run_estimates import slug
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import MOST_CHARTS, Part, ReportPart
from scrutiny.blocks.terminal_and_markdown import wrapped
from scrutiny.core.published import ODD, Reproduction
from scrutiny.core.record import grouped
from scrutiny.report.wording import mark

_LEAD: Final = (
    "A figure agrees if the run's own value rounds to its digits. A difference may come from the "
    "print, the method, or the data: the note says which, if it is known. A finding is seen if the "
    "run supports the claim that states it, and not seen if it supports the opposite. No verdict "
    "and no exit code depends on this."
)
_NOTE: Final = "All figures: scrutiny report RUN --format json."
_OUTCOME_COLUMN: Final = 4
_OTHERS: Final = "Other sources"
_MOST: Final = 20  # figures that differ, in a terminal
_MARKS: Final = {
    "differs": mark("not supported"),
    "missing": mark("undecided"),
    "not seen": mark("not supported"),
    "seen": mark("supported"),
    "can't tell": mark("undecided"),
    "refused": mark("refused"),
}
_COMPARED: Final = ("agrees", "differs", "missing")
_SAID: Final = {
    "seen": "{} seen",
    "not seen": "{} not seen (the run supports the opposite)",
    "can't tell": "{} can't be told",
    "refused": "{} refused",
}


def part(view: RunView) -> Part | None:
    """Tables of published figures, differences first, then by source."""
    if not view.published:
        return None
    odd = [one for one in _in_order(view.published) if one.outcome in ODD]
    by_source = grouped((one.figure.source or "Figures", one) for one in view.published)
    room = MOST_CHARTS - bool(odd)
    if len(by_source) > room:
        names = list(by_source)
        rest = [one for name in names[room - 1 :] for one in by_source[name]]
        by_source = {name: by_source[name] for name in names[: room - 1]} | {_OTHERS: rest}
    made = [_chart("Figures that differ", odd)] if odd else []
    made += [_chart(source, _in_order(rows)) for source, rows in by_source.items()]
    lead = f"{sentence(view.published)} {_LEAD}"
    return Part(
        "reliability-published", ("Comparison with published figures"), lead, tuple(made), _NOTE
    )


def _in_order(found: Sequence[Reproduction]) -> list[Reproduction]:
    """Published figures, those to look at first, otherwise in plan order."""
    return sorted(found, key=lambda one: ODD.index(one.outcome) if one.outcome in ODD else len(ODD))


def sentence(found: Sequence[Reproduction]) -> str:
    """How many figures agree, and how many findings are seen, in a few sentences."""
    own = [one for one in found if one.outcome in _COMPARED]
    figures = ""
    if own:  # those that were not printed are counted apart
        agree = sum(one.outcome == "agrees" for one in own)
        figures = f"{agree} of {len(own)} published figures agree to the last printed digit"
        released = [one for one in own if one.figure.released]
        if released:
            same = sum(one.outcome == "agrees" for one in released)
            of_print = f"{agree - same} of {len(own) - len(released)} printed"
            figures += f" ({of_print}, {same} of {len(released)} that follow from released data)"
        figures += "."
    differ = [one for one in own if one.outcome == "differs"]
    if differ:
        noted = sum(bool(one.figure.note) for one in differ)
        notes = f", {noted} of them with a note" if noted else ""
        if noted == len(differ):
            notes = ", with a note" if noted == 1 else ", each with a note"
        figures += f" {len(differ)} {'differs' if len(differ) == 1 else 'differ'}{notes}."
    if missing := sum(one.outcome == "missing" for one in own):
        figures += f" The run has no number for {missing}."
    beside, gone = (sum(one.outcome == what for one in found) for what in ("beside", "unavailable"))
    said = f"{beside} of other models or data stand beside ours." if beside else ""
    said += f" {gone} can't be had, each with its reason." * bool(gone)
    counts = {name: sum(one.outcome == name for one in found) for name in _SAID}
    seen = ", ".join(_SAID[name].format(n) for name, n in counts.items() if n)
    total = sum(counts.values())
    findings = f"Of {total} published finding{'s' * (total != 1)}: {seen}." if total else ""
    return " ".join(filter(None, (figures, findings, said.strip())))


def why(one: Reproduction) -> str:
    """Why the run has this outcome, or no value, and the note of the figure."""
    both = one.reason and one.figure.note
    return f"{one.reason.rstrip('.')}. {one.figure.note}" if both else one.reason or one.figure.note


def _chart(title: str, rows: Sequence[Reproduction]) -> Chart:
    cells = tuple(
        (one.figure.id, one.figure.source, one.figure.text, ours(one), one.outcome, why(one))
        for one in rows
    )
    marks = {(at, _OUTCOME_COLUMN) for at, one in enumerate(rows) if one.outcome in ODD}
    header = ("figure", "source", "published", "ours", "", "note")
    return Chart(
        anchor=f"reliability-published-{slug(title)}",
        title=title,
        caption="",
        table=ChartTable(header, cells, len(header), frozenset(marks)),
        is_open=True,
    )


def ours(one: Reproduction) -> str:
    """The run's number, with its interval where nothing is compared by digits."""
    if one.value is None:
        return one.ours or NO_VALUE
    digits = len(one.ours.partition(".")[2]) if one.ours else decimals_for(one.low, one.high)
    shown = one.ours or number(one.value, digits)
    return f"{shown} {bracketed(one.low, one.high, digits)}".rstrip()


def published_lines(view: RunView) -> Iterator[Text]:
    """Figures that differ, and the number that agree for each source, for a terminal."""
    yield Text("Comparison with published figures", style="bold")
    yield from wrapped(sentence(view.published))
    looked_at = [one for one in _in_order(view.published) if one.outcome in _MARKS]
    for one in looked_at[:_MOST]:
        figure, shown = one.figure, ours(one)
        where = f" ({figure.source})" if figure.source else ""
        found = f"ours {shown}, {'released' if figure.released else 'printed'} {figure.text}"
        if figure.claim:
            value = "" if shown == NO_VALUE else f", {shown}"
            found = f"{one.outcome}{value}; the paper: {figure.text}"
        elif shown == NO_VALUE:
            found = "not in the run"
        note = f". {why(one)}" if why(one) else ""
        yield from wrapped(f"{_MARKS[one.outcome]} {figure.id}{where}: {found}{note}", hanging=2)
    if len(looked_at) > _MOST:
        yield from wrapped(f"… and {len(looked_at) - _MOST} more; `--format json` has them.")
    by_source = grouped(
        (one.figure.source, one) for one in view.published if one.outcome in _COMPARED
    )
    counts = [
        f"{source or 'no source'}: {sum(one.outcome == 'agrees' for one in rows)}/{len(rows)}"
        for source, rows in by_source.items()
    ]
    if counts:
        yield from wrapped(f"Agreeing: {', '.join(counts)}", style="dim", hanging=2)


PART: Final = ReportPart(
    "Comparison with published figures and findings: the plan's ``[[published]]``.", part
)
