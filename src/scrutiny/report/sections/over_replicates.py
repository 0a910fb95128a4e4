"""Two estimates over replicates: the plan's ``[[relate]]``, and diagnostics of one construct."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    axis,
    channel,
    drawn,
    guide,
    interval_and_point,
    label_axis,
    marks,
    series_color,
    tooltip,
    view_of,
)
from scrutiny.blocks.labels import estimate_words, replicate_words
from scrutiny.blocks.numbers import (
    NO_VALUE,
    bracketed,
    decimals_for,
    interval,
    number,
    out_of,
    p_value,
)
from scrutiny.blocks.run_estimates import References, by_identity, replicated, slug
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import MOST_ROWS, Part, ReportPart, left_out, part_of
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped

_REASONS: Final = {
    "too_few_replicates": "too few replicates",
    "does_not_vary": "one side does not vary",
}
_BESIDE: Final = ("", "of", "with")


@dataclass(frozen=True, slots=True)
class _Kind:
    """Relations of one kind: how their chart is read, and what stands in their rows."""

    metric: str
    title: str
    caption: str
    guide: float
    axis: str
    domain: tuple[float, float] | None
    cells: Mapping[str, Callable[[Estimate], str]]


def _across(name: str, decimals: int) -> Callable[[Estimate], str]:
    return lambda e: number(e.across.get(name), decimals)


def _value(e: Estimate) -> str:
    return (
        interval(e) if e.value is not None else _REASONS.get(e.reason or "", e.reason or e.status)
    )


def _replicates(e: Estimate) -> str:
    return str(e.n_replicates if e.value is not None else e.counts.n)


def _p(name: str) -> Callable[[Estimate], str]:
    return lambda e: p_value(e.across.get(name))


_KINDS: Final = (
    _Kind(
        "correlation@1",
        "Correlation over replicates",
        "Do replicates with a high value of one estimate have a high value of the other? Each "
        "replicate is one point, so few replicates can only show strong correlations: "
        "\N{LEFT DOUBLE QUOTATION MARK}shown from\N{RIGHT DOUBLE QUOTATION MARK} is the "
        "correlation that this many would show with 80 % power. An interval that contains zero "
        "does not mean that there is no correlation. The p-value permutes replicates; the smallest "
        "possible p is given as well.",
        0.0,
        "correlation",
        (-1.0, 1.0),
        {
            "r": _value,
            "Spearman": _across("spearman", 2),
            "replicates": _replicates,
            "p": _p("p_value"),
            "smallest p": _p("smallest_p"),
            "shown from": _across("detectable", 2),
        },
    ),
    _Kind(
        "spread_ratio@1",
        "Spread over replicates, relative to another",
        "Standard deviation over replicates of one estimate divided by that of another, each in "
        "units of its own error over items, with an F interval. Above 1, the first is the less "
        "stable one; few replicates can only show large ratios "
        "(\N{LEFT DOUBLE QUOTATION MARK}shown from\N{RIGHT DOUBLE QUOTATION MARK}).",
        1.0,
        "ratio of spreads",
        None,
        {
            "ratio": _value,
            "sd": _across("sd", 4),
            "item error": _across("item_error", 4),
            "other sd": _across("other_sd", 4),
            "other item error": _across("other_item_error", 4),
            "p": _p("p_value"),
            "shown from": _across("smallest_significant", 2),
        },
    ),
    _Kind(
        "largest_difference@1",
        "Largest difference between two replicates",
        "Of all pairs of these replicates, on the same items. If the upper limit is below a "
        "margin, two one-sided tests show each pair to be equivalent within it; if the lower limit "
        "is above 0, some pair differs (Bonferroni over pairs). Nothing is said of other seeds.",
        0.0,
        "largest difference",
        None,
        {"difference": _value, "replicates": _replicates, "n/planned": out_of},
    ),
    _Kind(
        "disagreement@1",
        "Items on which replicates part",
        "Share of items that not all of these replicates answer alike, on other items. Fair coins "
        "part on 94 % of the items with five replicates, on half of them with two.",
        0.0,
        "share of items",
        None,
        {"share": _value, "replicates": _replicates, "n/planned": out_of},
    ),
)


def relations_part(view: RunView) -> Part | None:
    """Dots with intervals and a table of every relation in the plan, by kind."""
    made = grouped((e.key.metric, e) for e in view.estimates if e.key.is_relation)
    charts = []
    for kind in _KINDS:
        if kind.metric not in made:
            continue
        found = made[kind.metric]
        shown = [e for e in found[:MOST_ROWS] if e.value is not None and e.low is not None]
        values = [{"label": e.key.group, **drawn(e)} for e in shown]
        y: dict[str, Any] = {"y": label_axis([e.key.group for e in shown])}
        scale = {"domain": list(kind.domain)} if kind.domain else {"zero": True}
        x = channel("value", "quantitative", scale=scale, title=kind.axis, tickCount=5)
        drawings = interval_and_point(y, x, "label", "interval", along="x", size=56)
        layers = [guide(kind.guide, dashed=False), *drawings]
        rows = [(e.key.group, *map(str, e.key.condition.values())) for e in found[:MOST_ROWS]]
        cells = [[cell(e) for cell in kind.cells.values()] for e in found[:MOST_ROWS]]
        width = max(map(len, rows))
        chart = Chart(
            anchor=f"reliability-relations-{kind.metric.partition('@')[0]}",
            title=kind.title,
            caption=kind.caption,
            spec=view_of(values, height={"step": 24}, layer=layers) if shown else None,
            table=ChartTable(
                (*_BESIDE[:width], *kind.cells),
                tuple((*row, *own) for row, own in zip(rows, cells, strict=True)),
                width,
            ),
            is_open=True,
            note=left_out(len(found), MOST_ROWS, "relations"),
        )
        charts.append(chart)
    return part_of("reliability-relations", "Compared over replicates", "", charts, "tables")


RELATIONS: Final = ReportPart(
    "Relations of estimates over replicates: the plan's ``[[relate]]``.",
    relations_part,
    lambda view: filter(None, [relations_part(view)]),
)
#: Names of the same construct in different test sets.
ALIASES: Final[Mapping[str, str]] = {
    "race-color": "race",
    "ethnicity": "race",
    "sex": "gender",
    "occupation": "profession",
    "physical": "physical-appearance",
    "sexual": "sexual-orientation",
}
_NOT_A_CONSTRUCT: Final = frozenset({"all", "changed"})
_LEAD: Final = (
    "Two diagnostics of the same construct should agree: in sign for every replicate, and in the "
    "ranking of replicates. With five replicates, a correlation is very uncertain; its interval "
    "shows this."
)


@dataclass(frozen=True, slots=True)
class _Match:
    """Two estimates of one construct for the same replicates."""

    construct: str
    a: Estimate
    b: Estimate
    replicates: tuple[str, ...]


def _construct_of(group: str) -> str:
    """Name of the construct of a group.

    Examples
    --------
    >>> _construct_of("Race-Color"), _construct_of("race"), _construct_of("religion")
    ('race', 'race', 'religion')
    """
    name = slug(group)
    return ALIASES.get(name, name)


def convergent_part(view: RunView) -> Part | None:
    """Chart and table for each pair of diagnostics that share constructs."""
    references = References(view)
    charts = []
    for matches in grouped(_matches(view, references)).values():
        a, b = matches[0].a, matches[0].b
        names = [f"{e.key.diagnostic_name} {estimate_words(e.key)}" for e in (a, b)]
        where = f"{a.key.dataset} and {b.key.dataset}"
        subject = slug(" ".join([*names, where, a.key.subject]))
        rows = [_row(m, references) for m in matches]
        header = ("construct", "first", "second", "first, by seed", "second, by seed")
        chart = Chart(
            anchor=f"reliability-convergent-{subject}",
            title=f"{names[0]} against {names[1]}",
            caption=f"A dot is one replicate on one construct ({where}). Dashed: the references.",
            spec=_spec(matches, names, references),
            table=ChartTable((*header, "same sign", "correlation over seeds"), tuple(rows), 5),
        )
        charts.append(chart)
    title = "Convergent validity"
    return part_of("reliability-convergent", title, _LEAD, charts, "pairs of diagnostics")


def _matches(view: RunView, references: References) -> Iterator[tuple[str, _Match]]:
    """Matches by pair of diagnostics."""
    usable = [e for e in replicated(view) if e.key.role == "measured"]
    usable = [e for e in usable if references.of(e) is not None]
    usable = [e for e in usable if _construct_of(e.key.group) not in _NOT_A_CONSTRUCT]
    by_question = by_identity(usable, without=["metric", "condition", "group"])
    mains = []
    for members in by_question.values():  # metric and condition of most claims, else the first
        series = by_identity(members, without=["group"]).values()
        best = max(series, key=lambda one: sum(references.is_claimed(e) for e in one))
        key = best[0].key
        of_construct = {_construct_of(e.key.group): e for e in reversed(best)}
        mains.append(((key.diagnostic_name, key.dataset, key.subject), of_construct))
    for (place, one), (other_place, other) in combinations(mains, 2):
        is_apart = place[0] != other_place[0] and place[2] == other_place[2]
        for group, a in one.items():
            b = other.get(group)
            if not is_apart or b is None:
                continue
            names = tuple(name for name in a.by_replicate if name in b.by_replicate)
            if len(names) >= 2:
                pair = f"{place[0]} \N{MIDDLE DOT}\N{MIDDLE DOT} {other_place[0]} {place[2]}"
                yield f"{pair} {place[1]} {other_place[1]}", _Match(group, a, b, names)


def _spec(matches: Sequence[_Match], names: Sequence[str], references: References) -> Spec:
    values = [
        {
            "construct": m.construct,
            "replicate": replicate_words(name),
            "x": m.a.by_replicate[name],
            "y": m.b.by_replicate[name],
        }
        for m in matches
        for name in m.replicates
    ]
    constructs = [m.construct for m in matches]
    axes: dict[str, Any] = {at: axis(at, name) for at, name in zip("xy", names, strict=True)}
    color = series_color(constructs[:5], name="construct") if len(constructs) <= 5 else None
    encoding = {**axes, "tooltip": tooltip("construct", "replicate", "x", "y")}
    encoding |= {"color": color} if color else {}
    layers: list[Spec] = []
    for at, one in zip("xy", (matches[0].a, matches[0].b), strict=True):
        reference = references.of(one)
        if reference is not None:
            layers.append(guide(reference, dashed=True, along=at))
    layers.append(marks("point", encoding, filled=True, size=50))
    return view_of(values, height=240, layer=layers)


def _row(m: _Match, references: References) -> tuple[str, ...]:
    from scrutiny.stats.association.correlation import seed_correlation

    one, other = ([e.by_replicate[name] for name in m.replicates] for e in (m.a, m.b))
    limits = references.of(m.a), references.of(m.b)
    same = NO_VALUE
    if limits[0] is not None and limits[1] is not None:
        agree = [
            (x > limits[0]) == (y > limits[1]) and x != limits[0] and y != limits[1]
            for x, y in zip(one, other, strict=True)
        ]
        same = f"{sum(agree)}/{len(agree)}"
    found = seed_correlation(one, other)
    value = f"{number(found.value, 2)} {bracketed(found.low, found.high, 2)}".rstrip()
    each = (
        ", ".join(number(v, decimals_for(e.low, e.high, e.value)) for v in values)
        for e, values in ((m.a, one), (m.b, other))
    )
    return (m.construct, interval(m.a), interval(m.b), *each, same, f"{value} (n = {found.n})")


CONVERGENT: Final = ReportPart(
    "Convergent validity: two diagnostics of the same construct, seed by seed.\n"
    "\n"
    "Groups are matched by their names, case and punctuation aside, and by a short table "
    "of aliases.\n",
    convergent_part,
)
