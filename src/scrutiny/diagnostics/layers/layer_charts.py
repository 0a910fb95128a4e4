"""What each layer holds: probes beside control labels, cosines in context, and a map of phrases."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    axis,
    band_and_line,
    channel,
    drawn,
    marks,
    series_color,
    tooltip,
    view_of,
)
from scrutiny.blocks.numbers import interval, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, InShort, Part, ReportPart, SentenceBlock, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.diagnostics.layers.contexts import PAIRS
from scrutiny.diagnostics.layers.spans import MAP
from scrutiny.diagnostics.layers.word_labels import IN_WORDS
from scrutiny.store.stored_forms import packed_in

_LEAD: Final = (
    "Layer 0 are the embeddings: what a word gives by itself. A layer holds more only where it is "
    "above layer 0, above its control, and above networks with random weights."
)
_IN_CONTEXT: Final = "How alike words are at each layer, beyond random words of different texts."
_BY_TYPE: Final = "Whether phrases of one type lie together at each layer, beyond shuffled types."
_LAYER: Final = "layer"
_IN_A_ROW: Final = 3  # entries of a legend


class LayerSeries(NamedTuple):
    """One number of every layer: its name, and the estimates it is of."""

    name: str
    metric: str
    role: str = "measured"
    condition: Mapping[str, object] = {}


_ACCURACY: Final = (
    LayerSeries("probe", "probe_accuracy@1"),
    LayerSeries("control labels", "known_word_accuracy@1", "control"),
    LayerSeries("selectivity", "beyond(known_word_accuracy)@1"),
    LayerSeries("random weights", "probe_accuracy@1", "null"),
)
_CODE: Final = (
    LayerSeries("bits a word", "label_bits@1"),
    LayerSeries("compression", "label_compression@1"),
    LayerSeries("of control labels", "label_compression@1", "control"),
)
_SEPARATED: Final = (
    LayerSeries("own type", "separated_phrases@1"),
    LayerSeries("types shuffled", "separated_phrases@1", "control"),
    LayerSeries("random weights", "separated_phrases@1", "null"),
)
_METRICS: Final = {"phrase": "beyond(phrase_cosine)@1"}
_COSINES: Final = tuple(
    LayerSeries(says, _METRICS.get(name, "beyond(context_cosine)@1"), condition={"pairs": name})
    for name, says in PAIRS.items()
)


def _by_layer(view: RunView, series: LayerSeries, where: Mapping[str, Any]) -> dict[int, Estimate]:
    """Estimates of a number by layer; the mean over draws, or the only draw."""
    found: dict[int, Estimate] = {}
    wanted = {**series.condition, **{k: v for k, v in where.items() if k == "labels"}}
    for e in view.estimates:
        key = e.key
        is_own = key.subject == where["subject"]
        if (key.metric, key.role, key.dataset) != (series.metric, series.role, where["dataset"]):
            continue
        layer = key.condition.get(_LAYER)
        if not (is_own or series.role == "null") or key.replicate is not None:
            continue
        if isinstance(layer, int) and wanted.items() <= dict(key.condition).items():
            if layer not in found or "draw" not in key.condition:
                found[layer] = e
    return dict(sorted(found.items()))


def _places(view: RunView, metric: str, *names: str) -> list[dict[str, Any]]:
    """Models, datasets and labels that have numbers of a metric by layer."""
    found = dict.fromkeys(
        (e.key.subject, e.key.dataset, *(str(e.key.condition.get(name, "")) for name in names))
        for e in view.estimates
        if e.key.metric == metric and e.key.role == "measured" and _LAYER in e.key.condition
    )
    return [dict(zip(("subject", "dataset", *names), one, strict=True)) for one in found]


def _lines(
    numbers: Mapping[str, Mapping[int, Estimate]], title: str, *, height: int = 240
) -> dict[str, Any]:
    """Lines of numbers over layers, with bands; each with a shape of its own."""
    values = [
        {"layer": layer, "series": name, **drawn(e)}
        for name, by_layer in numbers.items()
        for layer, e in by_layer.items()
        if e.value is not None
    ]
    names = list(dict.fromkeys(str(v["series"]) for v in values))
    layers = sorted({int(v["layer"]) for v in values})
    x = channel("layer", "quantitative", title="layer", values=layers, format="d", grid=False)
    y = axis("value", title)
    color = _solid(series_color(names))
    shape = {**color, "scale": {"domain": names}}  # one legend with the colors
    points = {"x": x, "y": y, "color": color, "shape": shape}
    shown = ("series", "layer", "interval")
    band, line = band_and_line(x, y, *shown, color=color)
    line["mark"]["point"] = False  # each has a shape of its own
    drawn_points = {**points, "tooltip": tooltip(*shown)}
    layered = [band, line, marks("point", drawn_points, filled=True, size=60, opacity=1)]
    return view_of(values, height=height, layer=layered)


def _solid(color: dict[str, Any]) -> dict[str, Any]:
    """Color whose legend is not as pale as the bands, and not wider than a phone."""
    legend = color["legend"]
    columns = {"columns": 2} if len(color["scale"]["domain"]) > _IN_A_ROW else {}
    return (
        color if legend is None else {**color, "legend": {**legend, "symbolOpacity": 1, **columns}}
    )


def _table(
    numbers: Mapping[str, Mapping[int, Estimate]], also: Sequence[tuple[str, ...]] = ()
) -> ChartTable:
    """A row for each layer, a column for each number."""
    layers = sorted({layer for by_layer in numbers.values() for layer in by_layer})
    rows = [
        (str(layer), *(interval(by_layer.get(layer)) for by_layer in numbers.values()))
        for layer in layers
    ]
    return ChartTable(("layer", *numbers), (*rows, *also)).told()


def _probe_charts(view: RunView) -> Iterator[Chart]:
    """Accuracy of probes by layer, and the code lengths in the table."""
    for where in _places(view, "probe_accuracy@1", "labels"):
        found = {one.name: _by_layer(view, one, where) for one in _ACCURACY}
        code = {one.name: _by_layer(view, one, where) for one in _CODE}
        listed = _list_of(view, where)
        empty = ("",) * (len(found) - 1)
        also = [] if listed is None else [("word list", interval(listed), *empty)]
        labels = IN_WORDS.get(where["labels"], where["labels"])
        yield Chart(
            anchor=f"probes-{digest(*where.values(), size=4)}",
            title=f"{view.on_data(where['subject'], where['dataset'])}: {labels}",
            caption="Share of words whose label a linear probe finds. Control labels: one at "
            "random for each word, learned and asked alike, on words that the probe has seen. "
            "Selectivity is the difference on these. The list: the commonest label of each word.",
            table=_table(found, also),
            spec=_lines(
                {n: one for n, one in found.items() if n != "selectivity"}, "share of words"
            ),
            is_open=True,
            more=_table(code),
            more_title="Online code of the training labels",
        )


def _list_of(view: RunView, where: Mapping[str, Any]) -> Estimate | None:
    """Accuracy of the word list of a model's data."""
    own = [
        e
        for e in view.estimates
        if e.key.condition.get("probe") == "word list"
        and e.key.condition.get("labels") == where["labels"]
        and (e.key.subject, e.key.dataset) == (where["subject"], where["dataset"])
        and e.key.role == "measured"
        and e.key.replicate is None
    ]
    return min(own, key=lambda e: "draw" in e.key.condition, default=None)


def _context_charts(view: RunView) -> Iterator[Chart]:
    """Cosines beyond their baselines by layer."""
    for where in _places(view, "context_cosine@1"):
        found = {one.name: _by_layer(view, one, where) for one in _COSINES}
        yield Chart(
            anchor=f"contexts-{digest(*where.values(), size=4)}",
            title=f"{view.on_data(where['subject'], where['dataset'])}: words in context",
            caption="Cosines of word vectors minus that of random words of different texts; of "
            "neighbors in a phrase, minus that of neighbors across phrases. The less one word is "
            "like itself in different texts, the more of its vector is context.",
            table=_table(found),
            spec=_lines(found, "cosine beyond the baseline"),
            is_open=True,
        )


def _span_charts(view: RunView) -> Iterator[Chart]:
    """Separated phrases by layer, and the map of the layer that separates them best."""
    folder = view.records.folder
    points = [] if folder is None else [*packed_in(folder.path, MAP)]
    for where in _places(view, "separated_phrases@1"):
        found = {one.name: _by_layer(view, one, where) for one in _SEPARATED}
        name = view.on_data(where["subject"], where["dataset"])
        yield Chart(
            anchor=f"spans-{digest(*where.values(), size=4)}",
            title=f"{name}: phrases near the center of their type",
            caption="Centers are of other texts. Shuffled: types exchanged among phrases of one "
            "length.",
            table=_table(found),
            spec=_lines(found, "share of phrases"),
            is_open=True,
        )
        values = {layer: e.value for layer, e in found["own type"].items() if e.value is not None}
        best = max(values, key=lambda layer: values[layer], default=0)
        own = [p for p in points if all(p[k] == where[k] for k in where) and p["layer"] == best]
        first = [p for p in own if p["replicate"] == own[0]["replicate"]]
        if first:
            yield _map(first, best, f"{name}: map of phrases", digest(*where.values(), size=4))


def _map(points: Sequence[dict[str, Any]], layer: int, title: str, anchor: str) -> Chart:
    """Map of phrases of one layer."""
    types = sorted({str(p["type"]) for p in points})
    color = _solid(series_color(types, name="type"))
    shape = {**color, "scale": {"domain": types}}
    at = {"x": axis("x", "first principal component"), "y": axis("y", "second")}
    encoding = {**at, "color": color, "shape": shape, "tooltip": tooltip("type", "item")}
    middles = grouped((str(p["type"]), (p["x"], p["y"])) for p in points)
    rows = [
        (
            name,
            str(len(own)),
            *(number(sum(p[i] for p in own) / len(own), 2) for i in range(2)),
        )
        for name, own in sorted(middles.items())
    ]
    share = 100 * float(points[0]["share"])
    return Chart(
        anchor=f"map-{anchor}",
        title=title,
        caption=f"Layer {layer}, where they separate best. Two directions of many: {share:.0f} % "
        "of the variance; what overlaps here may lie apart in others.",
        table=ChartTable(("type", "phrases", "mean x", "mean y"), tuple(rows)),
        spec=view_of(
            [dict(p) for p in points],
            height=320,
            layer=[marks("point", encoding, filled=True, size=50, opacity=0.75)],
        ),
        is_open=True,
    )


def _probes(view: RunView) -> Part | None:
    """Probes of each model, dataset and kind of labels, layer by layer."""
    charts = [*_probe_charts(view)]
    return part_of("layers", "Layers", _LEAD, charts, "models and labels", chapter=FINDINGS)


def _contexts(view: RunView) -> Part | None:
    """Cosines in context of each model and dataset, layer by layer."""
    charts, title = [*_context_charts(view)], "Words in context"
    return part_of("layers-contexts", title, _IN_CONTEXT, charts, "models", chapter=FINDINGS)


def _spans(view: RunView) -> Part | None:
    """Phrases by type of each model and dataset, layer by layer, with a map."""
    charts, title = [*_span_charts(view)], "Phrases by type"
    return part_of("layers-spans", title, _BY_TYPE, charts, "models", chapter=FINDINGS)


def _told(charts: Iterable[Chart]) -> Iterator[InShort]:
    """Numbers of each layer in sentences for a terminal."""
    tables = ((chart, table) for chart in charts for table in (chart.table, chart.more))
    for chart, table in tables:
        if table is None:
            continue
        head = table.header
        yield SentenceBlock("")
        for row in table.rows:
            told = (f"{n} {cell}" for n, cell in zip(head[1:], row[1:], strict=True) if cell)
            name = f"{head[0]} {row[0]}" if row[0].isdigit() else row[0]
            yield SentenceBlock(f"{chart.title}, {name}: {'; '.join(told)}.")


PROBES: Final = ReportPart(__doc__, _probes, lambda view: _told(_probe_charts(view)))
CONTEXTS: Final = ReportPart(
    "Cosines of words in context, layer by layer, beyond those of random words.",
    _contexts,
    lambda view: _told(_context_charts(view)),
)
SPANS: Final = ReportPart(
    "Phrases nearest to the center of their type, layer by layer, and a map of them.",
    _spans,
    lambda view: _told(_span_charts(view)),
)
