"""The first screen: what hurts, how much, how sure, and what to do next."""

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest

import scrutiny
from scrutiny.core.claim import Touched
from scrutiny.reliability.verdicts.reasons import Ways
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.first_screen.decisions import counts_of, decision_of, held_words, rest_of
from scrutiny.report.first_screen.found_risks import worst_first
from scrutiny.report.first_screen.page import risks_page
from scrutiny.report.first_screen.text import risk_lines
from scrutiny.report.load import load_view
from scrutiny.report.notebook import render_snippet
from scrutiny.report.page import render_html
from scrutiny.report.text import plain_text, render_markdown, screen_lines, write_first_screen

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
    return first_screen_of(view)


def text(view):
    return "\n".join(line.plain for line in screen_lines(view))


def test_the_number_people_came_for_is_said_first_with_what_it_is_of(view, front):
    assert front.title == "m · reviews"
    (level,) = (f.estimate for f in view.findings if f.claim.is_headline)
    assert front.numbers[0].says == (
        f"Accuracy {100 * level.value:.1f} % [{100 * level.low:.1f}, {100 * level.high:.1f}] "
        "on 200 items, 5 models"
    )
    assert front.numbers[0].value == level.value


def test_of_one_seed_no_word_is_said_about_seeds(view):
    single = first_screen_of(replace(view, facts=replace(view.facts, replicates=("seed 1",))))
    assert single.numbers[0].says.endswith(" on 200 items")


def test_every_format_says_what_stands_in_brackets(view):
    front = first_screen_of(view)
    assert front.intervals == "95 % intervals"
    page = render_html(view).replace("\N{NO-BREAK SPACE}", " ")
    comment = render_markdown(view).partition("<details>")[0]
    said = f"In brackets: {front.intervals}."
    risks = "; those of risks hold for all risks of one diagnostic at once."
    assert f"m \N{MIDDLE DOT} reviews \N{MIDDLE DOT} {front.intervals}" in text(view)
    assert comment.count(said) == 1
    assert page.count(f"{said[:-1]}{risks}") == 1
    alone = [f for f in view.findings if not f.claim.is_headline]
    assert f"{front.counts} {said}" in html.unescape(render_snippet(view))
    cell = html.unescape(render_snippet(replace(view, findings=tuple(alone))))
    assert cell.count(front.decision) == 1  # as its title
    page = render_html(replace(view, findings=tuple(alone))).replace("\N{NO-BREAK SPACE}", " ")
    of_all = f"In brackets: {front.intervals}, for all risks of one diagnostic at once."
    assert page.index(of_all) < page.index('class="cards"')
    other = replace(view, facts=replace(view.facts, level=0.9))
    assert "90 % intervals" in text(other)
    bare = [replace(f, estimate=None, verdict="not asked") for f in view.findings]
    assert first_screen_of(replace(view, findings=tuple(bare), estimates=())).intervals == ""


def test_a_row_of_the_chart_keeps_its_parts_apart(view):
    attack = risks_page(view, {}).panels[0].rows[0]
    risk = replace(attack.risk, part="100 of 2,000 items", share="had candidates for 99 %")
    row = replace(attack, risk=risk)
    perhaps = ["maybe within the tolerance"] * (not risk.is_beyond)
    assert row.soft == ["on 100 of 2,000 items", "had candidates for 99 %", *perhaps]
    assert replace(attack, risk=replace(risk, part="", share="")).soft == perhaps


def test_several_datasets_are_named_in_short(view):
    films = replace(view.datasets[0], name="csv:/data/may/films.csv")

    def moved(finding):
        key = replace(finding.estimate.key, dataset=films.name)
        return replace(finding, estimate=replace(finding.estimate, key=key))

    findings = (*view.findings, *map(moved, view.findings))
    both = replace(view, datasets=(*view.datasets, films), findings=findings)
    front = first_screen_of(both)
    assert [n.says.partition(" on ")[2] for n in front.numbers] == [
        "reviews (200 items), 5 models",
        "films.csv (200 items)",
    ]
    assert {risk.where for risk in front.risks} == {"reviews", "films.csv"}
    assert "on films.csv" in render_html(both)


def test_the_worst_stands_first_and_what_holds_last(front):
    states = [risk.state for risk in front.risks]
    assert states == sorted(states, key=["hurts", "can't tell", "holds", "not asked"].index)
    worst = front.risks[0]
    assert (worst.what, worst.state) == ("typos (share=0.9)", "hurts")
    assert worst.costs.startswith("costs ")
    assert worst.cases
    assert worst.n_cases >= len(worst.cases)


def test_every_risk_is_counted_once(front):
    assert front.counts.startswith("1 risk found, ")
    assert sum(len(front.of(s)) for s in ("hurts", "can't tell", "holds")) == len(front.risks) == 3


def test_the_decision_names_what_hurts_or_what_is_open(view, front):
    assert front.decision == "Look at 1 risk: typos (share=0.9) (maybe within the tolerance)."
    assert front.counts.startswith("1 risk found, maybe within the tolerance, ")
    twice = [front.risks[0], replace(front.risks[0])]
    assert counts_of(twice) == "2 risks found, 2 of them maybe within the tolerance."
    sure = replace(front.risks[0], span=replace(front.risks[0].span, low=2.1, high=9.0))
    assert decision_of([sure]) == "Look at 1 risk: typos (share=0.9)."
    held = [replace(risk, state="holds") for risk in front.risks]
    assert decision_of(held) == "Nothing found above 2 points."
    open_one = replace(held[0], state="can't tell")
    assert decision_of([open_one]) == f"Can't tell yet: {open_one.what}."


def test_a_cost_says_what_it_is_to_what_is_tolerable(front):
    worst = front.risks[0]
    assert not worst.is_beyond
    assert worst.verdict == "maybe within the 2 points that are tolerable"
    sure = replace(worst, span=replace(worst.span, low=2.1))
    assert sure.verdict == "more than the 2 points that are tolerable"
    assert replace(sure, state="can't tell").verdict == ""


def test_a_number_of_some_items_says_of_how_many(view, front):
    assert {risk.part for risk in front.risks} == {""}
    first = next(f for f in view.findings if f.claim.risk)
    some = replace(first, estimate=replace(first.estimate, denominator=76.5))
    (found,) = first_screen_of(replace(view, findings=(some,))).risks
    assert found.part == "76 of 200 items"


def test_what_holds_says_its_largest_limit_once(front):
    one = replace(front.risks[0], state="holds", span=replace(front.risks[0].span, high=1.9))
    two = replace(one, what="case", span=replace(one.span, high=0.4))
    said = "2 hold: at most 1.9 points each: typos (share=0.9), case"
    assert held_words([one, two]) == said
    assert held_words([one]) == f"1 holds: {one.name} {one.costs}"


def opened(front, what, **ways):
    return replace(front.risks[0], what=what, state="can't tell", ways=Ways(**ways))


def test_what_would_decide_the_rest_is_said_cheapest_first(front):
    risks = [
        opened(front, "typos", items=3300, seeds=2),
        opened(front, "OCR noise", items=1410),
        opened(front, "tense", is_near=True),
        opened(front, "case", needed=7120, at_hand=(40, 1)),
        opened(front, "slang", needed=4000, at_hand=(40, 1)),
    ]
    assert rest_of(risks) == (
        "about 1,400 more items would decide OCR noise, about 3,300 would decide 2 of "
        "5; about 2 more seeds would decide typos; too near the tolerance to decide: tense; "
        "case and slang: need at most about 7,100 items; you have 40."
    )
    assert "about 3,300 would decide all 2; " in rest_of(risks[:2])
    assert rest_of([]) == ""


def test_what_nothing_would_tell_is_not_told_by_a_scope(view, front):
    few = opened(front, "people", at_hand=(2, 1))
    assert rest_of([few]) == "too few items to say how many it takes: people."
    reason = "one item, or group of items, says nothing of others: add more"
    first = next(f for f in view.findings if f.claim.risk)
    alone = replace(first, verdict="can't tell", reason=reason, limits=(None, None))
    found = first_screen_of(replace(view, findings=(alone,)))
    (risk,) = found.risks
    assert (found.rest, risk.scope, risk.costs) == ("", "", reason)
    assert "this recipe" not in text(replace(view, findings=(alone,)))


def test_what_cannot_be_told_takes_one_line_in_a_terminal(front):
    risks = tuple(opened(front, name, items=3300) for name in ("typos", "OCR noise", "case"))
    lines = [line.plain for line in risk_lines(replace(front, risks=risks))]
    assert sum(line.startswith("○ ") for line in lines) == 3
    assert all(line.endswith("~3,300 more items") for line in lines if line.startswith("○ "))


def test_the_widest_cost_is_not_cropped(front):
    said = "costs between −32.7 and 58.9 points"
    wide = replace(opened(front, "typos", items=3300), costs=said)
    lines = [line.plain for line in risk_lines(replace(front, risks=(wide,)))]
    (line,) = [line for line in lines if line.startswith("○ typos")]
    assert said in line
    assert len(line) <= 80


@pytest.mark.parametrize("what", ["leakage", "a suite with a rather long name", "typos"])
@pytest.mark.parametrize(
    "said",
    [
        "10.0 % of items trained on [4.7, 18.2]",
        "100.0 % of the original answers change [100.0, 100.0]",
        "changes 36.9 % of relations between entities [32.9, 41.1]",
        "costs 4.0 points [1.3, 6.7]",
    ],
)
@pytest.mark.parametrize("state", ["hurts", "can't tell"])
def test_no_figure_of_a_cost_is_cut(front, what, said, state):
    risk = replace(opened(front, what, items=3300), costs=said, state=state)
    lines = [line.plain for line in risk_lines(replace(front, risks=(risk,)))]
    assert max(map(len, lines)) <= 80
    limits = said[said.index("[") :]
    (line,) = [line for line in lines if limits in line]
    rows = lines[: lines.index(line) + 1]
    assert not any("…" in row for row in rows)
    words = " ".join(rows).split()
    assert all(word in words for word in said.split())


def test_a_number_beside_the_score_has_the_limits_of_its_finding(view):
    (level,) = (f for f in view.findings if f.claim.is_headline)
    risk = next(f for f in view.findings if f.claim.risk)
    beside = replace(level.estimate, key=replace(level.estimate.key, metric="macro_f1(2)@1"))
    told = replace(risk, estimate=replace(beside, low=0.123, high=0.987))
    for findings, has_its_limits in (((level, told), True), ((level, risk), False)):
        screen = first_screen_of(replace(view, estimates=(beside,), findings=findings))
        (said,) = (one for one in screen.beside if one.startswith("macro-F1"))
        assert said.endswith(" [12.3, 98.7]") == has_its_limits


def test_ties_are_ordered_by_name(view, front):
    twins = [replace(front.risks[0], what=name) for name in ("b", "a")]
    assert [risk.what for risk in sorted(twins, key=worst_first)] == ["a", "b"]


def test_the_first_screen_of_a_run_without_risks_is_what_is_said_of_its_claims(view):
    bare = first_screen_of(replace(view, findings=()))
    assert (bare.risks, bare.signs, bare.sentences, bare.decision) == ((), None, (), "")
    assert bare.headline == "No claim was made: what follows stands without a verdict."
    scores = tuple(f for f in view.findings if not f.claim.risk)
    assert first_screen_of(replace(view, findings=scores)).sentences[0].startswith("Supported")


def test_every_medium_shows_the_same_content(view, front):
    """Decision, what is open and the cost of each risk that hurts: one value, five times."""
    page = html.unescape(re.sub(r"<[^>]+>", " ", render_html(view)))
    cell = html.unescape(render_snippet(view))
    terminal, comment = text(view), render_markdown(view).replace("\\", "")
    python = scrutiny.load(view.facts.path).first_screen
    assert (python.decision, python.counts) == (front.decision, front.counts)
    for told in (terminal, comment, page, cell):
        said = " ".join(told.replace("\N{NO-BREAK SPACE}", " ").split())
        assert front.decision in said
        for risk in front.of("hurts"):
            assert risk.name in said
            assert risk.costs in said


def test_the_content_of_a_run_is_made_once(view):
    assert first_screen_of(view) is first_screen_of(view)


def test_the_terminal_stays_within_80_columns_and_prints_each_risk_once(view, front):
    said = text(view)
    assert max(map(len, said.splitlines())) <= 80
    for risk in front.risks:
        assert sum(line.lstrip("●○✓– ").startswith(risk.what) for line in said.splitlines()) <= 2
        assert risk.costs.partition(" at most ")[0] or risk.state == "holds"
        assert risk.state == "holds" or risk.costs in " ".join(said.split())
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


def test_the_whole_report_opens_as_the_first_screen_does(view, front):
    whole, first = plain_text(view).splitlines(), text(view).splitlines()
    assert whole[:8] == first[:8]
    assert any(line.startswith("Reasons") for line in whole)


def test_a_run_without_risks_prints_the_whole_report(view, capsys):
    write_first_screen(replace(view, findings=()))
    assert "of" in capsys.readouterr().out


@pytest.mark.parametrize("has_front", [True, False])
def test_a_page_that_was_written_is_named_in_place_of_how_to_write_one(view, capsys, has_front):
    shown = view if has_front else replace(view, findings=())
    write_first_screen(shown, page=Path("made/page.html"))
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "page: made/page.html"
    assert said.count("page: ") == 1


def test_the_page_opens_with_the_decision_and_cards(view, front):
    page = render_html(view)
    head = page.partition("Every claim with its checks")[0]
    assert front.decision in html.unescape(head)
    assert front.numbers[0].says in head.replace("\N{NO-BREAK SPACE}", " ")
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


def test_cases_stand_apart_by_what_became_of_them(view, front):
    page = render_html(view)
    worst = front.risks[0]
    head = page.partition("Every claim with its checks")[0]
    for turn in ("broken", "fixed"):
        assert f"<b>{worst.n_turned[turn]} {turn}</b>" in head
        assert f'data-turn="{turn}"' in page
    assert '<select data-filter="label">' in page


def test_rows_of_one_unit_share_an_axis_with_zero_and_what_is_tolerable(view):
    (panel,) = risks_page(view, {}).panels
    places = [panel.axis.place(x) for x in (panel.axis.least, 0, 2, panel.axis.most)]
    assert places == sorted(places)
    assert places[0] == 2
    assert places[-1] == 98
    for row in panel.rows:
        bar = panel.axis.bar(row.risk.span)
        assert 2 <= bar.low <= bar.value <= bar.high <= 98
        assert bar.tolerance == panel.axis.place(2)
        assert bar.inner is None or bar.low <= bar.inner[0] <= bar.inner[1] <= bar.high


def with_risk(view, **changed):
    """The run with its first risk told in another way."""
    first = next(f for f in view.findings if f.claim.risk)
    claim = replace(first.claim, risk=replace(first.claim.risk, **changed))
    other = replace(first, claim=claim)
    return replace(view, findings=tuple(other if f is first else f for f in view.findings))


def test_points_that_are_no_loss_have_an_axis_of_their_own(view):
    said = {"what": "confidence", "costs": "is off by {} points"}
    panels = {p.title: p for p in risks_page(with_risk(view, **said), {}).panels}
    assert set(panels) == {"In points", "In points: confidence"}
    (row,) = panels["In points: confidence"].rows
    assert row.risk.what == "confidence"
    assert all(row.risk.what != "confidence" for row in panels["In points"].rows)


def test_short_names_say_on_the_page_what_they_stand_for(view):
    first = next(f for f in view.findings if f.claim.risk)
    key = replace(first.estimate.key, condition={"recipe": "pwws@1", "draw": 0})
    attack = replace(first, estimate=replace(first.estimate, key=key))
    found = first_screen_of(replace(view, findings=(attack,)))
    meaning = "WordNet synonyms, by saliency times gain"
    assert found.risks[0].meaning == found.meanings[found.risks[0].what] == meaning
    page = render_html(replace(view, findings=(attack,)))
    assert f'<strong title="{meaning}">' in page
    assert f"<b>{found.risks[0].what}</b>: {meaning}" in page
    assert first_screen_of(view).meanings == {}  # names of changes say what they are


def test_cases_that_are_left_out_are_counted_and_asked_for_by_name(view):
    name = next(
        f.claim.id for f in view.findings if f.claim.risk and view.evidence[f.claim.id].cases
    )
    evidence = dict(view.evidence)
    evidence[name] = replace(evidence[name], n_cases=1234)
    page = html.unescape(render_html(replace(view, evidence=evidence)))
    assert re.search(r'All 1,234, in Python: <code>scrutiny.load\(RUN\).cases\("[^"@]+"\)', page)
    assert ".cases(" not in html.unescape(render_html(replace(view, evidence={})))


@pytest.mark.parametrize(("profile", "is_open"), [("study@1", 1), ("ship@1", 0), ("", 0)])
def test_a_study_shows_open_what_can_be_reported(view, profile, is_open):
    page = render_html(replace(view, facts=replace(view.facts, profile=profile)))
    fold = re.search(r'<details class="section-fold"( open)?><summary><h2 id="trusted-title"', page)
    assert bool(fold[1]) == is_open
    assert (f"Profile: {profile}. " in page) == bool(profile)


def test_what_was_not_asked_has_its_reason_and_no_interval(view):
    worst = next(f for f in view.findings if f.verdict == "hurts")
    refused = replace(worst, verdict="not asked", reason="no skill: no better than chance")
    asked = replace(view, findings=tuple(refused if f is worst else f for f in view.findings))
    (risk,) = first_screen_of(asked).of("not asked")
    assert (risk.span, risk.costs) == (None, "no skill: no better than chance")
    last = risks_page(asked, {}).panels[-1]
    assert (last.title, last.axis) == ("Not asked", None)
    table = render_html(asked).partition('id="risks"')[2].partition("</table>")[0]
    assert '<td class="reason" colspan="4">no skill: no better than chance</td>' in table


def test_columns_that_are_empty_in_this_run_are_not_shown(view):
    table = render_html(view).partition('<table class="audit">')[2].partition("</table>")[0]
    assert "Survives seeds" in table
    assert "Against control" in table
    assert "Choices" not in table
    assert "Datasets" not in table


def test_sections_that_found_nothing_are_folded(view):
    page = render_html(view)
    folds = re.findall(r'<details class="section-fold"( open)?><summary><h2 id="([^"]+)"', page)
    opened = {name for is_open, name in folds if is_open}
    assert opened == {"diagnostic-robustness-title"}
    assert {"diagnostic-performance-title", "data-title", "reproduce-title"} <= {
        n for _, n in folds
    }


def test_a_page_of_forty_rows_has_them_all(view, front):
    base = next(f for f in view.findings if f.claim.risk is not None)

    def named(i):
        claim = replace(
            base.claim, id=f"c{i}", risk=replace(base.claim.risk, what=f"change {i} " * 6)
        )
        return replace(base, claim=claim)

    many = replace(view, findings=tuple(named(i) for i in range(40)))
    page = render_html(many)
    assert page.partition('id="risks"')[2].partition("</table>")[0].count("data-verdict") == 40
    assert max(map(len, text(many).splitlines())) <= 80


def test_a_notebook_shows_the_first_screen(view, front):
    said = re.sub(r"<style>.*?</style>", "", render_snippet(view), flags=re.DOTALL)
    plain = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", said)).split())
    assert plain.startswith(front.numbers[0].says)
    assert plain.index(front.decision) < plain.index("what it costs")
    for risk in (*front.of("hurts"), *front.of("can't tell")):
        assert risk.name in plain
        assert risk.costs in plain
    for sentence in filter(None, (front.held, *front.not_told)):
        assert sentence in plain
    assert f"of {front.of('hurts')[0].n_cases:,} cases" in plain
    assert said.count('class="scrutiny-case"') == 2
    assert "<del>" in said
    cut = render_snippet(view, most_rows=0)
    told = [*front.of("hurts"), *front.of("can't tell")]
    assert f"and {len(told)} more" in cut
    assert "scrutiny-case" not in re.sub(
        r"<style>.*?</style>", "", render_snippet(view.without_texts()), flags=re.DOTALL
    )


def test_the_most_that_something_can_cost_stands_behind_the_costs(view):
    open_ones = [f for f in view.findings if f.claim.risk and f.verdict == "can't tell"]
    first = max(open_ones or list(view.findings), key=lambda f: f.estimate.value)
    bound = replace(first.claim, risk=replace(first.claim.risk, settled_by="read them"))
    findings = tuple(
        replace(f, claim=bound, verdict="can't tell") if f is first else replace(f)
        for f in view.findings
    )
    others = [replace(f, verdict="can't tell") if f.claim.risk else f for f in findings]
    risks = first_screen_of(replace(view, findings=tuple(others))).risks
    assert risks[-1].finding.claim == bound
    assert risks[-1].scope == "read them"
    assert risks[-1].costs.startswith("costs at most ")


def test_a_score_on_some_of_the_items_says_on_how_many(view):
    whole = [replace(d, n_items=2 * d.n_items) for d in view.datasets]
    (number,) = first_screen_of(replace(view, datasets=tuple(whole))).numbers
    assert number.says.endswith(" on 200 of 400 items, 5 models")


def touching(view, items, of=200):
    """The run as if each change had altered so many of the texts."""
    changed = tuple(
        replace(f, touched=Touched(items, of)) if f.claim.risk else f for f in view.findings
    )
    return replace(view, findings=changed)


@pytest.mark.parametrize(
    ("items", "share", "has_alone", "is_rare"),
    [
        (200, "changed 100 %", False, False),
        (199, "changed 99 %", False, False),
        (100, "changed 50 %", True, False),
        (18, "changed 9 %", True, True),
        (1, "changed <1 %", True, True),
    ],
)
def test_each_change_says_how_many_texts_it_altered(view, items, share, has_alone, is_rare):
    of = 200 if items > 1 else 400
    touched = touching(view, items, of)
    found = first_screen_of(touched)
    assert {risk.share for risk in found.risks} == {share}
    assert {bool(risk.alone) for risk in found.risks} == {has_alone}
    assert {risk.is_rare for risk in found.risks} == {is_rare}
    page = render_html(touched).partition('id="risks"')[2].partition("</table>")[0]
    assert html.unescape(page).replace("\xa0", " ").count(share) == len(found.risks)
    assert ("over these alone: " in page) == has_alone
    said = f"changed {items} of {of} texts, and costs"
    assert (said in " ".join(text(touched).split())) == is_rare
    assert (said in render_markdown(touched)) == is_rare


def test_a_cost_over_the_altered_texts_alone_is_that_much_larger(view, front):
    halved = {risk.name: risk for risk in first_screen_of(touching(view, 100)).risks}
    for risk in front.risks:
        least, alone = (
            re.findall(r"[\d.]+", one) for one in (risk.figures, halved[risk.name].alone)
        )
        for one, other in zip(least, alone, strict=True):
            assert float(other) == pytest.approx(min(2 * float(one), 100), abs=0.11)


def test_what_was_not_tested_is_told_apart_from_what_holds(view):
    first, *others = (f for f in view.findings if f.claim.risk)
    reason = "changed 0 of 200 texts"
    untested = [
        replace(f, verdict="not tested", reason=reason, touched=Touched(0, 200)) for f in others
    ]
    holds = replace(first, verdict="holds")
    both, only = (replace(view, findings=tuple(own)) for own in ([holds, *untested], untested))
    count = f"{len(untested)} not tested."
    assert first_screen_of(both).counts == f"No risk found, 1 holds, {count}"
    names = [risk.name for risk in first_screen_of(only).risks]
    assert (
        first_screen_of(both).decision
        == f"Nothing found above 2 points; not tested: {' and '.join(names)}."
    )
    assert f"\N{DOTTED CIRCLE} not tested: {', '.join(names)}: {reason}" in text(both)
    assert first_screen_of(only).decision == f"Nothing can be told: {reason}."
    assert first_screen_of(only).counts == f"Nothing can be told, {count}"


def test_sentences_of_parts_stand_above_the_table_of_risks(view, front, monkeypatch):
    said = "Worse where it rains."
    noted = replace(front, notes=(said,))
    monkeypatch.setattr("scrutiny.report.first_screen.page.first_screen_of", lambda view: noted)
    page = render_html(view)
    assert page.index('class="cards"') < page.index(f'<p class="rest">{said}</p>')
    assert page.index(said) < page.index('class="tools"')
