"""The first screen: what hurts, how much, how sure, and what to do next."""

import html
import re
from dataclasses import replace

import pytest

import scrutiny
from scrutiny.parts.run.front import decision_of, front_of
from scrutiny.report.formats.html import render_html
from scrutiny.report.reading.load import load_view
from scrutiny.report.terminal.page import screen_lines, write_first_screen

PLAN = {
    "seed": 0,
    "data": {"reviews": {"source": "builtin:reviews", "limit": 200}},
    "models": {"m": {"source": "builtin:sentiment/seed-{seed}", "random": ["seed"]}},
    "measure": [
        {"id": "performance", "diagnostic": "performance@1"},
        {
            "id": "robustness",
            "diagnostic": "robustness@1",
            "params": {"transformations": ["typos(share=0.9)", "word_case", "contraction"]},
        },
    ],
    "resampling": {"draws": 400},
}


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    run = scrutiny.run(PLAN, out=tmp_path_factory.mktemp("front") / "run")
    return load_view(run.path)


@pytest.fixture(scope="module")
def front(view):
    return front_of(view)


def text(view):
    return "\n".join(line.plain for line in screen_lines(view, front_of(view)))


def test_it_says_what_was_examined_and_the_number_people_came_for(view, front):
    assert front.title == "m · 5 seeds · reviews (200 items)"
    (level,) = (f.estimate for f in view.findings if f.claim.is_headline)
    assert front.numbers == (
        f"accuracy {100 * level.value:.1f} % [{100 * level.low:.1f}, {100 * level.high:.1f}]",
    )


def test_the_worst_stands_first_and_what_holds_last(front):
    states = [risk.state for risk in front.risks]
    assert states == sorted(states, key=["hurts", "can't tell", "holds", "not asked"].index)
    worst = front.risks[0]
    assert (worst.what, worst.state) == ("typos (share=0.9)", "hurts")
    assert worst.costs.startswith("costs ")
    assert worst.cases
    assert worst.n_cases >= len(worst.cases)


def test_the_decision_counts_every_risk_once(front):
    said = decision_of(front.risks)
    assert said.startswith("1 risk found")
    assert sum(len(front.of(s)) for s in ("hurts", "can't tell", "holds")) == len(front.risks) == 3


def test_advice_names_what_hurts_or_what_would_tell(view, front):
    assert front.advice == "Look at typos (share=0.9) first."
    tame = replace(view, findings=tuple(f for f in view.findings if "typos" not in f.claim.id))
    assert front_of(tame).advice.startswith(("Can't tell yet: ", "Nothing found"))


def test_a_run_without_risks_has_no_first_screen(view):
    assert front_of(replace(view, findings=())) is None


def test_the_terminal_stays_within_80_columns_and_prints_each_risk_once(view, front):
    said = text(view)
    assert max(map(len, said.splitlines())) <= 80
    for risk in front.risks:
        assert sum(line.lstrip("●○✓– ").startswith(risk.what) for line in said.splitlines()) <= 2
        assert risk.costs in " ".join(said.split())
    assert f"scrutiny report {view.facts.path}" in " ".join(said.split())


def test_a_case_stands_before_and_after(view, front):
    lines = text(view).splitlines()
    before, after = (next(line for line in lines if line.startswith(f"  {s} ")) for s in "-+")
    assert before != after
    answers = {a.before for a in front.risks[0].cases[0].answers}
    assert any(before.endswith(answer) for answer in answers)


def test_marks_differ_in_shape(view):
    said = text(view)
    assert "● typos" in said
    assert "Look at" in said


def test_a_run_without_risks_prints_the_whole_report(view, capsys):
    write_first_screen(replace(view, findings=()))
    assert "of" in capsys.readouterr().out


def test_the_page_opens_with_the_decision_and_cards(view, front):
    page = render_html(view)
    head = page.partition("Every claim with its checks")[0]
    assert front.decision in html.unescape(head)
    assert 'class="card s-hurts"' in head
    assert "<del>" in head
    assert "<ins>" in head
    for risk in front.risks:
        assert f"<strong>{risk.what}</strong>" in head


def test_each_risk_links_to_how_it_was_measured(view, front):
    page = render_html(view)
    links = re.findall(r'<a href="#(claim-[^"]+)"><strong>([^<]+)</strong>', page)
    linked = {what: anchor for anchor, what in links}
    for risk in front.risks:
        assert f'id="{linked[risk.what]}"' in page
