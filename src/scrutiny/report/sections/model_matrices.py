"""Similarity of all pairs of models: maps, and agreement of the measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, zip_longest
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.heat_maps import correlation_map, matrix_map
from scrutiny.blocks.labels import capitalized, estimate_words
from scrutiny.blocks.numbers import NO_VALUE, bracketed, interval, number, p_value
from scrutiny.blocks.run_estimates import identity, main_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import MOST_CHARTS, MOST_ROWS, Part, ReportPart, left_out
from scrutiny.core.boundary.json_text import value_digest
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plugin_base import unversioned
from scrutiny.core.randomness import generator
from scrutiny.core.record import grouped
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.rank_correlation import PairCorrelation, pair_correlation

#: Fewer models have a number or two, which stand in their rows.
FEWEST: Final = 3
_ROLES: Final = ("measured", "control", "baseline")
_OF_ONE_PAIR: Final = ("subject", "reference")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Series:
    """One number of every ordered pair of models.

    Parameters
    ----------
    key
        What all have in common; subject and reference are empty.
    models
        In the order of the plan.
    cells
        By reference and subject; the diagonal may be there or not.
    label
        Name among the series of its diagnostic and dataset.
    """

    key: EstimateKey
    models: tuple[str, ...]
    cells: Mapping[Pair, Estimate] = field(repr=False)
    label: str = ""

    @property
    def values(self) -> dict[Pair, float]:
        """Values of the pairs that have one."""
        return {pair: e.value for pair, e in self.cells.items() if e.value is not None}

    @property
    def is_of_pairs(self) -> bool:
        """Whether it depends on both models, and not on one of them alone."""
        apart = {pair: v for pair, v in self.values.items() if pair[0] != pair[1]}
        for side in (0, 1):
            lines = grouped((pair[side], value) for pair, value in apart.items()).values()
            if all(len(set(line)) == 1 for line in lines):
                return False
        return True

    @property
    def is_whole(self) -> bool:
        """Whether every ordered pair of different models has a value."""
        found = self.values
        return all((a, b) in found for a in self.models for b in self.models if a != b)


def series_of(view: RunView) -> dict[str, list[Series]]:
    """Series of each diagnostic and dataset, each metric's first condition first."""
    usable = [
        e
        for e in main_estimates(view)
        if e.key.reference and e.key.replicate is None and e.key.role in _ROLES
    ]
    found = []
    for members in grouped((identity(e.key, without=_OF_ONE_PAIR), e) for e in usable).values():
        cells = {(str(e.key.reference), e.key.subject): e for e in members}
        subjects = {subject for _, subject in cells}
        models = tuple(dict.fromkeys(reference for reference, _ in cells if reference in subjects))
        is_whole = all((a, b) in cells for a in models for b in models if a != b)
        if len(models) >= FEWEST and is_whole:
            key = replace(members[0].key, subject="", reference=None)
            one = Series(key, models, {p: e for p, e in cells.items() if set(p) <= set(models)})
            found += [one] if one.is_of_pairs else []
    places = grouped((f"{s.key.diagnostic} {s.key.dataset} {' '.join(s.models)}", s) for s in found)
    ordered = {}
    for place, series in places.items():
        by_metric = grouped((f"{s.key.role} {s.key.metric}", s) for s in series)
        ranked = [  # measured numbers before controls, and every metric once before any is repeated
            ((at > 0, _ROLES.index(one.key.role), at, number), one)
            for number, group in enumerate(by_metric.values())
            for at, one in enumerate(group)
        ]
        ranked.sort(key=lambda pair: pair[0])
        ordered[place] = [replace(one, label=_label(one, series)) for _, one in ranked]
    return ordered


def _label(one: Series, members: Sequence[Series]) -> str:
    """Metric, role if it is not the usual one, and conditions that differ from the neighbors'."""
    same = [s.key for s in members if s.key.metric == one.key.metric]
    apart = [
        name
        for name in dict.fromkeys(name for key in same for name in key.condition)
        if len({repr(key.condition.get(name)) for key in same}) > 1
    ]
    given = [(name, one.key.condition[name]) for name in apart if name in one.key.condition]
    said = [unversioned(v) if isinstance(v, str) else f"{name} {v}" for name, v in given]
    if one.key.role == "control":
        said.append("control")
    if len({key.group for key in same}) > 1:
        said.append(one.key.group)
    return " \N{MIDDLE DOT} ".join([estimate_words(one.key), *said])


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


def matrices_part(view: RunView) -> Part | None:
    """A chart for each diagnostic and dataset with all pairs of at least three models."""
    found = series_of(view)
    if not found:
        return None
    blocks = list(found.values())
    charts = [_chart(block) for block in blocks[:_MOST_DIAGNOSTICS]]
    by_models = grouped(
        (tuple(sorted(one.models)), one)
        for row in zip_longest(*blocks)  # so that every diagnostic has its first numbers among them
        for one in row
        if one is not None and one.is_whole
    )
    for models, series in by_models.items():
        distinct: list[Series] = []
        for one in series:  # but for those that repeat an earlier one
            if all(_apart(one) != _apart(other) for other in distinct):
                distinct.append(one)
        if len(distinct) > 1:
            kept, n_all = distinct[:_MOST_CORRELATED], len(distinct)
            charts.append(_correlations(kept, models, n_all=n_all, seed=view.facts.seed))
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
    header = ("reference", "model", *(one.label for one in shown))
    numbers = {(a, b): [s.values.get((a, b)) for s in shown] for a in models for b in models}
    pairs = tuple(
        (a, b, *(number(value, 3) for value in values))
        for (a, b), values in numbers.items()
        if has_choice and any(value is not None for value in values)
    )
    notes = (
        left_out(len(block), MOST_SERIES, "numbers"),
        left_out(len(pairs), MOST_ROWS, "pairs"),
    )
    one = shown[0]
    apart = {p: v for p, v in one.values.items() if p[0] != p[1]}
    ends = [min(apart, key=lambda p: apart[p]), max(apart, key=lambda p: apart[p])]
    named = [f"{number(apart[p], 2)} ({p[1]} and {p[0]})" for p in ends]
    return Chart(
        anchor=anchor,
        title=f"{key.diagnostic_name} on {key.dataset}",
        caption=f"{capitalized(one.label)} of different models is between {' and '.join(named)}.",
        spec=matrix_map(
            [(one.label, one.values) for one in shown],
            rows=models,
            columns=models,
            titles=("reference", "model"),
            choice=f"{anchor}-choice" if has_choice else "",
        ),
        table=ChartTable(
            (f"{one.label}: reference", *models),
            tuple((a, *(interval(one.cells.get((a, b))) for b in models)) for a in models),
        ),
        note=" ".join(filter(None, notes)),
        is_open=True,
        more=ChartTable(header, pairs[:MOST_ROWS], 2) if has_choice else None,
        more_title="All pairs and measures",
        has_choice=has_choice,
    )


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
    rows = []
    for (a, b), c in found.items():
        cells = ["does not vary", *[NO_VALUE] * 4]
        if c is not None:
            value = f"{number(c.value, 2)} {bracketed(c.low, c.high, 2)}".rstrip()
            counts = str(c.n_pairs), str(c.n_models)
            cells = [value, *counts, p_value(c.p_value), p_value(c.smallest_p)]
        rows.append((a, b, *cells))
    said = _SHARED.format(pairs=count * (count - 1), models=count, count=len(known))
    notes = (
        left_out(n_all, _MOST_CORRELATED, "measures"),
        left_out(len(rows), MOST_ROWS, "correlations"),
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
        note=" ".join(filter(None, notes)),
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


MATRICES: Final = ReportPart(
    "Similarity of all pairs of models: maps, and agreement of the measures.", matrices_part
)
