"""The tables of Zhao & Bethard (2020) from their released scores: every printed figure."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from scrutiny.report.formats import render
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.plan_file import read_plan
from scrutiny.run.planning.resolve import resolve

pytestmark = [pytest.mark.data("negation"), pytest.mark.slow]

PLAN = read_plan(Path(__file__).parents[2] / "examples" / "negation_tables.toml")
FIGURES = [figure.id for figure in PLAN.published if not (figure.claim or figure.unavailable)]
#: Ours, printed: misprints both.
DIFFERING = {
    "RoBERTa-base, best head, P": ("82.9", "92.9"),
    "RoBERTa-base negation, supervised, F1 of its P and R": ("95.0", "95.9"),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return {"out": tmp_path_factory.mktemp("tables") / "run"}


@pytest.fixture
def folder(shared_data, finished):
    """The example, run once, on the data wherever it is."""
    path = str(shared_data("negation"))
    if "folder" not in finished:
        moved = {
            name: tuple(
                replace(o, source=o.source.replace("../shared/data/negation", path)) for o in rows
            )
            for name, rows in (("data", PLAN.data), ("models", PLAN.models))
        }
        finished["folder"] = run_plan(resolve(replace(PLAN, **moved)), finished["out"])
    return finished["folder"]


@pytest.fixture
def published(folder, finished):
    """Published figures beside ours, read once."""
    if "published" not in finished:
        finished["published"] = folder.published()
    return finished["published"]


@pytest.mark.reproduces
@pytest.mark.parametrize("name", FIGURES)
def test_every_printed_figure_comes_out(published, name):
    (found,) = [one for one in published if one.figure.id == name]
    assert found.outcome != "missing", found.reason
    if name in DIFFERING:
        assert (found.outcome, found.ours, found.figure.printed) == ("differs", *DIFFERING[name])
        assert found.figure.note
    else:
        assert (found.outcome, found.ours) == ("agrees", found.figure.text)


def test_what_a_table_prints_is_there_or_cannot_be_had():
    """Figures of each table: what the paper prints in it, however few of them a run can have."""
    of_table = Counter(
        table
        for figure in PLAN.published
        if figure.printed and not figure.claim
        for table in re.findall(r"\b(?:A?\d)\b", figure.source)
    )
    supervised, consistency = 4 * 6 + 4 * 8, 4 * 3 + 8 * 9
    assert of_table == {
        "1": 3 * 5 + 1,
        "2": 6 + 8,
        "3": 2 * 3 + 4 * 6 + 1,  # the best head's name among them
        "4": 3 + 2 * 9,
        "A1": 3 * 8 + 4,
        "A2": supervised,
        "A3": 4 * 3 + 8 * 6,
        "A4": 4 * 3 * 4,
        "A5": consistency,
    }
    unavailable = [figure for figure in PLAN.published if figure.unavailable]
    assert all(re.search("regression|distance|supervised", one.id, re.I) for one in unavailable)
    assert sum(bool(figure.released) for figure in PLAN.published) == 61


def test_findings_are_open_and_the_differences_come_first(folder):
    found = {one.figure.id: one for one in folder.published()}
    told = [found[figure.id] for figure in PLAN.published if figure.claim]
    assert Counter(one.outcome for one in told) == {"seen": 16, "can't tell": 7}
    scopes = {one.scope for one in folder.findings() if one.verdict == "supported"}
    assert scopes == {"this checkpoint, on these items", "this recipe, on these items"}
    assert {one.claim.post_hoc for one in folder.findings()} == {False}
    rise = found["BERT-base: tuning on negation raises the F1 of the average head"]
    assert (rise.low, rise.high) == pytest.approx((1.16, 2.99), abs=0.01)  # over runs
    text = render(load_view(folder.path), "text")
    assert max(map(len, text.splitlines())) <= 80
    said = " ".join(text.split())
    assert f"{len(FIGURES) - 2} of {len(FIGURES)} published figures" in said
    assert "2 differ, each with a note" in said
    assert "61 of 61 that follow from released data" in said
