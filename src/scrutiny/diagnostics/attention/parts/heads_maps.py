"""Value of every head: maps by layer and head, datasets side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.heat_maps import MapPanel, heat_map
from scrutiny.blocks.labels import metric_words
from scrutiny.blocks.numbers import NO_VALUE, interval, mean_and_sd, number, p_value
from scrutiny.blocks.run_estimates import HeadPlace, identity, single_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import ColumnsBlock, InShort, Part, ReportPart, SentenceBlock, left_out
from scrutiny.core.boundary.json_text import value_digest
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attention.parts.head_study import (
    HEADS,
    SCORES,
    Block,
    HeadMap,
    HeadValue,
    condition_words,
    head_study,
    maps_of,
    place_name,
    score_of,
    short_names,
)

_MOST_LISTED: Final = 24
_COLUMNS: Final = (30, 6, 6, 6, 28)  # label, least, median, most, which
_MOST_NAMED_IN_LINES: Final = 6
_ROLES: Final = ("measured", "control")


def heads_lines(view: RunView) -> Iterator[InShort]:
    """One line for each map: minimum, median and maximum, and the head of the maximum."""
    single = single_estimates(view)
    maps = [m for m in maps_of(single) if m.values and m.key.role in _ROLES]
    whole = {_place(m) for m in maps if score_of(m.key) == SCORES[0]}
    # F1 sums precision and recall up
    maps = [m for m in maps if not (score_of(m.key) in SCORES[1:] and _place(m) in whole)]
    maps.sort(key=lambda m: min(map(len, m.cells)), reverse=True)
    if not maps:
        return
    yield SentenceBlock("")
    yield SentenceBlock("Single heads and layers", "bold")
    yield ColumnsBlock(("", "least", "median", "most", "which"), _COLUMNS, ())
    names = short_names(list(dict.fromkeys(m.key.dataset for m in maps)))
    shown = maps[:_MOST_LISTED]
    titles = [(m.key.diagnostic_name, m.key.subject, names[m.key.dataset]) for m in shown]
    for title, members in grouped(zip(titles, shown, strict=True)).items():
        yield SentenceBlock(" \N{MIDDLE DOT} ".join(title))
        for one in members:
            yield from _line(one)
    rest = f"{len(maps) - len(shown)} more maps; " if len(maps) > len(shown) else ""
    said = f"… {rest}{len(single):,} numbers: `--format csv` or `--format json` has every one, "
    yield SentenceBlock(f"{said}`-o report.html` draws them.", "dim")


def _place(one: HeadMap) -> tuple[str, ...]:
    key = one.key
    return key.diagnostic, key.subject, key.dataset, key.role, condition_words(key), key.group


def _line(one: HeadMap) -> Iterator[InShort]:
    """Columns of one map, and how many of its cells differ from 0 if they were tested."""
    values, best = one.values, one.best
    assert best is not None  # the caller keeps maps with values
    metric = metric_words(score_of(one.key))
    if len(best) == 1:
        metric = f"{metric.replace('mean head', 'mean')} by layer"
    label = f"{condition_words(one.key) or 'all'} \N{MIDDLE DOT} {metric}"
    ends = [min(values.values()), median(values.values()), max(values.values())]
    is_score = name_and_arguments(one.key.metric)[1] in SCORES
    which = f"{'best' if is_score else 'most'} {place_name(best)}"
    estimate = one.cells[best].estimate
    if estimate is not None and estimate.low is not None:
        which += f" {interval(estimate).partition(' ')[2]}"
    row = (label, *(number(v, 3) for v in ends), which)
    yield ColumnsBlock((), _COLUMNS, (row,), indent=2, hanging=2)
    if one.tests:  # all cells together (max-T)
        above, below = one.named
        names = ", ".join(map(place_name, above[:_MOST_NAMED_IN_LINES]))
        names += ", …" if len(above) > _MOST_NAMED_IN_LINES else ""
        said = f"{len(above)} of {len(one.tests)} above 0 and {len(below)} below, tested together"
        yield SentenceBlock(f"{said}{f': {names}' if names else ''}", hanging=6)


TOP: Final = 10
MOST_MAPS: Final = 16
_MOST_NAMED: Final = 6
_MOST_INTERVALS: Final = 3  # columns of a table with intervals everywhere
_LEAD: Final = (
    "Every layer and head, counted from 1. Datasets have one color scale; the frame marks the "
    "largest value of each. The best of many heads, chosen and scored on the same data, seems "
    "better than it is: claims use heads that were chosen on one half and scored on the other."
)


_OF_TESTS: Final = (
    "At 5 %, adjusted for all heads of a row (max-T from shared draws): the probability of any "
    "false positive is 5 %. Best baselines are chosen on the same data, and heads of different "
    "pre-training seeds only share their position."
)


def part(view: RunView) -> Part | None:
    """Value of each attention head: one chart for each family and condition."""
    study = head_study(view)
    blocks = study.blocks()
    if not blocks:
        return None
    charts = tuple(_chart(block) for block in blocks[:MOST_MAPS])
    note = left_out(len(blocks), MOST_MAPS, "maps")
    if study.tested:
        rows = []
        for one in study.tested:
            above, below = one.named
            first = "; ".join(
                f"{place_name(p)} {cell_text(one.cells.get(p))}, p {p_value(one.tests[p])}"
                for p in above[:_MOST_NAMED]
            )
            counts = (str(len(found)) for found in (one.tests, above, below))
            title = title_of(one.key, score_of(one.key))
            rows.append((title, one.key.dataset, *counts, first or NO_VALUE))
        header = ("heads", "data", "tested", "above 0", "below 0", "above 0 with the smallest p")
        table = ChartTable(header, tuple(rows), 2)
        charts += (Chart("heads-tests", "Heads tested together", _OF_TESTS, table),)
    return Part("heads-maps", "Value of each head", _LEAD, charts, note, chapter=HEADS)


def _chart(block: Block) -> Chart:
    names = short_names(block.datasets)
    scores, anchor = block.scores, anchor_of("map", block.key, without=("dataset", "metric"))
    panels = [
        MapPanel(name, {s: block.maps[data, s].values for s in scores if (data, s) in block.maps})
        for data, name in names.items()
    ]
    lists_choice, said = len(scores) > 1, []
    for dataset, name in names.items():
        one = block.maps.get((dataset, block.main))
        if one is not None and (place := one.best) is not None:
            said.append(f"{place_name(place)} on {name} ({cell_text(one.cells[place])})")
    which = f"{'Best' if block.main in SCORES else 'Largest'} by {metric_words(block.main)}"
    values = [v for one in block.maps.values() for v in one.values.values()]
    most = max(map(abs, values)) if any(v < 0 for v in values) else None
    spec = heat_map(panels, scores, most=most, choice=f"{anchor}-choice" if lists_choice else "")
    return Chart(
        anchor=anchor,
        title=title_of(block.key, block.main),
        caption=f"{which}: {'; '.join(said) or NO_VALUE}.",
        spec=spec,
        table=_top(block, names),
        is_open=True,
        more=matrix([block.maps[d, block.main] for d in block.datasets], list(names.values())),
        more_title=f"{metric_words(block.main)} of every head",
        has_choice=lists_choice,
    )


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
