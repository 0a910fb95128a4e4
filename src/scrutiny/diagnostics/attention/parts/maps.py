"""Value of every head: maps by layer and head, datasets side by side."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scrutiny.core.boundary.canonical import value_digest
from scrutiny.core.estimate import EstimateKey
from scrutiny.diagnostics.attention.parts.head_map import SCORES, HeadMap, HeadValue, place_name
from scrutiny.diagnostics.attention.parts.study import (
    HEADS,
    Block,
    condition_words,
    head_study,
    score_of,
    short_names,
)
from scrutiny.diagnostics.attention.parts.terminal import heads_lines
from scrutiny.parts.charts.layers_and_heads import MapPanel, heat_map
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import Part, ReportPart, left_out
from scrutiny.parts.run.estimates import HeadPlace
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import metric_words
from scrutiny.parts.wording.numbers import NO_VALUE, interval, mean_and_sd, number, p_value

TOP: Final = 10
MOST_MAPS: Final = 16
_MOST_NAMED: Final = 6
_MOST_INTERVALS: Final = 3  # columns of a table with intervals everywhere
_LEAD: Final = (
    "Every layer and head, counted from 1. Datasets have one color scale; the frame marks the "
    "largest value of each. The best of many heads, chosen and scored on the same data, seems "
    "better than it is: claims use heads that were chosen on one half and scored on the other."
)


def part(view: RunView) -> Part | None:
    """Value of each attention head: one chart for each family and condition."""
    study = head_study(view)
    blocks = study.blocks()
    if not blocks:
        return None
    charts = tuple(_chart(block) for block in blocks[:MOST_MAPS])
    note = left_out(len(blocks), MOST_MAPS, "maps")
    charts += (_tests(study.tested),) if study.tested else ()
    return Part("heads-maps", "Value of each head", _LEAD, charts, note, chapter=HEADS)


def _tests(tested: Sequence[HeadMap]) -> Chart:
    """Significant heads, of all that were tested together."""
    rows = tuple(
        (
            title_of(one.key, score_of(one.key)),
            one.key.dataset,
            str(len(one.tests)),
            str(len(one.named[0])),
            str(len(one.named[1])),
            "; ".join(_tested(one, place) for place in one.named[0][:_MOST_NAMED]) or NO_VALUE,
        )
        for one in tested
    )
    header = ("heads", "data", "tested", "above 0", "below 0", "above 0 with the smallest p")
    return Chart(
        anchor="heads-tests",
        title="Heads tested together",
        caption=(
            "At 5 %, adjusted for all heads of a row (max-T from shared draws): the probability "
            "of any false positive is 5 %. Best baselines are chosen on the same data, and heads "
            "of different pre-training seeds only share their position."
        ),
        table=ChartTable(header, rows, 2),
    )


def _tested(one: HeadMap, place: HeadPlace) -> str:
    return f"{place_name(place)} {cell_text(one.cells.get(place))}, p {p_value(one.tests[place])}"


def _chart(block: Block) -> Chart:
    names = short_names(block.datasets)
    panels = [_panel(block, dataset, names[dataset]) for dataset in block.datasets]
    scores, anchor = block.scores, anchor_of("map", block.key, without=("dataset", "metric"))
    lists_choice = len(scores) > 1
    largest = [abs(v) for p in panels for values in p.values.values() for v in values.values()]
    is_signed = any(v < 0 for p in panels for vs in p.values.values() for v in vs.values())
    spec = heat_map(
        panels,
        scores,
        most=max(largest) if is_signed else None,
        choice=f"{anchor}-choice" if lists_choice else "",
    )
    return Chart(
        anchor=anchor,
        title=title_of(block.key, block.main),
        caption=_caption(block, names),
        spec=spec,
        table=_top(block, names),
        is_open=True,
        more=matrix([block.maps[d, block.main] for d in block.datasets], list(names.values())),
        more_title=f"{metric_words(block.main)} of every head",
        has_choice=lists_choice,
    )


def _panel(block: Block, dataset: str, title: str) -> MapPanel:
    found = {score: block.maps.get((dataset, score)) for score in block.scores}
    return MapPanel(title, {score: one.values for score, one in found.items() if one is not None})


def _caption(block: Block, names: dict[str, str]) -> str:
    """Text with the best head of each dataset."""
    said = []
    for dataset, name in names.items():
        one = block.maps.get((dataset, block.main))
        place = None if one is None else one.best
        if one is not None and place is not None:
            said.append(f"{place_name(place)} on {name} ({cell_text(one.cells[place])})")
    which = "Best" if block.main in SCORES else "Largest"
    return f"{which} by {metric_words(block.main)}: {'; '.join(said) or NO_VALUE}."


def _top(block: Block, names: dict[str, str]) -> ChartTable:
    """The best heads of the first dataset, with their intervals on all datasets."""
    first = block.maps[block.datasets[0], block.main]
    columns = [
        (f"{metric_words(score)}, {name}" if len(names) > 1 else metric_words(score), one)
        for dataset, name in names.items()
        for score in block.scores
        if (one := block.maps.get((dataset, score))) is not None
    ]
    has_room = len(columns) <= _MOST_INTERVALS  # else the score that heads are ranked by has them
    rows = tuple(
        (
            place_name(place),
            *(
                cell_text(one.cells.get(place))
                if has_room or score_of(one.key) == block.main
                else _value(one.cells.get(place))
                for _, one in columns
            ),
        )
        for place in top_places(first)
    )
    return ChartTable((f"best {len(rows)} heads", *(title for title, _ in columns)), rows)


def top_places(one: HeadMap, *, by_size: bool = False) -> list[HeadPlace]:
    """Cells with the largest values, or those farthest from 0; ties in cell order."""
    values = one.values
    return sorted(values, key=lambda p: (-(abs(values[p]) if by_size else values[p]), p))[:TOP]


def matrix(maps: Sequence[HeadMap], titles: Sequence[str], *, signed: bool = False) -> ChartTable:
    """Values of all heads: one row for each layer, one column for each head."""
    heads = max(one.shape[1] for one in maps)
    rows = [
        (
            f"{title} \N{MIDDLE DOT} layer {layer}" if len(maps) > 1 else f"layer {layer}",
            *(_value(one.cells.get((layer, head)), signed=signed) for head in range(1, heads + 1)),
        )
        for one, title in zip(maps, titles, strict=True)
        for layer in range(1, one.shape[0] + 1)
    ]
    return ChartTable(("", *(f"head {head}" for head in range(1, heads + 1))), tuple(rows))


def _value(cell: HeadValue | None, *, signed: bool = False) -> str:
    return NO_VALUE if cell is None else number(cell.value, signed=signed)


def cell_text(cell: HeadValue | None, *, signed: bool = False) -> str:
    """Value of a cell with its interval; without one, mean and spread over replicates."""
    if cell is None or cell.value is None:
        return NO_VALUE
    if cell.estimate is not None and cell.estimate.low is not None:
        return interval(cell.estimate, signed=signed)
    if len(cell.by_replicate) > 1:
        return mean_and_sd(cell.by_replicate, 3)
    return number(cell.value, signed=signed)


def title_of(key: EstimateKey, score: str, *, of: str = "") -> str:
    """Title of a chart of heads: diagnostic, score, family and condition."""
    parts = [f"{key.diagnostic_name}: {metric_words(score)}", of or key.subject]
    return " \N{MIDDLE DOT} ".join([*parts, *filter(None, [condition_words(key)])])


def anchor_of(part: str, key: EstimateKey, *, without: Sequence[str]) -> str:
    """Stable anchor of a chart of heads."""
    shared = replace(key, role="")
    return f"heads-{part}-{value_digest(identity(shared, without=without), size=4)}"


PART: Final = ReportPart(__doc__, part, heads_lines)
