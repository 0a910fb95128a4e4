"""One name for one idea: retired words stand nowhere that users read."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
from test_house import nodes
from test_report_comment import with_risks

import scrutiny
from scrutiny.core.claim import HERE
from scrutiny.diagnostics.repeats import NOISE_FLOOR, Repeats, RepeatsParams
from scrutiny.reliability.verdicts.reasons import Ways
from scrutiny.report.load import load_view
from scrutiny.report.notebook import render_snippet
from scrutiny.report.page import render_html
from scrutiny.report.text import plain_text, render_markdown, screen_lines
from scrutiny.report.wording import STATES, scope_words

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "src" / "scrutiny"
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
TEMPLATES = sorted(SOURCES.rglob("*.j2"))
#: What users no longer read, and what is said in its place.
RETIRED = {
    r"these checkpoints": "these models",
    r"beyond this dataset": "other data",
    r"(within|near) what is tolerable": "holds; near the tolerance",
    r"\bmended\b": "fixed",
    r"maybe tolerable": "maybe within the tolerance",
    r"(items?|seeds?|or|what) would tell\b": "would decide",
    r"\d tell (all|\d+ of) \d": "would decide",
    r"Say which is which": "State which label is which",
    r"\(each in ``\)|\(each in `--format md`\)": "(`--format md` prints the reason of each)",
    r"row \*?asked again|[|●○◌✓] ?asked again": "noise floor",
}
ANY = re.compile("|".join(RETIRED), re.IGNORECASE)
#: Names of scopes that JSON, CSV and JUnit keep.
SCOPES = {*HERE, "beyond this dataset"}


def retired_in(text):
    """Retired words of a text, with what stands around each; code has names of machines."""
    bare = re.sub(r"`[^`]*`", "``", " ".join(text.split()))
    return [bare[max(m.start() - 40, 0) : m.end() + 40] for m in ANY.finditer(bare)]


def shown_of(page):
    """Text of a page that readers see."""
    return re.sub(
        r"<script.*?</script>|<style.*?</style>|<pre.*?</pre>|<[^>]*>", " ", page, flags=re.DOTALL
    )


def sentences_in(inside):
    """Strings of a source file that are no docstrings and no names of scopes."""
    silent = {id(node.value) for node in inside if isinstance(node, ast.Expr)}
    strings = (node for node in inside if isinstance(node, ast.Constant))
    told = (n.value for n in strings if isinstance(n.value, str) and id(n) not in silent)
    return [said for said in told if " " in said and said not in SCOPES]


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """A run of several models, and the made-up one with a risk of each state."""
    plan = {
        "data": {"reviews": {"source": "builtin:reviews", "limit": 120}},
        "models": {"m": {"source": "builtin:sentiment/seed-{seed}", "random": ["seed"]}},
        "measure": [
            {"id": "performance", "diagnostic": "performance"},
            {
                "id": "robustness",
                "diagnostic": "robustness",
                "params": {"transformations": ["typos(share=0.9)", "word_case", "contraction"]},
            },
        ],
        "resampling": {"draws": 200},
    }
    run = scrutiny.run(plan, out=tmp_path_factory.mktemp("words") / "run")
    return load_view(run.path), with_risks()


@pytest.mark.parametrize("scope", ["as found", *sorted(SCOPES)])
def test_no_format_says_a_retired_word(views, scope):
    for whole in views:
        found = whole.findings
        if scope != "as found":
            found = tuple(replace(finding, scope=scope) for finding in found)
        view = replace(whole, findings=found)
        screen = "\n".join(line.plain for line in screen_lines(view))
        page = shown_of(render_html(view))
        for text in (screen, plain_text(view), page, render_snippet(view), render_markdown(view)):
            assert len(text) > 200
            assert retired_in(text) == []


def test_what_would_decide_is_said_in_one_way():
    ways = (
        Ways(),
        Ways(is_near=True),
        Ways(needed=1200, at_hand=(40, 1)),
        Ways(items=1873),
        Ways(seeds=2),
        Ways(items=1873, seeds=2),
    )
    for one in ways:
        assert retired_in(one.says()) == retired_in(one.short()) == []
    assert "near the tolerance" in Ways(is_near=True).says()
    assert Ways(is_near=True).short() == "near the tolerance"


def test_the_noise_floor_has_one_name():
    (claim,) = Repeats().design(RepeatsParams(), None).claims
    assert claim.risk.what == NOISE_FLOOR.headline == "noise floor"


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        ("this checkpoint", "this model"),
        ("these checkpoints, on these items", "these models, on these items"),
        ("this recipe", "this recipe"),
        ("", ""),
    ],
)
def test_a_scope_is_said_in_words(scope, said):
    assert scope_words(scope) == said


def test_no_sentence_of_the_sources_has_a_retired_word():
    told = [(file, said) for file, inside in nodes().items() for said in sentences_in(inside)]
    assert len(told) > 1000
    assert [(file, retired_in(said)) for file, said in told if retired_in(said)] == []


def test_every_percentage_has_a_space_before_its_sign():
    own = {}
    for file, inside in nodes().items():
        parts = (node.values for node in inside if isinstance(node, ast.JoinedStr))
        specs = [n.format_spec for p in parts for n in p if isinstance(n, ast.FormattedValue)]
        said = [ast.unparse(spec) for spec in specs if spec is not None]
        own[file] = [spec for spec in said if spec.rstrip("'\"").endswith("%")]
    assert len(own) > 300
    assert {file: found for file, found in own.items() if found} == {}


@pytest.mark.parametrize("page", [*TEMPLATES, *PAGES], ids=lambda page: page.name)
def test_no_page_has_a_retired_word(page):
    assert retired_in(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "of these checkpoints alone [1.0, 2.0]",
        "6 hold within what\n is tolerable",
        "3 broken, 1 mended.",
        "Mended rate, over all items",
        "typos (maybe tolerable)",
        "about 8 more items would tell",
        "about 3,800 tell 6 of 7",
        "costs (each in `--format md`)",
        "● asked again 3 % of answers vary",
    ],
)
def test_a_retired_word_is_seen(text):
    assert retired_in(text)


def test_the_glossary_has_every_state_and_scope():
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    glossary = page.partition("## Glossary")[2].partition("\n## ")[0]
    first = [line.split("|")[1].strip() for line in glossary.splitlines() if line[:2] == "| "]
    words = {word for cell in first for word in cell.split(", ")}
    assert {*STATES, "no skill", "noise floor", "broken", "fixed", "this recipe"} <= words
    assert {scope_words(scope) for scope in SCOPES} <= words
