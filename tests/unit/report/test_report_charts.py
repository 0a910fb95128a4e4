"""Chart specifications: plain data, golden, each with its table."""

import json
from dataclasses import replace

import pytest
import report_sample

from scrutiny.blocks.forest import _MOST_ROWS, Line, forest, strip, variance
from scrutiny.report.findings.audit_rows import sections
from scrutiny.report.findings.diagnostic_section import AGAINST, MEASURED, line_groups
from scrutiny.report.page import page
from scrutiny.report.sections.item_hits import flips_of
from scrutiny.stats.agreement.flips import FlipCounts


def section(view, name):
    return next(s for s in sections(view) if s.name == name)


@pytest.fixture(scope="module")
def sample():
    return report_sample.sample()


@pytest.fixture(scope="module")
def lines(sample):
    return line_groups(section(sample, "robustness"))[0].lines


def test_golden_specifications(golden, sample):
    specs = page(sample).specs()
    kept = {k: v for k, v in specs.items() if "flips" not in k or k == "claim-typos-flips"}
    golden("report_charts.json", json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def test_specifications_are_json_without_colors(sample):
    text = json.dumps(page(sample).specs(), allow_nan=False)
    assert "#" not in text
    assert '"width": "container"' in text


def test_estimates_stand_beside_their_controls(lines):
    assert len(lines) == 17
    assert set(lines[0].series) == {MEASURED, "control", AGAINST}


def test_every_estimate_stands_on_one_line_only(sample):
    for part in sections(sample):
        placed = [
            id(e)
            for group in line_groups(part)
            for line in group.lines
            for name, e in line.series.items()
            if name != AGAINST
        ]
        assert len(placed) == len(set(placed))


def test_baselines_join_the_chart_of_the_claim(sample):
    group = line_groups(section(sample, "performance"))[0]
    assert group.is_claimed
    assert [line.label for line in group.lines][1:] == ["majority", "untrained"]


def test_estimates_without_a_claim_have_groups_of_their_own(sample):
    typos = sample.findings[1].estimate
    extra = tuple(
        replace(typos, key=replace(typos.key, metric="flip_rate@1", condition={"change": name}))
        for name in ("a", "b")
    )
    view = replace(sample, estimates=(*sample.estimates, *extra))
    groups = [g for g in line_groups(section(view, "robustness")) if not g.is_claimed]
    assert [(g.metric, [line.label for line in g.lines]) for g in groups] == [
        ("flip_rate@1", ["a", "b"])
    ]


def test_many_small_groups_of_a_metric_share_a_chart(sample):
    typos = sample.findings[1].estimate
    extra = tuple(
        replace(typos, key=replace(typos.key, metric="flip_rate@1", group=f"test {i}"))
        for i in range(7)
    )
    view = replace(sample, estimates=(*sample.estimates, *extra))
    (group,) = (g for g in line_groups(section(view, "robustness")) if not g.is_claimed)
    assert group.group == "all"
    assert [line.label for line in group.lines] == [f"test {i}" for i in range(7)]


def test_few_groups_have_a_chart_each(sample):
    typos = sample.findings[1].estimate
    extra = tuple(
        replace(typos, key=replace(typos.key, metric="flip_rate@1", group=f"test {i}"))
        for i in range(6)
    )
    view = replace(sample, estimates=(*sample.estimates, *extra))
    groups = [g for g in line_groups(section(view, "robustness")) if not g.is_claimed]
    assert [g.group for g in groups] == [f"test {i}" for i in range(6)]


def test_numbers_without_intervals_are_left_to_the_table(sample):
    typos = sample.findings[1].estimate
    bare = tuple(
        replace(
            typos, key=replace(typos.key, metric="p@1", condition={"x": i}), low=None, high=None
        )
        for i in (1, 2)
    )
    view = replace(sample, estimates=(*sample.estimates, *bare))
    shown = next(s for s in page(view).sections if s.section.name == "robustness")
    assert shown.more == ()
    assert sum(row[0].startswith("x") for row in shown.numbers.rows) == 2


def test_forest_draws_intervals_and_the_limit(lines):
    chart = forest("a", lines, metric="drop(accuracy)@1", limit=0.01)
    values = chart.spec["data"]["values"]
    assert len(values) == 3 * len(lines)
    assert all(v["low"] <= v["value"] <= v["high"] for v in values)
    assert len(chart.spec["layer"]) == 4
    assert "0.010" in chart.caption
    assert chart.table.header == ("", "estimate", "control", "against control", "n/planned")
    assert len(chart.table.rows) == len(lines)


def test_one_number_without_a_limit_is_no_chart(lines):
    alone = [Line("x", {MEASURED: lines[0].series[MEASURED]})]
    assert forest("a", alone, metric="m@1", limit=None) is None
    assert forest("a", alone, metric="m@1", limit=0.5) is not None


def test_strip_has_a_dot_for_each_replicate(lines):
    chart = strip("a", lines, metric="m@1")
    assert len(chart.spec["data"]["values"]) == 5 * len(lines)
    assert chart.table.header[1:] == ("seed 1", "seed 2", "seed 3", "seed 4", "seed 5")


def test_variance_shares_add_up_and_keep_their_order(lines):
    chart = variance("a", lines)
    by_label = {}
    for value in chart.spec["data"]["values"]:
        by_label[value["label"]] = by_label.get(value["label"], 0) + value["share"]
    assert all(abs(total - 1) < 1e-9 for total in by_label.values())
    assert chart.table.header == ("", "seeds", "items", "both")


def test_single_models_have_neither_strip_nor_variance():
    view = report_sample.one_replicate()
    lines = line_groups(section(view, "robustness"))[0].lines
    assert strip("a", lines, metric="m@1") is None
    assert variance("a", lines) is None


def test_flips_leave_zero_out_of_the_bars_but_not_of_the_table():
    chart = flips_of("a", FlipCounts((90, 6, 4), {"coin flip": (89.0, 10.0, 1.0), "own": (1.0,)}))
    values = chart.spec["data"]["values"]
    assert {v["replicates"] for v in values} == {1, 2}
    assert [row[0] for row in chart.table.rows] == ["0", "1", "2"]
    assert "90 of 100" in chart.caption
    assert "distributed at random" in chart.caption


def test_charts_say_how_many_rows_they_leave_out():
    view = report_sample.many(200)
    group = line_groups(section(view, "robustness"))[0]
    chart = forest("a", group.lines, metric="m@1", limit=None)
    assert len({v["label"] for v in chart.spec["data"]["values"]}) == _MOST_ROWS
    assert f"first {_MOST_ROWS} of 200" in chart.note
    assert len(chart.table.rows) == 200


def test_limit_is_drawn_only_where_all_share_it(sample):
    part = section(sample, "robustness")
    assert part.shared_limit("drop(accuracy)@1") == 0.01
    assert part.shared_limit("other@1") is None


def test_lines_of_one_name_stay_apart(lines):
    doubled = report_sample.sample()
    twin = replace(
        doubled.findings[1],
        estimate=replace(
            doubled.findings[1].estimate,
            key=replace(doubled.findings[1].estimate.key, dataset="other"),
        ),
    )
    view = replace(doubled, findings=(*doubled.findings, twin))
    labels = [line.label for line in line_groups(section(view, "robustness"))[0].lines]
    assert len(labels) == len(set(labels)) == len(lines) + 1
