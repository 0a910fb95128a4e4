"""The page of a comparison: one file, everything escaped, a table under each chart."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.report.compare.agreement import agreement
from scrutiny.report.compare.charts import difference_name, noise_and_flips, share, slices
from scrutiny.report.compare.html import compare_page, render_compare_html
from scrutiny.report.compare.view import (
    AgreedFacts,
    CompareView,
    InputFacts,
    KeptFacts,
    LevelFacts,
    Rate,
    SharedFacts,
    SideFacts,
    SliceFacts,
)
from scrutiny.report.formats.html import LARGEST, static

VOID = {"meta", "br", "img", "input", "link", "hr", "line", "circle"}
HOSTILE = "<script>alert('x')</script><img src=x onerror=y>{{7*7}}"


class Outline(HTMLParser):
    """Tags, ids and texts outside of scripts; every tag has to close."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"script", "style"}:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


def estimate(value, low, high, metric="hard_scope@1"):
    key = EstimateKey("invariance.scope@1#a", metric, "v2", "dev", reference="v1")
    return Estimate(key, value, low, high, 0.95, "crossed@1", Counts(n=90, skipped=10), 90)


def finding(says="accuracy is lower in the second run", verdict="supported", value=0.1):
    claim = Claim("c", says, "performance", (Component("e", 0.0),))
    return Finding(claim, estimate(value, value - 0.05, value + 0.05), verdict, "this recipe", "so")


def one_slice(name, state="not shown", before=0.9, after=0.8):
    return SliceFacts(name, f"with {name}", 40, before, after, -0.2, 0.0, 0.01, 0.2, state)


def one_input(number, text="The soup was not fresh."):
    return InputFacts(
        f"i{number}", f"dev.csv:{number}", text, "bad", "bad", "good", 1.0, 0.0, 0.7, ("negation",)
    )


def level(**more):
    own = LevelFacts(
        name="accuracy",
        dataset="dev",
        first="v1",
        second="v2",
        change="−0.073 [−0.128, −0.018]",
        before=0.786,
        after=0.714,
        n=220,
        planned=221,
        noise="2.0% of items flip between two runs of the first (1 pairs).",
        flips="11.8% [7.9%, 16.6%] right → wrong",
        tests="McNemar: p = .008 (36 flip) (mid-p)",
        rates=(
            Rate("noise floor", 0.02, is_noise=True),
            Rate("right to wrong", 0.118, 0.079, 0.166),
            Rate("another answer", 0.164),
        ),
        slices=(
            one_slice("all items", "all items"),
            one_slice("negation", "change shown", 1.0, 0.4),
            one_slice("question"),
        ),
        inputs=tuple(one_input(k) for k in range(14)),
        n_inputs=36,
        detectable=0.075,
        margin=0.02,
        outcome="regression",
        agreement=(
            AgreedFacts("kappa", estimate(0.671, 0.568, 0.762, "kappa@1"), 0.9304),
            AgreedFacts("JSD, bits", None, None, "neither side has probabilities"),
        ),
        agreement_floor="the first model between two runs of it",
    )
    return replace(own, **more)


def kept(is_judged, verdict="supported"):
    pair = ("v1", "v2") if is_judged else ("v2", "v1")
    return KeptFacts(
        change="typo",
        reference=pair[0],
        target=pair[1],
        dataset="dev",
        is_judged=is_judged,
        hard=estimate(0.94, 0.92, 0.96),
        random=estimate(0.9, 0.88, 0.92),
        ceiling=estimate(0.98, 0.97, 0.99),
        ceiling_name="another run of the reference",
        lift=estimate(0.04, 0.01, 0.07),
        own_lift=estimate(0.08, 0.05, 0.1),
        kappa=None,
        soft=None,
        finding=finding("typo (1): v2 keeps its answer where v1 does", verdict, -0.04),
    )


def view(**more):
    own = CompareView(
        headline="Worse on inputs with a negation: accuracy 1.000 → 0.400.",
        outcome="regression",
        outcome_says="Fail: a loss is shown to lie beyond 0.02.",
        first=SideFacts("v1", "hf:./v1", 3, "runs/first"),
        second=SideFacts("v2", "hf:./v2", 1, "runs/second"),
        levels=(level(),),
        findings=(finding(), finding("bias is lower in the second run", "undecided")),
        differences=("torch: 2.4 and 2.5",),
        shared=SharedFacts((kept(True, "not supported"), kept(False)), 0.05, "regression"),
        command="scrutiny compare hf:./v1 hf:./v2",
        version="0.1",
    )
    return replace(own, **more)


@pytest.fixture(scope="module")
def text():
    return render_compare_html(view())


@pytest.fixture(scope="module")
def outline(text):
    return Outline(text)


def test_the_page_is_one_small_file_that_fetches_nothing(text, outline):
    assert len(text.encode()) < LARGEST
    assert outline.open == []
    for tag, attributes in outline.tags:
        assert "src" not in attributes, tag
        assert attributes.get("href", "#").startswith("#")
        assert tag not in {"link", "iframe", "img", "object", "embed", "base"}
    policy = next(a for _, a in outline.tags if a.get("http-equiv"))["content"]
    assert "default-src 'none'" in policy
    assert "url(" not in static("compare.css")


def test_ids_are_unique_and_every_link_has_a_target(outline):
    assert len(outline.ids) == len(set(outline.ids))
    links = {a["href"][1:] for _, a in outline.tags if a.get("href", "").startswith("#")}
    assert links <= set(outline.ids)


def test_what_stands_where(outline):
    wanted = ["verdict", "levels", "shared", "numbers", "differently", "reproduce"]
    assert [one for one in outline.ids if one in wanted] == wanted
    said = outline.text
    order = [
        "Worse on inputs with a negation",
        "Fail: a loss is shown to lie beyond 0.02.",
        "Noise floor.",
        "How many items flip",
        "How far both agree",
        "First against itself: the first model between two runs of it.",
        "Where it changed",
        "Inputs that differ most beyond noise",
        "Changes that keep the answer of v1, asked of v2",
        "Changes that keep the answer of v2, asked of v1",
        "Numbers that both runs have, second minus first",
        "torch: 2.4 and 2.5",
        "scrutiny compare hf:./v1 hf:./v2",
    ]
    places = [said.index(one) for one in order]
    assert places == sorted(places)
    assert "told, not judged: supported." in said


def test_every_chart_has_a_specification_and_a_table(text, outline):
    specs = json.loads(
        re.search(r'<script type="application/json" id="specs">(.*?)</script>', text, re.DOTALL)[1]
    )
    boxes = [a["data-chart"] for _, a in outline.tags if "data-chart" in a]
    assert len(boxes) == 5
    assert set(boxes) == set(specs)
    assert text.count("<table") >= len(boxes)


def test_both_answers_stand_with_each_input(outline):
    assert outline.text.count("The soup was not fresh.") == 14
    assert "4 more inputs" in outline.text
    assert "gold bad" in outline.text


def test_everything_is_escaped():
    hostile = view(
        headline=HOSTILE,
        first=SideFacts(HOSTILE, HOSTILE, 1),
        levels=(
            level(
                dataset=HOSTILE,
                inputs=(replace(one_input(1, HOSTILE), first=HOSTILE, slices=(HOSTILE,)),),
                slices=(one_slice(HOSTILE, "all items"), one_slice(HOSTILE)),
            ),
        ),
        differences=(HOSTILE,),
        command=HOSTILE,
    )
    text = render_compare_html(hostile)
    for script in (static("vega.min.js"), static("report.js")):
        text = text.replace(script, "")
    assert "<script>alert" not in text
    assert "<img" not in text
    assert Outline(text).text.count("{{7*7}}") > 6


def test_what_is_not_there_is_not_told():
    bare = view(
        outcome=None,
        outcome_says="",
        levels=(),
        findings=(),
        differences=(),
        shared=None,
        command="",
    )
    outline = Outline(render_compare_html(bare))
    assert outline.open == []
    assert {"levels", "shared", "likeness", "numbers"}.isdisjoint(outline.ids)
    assert "Nothing was judged: no margin was given." in outline.text
    assert "Nothing beside the models" in outline.text


def test_levels_of_one_name_have_anchors_of_their_own():
    outline = Outline(render_compare_html(view(levels=(level(), level()))))
    assert len(outline.ids) == len(set(outline.ids))


def test_inputs_are_left_out_until_the_page_is_small():
    long = view(levels=(level(inputs=tuple(one_input(k, "word " * 99) for k in range(40))),))
    whole = render_compare_html(long)
    assert whole.count("word word") >= 40
    less = render_compare_html(long, largest=len(whole.encode()) - 10_000)
    assert len(less) < len(whole)
    none = render_compare_html(long, largest=1)
    assert "36 inputs differ; they are left out here." in Outline(none).text


def test_the_noise_floor_is_a_bar_and_a_line():
    chart = noise_and_flips("a", level())
    assert [v["series"] for v in chart.spec["data"]["values"]] == ["noise", "flips", "flips"]
    assert chart.spec["layer"][-1]["data"]["values"] == [{"at": 0.02}]
    assert chart.table.rows[1] == ("right to wrong", "11.8 %", "[7.9 %, 16.6 %]")
    unknown = noise_and_flips("a", level(rates=(Rate("right to wrong", 0.1),)))
    assert "is not known" in unknown.caption
    assert len(unknown.spec["layer"]) == 2
    assert noise_and_flips("a", level(rates=())) is None


def test_agreement_is_a_table_beside_the_first_against_itself():
    found = agreement("a", level())
    assert found.spec is None
    assert found.table.header[2] == "first against itself"
    assert found.table.rows == (
        ("kappa", "0.671 [0.568, 0.762]", "0.930", "90/100"),
        ("JSD, bits", "neither side has probabilities", "–", "–"),
    )
    alone = agreement("a", level(agreement=(AgreedFacts("kappa", estimate(0.1, 0.0, 0.2)),)))
    assert alone.table.header == ("measure", "second against first", "n/planned")
    assert "nothing is known" in alone.caption
    assert agreement("a", level(agreement=())) is None


def test_slices_are_drawn_with_the_margin_on_the_side_of_the_loss():
    def margin(chart):
        return chart.spec["layer"][1]["data"]["values"][0]["at"]

    assert margin(slices("a", level())) == -0.02
    assert margin(slices("a", level(lower_is_better=True))) == 0.02
    row = slices("a", level()).table.rows[1]
    assert row[:2] == ("with negation", "change shown")
    assert slices("a", level(slices=(one_slice("all items"),))) is None


def test_numbers_of_another_scale_are_listed_and_not_drawn():
    large = finding("loss is lower in the second run", "undecided", 40.0)
    chart = compare_page(view(findings=(finding(), finding("bias"), large))).differences
    assert {v["label"] for v in chart.spec["data"]["values"]} == {"accuracy", "bias"}
    assert len(chart.table.rows) == 3


def test_what_differs_comes_first_and_long_names_stay_apart():
    known = [finding("x" * 99, "undecided"), finding("x" * 98, "undecided"), finding()]
    chart = compare_page(view(findings=tuple(known))).differences
    drawn = chart.spec["data"]["values"]
    assert [v["series"] for v in drawn] == ["differs", *["not shown to differ"] * 2]
    assert len({v["label"] for v in drawn}) == 3
    assert len(drawn[1]["label"]) == 60
    assert chart.table.rows[1][0] == "x" * 99


def test_names_and_shares_in_words():
    assert difference_name(finding()) == "accuracy"
    assert share(0.118) == "11.8 %"
