"""The page: one small file that fetches nothing, escapes everything and tells it in tables too."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest
import report_sample

from scrutiny.report.notebook import render_snippet, table_snippet
from scrutiny.report.page import DETAILS, LARGEST, environment, page, render_html, static

VIEWS = {
    "sample": report_sample.sample,
    "one replicate": report_sample.one_replicate,
    "empty": report_sample.empty,
    "many": report_sample.many,
    "hostile": report_sample.hostile,
    "numbers only": lambda: replace(report_sample.sample(), findings=()),
}
VOID = {"meta", "br", "img", "input", "link", "hr", "line", "circle"}


class Outline(HTMLParser):
    """Tags with their attributes, texts outside of scripts, and whether all tags close."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"script", "style"}:
            self.texts.append(data)

    def named(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


#: Outline of a page that several tests look at.
outline_of = cache(Outline)


@pytest.fixture(scope="module")
def pages():
    return {name: render_html(make()) for name, make in VIEWS.items()}


@pytest.fixture(scope="module", params=list(VIEWS))
def text(request, pages):
    return pages[request.param]


@pytest.fixture(scope="module")
def outline(pages):
    return outline_of(pages["sample"])


def test_page_is_small(text):
    assert len(text.encode("utf-8")) < LARGEST == 2_000_000


def test_page_is_well_formed_and_in_one_piece(text):
    found = outline_of(text)
    assert found.open == []
    ids = [a["id"] for _, a in found.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert len(found.named("main")) == len(found.named("nav")) == len(found.named("h1")) == 1


def test_page_fetches_nothing(text):
    for tag, attributes in outline_of(text).tags:
        for name in ("src", "srcset", "data", "action", "poster"):
            assert name not in attributes, (tag, name)
        assert attributes.get("href", "#").startswith("#")
        assert tag not in {"link", "iframe", "img", "object", "embed", "base"}
    assert "@import" not in static("report.css")
    assert "url(" not in static("report.css")
    policy = next(a for t, a in outline_of(text).tags if a.get("http-equiv"))["content"]
    assert "default-src 'none'" in policy


def test_policy_names_exactly_the_scripts_of_the_page(text):
    policy = next(a for t, a in outline_of(text).tags if a.get("http-equiv"))["content"]
    policy = re.search(r"script-src ([^;]+)", policy)[1]
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert re.findall(r"sha256-([A-Za-z0-9+/=]+)", policy) == digests
    assert "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy


def test_everything_is_escaped(pages):
    text = pages["hostile"]
    ours = text
    for script in (static("vega.min.js"), static("report.js")):
        ours = ours.replace(script, "")
    assert "<script>alert" not in ours
    assert "<img" not in ours
    assert outline_of(text).text.count("{{7*7}}") > 20
    assert outline_of(text).text.count("<script>alert('x')</script>") > 20
    assert [a for t, a in outline_of(text).tags if any(name.startswith("on") for name in a)] == []


def test_specifications_cannot_leave_their_script(pages):
    raw = re.search(r'<script type="application/json" id="specs">(.*?)</script>', pages["hostile"])
    assert "<" not in raw[1]
    assert any("<script>" in json.dumps(spec) for spec in json.loads(raw[1]).values())


def test_nothing_of_a_text_steers_a_screen():
    odd = "red \x1b[31m \x00 \u202e turned"
    shown = (
        environment().from_string("{{ text }} {{ 3 }} {{ nothing }}").render(text=odd, nothing=None)
    )
    assert shown == "red \\x1b[31m \\x00 \\u202e turned 3 None"


def test_every_chart_has_its_table_and_its_specification(text):
    figures = re.findall(r'<figure class="chart" id="([^"]+)">(.*?)</figure>', text, re.DOTALL)
    raw = re.search(r'id="specs">(.*?)</script>', text)[1]
    drawn = [name for _, inside in figures for name in re.findall(r'data-chart="([^"]+)"', inside)]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == set(json.loads(raw))
    bare = [name for name, inside in figures if f'data-chart="{name}"' not in inside]
    assert all(name.startswith("reliability-") and name.endswith("-table") for name in bare)
    for _, inside in figures:
        assert "<table" in inside
        assert "<caption>" in inside
        assert 'aria-label="' in inside


def test_every_estimate_is_there_with_all_its_denominators(outline, pages):
    view = report_sample.sample()
    rows = re.findall(r"<tr>(.*?)</tr>", pages["sample"], re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    numbers = [c for c in cells if len(c) == 12 and c[0] != "of"]
    assert len(numbers) == len(view.estimates)
    for estimate in view.estimates:
        c = estimate.counts
        fates = [str(x) for x in (c.n, c.planned, c.undefined, c.failed, c.skipped, c.refused)]
        assert any(row[3:9] == fates for row in numbers)


def test_every_claim_is_in_the_table_and_has_a_place_of_its_own(outline):
    view = report_sample.sample()
    links = {a["href"] for a in outline.named("a")}
    ids = {a["id"] for _, a in outline.tags if "id" in a}
    assert {link[1:] for link in links} <= ids
    for finding in view.findings:
        anchor = f"claim-{finding.claim.id.replace('_', '-')}"
        assert anchor in ids
        assert f"#{anchor}" in links
        assert finding.reason in outline.text


def test_audit_table_shows_n_of_planned(pages):
    for finding in report_sample.sample().findings:
        if finding.estimate is not None:
            c = finding.estimate.counts
            said = f'class="num">{c.n}<span class="soft"> of {c.planned}</span>'
            assert said in pages["sample"]


def test_anchors_do_not_depend_on_what_else_is_there(pages):
    view = report_sample.sample()
    fewer = Outline(render_html(replace(view, findings=view.findings[3:6])))
    more = outline_of(pages["sample"])
    few = {a["id"] for t, a in fewer.tags if t == "article"}
    assert few <= {a["id"] for t, a in more.tags if t == "article"}
    assert len(few) == 3


def test_sections_boxes_and_facts_are_there(outline):
    for said in (
        "How this was measured",
        "How far to trust it",
        "Each of 640 texts was changed once",
        "A change that alters the meaning counts as an error",
        "5 replicates: claims are about the recipe",
        "0 of 640 texts in any",
        "scrutiny audit --model",
        "records are byte-identical",
        "no_negation",
        "never flipped",
        "p, supported",
    ):
        assert said in outline.text


def test_of_one_checkpoint_details_say_nothing_about_seeds(pages):
    single, several = (outline_of(pages[name]).text for name in ("one replicate", "sample"))
    for word in ("another training run", "one replicate", "One replicate", "Survives seeds"):
        assert word not in single
    assert "Run seed" in single
    for word in ("another training run", "5 replicates"):
        assert word in several


def test_tables_have_captions_and_scopes(outline):
    assert len(outline.named("caption")) == len(outline.named("table"))
    assert [a for a in outline.named("th") if "scope" not in a] == []
    for region in (a for _, a in outline.tags if a.get("role") == "region"):
        assert region["aria-label"]
        assert region["tabindex"] == "0"


def test_without_scripts_the_tables_stand_open(outline):
    folds = [a for t, a in outline.tags if t == "details" and "fold" in a.get("class", "").split()]
    closed = [a for a in folds if "open" not in a]
    assert len(closed) == 1  # the manifest
    assert ".vega { width: 100%; display: none; }" in static("report.css")


def test_changes_are_marked_by_more_than_color(pages):
    assert "<del>friendly</del><ins>freindly</ins>" in pages["sample"]
    css = static("report.css")
    assert "line-through" in css
    assert "prefers-color-scheme: dark" in css
    assert "@media print" in css
    assert "max-width: 760px" in css


def test_verdicts_have_words(outline):
    for said in ("4 supported", "9 not supported", "5 undecided", "1 refused"):
        assert said in outline.text


def test_detail_is_left_out_until_the_page_is_small_enough():
    view = report_sample.many(190)
    whole, usual, smallest = (render_html(view, largest=n) for n in (9_000_000, LARGEST, 1))
    assert len(whole) > len(usual) > len(smallest)
    assert "Items stand with the first 40 of 190 claims" in usual
    assert "180 more claims of robustness" in smallest


def test_page_of_a_thousand_claims_is_small():
    view = report_sample.many(1000)
    text = render_html(view)
    assert len(text.encode()) < LARGEST
    assert "more claims of robustness" in text
    assert re.search(r"\d+ of 1000 robustness claims hold", text)


def test_a_folder_whose_name_is_no_utf_8_has_a_page():
    view = report_sample.sample()
    text = render_html(replace(view, facts=replace(view.facts, path="runs/\udcff")))
    assert "runs/\udcff" in text


def test_huge_texts_and_manifests_are_cut():
    view = report_sample.sample()
    big = replace(view, manifest={"x": "y" * 5_000_000})
    assert len(render_html(big).encode()) < LARGEST
    assert "the rest is in manifest.json" in page(big, DETAILS[0]).manifest


def test_a_plug_in_gets_its_section_without_a_change_here():
    view = report_sample.sample()
    estimate = view.findings[1].estimate
    key = replace(estimate.key, diagnostic="plugin.new@3#abc123", metric="novelty@1")
    estimates = tuple(
        replace(estimate, key=replace(key, condition={"layer": layer})) for layer in (1, 2)
    )
    found = Outline(render_html(replace(view, estimates=(*view.estimates, *estimates))))
    assert "diagnostic-plugin-new" in {a["id"] for _, a in found.tags if "id" in a}
    assert "novelty with intervals" in found.text


def test_vendored_scripts_are_what_was_recorded():
    record = json.loads(static("vega.json"))
    data = static("vega.min.js").encode("utf-8")
    assert len(data) == record["bundle"]["bytes"]
    assert hashlib.sha256(data).hexdigest() == record["bundle"]["sha256"]
    for name in ("vega", "vega-lite", "vega-embed"):
        assert f"{name} {record[name]['version']}" in static("NOTICE.md")
    assert "</script" not in static("vega.min.js").lower()
    assert "</script" not in static("report.js").lower()


def test_same_run_same_page(pages):
    assert render_html(report_sample.sample()) == pages["sample"]


@pytest.mark.parametrize("name", VIEWS)
def test_snippet_is_a_fragment_without_scripts(name):
    found = Outline(render_snippet(VIEWS[name]()))
    assert found.open == []
    assert found.tags[0] == ("div", {"class": "scrutiny-run"})
    assert {tag for tag, _ in found.tags}.isdisjoint({"script", "html", "body", "img", "a"})


def test_snippet_has_verdict_table_and_denominators():
    text = Outline(render_snippet(report_sample.sample())).text
    assert "3 of 18 changes hurt" in text
    assert "226/640" in text
    assert "not supported" in text
    assert "… and 160 more" in Outline(render_snippet(report_sample.many(200))).text


def test_snippet_says_the_verdict_in_front_of_its_claim():
    text = Outline(render_snippet(report_sample.sample())).text
    assert text.index("verdict") < text.index("claim") < text.index("estimate")


def test_snippet_of_a_table_says_once_what_all_rows_share():
    rows = [
        {"item": "a<b", "model": "m", "cost": 0.5, "note": None},
        {"item": "x" * 200, "model": "m", "cost": -0.25, "note": ""},
    ]
    text = Outline(table_snippet([*rows[0]], rows, n_more=3)).text
    assert text.count("model") == 1
    assert "model: m" in text
    assert "a<b" in text
    assert "−0.250" in text
    assert "note" not in text
    assert "x" * 120 + "…" in text
    assert "… and 3 more" in text


def luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [":root {", ':root[data-theme="dark"] {'])
def test_text_is_legible_in_both_themes(theme):
    block = static("report.css").split(theme)[1].split("}")[0]
    colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    texts = ("ink", "soft", "accent", "supported", "not", "undecided", "refused")
    for paper in ("paper", "card", "sunk"):
        for name in texts:
            assert contrast(colors[name], colors[paper]) >= 4.5, (name, paper)
        for mark in ("c1", "c2", "o1"):
            assert contrast(colors[mark], colors[paper]) >= 3.0, (mark, paper)
    assert contrast(colors["ins"], colors["ins-bg"]) >= 4.5
    assert contrast(colors["del"], colors["del-bg"]) >= 4.5


def test_dark_theme_is_the_same_by_choice_and_by_preference():
    css = static("report.css")
    chosen = css.split(':root[data-theme="dark"] {')[1].split("}")[0]
    preferred = css.split(':root:not([data-theme="light"]) {')[1].split("}")[0]
    assert chosen.split() == preferred.split()


def test_rows_to_look_at_stand_beside_the_data():
    view = report_sample.sample()
    said = "3 rows cannot be read and were left out; the first is d.csv:4: text is empty"
    (line,) = view.datasets
    odd = Outline(render_html(replace(view, datasets=(replace(line, doubts=(said,)),)))).text
    assert f"Rows of {line.name} to look at {said}" in odd.partition(line.fingerprint)[2]
    assert "to look at" not in Outline(render_html(view)).text
