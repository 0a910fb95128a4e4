"""Parts on reliability, on a run whose truth is planted: nothing here names a real diagnostic."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import reliability_sample
import report_sample

from scrutiny.blocks.numbers import interval, p_value
from scrutiny.blocks.run_estimates import Questions, References, by_identity, identity, varying
from scrutiny.blocks.run_view import Records
from scrutiny.blocks.section import MOST_CHARTS, MOST_ROWS
from scrutiny.blocks.section import parts as report_parts
from scrutiny.core.estimate import WHAT_IS_MEASURED
from scrutiny.core.registry import registry
from scrutiny.reliability.metrics import no_effect_of
from scrutiny.report.load import load_view
from scrutiny.report.page import LARGEST, render_html
from scrutiny.report.sections.over_replicates import _construct_of, relations_part
from scrutiny.report.sections.seeds import SeedTests, chart_of_tests
from scrutiny.report.sections.seeds import part as seeds_part
from scrutiny.report.text import plain_text

EFFECTS = reliability_sample.EFFECTS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return reliability_sample.write(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def view(folder):
    return load_view(folder.path)


@pytest.fixture(scope="module")
def parts(view):
    return {part.anchor.removeprefix("reliability-"): part for part in report_parts(view)}


def of_name(part):
    return registry().entry("part", part).registration


def test_every_part_has_its_ingredients(parts):
    names = ("seeds", "flips", "choices", "course", "agreement", "convergent", "abstention")
    assert tuple(parts) == (*names, "spread", "relations", "comparisons", "undecided")
    known = [
        n for n in registry().names("part") if not registry().entry("part", n).registration.needs
    ]
    absent = {
        "slices@1",
        "published@1",
        "matrices@1",
        "layer-grid@1",
        "side-by-side@1",
        "weak-slices@1",
        "leaderboard@1",
        "score-matrix@1",
    }  # the run has nothing of these
    assert len(parts) == len(set(known) - absent)


def test_charts_are_plain_data_with_tables_and_without_colors(parts):
    for part in parts.values():
        assert 1 <= len(part.charts) <= MOST_CHARTS
        for chart in part.charts:
            assert chart.table.rows
            assert {len(row) for row in chart.table.rows} == {len(chart.table.header)}
            for _, spec, height in chart.drawings:
                assert "#" not in json.dumps(spec, allow_nan=False)
                assert height > 0


def row_of(chart, label):
    return dict(
        zip(chart.table.header, next(r for r in chart.table.rows if r[0] == label), strict=True)
    )


def official(parts):
    return next(c for c in parts["seeds"].charts if "step 300 · official" in c.title)


def test_seeds_table_has_every_seed_with_mean_and_sd(view, parts):
    row = row_of(official(parts), "race-color")
    estimate = next(
        e
        for e in view.estimates
        if e.key.group == "race-color" and e.key.condition == {"step": "300", "variant": "official"}
    )
    each = list(estimate.by_replicate.values())
    said = [float(row[f"seed {i}"].split()[0]) for i in range(1, 6)]
    assert said == pytest.approx(each, abs=0.006)
    mean, sd = (float(x) for x in row["mean ± sd"].split(" ± "))
    assert mean == pytest.approx(np.mean(each), abs=0.006)
    assert sd == pytest.approx(np.std(each, ddof=1), abs=0.006)


def test_cells_are_marked_by_their_own_interval_over_items(view, parts):
    chart = official(parts)
    estimates = {
        e.key.group: e
        for e in view.estimates
        if e.key.condition == {"step": "300", "variant": "official"}
    }
    for at, row in enumerate(chart.table.rows):
        own = view.records.own_intervals(estimates[row[0]])
        assert len(own) == 5
        for place, one in enumerate(own.values(), start=1):
            is_beyond = one.low > 0.52 or one.high < 0.52
            assert ((at, place) in chart.table.marks) == is_beyond
            assert (row[place][-1] in "▲▼") == is_beyond
    marked = {chart.table.rows[at][0] for at, _ in chart.table.marks}
    assert "race-color" in marked
    beyond = {v["label"] for v in chart.spec["data"]["values"] if v["beyond"]}
    assert beyond == marked


def test_tables_of_the_claims_own_estimates_come_first(view, parts):
    titles = [chart.title for chart in parts["seeds"].charts]
    assert titles[:2] == ["performance: accuracy", official(parts).title]
    control = next(i for i, title in enumerate(titles) if "step 200" in title)
    assert control > titles.index(next(t for t in titles if "triples" in t))


def test_of_a_handful_of_items_no_cell_is_marked(view):
    few = tuple(replace(e, n_units=9) for e in view.estimates)
    found = seeds_part(replace(view, estimates=few))
    assert all(chart.table.marks == frozenset() for chart in found.charts)


def test_marked_replicates_have_wilson_s_interval(parts):
    row = row_of(official(parts), "race-color")
    assert row["marked"] == "5/5 [0.57, 1.00]"
    assert row["same sign"] == "5/5"


def with_tests(view, smallest=0.001, **numbers):
    """The view with a test of each replicate of one estimate: p from .001 to .017."""
    whole = next(e for e in view.estimates if e.key.group == "Race")
    rows = tuple(
        replace(
            whole,
            key=replace(whole.key, metric="word_permutation@1", replicate=name),
            value=0.004 * place + 0.001,
            low=None,
            high=None,
            by_replicate={},
            across={"smallest_p": smallest, **numbers},
        )
        for place, name in enumerate(whole.by_replicate)
    )
    return replace(view, estimates=(*view.estimates, *rows))


def test_tests_of_single_replicates_are_counted(view):
    tested = with_tests(view, holm=0.02)
    found = seeds_part(tested)
    chart = next(c for c in found.charts if "triples" in c.title)
    assert row_of(chart, "Race")["word permutation: p ≤ .01"] == "3/5"
    assert row_of(chart, "Gender")["word permutation: p ≤ .01"] == "–"
    others = [p for p in report_parts(tested) if p.anchor != "reliability-seeds"]
    assert not any("permutation" in c.title for p in others for c in p.charts)


def test_tests_stand_beside_the_smallest_p_there_could_have_been(view):
    found = seeds_part(with_tests(view, smallest=0.05, holm=0.02))
    chart = next(c for c in found.charts if "word permutation" in c.title)
    (row,) = chart.table.rows
    each = dict(zip(chart.table.header, row, strict=True))
    assert [each[f"seed {i}"] for i in range(1, 6)] == [".0010", ".0050", ".0090", ".013", ".017"]
    assert (each["p ≤ .01"], each["after Holm"], each["smallest p"]) == ("3/5", "0/5", ".050")
    without = seeds_part(with_tests(view)).charts
    table = next(c for c in without if "word permutation" in c.title).table
    assert dict(zip(table.header, table.rows[0], strict=True))["after Holm"] == "–"


def test_tests_of_many_replicates_show_their_ends(view):
    names = [f'{{"seed":{i}}}' for i in range(12)]
    row = with_tests(view).estimates[-1]
    rows = [
        replace(row, key=replace(row.key, replicate=name), value=0.01 * (i + 1))
        for i, name in enumerate(names)
    ]
    chart = chart_of_tests("word_permutation@1", [SeedTests(tuple(rows))], view)
    each = dict(zip(chart.table.header, chart.table.rows[0], strict=True))
    assert (each["min p"], each["max p"], each["p ≤ .01"]) == (".010", ".12", "1/12")


def test_intervals_kept_by_the_run_are_taken_as_they_are(folder, view):
    whole = next(e for e in view.estimates if e.key.group == "gender")
    rows = [
        replace(
            whole,
            key=replace(whole.key, replicate=name),
            value=value,
            low=value - 0.196,
            high=value + 0.196,
            n_replicates=1,
            by_replicate={name: value},
        )
        for name, value in whole.by_replicate.items()
    ]
    kept = type(view.records)(folder, {}, [whole, *rows]).own_intervals(whole)
    assert [o.low for o in kept.values()] == [r.low for r in rows]
    assert next(iter(kept.values())).se == pytest.approx(0.1, abs=1e-4)


def test_own_intervals_are_those_of_the_run_s_own_code(view):
    score = next(e for e in view.estimates if e.key.diagnostic.startswith("performance"))
    own = view.records.own_intervals(score)
    for name, one in own.items():
        p = score.by_replicate[name]
        assert one.value == pytest.approx(p)
        assert one.se == pytest.approx((p * (1 - p) / 200) ** 0.5, rel=0.15)


def test_differences_have_the_intervals_of_the_run_s_own_code(view):
    whole = next(e for e in view.estimates if e.key.role == "contrast" and e.key.reference)
    own = view.records.own_intervals(whole)
    assert {name: one.value for name, one in own.items()} == pytest.approx(dict(whole.by_replicate))
    hits = {
        (h.key.condition.get("step"), h.key.condition.get("variant")): h
        for h in view.records.hits()
    }
    apart = hits["300", "official"].hit - hits["300", "summed"].hit  # (replicate, item)
    kept = apart[:, np.isfinite(apart).all(axis=0)]
    expected = kept.std(axis=1) / kept.shape[1] ** 0.5
    assert [one.se for one in own.values()] == pytest.approx(expected.tolist(), rel=0.15)
    tables = [c for p in report_parts(view) for c in p.charts]
    chart = next(c for c in tables if c.title.endswith("· contrast"))
    assert row_of(chart, "all")["marked"] != "–"


def test_differences_that_were_paired_otherwise_have_none(folder, view):
    whole = next(e for e in view.estimates if e.key.role == "contrast" and e.key.reference)
    values = dict(zip(whole.by_replicate, reversed(whole.by_replicate.values()), strict=True))
    other = replace(whole, by_replicate=values)
    records = type(view.records)(folder, view.manifest, [])
    assert records.own_intervals(other) == {}


def test_histogram_counts_items_by_replicates_with_a_hit(view, parts):
    hits = {identity(h.key): h for h in view.records.hits()}
    assert len(hits) == 11
    chart = parts["flips"].charts[0]
    assert chart.table.header == ("replicates", "observed", "coin", "margin")
    observed = [int(row[1]) for row in chart.table.rows]
    assert sum(observed) == 239  # one item failed in one replicate
    coin = [float(row[2]) for row in chart.table.rows]
    assert coin[0] == pytest.approx(239 / 32, abs=0.06)
    margin = [float(row[3]) for row in chart.table.rows]
    assert abs(margin[5] - observed[5]) < abs(coin[5] - observed[5])


def test_common_shift_of_checkpoints_shows_beside_the_flips(parts):
    table = parts["flips"].charts[-1].table
    at = table.header.index("ratio")
    pairs = [float(r[at]) for r in table.rows if "plugin.pairs" in r[0] and "official" in r[0]]
    score = next(float(r[at]) for r in table.rows if r[0].startswith("performance"))
    assert np.median(pairs) > 1.5 > score
    classes = {row[0] for row in table.rows if ": " in row[0]}  # of each diagnostic that is drawn
    assert "plugin.pairs: category religion" in classes
    assert {name.partition(":")[0] for name in classes} >= {"plugin.pairs", "plugin.triples"}


def test_specification_curve_counts_choices_on_both_sides(parts):
    table, *curves = parts["choices"].charts
    row = row_of(table, "race-color")
    assert row["choices"] == "step, variant"
    sides = [int(row[name]) for name in ("above it", "below it", "across it")]
    assert sides == [6, 3, 0]  # one variant of three reads backwards, at three steps
    curve = next(c for c in curves if "race-color" in c.title)
    values = [v["value"] for v in curve.spec["data"]["values"]]
    assert values == sorted(values)
    dots = [(v["at"], v["label"]) for v in curve.below["data"]["values"]]
    assert len(dots) == 2 * len(values)
    assert [label for at, label in dots if at == 1][1] == "reversed"
    assert "6 above the reference (0.52), 3 below, 0 across" in curve.caption


def test_course_over_steps_by_replicate(parts):
    chart = next(c for c in parts["course"].charts if "official · race-color" in c.title)
    lines = {v["replicate"] for v in chart.spec["data"]["values"]}
    assert lines == {f"seed {i}" for i in range(1, 6)}
    assert [row[0] for row in chart.table.rows] == ["100", "200", "300"]


def test_conditions_agree_group_by_group_and_item_by_item(parts):
    chart = parts["agreement"].charts[0]
    rows = {row[0]: row[1:] for row in chart.table.rows}
    spearman, _, groups, kappa, items = rows["official · step 100 ·· reversed · step 100"]
    assert float(spearman.replace("−", "-")) < -0.5
    assert float(kappa.replace("−", "-")) < -0.3
    assert (groups, items) == ("4", "239")
    assert float(rows["official · step 100 ·· summed · step 100"][3]) > 0.4


def test_two_diagnostics_of_one_construct_stand_side_by_side(parts):
    chart = parts["convergent"].charts[0]
    assert {row[0] for row in chart.table.rows} == {"race", "gender"}
    race = next(row for row in chart.table.rows if row[0] == "race")
    assert race[5] == "5/5"
    assert race[6].endswith("(n = 5)")
    assert "[" in race[6]
    assert len(chart.spec["data"]["values"]) == 10


@pytest.mark.parametrize(
    ("one", "other"),
    [("Race", "race-color"), ("religion", "RELIGION"), ("occupation", "profession")],
)
def test_constructs_are_matched_by_name(one, other):
    assert _construct_of(one) == _construct_of(other)
    assert _construct_of("sent-weat6") != _construct_of("gender")


def test_abstention_keeps_the_surest(parts):
    chart = next(c for c in parts["abstention"].charts if "triples" in c.title)
    kept = [int(row[2].split()[0]) for row in chart.table.rows]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] == 100
    scores = [float(row[3].split()[0]) for row in chart.table.rows]
    assert scores[-1] > scores[0]


def test_spread_is_held_against_a_score_above_majority(view, parts):
    chart = parts["spread"].charts[0]
    assert chart.table.header[-1] == "against task"
    assert "Five seeds a side need a ratio of the ratios above 2.5" in chart.caption
    rows = {row[0]: row for row in chart.table.rows}
    score = next(row for label, row in rows.items() if label.startswith("performance"))
    assert score[-1] == "–"
    shifted = next(row for label, row in rows.items() if "triples" in label)
    assert "p =" in shifted[-1]
    skill = {f.claim.id: f for f in view.findings}["skill"]
    without = replace(view, findings=tuple(f for f in view.findings if f is not skill))
    spread = next(p for p in report_parts(without) if p.anchor == "reliability-spread")
    assert "No downstream score above majority" in spread.charts[0].caption


def test_relations_have_a_part_of_their_own(view, parts):
    chart = parts["relations"].charts[0]
    (row,) = chart.table.rows
    each = dict(zip(chart.table.header, row, strict=True))
    found = next(e for e in view.estimates if e.key.metric == "correlation@1")
    assert (row[0], each["replicates"]) == ("two-views-of-race", "5")
    assert each["r"] == interval(found)
    assert each["smallest p"] == p_value(found.across["smallest_p"]) != "–"
    assert float(each["shown from"]) == pytest.approx(found.across["detectable"], abs=0.006)
    assert [v["label"] for v in chart.spec["data"]["values"]] == ["two-views-of-race"]
    others = [p for name, p in parts.items() if name != "relations"]
    titles = [c.title + "".join(map(str, c.table.rows)) for p in others for c in p.charts]
    assert not any("two-views-of-race" in title for title in titles)
    text = plain_text(view)
    assert "Compared over replicates" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_relations_without_a_value_say_why(view):
    found = next(e for e in view.estimates if e.key.metric == "correlation@1")
    blank = replace(
        found, value=None, low=None, high=None, across={}, status="undefined", n_replicates=1
    )
    both = replace(blank, reason="does_not_vary"), replace(blank, reason="x")
    made = relations_part(replace(view, estimates=both))
    assert [row[3] for row in made.charts[0].table.rows] == ["one side does not vary", "x"]
    assert made.charts[0].spec is None
    assert relations_part(report_sample.empty()) is None


def test_spreads_and_largest_differences_stand_beside_correlations(view):
    found = next(e for e in view.estimates if e.key.metric == "correlation@1")
    sides = {"sd": 2.5, "item_error": 1.0, "other_sd": 0.5, "other_item_error": 1.0}
    spread = replace(
        found,
        key=replace(found.key, metric="spread_ratio@1", group="pairs beside task"),
        across={**sides, "p_value": 0.004, "smallest_significant": 2.53},
    )
    apart = replace(
        found,
        key=replace(
            found.key, metric="largest_difference@1", condition={"of": "d/m/x"}, group="task"
        ),
        across={},
    )
    made = relations_part(replace(view, estimates=(apart, found, spread)))
    correlation, ratio, difference = (chart.table for chart in made.charts)
    assert correlation.header[3] == "r"
    assert dict(zip(ratio.header, ratio.rows[0], strict=True)) == {
        **{
            "": "pairs beside task",
            **dict(zip(("of", "with"), correlation.rows[0][1:3], strict=True)),
        },
        **{"ratio": interval(found), "sd": "2.5000", "item error": "1.0000"},
        **{"other sd": "0.5000", "other item error": "1.0000", "p": ".0040", "shown from": "2.53"},
    }
    assert difference.header == ("", "of", "difference", "replicates", "n/planned")
    assert difference.rows[0][:3] == ("task", "d/m/x", interval(found))


def properties(view, name):
    """The view with six estimates that differ in one condition, of five replicates each."""
    base = next(e for e in view.estimates if e.key.group == "Race")
    key = replace(base.key, group="all", metric="mean@1")
    made = tuple(replace(base, key=replace(key, condition={name: f"q{i}"})) for i in range(6))
    return replace(view, estimates=made, findings=())


@pytest.mark.parametrize("name", sorted(WHAT_IS_MEASURED))
def test_what_is_measured_is_no_choice(view, name):
    found = {p.anchor: p for p in report_parts(properties(view, name))}
    assert "reliability-choices" not in found
    tables = found["reliability-seeds"].charts
    assert [len(chart.table.rows) for chart in tables] == [1] * 6
    assert len({chart.anchor for chart in tables}) == 6
    page = render_html(properties(view, name))
    anchors = re.findall(r'<figure class="chart" id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))


def test_how_it_is_asked_is_a_choice(view):
    found = {p.anchor: p for p in report_parts(properties(view, "pooling"))}
    curve = found["reliability-choices"].charts[1]
    assert len(curve.spec["data"]["values"]) == 6
    assert len(found["reliability-seeds"].charts) == 1


def test_other_items_are_another_question(view):
    base = next(e for e in view.estimates if e.key.group == "all" and "variant" in e.key.condition)
    made = tuple(
        replace(base, key=replace(base.key, condition={"variant": f"{kind}-{i}"}))
        for kind in ("gap", "continuation")
        for i in range(3)
    )
    spec = next(s for s in view.manifest["specs"] if s["id"] == "pairs-100-official-all")
    specs = [
        {
            **spec,
            "condition": dict(e.key.condition),
            "where": f"a_kind = {e.key.condition['variant'].partition('-')[0]}",
        }
        for e in made
    ]
    manifest = {**view.manifest, "specs": specs, "contrasts": []}
    other = replace(view, estimates=made, findings=(), manifest=manifest)
    kinds = list(Questions(other).grouped(made).values())
    assert [len(members) for members in kinds] == [3, 3]
    assert len(Questions(replace(view, manifest={})).grouped(made)) == 1
    found = {p.anchor: p for p in report_parts(other)}
    curves = found["reliability-choices"].charts[1:]
    assert [len(c.spec["data"]["values"]) for c in curves] == [3, 3]
    assert len({c.anchor for c in curves}) == 2


def test_comparisons_and_claims_of_the_plan_have_a_place(parts):
    claims, difference = parts["comparisons"].charts
    assert claims.table.rows[0][0] == "race leans more than age"
    assert claims.table.rows[0][2] == "> 0 (reference)"
    assert difference.table.rows[0][0] == "official − summed"


def test_exact_tests_of_runs_stand_beside_the_differences(view):
    (one,) = (e for e in view.estimates if e.key.role == "contrast" and e.key.reference)
    tests = {"rank_sum_p": 2 / 252, "rank_sum_smallest_p": 2 / 252, "superiority": 1.0}
    other = replace(view, estimates=(replace(one, across=tests),), findings=())
    found = {p.anchor: p for p in report_parts(other)}["reliability-comparisons"].charts
    assert [chart.title for chart in found][-1] == "Rank tests between runs"
    assert len(found) == 2
    (row,) = found[-1].table.rows
    assert row[0].endswith("official − summed")
    assert row[1:] == ("rank sum", ".0079", ".0079", "1.00")


def test_runs_without_ingredients_have_no_parts():
    assert report_parts(report_sample.empty()) == ()
    assert report_parts(report_sample.one_replicate()) != ()
    anchors = {p.anchor for p in report_parts(report_sample.one_replicate())}
    assert anchors == {"reliability-choices"}
    assert Records().hits() == ()


def test_run_without_records_still_has_its_seeds(tmp_path):
    folder = reliability_sample.write(tmp_path)
    (folder.path / "records.parquet").unlink()
    found = {p.anchor: p for p in report_parts(load_view(folder.path))}
    assert {"reliability-seeds", "reliability-choices"} <= set(found)
    assert "reliability-flips" not in found
    seeds = found["reliability-seeds"].charts[0]
    assert "no cell is marked" in seeds.caption
    assert seeds.table.marks == frozenset()


def test_many_conditions_and_groups_do_not_explode():
    base = report_sample.sample().findings[1]
    estimates = tuple(
        replace(
            base.estimate,
            key=replace(base.estimate.key, group=f"g{g}", condition={"layer": c, "pool": c % 7}),
        )
        for c in range(40)
        for g in range(30)
    )
    view = replace(report_sample.empty(), estimates=estimates)
    for part in report_parts(view):
        assert len(part.charts) <= MOST_CHARTS
        assert part.note
        for chart in part.charts:
            assert len(chart.table.rows) <= MOST_ROWS + 6
            for _, spec, _ in chart.drawings:
                assert len(json.dumps(spec)) < 80_000
    assert len(render_html(view).encode()) < LARGEST


def test_cut_parts_say_what_is_left_out(parts):
    small = parts["choices"].cut(charts=2, rows=3)
    assert len(small.charts) == 2
    assert "The first 2 of 5 charts" in small.note
    assert len(small.charts[0].table.rows) == 3
    assert "The first 3 of 4 rows" in small.charts[0].note


def test_page_has_every_part_and_stays_small(view, parts):
    text = render_html(view)
    assert len(text.encode()) < LARGEST
    for name in parts:
        assert f'id="reliability-{name}"' in text
    assert text == render_html(view)


def test_references_are_no_effect_or_the_limit_of_the_claim(view):
    references = References(view)
    by_group = by_identity(view.estimates, without=["replicate"])
    claimed = [e for members in by_group.values() for e in members if references.is_claimed(e)]
    assert {references.of(e) for e in claimed} == {0.5, 0.52, 0.0}
    assert no_effect_of("drop(accuracy)@1") == 0.0
    assert no_effect_of("accuracy@1") is None
    assert no_effect_of("unknown@1") is None
    assert references.shared(view.estimates) is None


def test_identity_leaves_out_what_it_is_told():
    key = replace(report_sample.sample().findings[1].estimate.key, condition={"a": 1, "b": 2})
    other = replace(key, condition={"a": 3, "b": 2})
    assert identity(key) != identity(other)
    assert identity(key, without=["condition.a"]) == identity(other, without=["condition.a"])
    assert varying([key, other]) == ["a"]
