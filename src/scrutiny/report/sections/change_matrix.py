"""Changes side by side: what each costs in every task's own score, as one picture with a table.

Rows are the changes of texts that a run has asked, columns the scores that they may lower: of
several tasks, data sets or models. Both are sorted by the median of what was lost.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.labels import metric_words, short_names
from scrutiny.blocks.numbers import NO_VALUE, bracketed, number
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Chapter, Part, ReportPart
from scrutiny.blocks.written_maps import WrittenCell, written_map
from scrutiny.core.boundary.printable import hundred, whole_percent
from scrutiny.core.claim import NO_SKILL, Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import expression_in_words, name_and_arguments
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.record import grouped
from scrutiny.reliability.assignment import assignments_in
from scrutiny.report.wording import MEANINGS, mark

CHAPTER: Final = Chapter(
    "side-by-side",
    "Changes side by side",
    "One change can cost one task a lot, and another task nothing.",
    rows=60,
    is_first=True,
)
#: Loss in points that has the strongest color, whatever was lost, so that pages can be compared.
_STRONGEST: Final = 30.0
_TOLD: Final = ("hurts", "can't tell", "holds")
_ABBREVIATED: Final = re.compile(r".*\((\w+)\)")
_SERIES: Final = ("points lost", "by the changed texts alone", "beyond random change")
_CELLS: Final = ("change", "of", "state", *_SERIES, "texts changed", "of the score lost")
#: Model, data set, measurement of the plan, score.
Column = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class CostCell:
    """What one change costs one score.

    Parameters
    ----------
    finding
        The risk.
    key
        Identity of its number, which a refused one lacks.
    level
        The score itself, of the unchanged texts.
    alone
        What the changed texts alone lose, where it was estimated.
    """

    finding: Finding
    key: EstimateKey
    level: Estimate | None = None
    alone: Estimate | None = None

    @property
    def change(self) -> str:
        """Recipe of the change, with versions."""
        return str(self.key.condition["transformation"])

    @property
    def column(self) -> Column:
        """Model, data set, measurement of the plan, and score."""
        measurement = self.finding.claim.id.partition("/")[0]
        score = name_and_arguments(self.key.metric)[1]
        return self.key.subject, self.key.dataset, measurement, score

    @property
    def title(self) -> str:
        """Name of the change; parameters have a line of their own."""
        risk = self.finding.claim.risk
        said = risk.what if risk else self.change
        said = said.removesuffix(f": {expression_in_words(self.column[-1])}")
        name, bracket, rest = said.partition(" (")
        return f"{name}\n({rest}" if "=" in rest else name + bracket + rest

    @property
    def is_told(self) -> bool:
        """Whether anything is told of the cost."""
        found = self.finding.estimate
        return self.finding.verdict in _TOLD and found is not None and found.value is not None

    @property
    def numbers(self) -> tuple[Estimate | None, Estimate | None, Estimate | None]:
        """Estimates of `_SERIES`: the cost, of the changed texts alone, beyond random change."""
        if not self.is_told:
            return None, None, None
        return self.finding.estimate, self.alone, self.finding.control

    @property
    def lost(self) -> float:
        """Points lost; those of which nothing is told count as less than any."""
        found = self.numbers[0]
        return float("-inf") if found is None or found.value is None else 100 * found.value

    @property
    def state(self) -> str:
        """State of the risk, and *no skill* where that is why nothing is told."""
        return NO_SKILL if self.finding.lacks_skill else self.finding.verdict

    @property
    def said(self) -> str:
        """Sign with points and limits, or the state that has none."""
        sign = mark(self.finding.verdict)
        return f"{sign} {_points(self.numbers[0]) if self.is_told else self.state}"

    @property
    def row(self) -> tuple[str, ...]:
        """Texts of `_CELLS` behind the first two."""
        touched, level, found = self.finding.touched, self.level, self.numbers[0]
        share = NO_VALUE
        if found and found.value is not None and level and level.value:
            share = f"{hundred(found.value / level.value)} %"
        changed = whole_percent(touched.share) if touched else NO_VALUE
        return self.state, *map(_points, self.numbers), changed, share

    def written(self, series: int) -> WrittenCell | None:
        """The cell of the picture in one of its series."""
        found, sign = self.numbers[series], mark(self.finding.verdict)
        if not self.is_told:
            words = NO_SKILL if self.finding.lacks_skill else sign
            return WrittenCell(None, words, sign, sign=sign)
        if found is None or found.value is None:
            return None
        value = 100 * found.value
        sign = "" if series else sign
        words = f"{sign} {number(value, 1)}".strip()
        hurts = self.finding.verdict == "hurts"
        return WrittenCell(value, words, f"{sign}{number(value, 0)}", hurts, sign)


def costs_of(view: RunView) -> list[CostCell]:
    """Risks of a run that a change of its texts lowers a score, each of one model and data set."""
    keys = {one.id: one.key for one in assignments_in(view.manifest)}
    known = {identity(e.key): e for e in view.estimates}
    levels = {
        (e.key.subject, e.key.dataset, without_versions(e.key.metric)): e
        for e in view.estimates
        if (e.key.role, e.key.group) == ("baseline", "all") and not e.key.condition
    }
    cells = []
    for finding in view.findings:
        parts = finding.claim.components
        if not finding.claim.risk or not parts:
            continue
        key = finding.estimate.key if finding.estimate else keys.get(parts[0].estimate)
        is_joined = any(part.against.startswith("dataset") for part in parts)
        if key is None or is_joined or "transformation" not in key.condition:
            continue
        name, score = name_and_arguments(key.metric)
        if name == "drop":
            level = levels.get((key.subject, key.dataset, score))
            alone = known.get(identity(replace(key, group="changed")))
            cells.append(CostCell(finding, key, level, alone))
    return cells


def change_matrix(view: RunView) -> Part | None:
    """Picture and tables of a run that asked one change of several models or data sets."""
    cells = costs_of(view)
    by_change = grouped((cell.change, cell) for cell in cells)
    shared = [own for own in by_change.values() if _is_shared(own)]
    if not shared:
        return None
    rows = _rows(by_change)
    columns = _columns(cells, view)
    down = sorted(by_change, key=lambda at: (not _is_shared(by_change[at]), *_rank(by_change[at])))
    by_column = grouped((cell.column, cell) for cell in cells)
    across = sorted(by_column, key=lambda at: _rank(by_column[at]))
    placed = {(rows[cell.change], columns[cell.column]): cell for cell in cells}
    ordered = [
        ((row, column), placed[row, column])
        for row in (rows[at] for at in down)
        for column in (columns[at] for at in across)
        if (row, column) in placed
    ]
    chart = Chart(
        anchor="changes-picture",
        title="Points that each change costs, by the score of each column",
        caption=_caption(cells),
        spec=written_map(
            [(said, _written(ordered, at)) for at, said in enumerate(_SERIES)],
            rows=[rows[at] for at in down],
            columns=[columns[at] for at in across],
            told={
                place: dict(zip(_CELLS, (_flat(place[0]), _flat(place[1]), *cell.row), strict=True))
                for place, cell in ordered
            },
            strongest=_STRONGEST,
            legend="points lost",
            choice="changes-picture-choice",
        ),
        table=_table(placed, [rows[at] for at in down], [columns[at] for at in across]),
        is_open=True,
        has_choice=True,
        more=ChartTable(
            _CELLS,
            tuple((_flat(row), _flat(column), *cell.row) for (row, column), cell in ordered),
            3,
        ),
        more_title="Each cell: the changed texts alone, and beyond random change",
    )
    return Part(
        "changes-matrix", "Where each change hurts", _lead(shared), (chart,), chapter=CHAPTER
    )


def _is_shared(cells: Sequence[CostCell]) -> bool:
    """Whether several models or data sets were asked the same change."""
    return len({cell.column[:2] for cell in cells}) > 1


def _rank(cells: Sequence[CostCell]) -> tuple[float, str]:
    """Place of a row or a column: most lost first, by the median of what is told; then by name."""
    told = [cell.lost for cell in cells if cell.is_told]
    return -median(told) if told else float("inf"), cells[0].title


def _rows(by_change: Mapping[str, Sequence[CostCell]]) -> dict[str, str]:
    """Distinct title of each change; recipes where two have the same."""
    titles = {change: own[0].title for change, own in by_change.items()}
    said = list(titles.values())
    return {c: t if said.count(t) == 1 else without_versions(c) for c, t in titles.items()}


def _columns(cells: Sequence[CostCell], view: RunView) -> dict[Column, str]:
    """Heading of each column in lines: what it is of, the score, and its value before."""
    own = {cell.column[:3]: cell.column[2] for cell in cells}
    if len(set(own.values())) < len(own):  # one measurement of several: what varies
        subjects, data = ({place[at] for place in own} for at in (0, 1))
        models, sets = short_names([*subjects]), short_names([*data])
        asked = Counter(place[:2] for place in own)
        own = {
            (model, of, named): f"{named}: " * (asked[model, of] > 1)
            + " on ".join([*[models[model]] * (len(subjects) > 1), *[sets[of]] * (len(data) > 1)])
            for model, of, named in own
        }
    found = {}
    by_column = grouped((cell.column, cell) for cell in cells)
    several = Counter(column[:3] for column in by_column)
    for column, of in by_column.items():
        words = metric_words(column[-1])
        abbreviated = _ABBREVIATED.fullmatch(words)
        short = abbreviated[1] if abbreviated else words
        name = own[column[:3]]
        lines = [name, short] if several[column[:3]] == 1 else [f"{name} {short}"]
        level = of[0].level
        if level and level.value is not None:
            lines.append(f"{hundred(level.value, 0)} %")
        if all(cell.finding.lacks_skill for cell in of):
            lines.append(NO_SKILL)
        found[column] = "\n".join(lines)
    return found


def _written(
    cells: Sequence[tuple[tuple[str, str], CostCell]], series: int
) -> dict[tuple[str, str], WrittenCell]:
    made = {place: cell.written(series) for place, cell in cells}
    return {place: cell for place, cell in made.items() if cell is not None}


def _table(
    cells: Mapping[tuple[str, str], CostCell], rows: Sequence[str], columns: Sequence[str]
) -> ChartTable:
    """The picture in words, with limits."""
    return ChartTable(
        ("change", *map(_flat, columns)),
        tuple(
            (
                _flat(row),
                *(cells[row, at].said if (row, at) in cells else NO_VALUE for at in columns),
            )
            for row in rows
        ),
    )


def _points(found: Estimate | None) -> str:
    """Points with their limits."""
    if found is None or found.value is None:
        return NO_VALUE
    low, high = (None if end is None else 100 * end for end in (found.low, found.high))
    return f"{number(100 * found.value, 1)} {bracketed(low, high, 1)}".rstrip()


def _flat(lines: str) -> str:
    """Heading in one line."""
    return lines.replace("\n(", " (").replace("\n", ", ")


def _caption(cells: Sequence[CostCell]) -> str:
    """How to read the picture: signs of the states that are there, and what is empty."""
    there = {cell.finding.verdict for cell in cells}
    signs = "; ".join(f"{mark(s)} {s} ({said})" for s, said in MEANINGS.items() if s in there)
    return (
        "Figures are points of the score in the heading, over all texts; stronger colors lost "
        f"more. {signs}. Empty: not asked of it."
    )


def _lead(shared: Sequence[Sequence[CostCell]]) -> str:
    """How many changes hurt one column and hold for another, and what comes first."""
    states = [{cell.finding.verdict for cell in own if cell.is_told} for own in shared]
    apart = sum({"hurts", "holds"} <= own for own in states)
    every = sum(own == {"hurts"} for own in states)
    return (
        f"{len(shared)} change{'s' * (len(shared) != 1)} in several columns. Hurts in one and "
        f"holds in another: {apart}. Hurts in every column that could be tested: {every}. Rows and "
        "columns are sorted by the median of what was lost; below stand the changes of one column "
        "alone."
    )


PART: Final = ReportPart(__doc__, change_matrix)
