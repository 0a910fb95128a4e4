"""Maps of every model beside every other, what agrees over the pairs, and layers beside layers."""

import json

import pytest

from scrutiny.blocks.heat_maps import correlation_map, matrix_map
from scrutiny.blocks.run_view import RunFacts, RunView
from scrutiny.blocks.section import Part
from scrutiny.blocks.section import parts as report_parts
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.report.page import DETAILS, LARGEST, page, render_html
from scrutiny.report.sections.by_condition import grid_part as layer_grid_part
from scrutiny.report.sections.model_matrices import matrices_part, series_of

MODELS = ("a", "b", "c", "d")
#: Symmetric, one for each unordered pair.
ALIKE = {"ab": 0.9, "ac": 0.6, "ad": 0.5, "bc": 0.7, "bd": 0.4, "cd": 0.8}


def estimate(metric, reference, subject, value, *, role="measured", dataset="x", **condition):
    key = EstimateKey(
        "similar@1#0", f"{metric}@1", subject, dataset, reference, role=role, condition=condition
    )
    low, high = (None, None) if value is None else (value - 0.1, value + 0.1)
    status = "undefined" if value is None else "ok"
    return Estimate(key, value, low, high, 0.95, "items@1", Counts(40), 40, status=status)


def alike(a, b):
    return 1.0 if a == b else ALIKE["".join(sorted((a, b)))]


def pairs(metric, value, *, models=MODELS, diagonal=True, **more):
    return [
        estimate(metric, a, b, value(a, b), **more)
        for a in models
        for b in models
        if diagonal or a != b
    ]


def view(*estimates):
    flat = [e for some in estimates for e in (some if isinstance(some, list) else [some])]
    return RunView(RunFacts("run", title="made up"), estimates=tuple(flat))


WHOLE = view(
    pairs("agreement", alike),
    pairs("distance", lambda a, b: 1 - alike(a, b)),
    pairs("flips", lambda a, b: (MODELS.index(a) - MODELS.index(b)) / 10, diagonal=False),
    pairs("level", lambda a, b: {"a": 0.6, "b": 0.7, "c": 0.8, "d": 0.9}[b], role="baseline"),
)


def test_every_ordered_pair_makes_a_map_with_its_table():
    part = matrices_part(WHOLE)
    chart = part.charts[0]
    assert chart.title == "similar on x"
    assert chart.table.header == ("agreement: reference", *MODELS)
    assert chart.table.rows[0][:3] == ("a", "1.00 [0.90, 1.10]", "0.90 [0.80, 1.00]")
    assert chart.caption == (
        "Agreement of different models is between 0.40 (d and b) and 0.90 (b and a)."
    )
    assert chart.has_choice
    assert chart.more.header == ("reference", "model", "agreement", "distance", "flips")
    assert len(chart.more.rows) == 16


def test_what_depends_on_one_model_alone_is_no_map():
    (series,) = series_of(WHOLE).values()
    assert [one.label for one in series] == ["agreement", "distance", "flips"]
    assert [one.is_whole for one in series] == [True] * 3


def test_measures_are_correlated_over_pairs_with_models_as_the_unit():
    chart = matrices_part(WHOLE).charts[-1]
    assert chart.title == "Agreement of measures over the pairs of a, b, c, d"
    assert "12 pairs are far fewer observations" in chart.caption
    rows = {row[:2]: row[2:] for row in chart.table.rows}
    value, n, models, p, smallest = rows["agreement", "distance"]
    assert (value.partition(" ")[0], n, models) == ("\N{MINUS SIGN}1.00", "12", "4")
    assert (p, smallest) == (".042", ".042")
    # one is symmetric, the other changes its sign: nothing in common
    assert rows["agreement", "flips"][0].startswith("0.00")


def test_an_undefined_pair_stays_empty_and_its_measure_is_not_correlated():
    part = matrices_part(
        view(
            pairs("agreement", alike),
            pairs("kappa", lambda a, b: None if "d" in (a, b) else alike(a, b)),
        )
    )
    assert [chart.title for chart in part.charts] == ["similar on x"]
    assert part.charts[0].more.rows[3] == ("a", "d", "0.500", "\N{EN DASH}")


@pytest.mark.parametrize(
    "made",
    [
        view(),
        view(pairs("agreement", alike, models=("a", "b"))),
        view([e for e in pairs("agreement", alike) if e.key.reference in "ab"]),
        view(pairs("agreement", alike, role="contrast")),
    ],
    ids=["nothing", "two models", "two references", "differences"],
)
def test_fewer_than_all_pairs_of_three_models_are_no_map(made):
    assert matrices_part(made) is None


def test_conditions_tell_series_of_one_metric_apart():
    made = view(
        pairs("hard", alike, kind="typo", amount=1),
        pairs("hard", lambda a, b: alike(a, b) ** 2, kind="synonym", amount=1),
        pairs("lift", lambda a, b: alike(a, b) ** 3, kind="typo", amount=1),
        pairs("hard", lambda a, b: alike(a, b) ** 4, kind="typo", amount=1, role="control"),
    )
    (series,) = series_of(made).values()
    dot = " \N{MIDDLE DOT} "
    assert [one.label for one in series] == [
        f"hard{dot}typo",
        "lift",
        f"hard{dot}typo{dot}control",
        f"hard{dot}synonym",
    ]


def test_equal_measures_of_two_datasets_are_correlated_once():
    made = view(
        pairs("agreement", alike),
        pairs("iid", alike),
        pairs("lift", lambda a, b: alike(a, b) ** 2, dataset="y"),
    )
    chart = matrices_part(made).charts[-1]
    assert [row[:2] for row in chart.table.rows] == [("agreement", "lift")]
    assert len(matrices_part(made).charts) == 3


def test_maps_are_plain_data_without_colors():
    for part in (matrices_part(WHOLE), layer_grid_part(GRID)):
        for chart in part.charts:
            for _, spec, height in chart.drawings:
                assert "#" not in json.dumps(spec, allow_nan=False).replace(
                    f"#{chart.anchor}-choice", ""
                )
                assert height > 0


def test_a_map_holds_every_number_once_and_writes_them_into_the_cells():
    values = {("a", "b"): 0.25, ("b", "a"): 0.75}
    spec = matrix_map(
        [("one", values), ("two", {("a", "b"): 3.0})],
        rows=("a", "b"),
        columns=("a", "b"),
        titles=("reference", "model"),
        choice="x-y-choice",
    )
    assert spec["data"]["values"] == [
        {"row": "a", "column": "b", "s0": 0.25, "s1": 3.0},
        {"row": "b", "column": "a", "s0": 0.75},
    ]
    assert spec["params"][0]["name"] == "x_y_choice"
    assert spec["params"][0]["bind"]["labels"] == ["one", "two"]
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rect", "text", "text"]
    many = [str(n) for n in range(20)]
    large = matrix_map([("", {})], rows=many, columns=many, titles=("r", "m"))
    assert [layer["mark"]["type"] for layer in large["layer"]] == ["rect"]
    assert "params" not in large


def test_correlations_are_drawn_from_minus_one_to_one():
    spec = correlation_map({("x", "y"): -0.5, ("y", "x"): -0.5}, ["x", "y"])
    color = spec["layer"][0]["encoding"]["color"]
    assert color["scale"]["domain"] == [-1, 0, 1]
    assert spec["data"]["values"][0] == {"row": "1 x", "column": "2", "s0": -0.5}


# -- layers ----------------------------------------------------------------------------------------

GRID = view(
    [
        estimate("cka", "a", "b", 1 - abs(i - j) / 10, layer=j, reference_layer=i, pooling="mean")
        for i in range(3)
        for j in range(4)
    ]
)


def test_all_layers_of_two_models_make_a_map():
    (chart,) = layer_grid_part(GRID).charts
    assert chart.title == "similar: CKA, b and a"
    assert chart.table.header == ("layer of a", "0", "1", "2", "3")
    assert chart.table.rows[1][2] == "1.00 [0.90, 1.10]"
    assert chart.caption == "On x, pooling mean."


def test_layers_of_the_same_depth_alone_are_no_map():
    some = [
        e for e in GRID.estimates if e.key.condition["layer"] == e.key.condition["reference_layer"]
    ]
    assert layer_grid_part(view(some)) is None
    assert layer_grid_part(WHOLE) is None


# -- the page --------------------------------------------------------------------------------------


def test_the_page_has_the_maps_their_switch_and_its_style():
    html = render_html(WHOLE)
    assert len(html.encode()) < LARGEST
    assert "Similarity of all pairs of models" in html
    assert ".choice {" in html
    assert html.count('class="choice"') == 1
    assert ".choice {" not in render_html(view(estimate("m", "a", "b", 0.5)))


def test_small_pages_keep_twice_as_many_maps():
    made = Part("x", "t", "l", matrices_part(WHOLE).charts * 4, is_compact=True)
    assert len(made.cut(charts=2, rows=5).charts) == 4
    kept = page(WHOLE, DETAILS[-2]).parts
    assert [part.anchor for part in kept] == [p.anchor for p in report_parts(WHOLE)]
