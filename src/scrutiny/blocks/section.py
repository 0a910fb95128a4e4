"""A section of a report: a question, answered by charts; and the registered ones of a run."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from scrutiny.blocks.cases import SearchedText
from scrutiny.blocks.charts import Chart
from scrutiny.blocks.labels import estimate_words, key_parts
from scrutiny.blocks.run_estimates import own_subjects
from scrutiny.blocks.run_view import OwnInterval, RunView
from scrutiny.blocks.scored_texts import ScoredText
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.plugin_base import Told, family_name
from scrutiny.core.registry import registry

ABOVE, BELOW = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"


def title_of(keys: Sequence[EstimateKey], view: RunView) -> str:
    """Title of a chart in a part: the metric, and what its estimates have in common."""
    parts = [key_parts(key) for key in keys]
    shared = {n: v for n, v in parts[0].items() if all(p.get(n, "") == v for p in parts)}
    datasets = {e.key.dataset for e in view.estimates if e.key.diagnostic == keys[0].diagnostic}
    several = {
        "subject": len(own_subjects(view)) > 1,
        "dataset": len(datasets) > 1,
        "role": shared.get("role") != "measured",
        "group": shared.get("group") not in ("all", None),
    }
    said = [v for n, v in shared.items() if n.startswith("condition.") and v]
    said += [shared[n] for n, holds in several.items() if holds and shared.get(n)]
    name = estimate_words(keys[0])
    name = f"{keys[0].diagnostic_name}: {name}"
    return " \N{MIDDLE DOT} ".join([name, *said])


def side_of(own: OwnInterval | None, reference: float | None) -> str:
    """Sign of an interval that excludes the reference value; empty otherwise."""
    if own is None or reference is None:
        return ""
    return ABOVE if own.low > reference else BELOW if own.high < reference else ""


MOST_ROWS: Final = 60
MOST_CHARTS: Final = 6
_ELSEWHERE: Final = "scrutiny report RUN --format csv has every number"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading of the page that parts stand under.

    Parameters
    ----------
    anchor, title, lead
        Stable name within the page, and what is said above its parts.
    charts, rows
        How many times as many charts a part may keep as elsewhere, and rows of each table for each
        chart.
    is_first
        Whether it stands open, above what was measured by each diagnostic.
    """

    anchor: str
    title: str
    lead: str
    charts: int = 1
    rows: int = 10
    is_first: bool = False


FINDINGS: Final = Chapter(
    "findings",
    "Behind the findings",
    "Scores of each class, confidence, and the texts that stand behind the numbers above.",
)
RELIABILITY: Final = Chapter(
    "reliability",
    "Reliability",
    "Results with another seed, another analysis choice or another diagnostic.",
)


@dataclass(frozen=True, slots=True)
class Part:
    """A question about the numbers, answered by charts and their tables.

    Parameters
    ----------
    anchor
        Stable name within the page.
    title, lead
        The question, and how to read the answer.
    charts
        Charts with tables; a chart may be its table alone.
    note
        What is left out, if anything is.
    is_compact
        Whether its charts take so little room that small pages keep twice as many.
    chapter
        Heading that it stands under.
    facts
        What is said in words, each by its name.
    """

    anchor: str
    title: str
    lead: str
    charts: tuple[Chart, ...]
    note: str = ""
    is_compact: bool = False
    chapter: Chapter = RELIABILITY
    facts: tuple[tuple[str, str], ...] = ()

    def cut(self, *, charts: int, rows: int) -> "Part":
        """Return the part with at most this number of charts, and rows of a table.

        Columns that are empty in all rows that are left are dropped.
        """
        charts *= 2 if self.is_compact else 1
        kept = []
        for chart in self.charts[:charts]:
            note = left_out(len(chart.table.rows), rows, "rows of the table")
            is_long = chart.more is not None and len(chart.more.rows) > rows
            cut = replace(
                chart,
                more=None if is_long else chart.more,  # further tables are dropped first
                table=replace(chart.table, rows=chart.table.rows[:rows]).told(),
                note=" ".join(filter(None, (chart.note, note))),
            )
            kept.append(cut)
        note = self.note or left_out(len(self.charts), charts, "charts")
        return replace(self, charts=tuple(kept), note=note)


def left_out(count: int, most: int, what: str) -> str:
    """Note of a part that shows the first of many: where the others are; empty without others."""
    if count <= most:
        return ""
    return f"The first {most} of {count} {what} are shown; {_ELSEWHERE}."


@dataclass(frozen=True, slots=True)
class SentenceBlock:
    """A sentence as a terminal shows it: strong, soft or plain, with its lines from the second on.

    One that is ``cut`` takes a single line, which begins with ``hanging`` spaces.
    """

    text: str
    style: Literal["", "bold", "dim"] = ""
    hanging: int = 0
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class ColumnsBlock:
    """Rows of a terminal in columns of fixed widths, 80 cells in all.

    A label that is longer than its column goes on below its numbers, with ``hanging`` spaces before
    it; a last cell without room stands on a line of its own.
    """

    header: tuple[str, ...]
    widths: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    indent: int = 0
    hanging: int = 0


#: What a terminal shows of a section: a whole one, or what is said of it in short.
InShort = SentenceBlock | ColumnsBlock | ScoredText | Part


@dataclass(frozen=True, slots=True)
class ReportPart(Told):
    """Registered part: how it is made, and its other outputs.

    Parameters
    ----------
    doc
        Docstring of its module; the first line is what lists say of it.
    make
        The part, of any run that has what it needs; nothing of others.
    lines
        What a terminal shows of the same.
    first
        Sentences of it for the first screen of a run, below its risks.
    of_dataset
        What a run has found out on one of its datasets, in words for the list of the data.
    found_in
        Texts that searches of a run folder ended with, which are no variants made beforehand;
        those of random change among them.
    """

    doc: str | None
    make: Callable[[RunView], Part | None] = lambda view: None
    lines: Callable[[RunView], Iterable[InShort]] = lambda view: ()
    first: Callable[[RunView], Iterable[str]] = lambda view: ()
    of_dataset: Callable[[str, Sequence[Estimate]], str] = lambda dataset, estimates: ""
    found_in: Callable[[Path], Iterable[SearchedText]] = lambda folder: ()

    def sentence(self) -> str:
        """First line of its documentation."""
        return self.at_length().partition("\n")[0]

    def at_length(self) -> str:
        """Docstring of its module."""
        return self.doc or ""


def shown(
    charts: Sequence[Chart], what: str, most: int = MOST_CHARTS
) -> tuple[tuple[Chart, ...], str]:
    """Charts of a part, and the sentence on those that are left out."""
    return tuple(charts[:most]), left_out(len(charts), most, what)


def part_of(
    anchor: str,
    title: str,
    lead: str,
    charts: Sequence[Chart],
    what: str,
    *,
    most: int = MOST_CHARTS,
    chapter: Chapter = RELIABILITY,
) -> Part | None:
    """Return the part with the first charts, and the number of ``what`` that are left out."""
    if not charts:
        return None
    return Part(anchor, title, lead, *shown(charts, what, most), chapter=chapter)


def registered(estimates: Sequence[Estimate]) -> Iterator[ReportPart]:
    """Parts that need nothing, or what some estimate has, in the order of their registration.

    A line of the registry needs a diagnostic ("leakage"), a metric ("attack_success") or a
    coordinate of conditions ("condition.layer"). What a part needs beyond it finds out by itself.
    """
    keys = [e.key for e in estimates]
    known = {"", *map(family_name, {key.diagnostic for key in keys})}
    known |= {name_and_arguments(metric)[0] for metric in {key.metric for key in keys}}
    known |= {f"condition.{name}" for key in keys for name in key.condition}
    for (kind, _), entry in registry().entries.items():
        if kind == "part" and entry.registration.needs in known:
            yield entry.load()


def parts(view: RunView) -> tuple[Part, ...]:
    """Parts of a run, in the order of the page; without texts of the data where it shows none."""
    made = (one.make(view) for one in registered(view.estimates))
    found = (part for part in made if part is not None)
    if view.has_texts:
        return tuple(found)
    numbers = (replace(p, charts=tuple(c for c in p.charts if not c.has_texts)) for p in found)
    return tuple(part for part in numbers if part.charts)
