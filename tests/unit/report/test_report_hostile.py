"""Texts, labels, names and ids of somebody else are text in every format, and nothing more."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

import scrutiny
from scrutiny.blocks.terminal_and_markdown import escape, folded
from scrutiny.core.boundary.json_text import json_line
from scrutiny.report.compare.output import objects_of
from scrutiny.report.formats import FORMATS, cell, render
from scrutiny.report.load import load_view
from scrutiny.report.notebook import render_snippet

#: Every Eval Ever has no answers of runs without scores.
SHOWN = tuple(name for name in FORMATS if not name.startswith("eee"))
HOSTILE = (
    "<img src=x onerror=alert(1)> [a](javascript:alert(1)) @octocat #17 http://evil.example "
    "www.evil.example \\input{/etc/passwd} $x$ `code` {{7*7}} \x1b[31m \x9b2J \u202egpj\u2066"
)
LABELS = (f"=cmd|{HOSTILE} no", f"@SUM(1) {HOSTILE}\n# H1 yes")
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Keys:
    """Classifier that only knows one word, spelled right."""

    classes_ = LABELS

    def predict_proba(self, texts):
        return [[0.1, 0.9] if "wonderful" in text else [0.9, 0.1] for text in texts]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    rows = [
        {
            "id": f"-{n} {HOSTILE}",
            "text": f"{HOSTILE} it was {('dull', 'wonderful')[n % 2]} on day {n}",
            "label": LABELS[n % 2],
            "genre": ("+1", HOSTILE)[n % 2],
        }
        for n in range(40)
    ]
    out = tmp_path_factory.mktemp("hostile")
    asked = {"columns": {"group": ["genre"]}, "transformations": ["typos(share=0.9)"], "draws": 1}
    return [scrutiny.run("robustness", Keys(), rows, out=out / str(n), **asked) for n in range(2)]


@pytest.fixture(scope="module")
def texts(runs):
    view = load_view(runs[0].path)
    return {name: render(view, name) for name in SHOWN} | {"snippet": render_snippet(view)}


def test_the_run_has_what_is_shown(runs, texts):
    assert runs[0].risks.where(state="hurts")
    assert runs[0].cases("typos(share=0.9)").where(broken=1)
    for name in ("html", "md"):
        assert "octocat" in texts[name]


@pytest.mark.parametrize("name", [*SHOWN, "snippet"])
def test_no_format_steers_a_terminal(texts, name):
    found = STEERING.search(texts[name])
    assert found is None, texts[name][found.start() - 80 : found.end() + 20]


@pytest.mark.parametrize("name", ["html", "snippet", "md"])
def test_markup_stays_text(texts, name):
    text = texts[name]
    if name == "md":
        text = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert "<img src=x" not in text
    assert 'href="javascript' not in text
    assert "<a href" not in text or name == "html"
    assert "onerror=alert" in text  # it is shown


def test_a_comment_mentions_nobody_and_links_nowhere(texts):
    text = texts["md"]
    assert not re.search(r"(?<!\w)@(?=octocat)", text)
    assert "http://evil" not in text
    assert "www.evil" not in text
    assert not re.search(r"(?<!\\)\]\(", text)
    assert not re.search(r"#17", text)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert all(line.startswith(("### scrutiny", "#### ")) for line in headings)


def test_a_spreadsheet_computes_nothing(texts):
    rows = list(csv.reader(io.StringIO(texts["csv"])))
    cells = [one for row in rows[1:] for one in row if one]
    odd = [one for one in cells if one[0] in "=+-@\t\r" and not re.fullmatch(r"-?[\d.e+-]+", one)]
    assert odd == []
    assert [cell("=1"), cell("\t=1"), cell("1=1"), cell("")] == ["'=1", "'\t=1", "1=1", ""]
    assert [cell("\uff1d1"), cell("\n=1")] == ["'\uff1d1", "'\n=1"]


def test_data_formats_keep_every_character(runs, texts):
    found = [json.loads(line) for line in texts["json"].splitlines()]
    assert all(isinstance(one, dict) for one in found)
    assert json.loads(json_line({"x": HOSTILE})) == {"x": HOSTILE}
    ElementTree.fromstring(texts["junit"])
    assert r"\input{" not in texts["latex"]


def test_a_comparison_is_as_calm(runs, tmp_path):
    found = scrutiny.compare(*runs, margin=0.02)
    page = found.report(tmp_path / "page.html")
    assert "<img src=x" not in page
    for text in (page, found.report(), *map(json_line, objects_of(found._found, top=5))):
        assert STEERING.search(text) is None


def test_the_escaper_of_comments():
    assert escape("a @b #1 http://x www.y") == ("a @\u2060b \\#\u20601 http://\u2060x www\u2060.y")
    assert escape("see GH-12, !7 and gh-x!") == "see GH-\u206012, !\u20607 and gh-x!"
    assert escape("a@ b # c &lt;") == "a@ b \\# c \\&lt;"
    assert folded("<b> @me", "x").startswith("<details><summary>&lt;b&gt; @\u2060me</summary>")
