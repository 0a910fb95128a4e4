"""Single heads: kept out of lists, drawn as maps, changes, layers, taus and sentences."""

import csv
import io
import json
import re
from dataclasses import replace
from itertools import pairwise

import heads_sample
import numpy as np
import pytest
import report_sample
from heads_sample import BEST, HEADS, LAYERS, PRESETS, REVIEW, STORY
from rich.cells import cell_len

from scrutiny.blocks.drawings import CUE, MISSED, RIGHT, SIGNS, WRONG, draw
from scrutiny.blocks.heat_maps import _largest
from scrutiny.blocks.numbers import interval
from scrutiny.blocks.run_estimates import main_estimates, place_of, single_estimates
from scrutiny.blocks.run_view import Records
from scrutiny.blocks.section import parts as report_parts
from scrutiny.core.claim import Claim, Finding
from scrutiny.diagnostics.attention.parts.head_study import (
    head_study,
    maps_of_controls,
    short_names,
)
from scrutiny.diagnostics.attention.parts.heads_examples import examples_of, kinds_of
from scrutiny.report.findings.audit_rows import sections
from scrutiny.report.formats import render_csv, render_ndjson
from scrutiny.report.load import load_view
from scrutiny.report.page import DETAILS, LARGEST, page, render_html
from scrutiny.report.text import plain_text, render_markdown

N_PLACES = LAYERS * HEADS
ALL = {(layer, head) for layer in range(1, LAYERS + 1) for head in range(1, HEADS + 1)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return heads_sample.write(tmp_path_factory.mktemp("heads") / "run")


def head_parts(view):
    return [part for part in report_parts(view) if part.chapter.anchor == "heads"]


@pytest.fixture(scope="module")
def view(folder):
    return load_view(folder.path)


@pytest.fixture(scope="module")
def study(view):
    return head_study(view)


@pytest.fixture(scope="module")
def parts(view):
    return {part.anchor.removeprefix("heads-"): part for part in head_parts(view)}


@pytest.fixture(scope="module")
def text(view):
    return render_html(view)


def of_head(
    view, metric="head(f1)@1", place=BEST, *, subject="pretrained", dataset=STORY, preset=0
):
    condition = {"preset": PRESETS[preset], "layer": place[0], "head": place[1]}
    return next(
        e
        for e in view.estimates
        if (e.key.metric, e.key.subject, e.key.dataset) == (metric, subject, dataset)
        and e.key.condition == condition
    )


def estimate(view, metric, subject, *, dataset=STORY, role="measured", reference=None, **more):
    condition = {"preset": PRESETS[0], **more}
    return next(
        e
        for e in view.estimates
        if e.key.metric == metric
        and (e.key.subject, e.key.dataset, e.key.role) == (subject, dataset, role)
        and e.key.reference == reference
        and e.key.condition == condition
        and e.key.replicate is None
    )


# -- kept apart ------------------------------------------------------------------------------------


def test_heads_and_layers_are_no_rows_of_ordinary_tables(view):
    listed, single = main_estimates(view), single_estimates(view)
    assert [e for e in listed if place_of(e.key) is not None] == []
    of_heads = 2 * 2 * len(PRESETS) * 3 * N_PLACES  # families, datasets, presets, scores
    of_heads += 2 * 2 * N_PLACES  # beside the best baseline, under the first preset
    of_layers = 2 * 2 * len(PRESETS) * LAYERS
    assert len(single) == of_heads + of_layers
    (section,) = sections(view)
    assert section.n_single == len(single)


def test_a_head_that_a_claim_names_is_listed(view):
    named = of_head(view)
    claim = Claim("own", "head 2-3 is good", named.key.diagnostic, ())
    finding = Finding(claim, named, "supported", "this checkpoint", "")
    assert named in main_estimates(replace(view, findings=(finding,)))
    rests = replace(finding, estimate=None, evidence={"control": named.key})
    assert named in main_estimates(replace(view, findings=(rests,)))
    assert named not in main_estimates(replace(view, findings=()))


def test_heads_that_were_asked_for_one_by_one_are_listed(view):
    two = (of_head(view), of_head(view, place=(1, 1)))
    assert main_estimates(replace(view, estimates=two, findings=())) == two


def test_an_ordinary_run_keeps_all_its_estimates():
    view = report_sample.sample()
    assert single_estimates(view) == ()
    assert head_parts(view) == []
    assert "Single heads" not in plain_text(view)
    assert 'id="heads"' not in render_html(view)


def test_csv_and_json_keep_every_head(view):
    rows = list(csv.DictReader(io.StringIO(render_csv(view))))
    assert sum('"head":' in row["condition"] for row in rows) == 56 * N_PLACES // 2
    lines = [json.loads(line) for line in render_ndjson(view).splitlines()]
    assert sum("head" in line.get("condition", {}) for line in lines) == 56 * N_PLACES // 2


# -- terminal --------------------------------------------------------------------------------------


def test_terminal_sums_heads_up(view):
    said = plain_text(view)
    assert max(cell_len(line) for line in said.splitlines()) <= 80
    line = next(x for x in said.splitlines() if x.strip().startswith("default · F1"))
    values = sorted(of_head(view, place=place).value for place in ALL)
    middle = (values[5] + values[6]) / 2
    assert line.split()[3:6] == [f"{v:.3f}" for v in (values[0], middle, values[-1])]
    assert f"best 2-3 {interval(of_head(view)).partition(' ')[2]}" in line
    assert "default · precision" not in said  # F1 says it in short
    assert "mean F1 by layer" in said
    assert "best layer 2" in said
    assert f"{len(single_estimates(view))} numbers: `--format csv` or `--format json`" in said


def test_terminal_of_a_run_of_heads_alone(view):
    only = tuple(e for e in view.estimates if place_of(e.key) is not None)
    said = plain_text(replace(view, estimates=only, findings=()))
    assert "The run has no estimates." not in said
    assert "best 2-3" in said


def test_terminal_says_how_many_maps_it_leaves_out(view):
    names = [f"p{i}" for i in range(30)]
    many = tuple(
        replace(e, key=replace(e.key, condition={**e.key.condition, "preset": name}))
        for name in names
        for e in (of_head(view, place=place) for place in sorted(ALL))
    )
    said = plain_text(replace(view, estimates=many, findings=()))
    assert f"6 more maps; {30 * N_PLACES} numbers" in " ".join(said.split())


# -- maps ------------------------------------------------------------------------------------------


def map_of(parts, subject, preset=PRESETS[0]):
    title = f"attention.heads: F1 · {subject} · {preset}"
    return next(c for c in parts["maps"].charts if c.title == title)


def test_every_family_has_a_map_under_every_preset(parts):
    titles = [c.title.removeprefix("attention.heads: F1 · ") for c in parts["maps"].charts]
    families = ("pretrained", "downstream", "control-task")
    maps = [f"{family} · {preset}" for preset in PRESETS for family in families]
    assert titles == [*maps, "Heads tested together"]


def test_heads_that_stand_out_of_all_are_named_with_their_p(view, parts):
    table = parts["maps"].charts[-1].table
    assert table.header[2:5] == ("tested", "above 0", "below 0")
    assert len(table.rows) == 4  # families and datasets
    for row in table.rows:
        assert row[0].startswith("attention.heads: F1 over baseline · ")
        assert int(row[2]) == N_PLACES
        above = [
            e for e in held_against_baselines(view, row[0].split(" · ")[1], row[1]) if e.value > 0
        ]
        assert int(row[3]) == sum(e.across["max_t_p"] <= 0.05 for e in above)
    text = plain_text(view)
    assert f"of {N_PLACES} above 0 and" in text
    assert "tested together" in text


def held_against_baselines(view, subject, dataset):
    return [
        e
        for e in view.estimates
        if (e.key.metric, e.key.subject, e.key.dataset) == ("f1_over_baseline@1", subject, dataset)
    ]


def test_maps_show_the_estimates_of_both_datasets_on_one_scale(view, parts):
    spec = map_of(parts, "pretrained").spec
    values = spec["data"]["values"]
    assert len(values) == 2 * N_PLACES
    for cell in values:
        dataset = {"story": STORY, "review": REVIEW}[cell["map"]]
        for score in ("f1", "precision", "recall"):
            own = of_head(view, f"head({score})@1", (cell["layer"], cell["head"]), dataset=dataset)
            assert cell[score] == pytest.approx(own.value, abs=1e-4)
        shift = 0 if dataset == STORY else HEADS + 1
        assert cell["column"] == cell["head"] + shift
    x = spec["layer"][0]["encoding"]["x"]
    assert x["scale"]["domain"] == list(range(1, 2 * (HEADS + 1)))
    assert x["axis"]["labelExpr"] == "(datum.value - 1) % 5 === 4 ? '' : (datum.value - 1) % 5 + 1"
    color = spec["layer"][0]["encoding"]["color"]
    assert color["field"] == "value"
    assert color["scale"] == {"range": "heatmap", "domainMin": 0, "interpolate": "lab"}


def test_the_best_head_of_each_dataset_is_framed(parts):
    chart = map_of(parts, "pretrained")
    frames = [f for f in chart.spec["layer"][1]["data"]["values"] if f["score"] == "f1"]
    assert [(f["layer"], f["column"]) for f in frames] == [(2, 3), (2, 3 + HEADS + 1)]
    assert chart.caption.startswith("Best by F1: 2-3 on story (0.6")


def test_the_switch_between_scores_has_a_name_of_its_own(parts):
    specs = [c.spec for c in parts["maps"].charts if c.spec is not None]
    names = [spec["params"][0]["name"] for spec in specs]
    assert len(set(names)) == len(names)  # else radio buttons of two charts are one group
    charts = parts["maps"].charts[: len(specs)]
    for chart, spec, name in zip(charts, specs, names, strict=True):
        assert spec["params"][0]["bind"]["options"] == ["f1", "precision", "recall"]
        assert spec["params"][0]["bind"]["element"] == f"#{chart.anchor}-choice"
        assert spec["transform"] == [{"calculate": f"datum[{name}]", "as": "value"}]


def test_tables_have_the_ten_best_with_intervals_and_the_rest_folded(view, parts):
    chart = map_of(parts, "pretrained")
    assert len(chart.table.rows) == 10
    assert chart.table.header[:3] == ("best 10 heads", "F1, story", "precision, story")
    assert chart.table.rows[0][:2] == ("2-3", interval(of_head(view)))
    ranked = sorted(ALL, key=lambda place: -of_head(view, place=place).value)
    assert [row[0] for row in chart.table.rows] == [f"{a}-{b}" for a, b in ranked[:10]]
    assert len(chart.more.rows) == 2 * LAYERS
    row = next(row for row in chart.more.rows if row[0] == "review · layer 3")
    assert row[2] == f"{of_head(view, place=(3, 2), dataset=REVIEW).value:.3f}"


def test_with_one_dataset_every_score_has_its_interval(view):
    one = replace(view, estimates=tuple(e for e in view.estimates if e.key.dataset == STORY))
    one = replace(one, records=Records())
    charts = {part.anchor: part for part in head_parts(one)}["heads-maps"].charts
    row = dict(zip(charts[0].table.header, charts[0].table.rows[0], strict=True))
    assert row["recall"] == interval(of_head(view, "head(recall)@1"))


def test_maps_of_other_metrics_stand_alone_and_have_two_signs(view):
    other = tuple(
        replace(e, key=replace(e.key, metric="beta(label)@1"), value=e.value - 0.3)
        for e in (of_head(view, place=place) for place in sorted(ALL))
    )
    made = head_parts(replace(view, estimates=other, findings=(), records=Records()))
    (chart,) = made[0].charts
    assert "params" not in chart.spec
    color = chart.spec["layer"][0]["encoding"]["color"]
    most = max(abs(e.value) for e in other)
    assert color["scale"]["domain"] == [-most, 0, most]
    assert color["legend"]["values"][2] == 0
    assert chart.caption.startswith("Largest by beta label: 2-3")


def test_nothing_is_framed_where_all_is_zero():
    assert _largest({(1, 1): 0.0, (1, 2): 0.0}) is None
    assert _largest({(1, 1): 0.2, (1, 2): 0.2}) == (1, 1)


# -- control families, from the records ------------------------------------------------------------


def test_controls_have_maps_from_the_records(study):
    found = [m for m in study.maps if m.key.subject == "control-task"]
    assert len(found) == 2 * len(PRESETS) * 3
    assert all(m.key.role == "control" and set(m.cells) == ALL for m in found)
    assert all(len(cell.by_replicate) == 5 for m in found for cell in m.cells.values())


def test_scores_from_the_records_are_those_of_the_run(view):
    """A family that the run did estimate, read as if it were a control."""
    models = view.manifest["models"]
    as_control = {**models, "downstream": {**models["downstream"], "role": "control"}}
    manifest = {**view.manifest, "models": as_control}
    made = maps_of_controls(replace(view, manifest=manifest))
    found = {m.key.metric: m for m in made if _is_story(m.key)}
    assert set(found) == {"head(f1)@1", "head(precision)@1", "head(recall)@1"}
    for metric, one in found.items():
        for place, cell in one.cells.items():
            own = of_head(view, metric, place, subject="downstream")
            assert cell.value == pytest.approx(own.value, abs=1e-12)
            assert cell.by_replicate == pytest.approx(own.by_replicate, abs=1e-12)


def test_controls_of_another_size_are_not_read_with_the_wrong_measures(view):
    """Specifications of a smaller family come first; those of the control's own size fit."""
    specs = view.manifest["specs"]
    small = [{**m, "axes": [["layer", 1], ["head", 2]]} for m in specs[0]["measures"]]
    other = [{**s, "subject": "tiny", "measures": small} for s in specs]
    manifest = {**view.manifest, "specs": [*other, *specs]}
    made = list(maps_of_controls(replace(view, manifest=manifest)))
    assert len(made) == 2 * len(PRESETS) * 3
    assert all(set(m.cells) == ALL for m in made)


def _is_story(key):
    where = key.subject, key.dataset, dict(key.condition)
    return where == ("downstream", STORY, {"preset": PRESETS[0]})


# -- changes ---------------------------------------------------------------------------------------


def test_changes_are_tuned_minus_base_beside_the_control(view, parts):
    charts = parts["changes"].charts
    assert len(charts) == 2 * len(PRESETS)
    chart = charts[0]
    assert chart.title == "attention.heads: change of F1 · pretrained on story · default"
    values = chart.spec["data"]["values"]
    assert {v["map"] for v in values} == {"downstream", "control-task (control)"}
    for cell in values:
        if cell["map"] == "downstream":
            place = cell["layer"], cell["head"]
            tuned = of_head(view, place=place, subject="downstream").value
            assert cell["f1"] == pytest.approx(tuned - of_head(view, place=place).value, abs=1e-4)
    frames = chart.spec["layer"][1]["data"]["values"]
    assert (frames[0]["layer"], frames[0]["column"]) == (3, 1)  # what the task taught


def test_changes_have_one_scale_round_zero_on_all_datasets(parts):
    story, review = (c.spec["layer"][0]["encoding"]["color"] for c in parts["changes"].charts[:2])
    low, middle, high = story["scale"]["domain"]
    assert story["scale"] == review["scale"]
    assert (low, middle) == (-high, 0)
    both = [v["f1"] for c in parts["changes"].charts[:2] for v in c.spec["data"]["values"]]
    assert max(abs(v) for v in both) == pytest.approx(high, abs=1e-4)


def test_most_changed_heads_come_first_with_the_value_before(view, parts):
    table = parts["changes"].charts[0].table
    assert table.header[1:] == ("before", "downstream", "control-task (control)")
    assert table.rows[0][:2] == ("3-1", interval(of_head(view, place=(3, 1))))
    assert "±" in table.rows[0][2]


def test_without_a_base_nothing_changed(view):
    plan = {**view.manifest["plan"], "models": []}
    made = head_parts(replace(view, manifest={**view.manifest, "plan": plan}))
    assert "heads-changes" not in {part.anchor for part in made}


# -- layers ----------------------------------------------------------------------------------------


def test_layers_have_a_dot_for_each_run_and_boxes(view, parts):
    title = "attention.heads: mean head F1 by layer · pretrained on story · default"
    chart = next(c for c in parts["layers"].charts if c.title == title)
    dots = chart.spec["data"]["values"]
    assert len(dots) == LAYERS * (1 + 5 + 5)
    own = estimate(view, "mean_head(f1)@1", "downstream", layer=2)
    drawn = [d["value"] for d in dots if (d["series"], d["layer"]) == ("downstream", 2)]
    assert sorted(drawn) == pytest.approx(sorted(own.by_replicate.values()), abs=1e-4)
    boxes = chart.spec["layer"][0]["data"]["values"]
    assert {box["series"] for box in boxes} == {"downstream", "control-task"}
    box = next(b for b in boxes if (b["series"], b["layer"]) == ("downstream", 2))
    lower, median, upper = np.quantile(list(own.by_replicate.values()), [0.25, 0.5, 0.75])
    assert [box["lower"], box["median"], box["upper"]] == pytest.approx(
        [lower, median, upper], abs=1e-4
    )
    assert chart.table.rows[1][2] == interval(own)


def test_changes_of_layers_come_first_and_stand_round_zero(view, parts):
    chart = parts["layers"].charts[0]
    assert chart.title.startswith("attention.heads: change of mean head F1 by layer · pretrained")
    assert chart.spec["layer"][0]["mark"]["style"] == "zero"
    assert chart.table.header == ("layer", "downstream", "control-task")
    before = estimate(view, "mean_head(f1)@1", "pretrained", layer=3)
    after = estimate(view, "mean_head(f1)@1", "downstream", layer=3)
    dots = [
        d["value"]
        for d in chart.spec["data"]["values"]
        if (d["series"], d["layer"]) == ("downstream", 3)
    ]
    assert np.mean(dots) == pytest.approx(after.value - before.value, abs=1e-3)


# -- taus ------------------------------------------------------------------------------------------


def row_of(chart, label):
    found = next(row for row in chart.table.rows if row[0] == label)
    return dict(zip(chart.table.header, found, strict=True))


def test_tau_stands_beside_nulls_ceiling_and_runs(view, parts):
    between = parts["tau"].charts[0]
    row = row_of(between, "F1 · downstream · default")
    both = f"{STORY}+{REVIEW}"
    tau = estimate(view, "heads_tau(f1)@1", "downstream", dataset=both)
    null = estimate(view, "heads_tau(f1)@1", "untrained", dataset=both, role="null")
    apart = {
        name: estimate(
            view, "heads_tau(f1)@1", "downstream", dataset=both, role="contrast", reference=name
        )
        for name in ("untrained", "control-task", "pretrained")
    }
    assert row["tau"] == interval(tau)
    assert row["untrained"] == interval(null)
    assert row["minus untrained"] == interval(apart["untrained"], signed=True)
    assert row["minus control"] == interval(apart["control-task"], signed=True)
    assert row["minus before training"] == interval(apart["pretrained"], signed=True)
    for name, dataset in (("halves, first dataset", STORY), ("halves, second", REVIEW)):
        ceiling = estimate(view, "split_half_tau(f1)@1", "downstream", dataset=dataset)
        assert row[name] == interval(ceiling)
    passed = [
        e.value < 0.05
        for e in view.estimates
        if e.key.metric == "heads_tau_kendall(f1)@1"
        and (e.key.subject, e.key.condition["preset"]) == ("downstream", PRESETS[0])
    ]
    assert len(passed) == 5
    assert row["runs p < .05"] == f"{sum(passed)}/5"


def test_gains_stand_beside_the_other_half(view, parts):
    gains = parts["tau"].charts[1]
    row = row_of(gains, "F1 · story · default")
    published = estimate(view, "gain_tau(f1)@1", "downstream")
    assert row["as published"] == interval(published, signed=True)
    other = estimate(view, "gain_tau_other_half(f1)@1", "downstream")
    assert row["other half"] == interval(other, signed=True)
    assert row["runs below 0, p < .05"].endswith("/5")


def test_the_controls_gains_are_shown_where_the_run_has_them(view):
    own = estimate(view, "gain_tau(f1)@1", "downstream")
    half = estimate(view, "gain_tau_other_half(f1)@1", "downstream")
    more = [
        replace(e, value=0.25, key=replace(e.key, subject="control-task", role="control"))
        for e in (own, half)
    ]
    contrast = replace(
        half, value=-0.5, key=replace(half.key, role="contrast", reference="control-task")
    )
    others = tuple(
        e for e in view.estimates if e.key.role != "contrast" or "gain" not in e.key.metric
    )
    made = head_parts(replace(view, estimates=(*others, *more, contrast)))
    gains = {part.anchor: part for part in made}["heads-tau"].charts[1]
    row = row_of(gains, "F1 · story · default")
    assert row["control, as published"] == interval(more[0], signed=True)
    assert row["control, other half"] == interval(more[1], signed=True)
    assert row["minus control"] == interval(contrast, signed=True)


def test_one_dataset_has_its_halves_alone(view):
    one = replace(view, estimates=tuple(e for e in view.estimates if e.key.dataset == STORY))
    tau = {part.anchor: part for part in head_parts(one)}["heads-tau"]
    assert tau.charts[0].anchor == "heads-tau-halves-table"
    row = row_of(tau.charts[0], "F1 · pretrained · default")
    own = estimate(view, "split_half_tau(f1)@1", "pretrained")
    assert row["tau between halves"] == interval(own)


# -- sentences -------------------------------------------------------------------------------------


def test_examples_are_read_back_as_they_were_kept(view):
    found = list(examples_of(view))
    assert {e.subject for e in found} == {"pretrained", "downstream"}
    one = next(e for e in found if (e.subject, e.item) == ("downstream", "i1"))
    assert one.replicate == '{"run":1}'
    assert one.words[2] == "not"
    assert one.words[0] == "n1w0"
    assert (one.anchors, one.targets) == ((2,), (0, 1, 3, 4))
    assert one.predicted_by(BEST) == {0, 1, 3}
    assert one.predicted_by((1, 1)) == {6, 8}


def test_words_are_right_missed_or_wrong(view):
    one = next(e for e in list(examples_of(view)) if e.item == "i2")
    assert kinds_of(one, BEST) == [RIGHT, RIGHT, CUE, RIGHT, MISSED, "", "", WRONG, ""]
    assert len({SIGNS[kind] for kind in (CUE, RIGHT, MISSED, WRONG)}) == 4


def test_sentences_of_the_best_head_good_and_bad(parts):
    charts = parts["examples"].charts
    assert [c.title for c in charts] == [
        "Head 2-3 of pretrained on story",
        "Head 2-3 of downstream (run 1) on story",
    ]
    drawings = charts[0].sentences
    assert len(drawings) == len(charts[0].table.rows) == 6
    assert drawings[0].title.endswith("1 right, 0 missed, 0 wrong")
    assert drawings[-1].title.endswith("1 right, 0 missed, 1 wrong")
    assert charts[0].table.header == ("", "cue", "right", "missed", "wrong")
    assert charts[0].caption == "6 of 12 stored sentences."


def test_arcs_run_from_words_to_the_nearest_cue():
    kinds = [RIGHT, CUE, "", WRONG, CUE]
    made = draw(["a", "no", "b", "cc", "never"], kinds, title="t", said="s")
    first, second = made.arcs
    middle = {word.text: word.middle for word in made.words}
    assert first.path.startswith(f"M{middle['a']:g} ")
    assert first.path.endswith(f" {middle['no']:g} {made.line}")
    assert second.path.endswith(f" {middle['never']:g} {made.line}")
    edges = [(word.x, word.x + word.width) for word in made.words]
    assert all(end < start for (_, end), (start, _) in pairwise(edges))
    assert made.width > edges[-1][1]


def test_without_a_cue_there_are_no_arcs():
    assert draw(["a"], [WRONG], title="", said="").arcs == ()
    assert draw([], [], title="", said="").width == 0


def test_drawings_say_in_words_what_they_show(parts, text):
    drawing = parts["examples"].charts[0].sentences[2]
    assert re.search(r"\(cue: not; right: \w+, .*; missed: \w+; wrong: –\)$", drawing.said)
    assert f'role="img" aria-label="{drawing.said}"' in text
    for sign in ("✓", "○", "✕"):
        assert sign in text


# -- page ------------------------------------------------------------------------------------------


def test_page_is_small_and_every_chart_has_its_specification(text):
    assert len(text.encode("utf-8")) < LARGEST
    drawn = re.findall(r'data-chart="([^"]+)"', text)
    specs = json.loads(re.search(r'id="specs">(.*?)</script>', text)[1])
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == set(specs)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'"element": "#([^"]+)"', json.dumps(specs)):
        assert target in ids


def test_page_has_heads_in_maps_and_no_row_for_each(view, text):
    head = text[text.index('id="heads"') :]
    assert "Value of each head" in head
    figures = re.findall(r'<figure class="chart" id="(heads-map-[^"]+)">(.*?)</figure>', text, re.S)
    assert len(figures) == 6
    for _, inside in figures:
        assert inside.count("<details") == 1
        assert inside.count("<table") == 2
    numbers = text[text.index('id="diagnostic-attention-heads-numbers"') :]
    assert "head 3" not in numbers
    assert f"{len(single_estimates(view))} more numbers are of single heads" in text


def test_tables_come_before_matrices_where_room_is_short(view, parts):
    cut = parts["maps"].cut(charts=2, rows=4)
    assert len(cut.charts) == 2
    assert all(chart.more is None and len(chart.table.rows) == 4 for chart in cut.charts)
    assert all(not part.charts for part in page(view, DETAILS[-1]).parts)


def test_markdown_has_the_tables(view):
    said = render_markdown(view)
    assert "<summary>Value of each head</summary>" in said
    assert "<summary>Rankings of heads</summary>" in said


def test_datasets_have_short_names_as_long_as_these_differ():
    assert short_names(["a:x/one.json", "b"]) == {"a:x/one.json": "one", "b": "b"}
    same = ["a:x/one.json", "a:y/one.json"]
    assert short_names(same) == {name: name for name in same}
    assert short_names(["hf:a/b#c=d"]) == {"hf:a/b#c=d": "b"}


def test_a_folder_without_arrays_has_no_sentences(tmp_path):
    import shutil

    folder = heads_sample.write(tmp_path / "run")
    shutil.rmtree(folder.path / "arrays")
    made = head_parts(load_view(folder.path))
    assert "heads-examples" not in {part.anchor for part in made}
