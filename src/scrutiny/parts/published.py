"""Comparison with published figures: the plan's ``[[published]]``."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from scrutiny.core.grouping import grouped
from scrutiny.core.published import OUTCOMES, Reproduction
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import MOST_CHARTS, Part, ReportPart
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import slug
from scrutiny.parts.wording.layout import wrapped
from scrutiny.parts.wording.numbers import NO_VALUE
from scrutiny.parts.wording.verdicts import mark

_LEAD: Final = (
    "A figure agrees if the run's own value rounds to the printed digits. A difference may come "
    "from the print, the method, or the data: the note says which, if it is known. No verdict and "
    "no exit code depends on this."
)
_NOTE: Final = "All figures: scrutiny report RUN --format json."
_OUTCOME_COLUMN: Final = 4
_OTHERS: Final = "Other sources"
_MOST: Final = 20  # figures that differ, in a terminal
_MARKS: Final = {"differs": mark("not supported"), "missing": mark("undecided")}


def part(view: RunView) -> Part | None:
    """Tables of published figures, differences first, then by source."""
    if not view.published:
        return None
    odd = [one for one in in_order(view.published) if one.outcome != "agrees"]
    by_source = grouped((one.figure.source or "Figures", one) for one in view.published)
    room = MOST_CHARTS - bool(odd)
    if len(by_source) > room:
        names = list(by_source)
        rest = [one for name in names[room - 1 :] for one in by_source[name]]
        by_source = {name: by_source[name] for name in names[: room - 1]} | {_OTHERS: rest}
    made = [_chart("Figures that differ", odd)] if odd else []
    made += [_chart(source, in_order(rows)) for source, rows in by_source.items()]
    lead = f"{sentence(view.published)} {_LEAD}"
    return Part(
        "reliability-published", ("Comparison with published figures"), lead, tuple(made), _NOTE
    )


def in_order(found: Sequence[Reproduction]) -> list[Reproduction]:
    """Published figures, those to look at first, otherwise in plan order."""
    return sorted(found, key=lambda one: OUTCOMES.index(one.outcome))


def sentence(found: Sequence[Reproduction]) -> str:
    """How many figures agree, in one or two sentences."""
    agree = sum(one.outcome == "agrees" for one in found)
    said = f"{agree} of {len(found)} published figures agree to the last printed digit."
    differ = [one for one in found if one.outcome == "differs"]
    if differ:
        said += f" {len(differ)} {'differs' if len(differ) == 1 else 'differ'}{_noted(differ)}."
    missing = sum(one.outcome == "missing" for one in found)
    if missing:
        said += f" The run has no number for {missing}."
    return said


def _noted(differ: Sequence[Reproduction]) -> str:
    """Number of differences with a note, as the end of a sentence."""
    noted = sum(bool(one.figure.note) for one in differ)
    if noted < len(differ):
        return f", {noted} of them with a note" if noted else ""
    return ", with a note" if noted == 1 else ", each with a note"


def why(one: Reproduction) -> str:
    """Note of a figure, or why the run has no value."""
    return " ".join(filter(None, (one.reason, one.figure.note)))


def _chart(title: str, rows: Sequence[Reproduction]) -> Chart:
    cells = tuple(_cells(one) for one in rows)
    marks = {(at, _OUTCOME_COLUMN) for at, one in enumerate(rows) if one.outcome != "agrees"}
    header = ("figure", "source", "printed", "ours", "", "note")
    return Chart(
        anchor=f"reliability-published-{slug(title)}",
        title=title,
        caption="",
        table=ChartTable(header, cells, len(header), frozenset(marks)),
        is_open=True,
    )


def _cells(one: Reproduction) -> tuple[str, ...]:
    figure = one.figure
    shown = one.ours or NO_VALUE
    return (figure.id, figure.source, figure.printed, shown, one.outcome, why(one))


def published_lines(view: RunView) -> Iterator[Text]:
    """Figures that differ, and the number that agree for each source, for a terminal."""
    yield Text("Comparison with published figures", style="bold")
    yield from wrapped(sentence(view.published))
    odd = [one for one in in_order(view.published) if one.outcome != "agrees"]
    for one in odd[:_MOST]:
        figure = one.figure
        where = f" ({figure.source})" if figure.source else ""
        ours = f"ours {one.ours}, printed {figure.printed}" if one.ours else "not in the run"
        note = f". {why(one)}" if why(one) else ""
        line = f"{_MARKS[one.outcome]} {figure.id}{where}: {ours}{note}"
        yield from wrapped(line, hanging=2)
    if len(odd) > _MOST:
        yield from wrapped(f"… and {len(odd) - _MOST} more; `--format json` has them.")
    by_source = grouped((one.figure.source, one) for one in view.published)
    counts = [
        f"{source or 'no source'}: {sum(one.outcome == 'agrees' for one in rows)}/{len(rows)}"
        for source, rows in by_source.items()
    ]
    yield from wrapped(f"Agreeing: {', '.join(counts)}", style="dim", hanging=2)


PART: Final = ReportPart(__doc__, part)
