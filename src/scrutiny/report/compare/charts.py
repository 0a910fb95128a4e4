"""Charts of a comparison: noise floor beside flips, slices, differences, shared invariances."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.parts.charts import findings as charts
from scrutiny.parts.charts.tables import Chart, ChartTable, Line, Spec
from scrutiny.parts.charts.vega import (
    MOST_ROWS,
    guide,
    label_axis,
    left_out,
    series_color,
    series_shape,
    view_of,
)
from scrutiny.parts.wording.labels import GAP
from scrutiny.parts.wording.numbers import (
    NO_VALUE,
    decimals_for,
    interval,
    number,
    out_of,
    p_value,
)
from scrutiny.report.compare.view import KeptFacts, LevelFacts, Rate, SliceFacts

_NOISE, _FLIPS = "noise", "flips"
#: In the order of the colors, so that what is not shown is gray.
_STATES: Final = ("all items", "change shown", "not shown", "nothing of its own")
_MOST_LETTERS: Final = 60
_SHARES: Final = 1.0  # numbers within this of zero are drawn on one axis
#: What a difference is called in the page, by the verdict on "lower in the second".
VERDICTS: Final = {"supported": "lower", "not supported": "higher", "undecided": "undecided"}


def noise_and_flips(anchor: str, level: LevelFacts) -> Chart | None:
    """Share of items that flip, beside how many do without any new model."""
    if not level.rates:
        return None
    noise = next((rate.value for rate in level.rates if rate.is_noise), None)
    names = [_NOISE, _FLIPS] if noise is not None else [_FLIPS]
    values = [_rate_value(rate) for rate in level.rates]
    layers = _rate_layers([rate.label for rate in level.rates], names)
    if noise is not None:
        layers.append(guide(noise, dashed=True))
    floor = (
        "The dashed line is the noise floor: what the first model does to itself."
        if noise is not None
        else "The noise floor is not known: the first model was run once."
    )
    return Chart(
        anchor=anchor,
        title="How many items flip",
        caption=f"Share of {level.n:,} items, with intervals. {floor}",
        spec=view_of(values, height={"step": 30}, layer=layers),
        table=_rate_table(level.rates),
    )


def _rate_value(rate: Rate) -> dict[str, Any]:
    return {
        "label": rate.label,
        "series": _NOISE if rate.is_noise else _FLIPS,
        "value": rate.value,
        "low": rate.value if rate.low is None else rate.low,
        "high": rate.value if rate.high is None else rate.high,
        "said": _rate_words(rate),
    }


def _rate_layers(labels: Sequence[str], names: Sequence[str]) -> list[Spec]:
    """Bars, their intervals, and nothing else."""
    y = {"y": label_axis(labels)}
    axis = {"title": "share of items", "format": ".0%", "tickCount": 5}
    x = {"field": "value", "type": "quantitative", "axis": axis}
    told = [{"field": "label", "title": "what"}, {"field": "said", "title": "share"}]
    bar: Spec = {
        "mark": {"type": "bar", "height": {"band": 0.5}},
        "encoding": {**y, "x": x, "color": series_color(names), "tooltip": told},
    }
    rule: Spec = {
        "mark": {"type": "rule", "strokeWidth": 1.5, "style": "best"},
        "encoding": {**y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "tooltip": told},
    }
    return [bar, rule]


def _rate_table(rates: Sequence[Rate]) -> ChartTable:
    rows = tuple((rate.label, share(rate.value), _rate_bounds(rate)) for rate in rates)
    return ChartTable(("items", "share", "interval"), rows)


def _rate_words(rate: Rate) -> str:
    return (
        f"{share(rate.value)} {_rate_bounds(rate)}" if rate.low is not None else share(rate.value)
    )


def _rate_bounds(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return NO_VALUE
    return f"[{share(rate.low)}, {share(rate.high)}]"


def share(value: float) -> str:
    """Share in percent with one decimal.

    Examples
    --------
    >>> share(0.118)
    '11.8 %'
    """
    return f"{100 * value:.1f} %"


def slices(anchor: str, level: LevelFacts) -> Chart | None:
    """Change of every slice with the interval that all slices together need."""
    shown = level.slices[:MOST_ROWS]
    if len(shown) < 2:
        return None
    names = [name for name in _STATES if any(one.state == name for one in shown)]
    values = [_slice_value(one) for one in shown]
    layers: list[Spec] = [guide(0.0, dashed=False)]
    caption = "Second minus first; points are changes, bars the intervals that all slices together "
    caption += "need. Zero is solid"
    if level.margin:
        layers.append(guide(level.margin if level.lower_is_better else -level.margin, dashed=True))
        caption += ", the largest loss that does not matter dashed"
    layers += _slice_layers([one.name for one in shown], names)
    return Chart(
        anchor=anchor,
        title="Where it changed",
        caption=f"{caption}.",
        spec=view_of(values, height={"step": 22}, layer=layers),
        table=_slice_table(level.slices),
        note=left_out(len(level.slices)),
    )


def _slice_value(one: SliceFacts) -> dict[str, Any]:
    return {
        "label": one.name,
        "series": one.state,
        "value": one.value,
        "low": one.value if one.low is None else one.low,
        "high": one.value if one.high is None else one.high,
        "said": _slice_change(one),
        "items": one.n,
    }


def _slice_layers(labels: Sequence[str], names: Sequence[str]) -> list[Spec]:
    """Intervals and points of slices, colored by what is shown of them."""
    y = {"y": label_axis(labels)}
    axis = {"title": "change", "tickCount": 6}
    x = {"field": "value", "type": "quantitative", "axis": axis}
    legend = None if len(names) < 2 else {"title": None, "orient": "top", "values": list(names)}
    color = {"color": {**series_color(_STATES), "legend": legend}}
    shape = {**series_shape(_STATES), "legend": legend}
    told = [{"field": name, "title": name} for name in ("label", "items", "said")]
    rule: Spec = {
        "mark": {"type": "rule", "strokeWidth": 2.2, "strokeCap": "round", "opacity": 0.75},
        "encoding": {
            **y,
            "x": {**x, "field": "low"},
            "x2": {"field": "high"},
            **color,
            "tooltip": told,
        },
    }
    point: Spec = {
        "mark": {"type": "point", "filled": True, "size": 52, "opacity": 1},
        "encoding": {**y, "x": x, **color, "shape": shape, "tooltip": told},
    }
    return [rule, point]


def _slice_change(one: SliceFacts) -> str:
    decimals = decimals_for(one.low, one.high, one.value)
    said = number(one.value, decimals, signed=True)
    if one.low is None or one.high is None:
        return said
    low, high = (number(x, decimals, signed=True) for x in (one.low, one.high))
    return f"{said} [{low}, {high}]"


def _slice_table(found: Sequence[SliceFacts]) -> ChartTable:
    header = ("inputs", "what is shown", "items", "before", "after", "change", "elsewhere", "p")
    rows = tuple(
        (
            one.says,
            f"{one.state}, mostly {one.turn}" if one.turn else one.state,
            f"{one.n:,}",
            number(one.before),
            number(one.after),
            _slice_change(one),
            number(one.elsewhere, signed=True),
            p_value(one.p),
        )
        for one in found
    )
    return ChartTable(header, rows, 2)


def differences(anchor: str, findings: Sequence[Finding]) -> Chart | None:
    """Every number that both runs have, second minus first, those first that are shown to differ.

    Shares are drawn; all numbers are listed.
    """
    known = sorted(findings, key=lambda one: one.verdict == "undecided")
    if not known:
        return None
    drawn = [one for one in known if one.estimate is not None and _is_share(one.estimate)]
    labels = _unique([_cut(difference_name(one)) for one in drawn])
    lines = [
        Line(label, {_shown(one): one.estimate})
        for label, one in zip(labels, drawn, strict=True)
        if one.estimate is not None
    ]
    made = charts.forest(anchor, lines, metric="second minus first", limit=None)
    table = _difference_table(known)
    title = "Numbers that both runs have, second minus first"
    held = f"Holm's correction over {len(known)}."
    if made is None:
        return Chart(anchor, title, held, None, table)
    return replace(made, title=title, caption=f"{made.caption} {held}", table=table)


def difference_name(one: Finding) -> str:
    """What differs, without the frame of its sentence."""
    return one.claim.says.replace(" is lower in the second run", "")


def _shown(one: Finding) -> str:
    return "not shown to differ" if one.verdict == "undecided" else "differs"


def _cut(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else name[: _MOST_LETTERS - 1].rstrip() + GAP


def _unique(names: Sequence[str]) -> list[str]:
    """Names, numbered from the second of the same on."""
    counts = [names[:place].count(name) for place, name in enumerate(names)]
    pairs = zip(names, counts, strict=True)
    return [f"{name} ({count + 1})" if count else name for name, count in pairs]


def _is_share(found: Estimate) -> bool:
    """Whether a difference has an interval that fits the axis of shares."""
    ends = (found.value, found.low, found.high)
    return all(end is not None and abs(end) <= _SHARES for end in ends)


def _difference_table(known: Sequence[Finding]) -> ChartTable:
    rows = tuple(
        (
            difference_name(one),
            VERDICTS.get(one.verdict, one.verdict),
            interval(one.estimate, signed=True),
            out_of(one.estimate),
        )
        for one in known
    )
    return ChartTable(("number", "in the second run", "second minus first", "n/planned"), rows, 2)


def kept(anchor: str, found: Sequence[KeptFacts]) -> Chart | None:
    """Hard-SCoPE of one direction beside its ceiling and random changes."""
    if not found:
        return None
    one = found[0]
    lines = [
        Line(
            f"{k.change} · {k.dataset}" if len({f.dataset for f in found}) > 1 else k.change,
            {"kept": k.hard, "ceiling": k.ceiling, "random changes": k.random},
        )
        for k in found
    ]
    made = charts.forest(anchor, lines, metric="answers kept", limit=None)
    if made is None:
        return None
    return replace(
        _near(made),
        title=f"Changes that keep the answer of {one.reference}, asked of {one.target}",
        caption="Share of the changed texts over which the answer stays (Hard-SCoPE). Random "
        "changes of as many words are the control; nothing can be expected above the "
        f"ceiling, {one.ceiling_name}.",
        table=_kept_table(found),
    )


def _near(chart: Chart) -> Chart:
    """The chart of a forest whose axis need not reach to zero: all shares are near one."""
    assert chart.spec is not None  # a forest is drawn
    layers = [layer for layer in chart.spec["layer"] if "data" not in layer]
    for layer in layers:
        x = layer["encoding"]["x"]
        layer["encoding"] = {**layer["encoding"], "x": {**x, "scale": {"zero": False}}}
    return replace(chart, spec={**chart.spec, "layer": layers})


def _kept_table(found: Sequence[KeptFacts]) -> ChartTable:
    header = (
        "change",
        "Hard-SCoPE",
        found[0].ceiling_name,
        "random changes",
        "lift",
        "lift of the reference itself",
        "kappa",
        "Soft-SCoPE",
        "n/planned",
    )
    rows = tuple(
        (
            k.change,
            interval(k.hard),
            interval(k.ceiling),
            interval(k.random),
            interval(k.lift, signed=True),
            interval(k.own_lift, signed=True),
            interval(k.kappa),
            interval(k.soft),
            out_of(k.hard),
        )
        for k in found
    )
    return ChartTable(header, rows)


def vectors(anchor: str, found: Sequence[tuple[str, Mapping[str, Estimate]]]) -> Chart | None:
    """Likeness of both models' vectors by several measures, with what stands beside it."""
    lines = [Line(label, several) for label, several in found]
    made = charts.forest(anchor, lines, metric="likeness", limit=None)
    if made is None:
        return None
    return replace(
        made,
        title="How alike the vectors of the last layers are",
        caption="1 is the same up to what a measure disregards; never one measure alone. The first "
        "beside itself is its other runs, where it has any: the most that can be expected.",
    )
