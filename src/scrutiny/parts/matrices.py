"""Similarity of all pairs of models: maps, and agreement of the measures."""

from collections.abc import Sequence
from itertools import combinations, zip_longest
from typing import Final

from scrutiny.core.boundary.canonical import value_digest
from scrutiny.core.grouping import grouped
from scrutiny.core.randomness import generator
from scrutiny.parts.charts.matrices import correlation_map, matrix_map
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.matrix_series import Series, series_of
from scrutiny.parts.part import MOST_CHARTS, MOST_ROWS, Part, ReportPart, left_out
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import capitalized
from scrutiny.parts.wording.numbers import NO_VALUE, bracketed, interval, number, p_value
from scrutiny.stats.association.pair_correlation import PairCorrelation, pair_correlation
from scrutiny.stats.errors import StatisticsError

MOST_SERIES: Final = 16
_MOST_CORRELATED: Final = 12
_MOST_DIAGNOSTICS: Final = MOST_CHARTS - 1  # the last chart is of what agrees
_LEAD: Final = (
    "Rows are references, columns the models compared with them; asymmetric measures differ "
    "across the diagonal. On the diagonal, a family is compared with itself: different runs give "
    "the noise floor, a single model the ceiling. Colors range from the smallest to the largest "
    "number shown, so read the numbers."
)
_SHARED: Final = (
    "Are pairs of models that are similar by one measure also similar by another? Spearman's "
    "correlation over all ordered pairs of different models. Pairs share models, and symmetric "
    "measures have every pair twice, so {pairs} pairs are far fewer observations: the interval "
    "leaves out one of the {models} models at a time, and the p-value permutes them; the smallest "
    "possible p is given as well. The result is about these models only, and none of the {count} "
    "p-values is corrected for the others."
)


def part(view: RunView) -> Part | None:
    """A chart for each diagnostic and dataset with all pairs of at least three models."""
    found = series_of(view)
    if not found:
        return None
    blocks = list(found.values())
    charts = [_chart(block) for block in blocks[:_MOST_DIAGNOSTICS]]
    charts += _agreement(blocks, seed=view.facts.seed)
    return Part(
        "reliability-matrices",
        "Similarity of all pairs of models",
        _LEAD,
        tuple(charts),
        left_out(len(blocks), _MOST_DIAGNOSTICS, "maps"),
        is_compact=True,
    )


def _chart(block: Sequence[Series]) -> Chart:
    """Map of the first number with a selection of the others, and tables of all."""
    shown, key = block[:MOST_SERIES], block[0].key
    models = block[0].models
    anchor = f"reliability-matrices-{value_digest([key.diagnostic, key.dataset, *models], size=4)}"
    has_choice = len(shown) > 1
    pairs = _pairs(shown) if has_choice else ()
    notes = (
        left_out(len(block), MOST_SERIES, "numbers"),
        left_out(len(pairs), MOST_ROWS, "pairs"),
    )
    return Chart(
        anchor=anchor,
        title=f"{key.diagnostic_name} on {key.dataset}",
        caption=_caption(shown),
        spec=matrix_map(
            [(one.label, one.values) for one in shown],
            rows=models,
            columns=models,
            titles=("reference", "model"),
            choice=f"{anchor}-choice" if has_choice else "",
        ),
        table=_table(block[0]),
        note=" ".join(filter(None, notes)),
        is_open=True,
        more=_pair_table(shown, pairs) if has_choice else None,
        more_title="All pairs and measures",
        has_choice=has_choice,
    )


def _caption(shown: Sequence[Series]) -> str:
    """Smallest and largest number of different models, in words."""
    one = shown[0]
    apart = {p: v for p, v in one.values.items() if p[0] != p[1]}
    ends = [min(apart, key=lambda p: apart[p]), max(apart, key=lambda p: apart[p])]
    named = [f"{number(apart[p], 2)} ({p[1]} and {p[0]})" for p in ends]
    return f"{capitalized(one.label)} of different models is between {' and '.join(named)}."


def _table(one: Series) -> ChartTable:
    """The first number of every pair with its interval."""
    header = (f"{one.label}: reference", *one.models)
    rows = tuple((a, *(interval(one.cells.get((a, b))) for b in one.models)) for a in one.models)
    return ChartTable(header, rows, 1)


def _pairs(shown: Sequence[Series]) -> tuple[tuple[str, ...], ...]:
    """All numbers of every pair, one row each."""
    models = shown[0].models
    rows = []
    for a in models:
        for b in models:
            values = [one.values.get((a, b)) for one in shown]
            if any(value is not None for value in values):
                rows.append((a, b, *(number(value, 3) for value in values)))
    return tuple(rows)


def _pair_table(shown: Sequence[Series], pairs: Sequence[tuple[str, ...]]) -> ChartTable:
    """Rows of pairs, as many as fit on a page."""
    header = ("reference", "model", *(one.label for one in shown))
    return ChartTable(header, tuple(pairs[:MOST_ROWS]), 2)


def _agreement(blocks: Sequence[Sequence[Series]], *, seed: int) -> list[Chart]:
    """Agreement of the measures of one set of models over its pairs."""
    by_models = grouped(
        (tuple(sorted(one.models)), one)
        for row in zip_longest(*blocks)  # so that every diagnostic has its first numbers among them
        for one in row
        if one is not None and one.is_whole
    )
    charts = []
    for models, series in by_models.items():
        distinct = _distinct(series)
        if len(distinct) > 1:
            kept = distinct[:_MOST_CORRELATED]
            charts.append(_correlations(kept, models, n_all=len(distinct), seed=seed))
    return charts


def _distinct(series: Sequence[Series]) -> list[Series]:
    """Series that do not repeat an earlier one."""
    found: list[Series] = []
    for one in series:
        if all(_apart(one) != _apart(other) for other in found):
            found.append(one)
    return found


def _apart(one: Series) -> dict[tuple[str, str], float]:
    return {p: round(v, 9) for p, v in one.values.items() if p[0] != p[1]}


def _correlations(
    series: Sequence[Series], models: Sequence[str], *, n_all: int, seed: int
) -> Chart:
    """Correlation of each two series over the pairs of models."""
    names = _names(series)
    found = {
        (names[i], names[j]): _correlation(series[i], series[j], models, seed=seed)
        for i, j in combinations(range(len(series)), 2)
    }
    known = {pair: c for pair, c in found.items() if c is not None}
    values = {pair: c.value for pair, c in known.items()}
    values |= {(b, a): value for (a, b), value in values.items()}
    count = len(models)
    rows = [_row(a, b, known.get((a, b))) for a, b in found]
    said = _SHARED.format(pairs=count * (count - 1), models=count, count=len(known))
    note = " ".join(
        filter(
            None,
            (
                left_out(n_all, _MOST_CORRELATED, "measures"),
                left_out(len(rows), MOST_ROWS, "correlations"),
            ),
        )
    )
    return Chart(
        anchor=f"reliability-matrices-agreement-{value_digest(list(models), size=4)}",
        title=f"Agreement of measures over the pairs of {', '.join(models)}",
        caption=said,
        spec=correlation_map(values, names),
        table=ChartTable(
            ("measure", "with", "Spearman", "pairs", "models", "p", "smallest p"),
            tuple(rows[:MOST_ROWS]),
            2,
        ),
        note=note,
    )


def _names(series: Sequence[Series]) -> list[str]:
    """Names that distinguish the measures of several diagnostics and datasets."""
    said = []
    for one in series:
        others = [s.key for s in series if s.label == one.label]
        more = []
        if len({key.diagnostic for key in others}) > 1:
            more.append(one.key.diagnostic_name)
        if len({key.dataset for key in others}) > 1:
            more.append(one.key.dataset)
        said.append(" \N{MIDDLE DOT} ".join([one.label, *more]))
    return [f"{n} ({i})" if said.count(n) > 1 else n for i, n in enumerate(said, 1)]


def _correlation(
    one: Series, other: Series, models: Sequence[str], *, seed: int
) -> PairCorrelation | None:
    """Correlation of two series; `None` if one does not vary."""
    matrices = [
        [[s.values[a, b] if a != b else 0.0 for b in models] for a in models] for s in (one, other)
    ]
    rng = generator(seed, "report", name="pair-correlation", item=one.label, draw=0)
    try:
        return pair_correlation(*matrices, rng=rng)
    except StatisticsError:
        return None


def _row(a: str, b: str, found: PairCorrelation | None) -> tuple[str, ...]:
    if found is None:
        return (a, b, "does not vary", *[NO_VALUE] * 4)
    value = f"{number(found.value, 2)} {bracketed(found.low, found.high, 2)}".rstrip()
    counts = str(found.n_pairs), str(found.n_models)
    return (a, b, value, *counts, p_value(found.p_value), p_value(found.smallest_p))


PART: Final = ReportPart(__doc__, part)
