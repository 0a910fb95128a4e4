"""Signs over seeds: what is clear, where seeds lie on both sides, and what the controls say."""

import html
import re
from dataclasses import replace

import pytest

from scrutiny.blocks.run_view import OwnInterval, Records, RunFacts, RunView
from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.estimate import Estimate, EstimateKey, Limits
from scrutiny.core.record import Counts
from scrutiny.report.notebook import render_snippet
from scrutiny.report.page import render_html
from scrutiny.report.signs import signs_of
from scrutiny.report.text import render_markdown, write_first_screen

SEEDS = [f'{{"seed":{n}}}' for n in (1, 2, 3)]
WIDE, NARROW = 20.0, 4.0


def number(group, metric, values, low, high):
    key = EstimateKey(
        "stereotypes.pairs@1", metric, "zoo:bert/seed-{seed}", "builtin:x", group=group
    )
    each = dict(zip(SEEDS, values, strict=True))
    mean = sum(values) / len(values)
    return Estimate(
        key, mean, low, high, 0.95, "crossed@1", Counts(50), 50, n_replicates=3, by_replicate=each
    )


class Own(Records):
    """Each replicate with an interval as wide as its name says."""

    def own_intervals(self, estimate):
        half = NARROW if estimate.key.group == "kept" else WIDE
        return {
            name: OwnInterval(value, value - half, value + half, half / 2)
            for name, value in estimate.by_replicate.items()
        }


def row(group, values, low, high, twins, verdict="undecided"):
    whole = number(group, "stereotype_score@1", values, low, high)
    beside = number(group, "original_minus(neutral)@1", [sum(twins) / 2] * 3, *twins)
    parts = (Component("score", 52.0), Component("minus", 2.0, "control: neutral"))
    claim = Claim(f"pairs/zoo/x/{group}", f"{group} is preferred", "stereotypes.pairs@1", parts)
    finding = Finding(
        claim,
        whole,
        verdict,
        "this recipe",
        "it is so",
        evidence={"reference": whole.key, "control: neutral": beside.key},
        limits=tuple(Limits(ends, ends, 1, None, None, None) for ends in ((low, high), twins)),
    )
    return finding, (whole, beside)


def view_of(*rows, profile="language@1"):
    return RunView(
        RunFacts(
            "runs/x",
            subjects=("zoo:bert/seed-{seed}",),
            replicates=("1", "2", "3"),
            profile=profile,
        ),
        estimates=tuple(e for _, own in rows for e in own),
        findings=tuple(finding for finding, _ in rows),
        records=Own(),
    )


@pytest.fixture
def view():
    return view_of(
        row("turning", [45, 55, 57], 40, 65, (-5, 5)),
        row("open", [45, 50, 42], 30, 60, (-5, 5)),
        row("kept", [30, 31, 33], 20, 45, (-6, 4)),
    )


def test_the_interval_over_seeds_decides_whether_a_sign_is_clear(view):
    signs = signs_of(view)
    assert [(r.name, r.state, r.above, r.below) for r in signs.rows] == [
        ("kept", "clear", 0, 3),
        ("open", "not clear", 0, 2),
        ("turning", "disagree", 2, 1),
    ]
    said = {r.name: r.says for r in signs.rows}
    assert said == {
        "kept": "clear: below 50",
        "open": "2 of 3 below, not clear",
        "turning": "mixed, not clear",
    }
    assert signs.headline == "1 of 3 signs is clear over 3 seeds and all items: kept (below 50)."
    assert "In 1 more no two seeds disagree" in signs.counts
    assert "In 1 seeds lie on both sides." in signs.counts


def test_what_a_single_seed_would_have_shown_goes_by_its_own_interval(view):
    kept = next(r for r in signs_of(view).rows if r.name == "kept")
    assert [kept.marked(name) for name in SEEDS] == [-1, -1, -1]
    assert signs_of(view).counts.endswith("A single seed would have shown 1 as clear.")
    unlike = signs_of(view_of(row("kept", [30, 31, 49], 20, 45, (-6, 4))))
    assert unlike.counts.endswith("would have shown 0 to 1 as clear, and not the same ones.")
    none = signs_of(view_of(row("open", [45, 50, 42], 30, 60, (-5, 5))))
    assert none.counts.endswith("No single seed would have shown any as clear.")


def test_neutral_twins_that_do_the_same_are_told(view):
    signs = signs_of(view)
    assert "what does not differ from them may be due to the names" in signs.controls
    assert [r.caveat for r in signs.rows] == ["not shown beyond neutral twins", "", ""]
    beyond = signs_of(view_of(row("kept", [30, 31, 33], 20, 45, (-20, -4))))
    assert beyond.rows[0].says == "clear: below 50"
    assert (
        beyond.rows[0].against_twins == "\N{MINUS SIGN}12.0 [\N{MINUS SIGN}20.0, \N{MINUS SIGN}4.0]"
    )
    finding, estimates = row("kept", [30, 31, 33], 20, 45, (-20, -4))
    alone = replace(finding, evidence={"reference": estimates[0].key})
    assert "Neutral twins" not in signs_of(view_of((alone, estimates))).controls


def test_each_control_that_may_do_the_same_is_named():
    def caveat(low, high):
        finding, (whole, beside) = row("kept", [30, 31, 33], 20, 45, (-6, 4))
        apart = number("kept", "original_minus(untrained)@1", [(low + high) / 2] * 3, low, high)
        claim = replace(
            finding.claim,
            components=(*finding.claim.components, Component("u", 2.0, "control: untrained")),
        )
        found = replace(
            finding,
            claim=claim,
            evidence={**finding.evidence, "control: untrained": apart.key},
            limits=(*finding.limits, Limits((low, high), (low, high), 1, None, None, None)),
        )
        (made,) = signs_of(view_of((found, (whole, beside, apart)))).rows
        return made.caveat

    assert caveat(-30, 2) == "not shown beyond neutral twins and untrained networks"
    assert caveat(-30, -2) == "not shown beyond neutral twins"


def test_what_to_do_follows_the_claims_and_not_the_signs(view):
    told = signs_of(view).decision
    assert told.startswith("Nothing can be reported as a preference or an association")
    assert told.endswith("that does not show that there is none.")
    assert "A clear sign has to exceed its controls" in signs_of(view).controls
    held = signs_of(view_of(row("kept", [70, 72, 74], 60, 80, (5, 20), verdict="supported")))
    assert held.decision == "Report for this recipe: kept; nothing of the others."
    none = signs_of(view_of(row("open", [45, 50, 42], 30, 60, (-5, 5))))
    assert none.decision.endswith("that does not show that there is none.")
    assert none.headline == "None of 1 signs is clear over 3 seeds and all items."


def test_only_audits_of_language_with_several_seeds_have_signs(view):
    assert signs_of(replace(view, facts=replace(view.facts, profile="study@1"))) is None
    finding, (whole, beside) = row("kept", [30, 31, 33], 20, 45, (-6, 4))
    one = replace(whole, by_replicate={SEEDS[0]: 30.0})
    assert signs_of(view_of((replace(finding, estimate=one), (one, beside)))) is None


def test_the_page_draws_each_seed_with_its_interval(view):
    (panel,) = signs_of(view).panels
    first = panel.rows[0]
    assert len(first.each) == 3
    assert all(first.marked(name) for name in first.each)
    low, value, high = panel.axis.places(first.whole.ends)
    assert low < value < high < panel.axis.place(50)
    text = render_html(view)
    assert "<title>seed 1: 30 [26, 34]</title>" in text
    assert "1 of 3 signs is clear over 3 seeds and all items: kept (below 50)." in text
    assert len(re.findall(r'<line class="own"', text)) == 9
    assert 'class="fronted"' in text  # the rest is folded


def test_a_terminal_marks_each_seed_and_says_how_to_go_on(view, capsys):
    write_first_screen(view)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    marked = next(line for line in lines if line.startswith("kept"))
    assert marked.split()[1] == "\N{BLACK DOWN-POINTING TRIANGLE}" * 3
    mixed = next(line for line in lines if line.startswith("turning"))
    down, up = "\N{WHITE DOWN-POINTING TRIANGLE}", "\N{WHITE UP-POINTING TRIANGLE}"
    assert mixed.split()[1] == down + up + up
    tied = next(line for line in lines if line.startswith("open"))
    assert tied.split()[1] == f"{down}={down}"
    assert lines[-1] == "page: scrutiny report runs/x -o report.html"


def test_a_comment_begins_with_the_signs(view):
    lines = render_markdown(view).splitlines()
    assert lines[0] == "**1 of 3 signs is clear over 3 seeds and all items: kept (below 50).**"
    row = next(line for line in lines if line.startswith("| kept |"))
    below = "\N{MINUS SIGN}1.0 [\N{MINUS SIGN}6.0, +4.0]"
    told = f"{below}; not shown beyond neutral twins"
    assert row.endswith(f"| 0 above, 3 below | {told} | clear: below 50 |")


def test_a_notebook_shows_the_signs_too(view):
    said = html.unescape(render_snippet(view))
    signs = signs_of(view)
    for sentence in (signs.headline, signs.decision, signs.counts, signs.controls):
        assert sentence in said
    for row in signs.rows:
        assert f"<td>{row.name}</td>" in said
        assert f"<td>{row.says}</td>" in said
    cut = render_snippet(view, most_rows=1)
    assert "and 2 more" in cut
    assert "<td>turning</td>" not in cut
