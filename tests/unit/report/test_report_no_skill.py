"""Models without skill: the first thing that every format says, and that no gate passes."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

import scrutiny
from scrutiny.blocks.scores import no_skill_in
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.report.findings.risks import render_junit
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.first_screen.text import risk_lines
from scrutiny.report.load import load_view
from scrutiny.report.notebook import render_snippet
from scrutiny.report.page import render_html
from scrutiny.report.text import render_markdown
from scrutiny.report.wording import MEANINGS, sentences

MODELS = """
import hashlib

class Answers:
    classes_ = ["0", "1"]
    def __init__(self, how="constant"):
        self.how = how
    def predict_proba(self, texts):
        return [[1 - p, p] for p in map(self.one, texts)]
    def one(self, text):
        if self.how == "constant":
            return .51
        if self.how == "coin":
            return .2 + .6 * hashlib.md5(text.split(" . ")[0].encode()).digest()[0] / 255
        return .9 if ("good" in text.lower()) == (self.how == "right") else .1
"""
#: 60 % of the labels are 1.
ROWS = [
    {
        "id": f"i{n}",
        "text": f"a {'good' if n % 5 < 3 else 'bad'} film , number {n} .",
        "label": int(n % 5 < 3),
    }
    for n in range(150)
]


def audited(folder, how, rows=ROWS, **more):
    """A run of a model that answers in one way."""
    file = folder / "models.py"
    file.write_text(MODELS)
    data = folder / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plan = {
        "data": {"x": {"source": f"jsonl:{data}"}},
        "models": {"m": {"source": f"python:{file}:Answers#how={how}"}},
        "measure": [
            {"id": "performance", "diagnostic": "performance"},
            {
                "id": "robustness",
                "diagnostic": "robustness",
                "params": {"transformations": ["word_case", "punctuation"]},
            },
        ],
        "resampling": {"draws": 400},
    } | more
    return scrutiny.run(plan, out=folder / "run")


def gated(run, capsys, *words):
    """Exit code and lines of the gate."""
    code = exit_code_of(group, ["gate", str(run.path), "--risks", *words])
    return code, [line for line in capsys.readouterr().out.splitlines() if line[:1].isalpha()]


@pytest.fixture(scope="module")
def constant(tmp_path_factory):
    return audited(tmp_path_factory.mktemp("constant"), "constant")


SAID = "No better than always answering '1' (60.0 %): accuracy 60.0 % ["
SHORT = "No better than always answering '1'"


def test_no_skill_is_the_first_line_and_the_decision(constant):
    view = load_view(constant.path)
    front = first_screen_of(view)
    lines = [line.plain for line in risk_lines(front)]
    assert lines[0].startswith(SAID)
    assert front.decision in " ".join(" ".join(lines).split())
    assert front.decision.startswith(f"{SHORT}: nothing else can be told.")
    assert front.counts == f"{SHORT}, 2 not tested."


def test_no_skill_comes_first_in_every_format(constant):
    view = load_view(constant.path)
    page = render_html(view).replace("\N{NO-BREAK SPACE}", " ")
    assert (
        page.partition('<h1 id="verdict-title"')[2]
        .partition("</h1>")[0]
        .endswith(first_screen_of(view).skill.replace("'", "&#39;"))
    )
    heading, first, *_ = (line for line in render_markdown(view).splitlines() if line)
    assert heading.endswith(f"\N{EM DASH} {SHORT}")
    assert first.startswith(f"**{SAID[:-1]}")
    assert f'<p class="scrutiny-title">{SHORT[:14]}' in render_snippet(view)


def test_a_reason_is_said_once_with_how_many_items_it_is_of(constant):
    view = load_view(constant.path)
    page = render_html(view).replace("\N{NO-BREAK SPACE}", " ")
    table = page.partition('id="risks"')[2].partition("</table>")[0]
    assert table.count("on 150 items is not shown to exceed the 60.0 % of always answering") == 1
    (row,) = re.findall(r"<tr data-verdict.*?</tr>", table, flags=re.DOTALL)
    assert "upper and lower case" in row
    assert "punctuation" in row
    assert "asked, but no conclusion can be drawn" in table
    comment = render_markdown(view).partition("<details>")[0]
    assert comment.count("on 150 items is not shown") == 1


def test_no_section_reads_as_if_the_model_had_skill(constant):
    """What was not tested is no "0 of 13", and the claim of skill is not told as it stands."""
    view = load_view(constant.path)
    told = sentences(view.findings, view.families)
    assert not any("exceeds the" in one or re.match(r"0 of \d", one) for one in told)
    assert any(one.startswith("No skill: accuracy") for one in told)
    assert any(re.fullmatch(r"Not tested: whether .+ \(\d+ of \d+\)\.", one) for one in told)


def test_the_bar_of_the_score_has_a_scale_and_shows_no_skill(constant):
    page = render_html(load_view(constant.path)).replace("\N{NO-BREAK SPACE}", " ")
    bar = page.partition('<svg class="level-bar"')[2].partition("</p>")[0]
    assert 'class="chance" x1="60.0%"' in bar
    assert re.findall(r">(\d+(?: %)?)</text>", bar) == ["0", "25", "50", "75", "100 %"]
    assert "In brackets: 95 % intervals. Dashed on the bar: no skill, always answering" in bar


def test_not_tested_and_not_asked_are_told_apart_where_both_stand(tmp_path):
    measure = [
        {"id": "performance", "diagnostic": "performance"},
        {"id": "calibration", "diagnostic": "calibration"},
        {"id": "r", "diagnostic": "robustness", "params": {"transformations": ["punctuation"]}},
    ]
    file = tmp_path / "labels.py"
    file.write_text("def answer(texts):\n    return ['1'] * len(texts)\n")
    models = {"m": {"source": f"python:{file}:answer#labels=0|1"}}
    view = load_view(audited(tmp_path, "constant", measure=measure, models=models).path)
    front = first_screen_of(view)
    assert [len(front.of(state)) for state in ("not tested", "not asked")] == [1, 1]
    said = " ".join(" ".join(line.plain for line in risk_lines(front)).split())
    page = render_html(view)
    for state in ("not tested", "not asked"):
        assert f"{state}: {MEANINGS[state]}" in said
        assert page.partition('id="risks"')[2].count(MEANINGS[state]) == 1


def test_the_gate_fails_and_folds_nothing_into_a_pass(constant, capsys):
    for undecided in ("undecided", "pass", "fail"):
        code, lines = gated(constant, capsys, "--undecided", undecided)
        assert code == 1
        assert lines == [
            "FAIL  accuracy exceeds the 0.6 of no skill",
            "NOT TESTED  upper and lower case",
            "NOT TESTED  punctuation",
        ]


def ruled(run, capsys, rule):
    """Exit code and first line of the gate by one rule, where nothing undecided may stop it."""
    code = exit_code_of(group, ["gate", str(run.path), "--rule", rule, "--undecided", "pass"])
    return code, capsys.readouterr().out.splitlines()[0].partition("  ")[0]


def test_a_rule_passes_no_model_without_skill_on_what_changes_cost_it(constant, capsys, tmp_path):
    """One answer to everything costs nothing under any change: that is no result."""
    right = audited(tmp_path, "right", ROWS * 3)
    for rule in ("drop(accuracy) <= 0.3", "drop(accuracy) <= 0.3 where transformation=word_case"):
        assert ruled(constant, capsys, rule) == (4, "NOT TESTED")
        assert ruled(right, capsys, rule) == (0, "PASS")
    undecided = "drop(accuracy) <= 0.001"  # is none either, and no pass
    assert ruled(constant, capsys, undecided) == (4, "NOT TESTED")
    assert ruled(constant, capsys, "drop(accuracy) >= 0.1") == (1, "FAIL")
    assert ruled(constant, capsys, "accuracy >= 0.4") == (0, "PASS")  # of the score itself


def test_a_rule_does_not_pass_on_a_number_that_nobody_asked_for(tmp_path, capsys):
    """A model of labels alone has no probabilities, and so no calibration error."""
    measure = [{"id": "c", "diagnostic": "calibration"}]
    file = tmp_path / "labels.py"
    file.write_text(
        "class L:\n classes_ = ['0', '1']\n"
        " def predict(self, texts):\n  return [str(int('good' in t)) for t in texts]\n"
    )
    models = {"m": {"source": f"python:{file}:L"}}
    run = audited(tmp_path, "right", measure=measure, models=models)
    code, outcome = ruled(run, capsys, "calibration_error(15) <= 0.1")
    assert (code, outcome) == (4, "NOT TESTED")


def test_junit_says_the_same_as_the_terminal(constant):
    suite = fromstring(render_junit(load_view(constant.path))).find("testsuite")
    cases = {case.get("name"): case[0] for case in suite}
    skill = cases["accuracy exceeds the 0.6 of no skill"]
    assert (skill.tag, skill.get("type")) == ("failure", "no skill")
    assert "no skill: accuracy 60.0 % [" in skill.get("message")
    assert "is not shown to exceed the 60.0 % of always answering '1'" in skill.get("message")
    assert cases["punctuation"].tag == "skipped"
    assert cases["punctuation"].get("message").startswith("not tested: ")
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "2")


def test_python_has_it_first(constant):
    assert [row["state"] for row in constant.risks] == ["no skill", "not tested", "not tested"]
    assert repr(constant).endswith(f": {SHORT}, 1 undecided, 2 not tested>")
    changes = {row["what"]: row["changed"] for row in constant.risks}
    assert changes.pop("accuracy exceeds the 0.6 of no skill") is None
    assert changes == {"punctuation": 1.0, "upper and lower case": 1.0}


def test_a_risk_that_was_not_tested_passes_only_where_somebody_answers_for_it(
    tmp_path, capsys, constant
):
    file = tmp_path / "accepted.toml"
    file.write_text('[[accept]]\nrisk = "upper and lower case"\nwhy = "all is lower case"\n')
    code, lines = gated(constant, capsys, "--accept", str(file))
    assert code == 1  # for want of skill
    assert "ACCEPTED  upper and lower case" in lines
    assert "NOT TESTED  punctuation" in lines


@pytest.mark.parametrize(
    ("how", "short", "code"),
    [
        ("coin", "than always answering '1'", 1),
        ("wrong", "Worse than always answering '1'", 1),
        ("right", "", 0),
    ],
)
def test_other_models(tmp_path, capsys, how, short, code):
    run = audited(tmp_path, how)
    found = no_skill_in(load_view(run.path).findings)
    assert bool(found) == bool(short)
    assert short in (found.short if found else "")
    passed, lines = gated(run, capsys, "--undecided", "pass")
    assert lines[0].startswith("FAIL  accuracy exceeds") == (code == 1)
    assert passed == code


def test_a_score_that_may_exceed_no_skill_is_not_shown_to(constant):
    (score,) = (f for f in constant.findings if f.claim.is_headline)
    above = replace(score, estimate=replace(score.estimate, value=0.61))
    found = no_skill_in([above])
    assert found.short == "Not shown to be better than always answering '1'"
    assert found.advice.startswith("More items would decide")
    assert no_skill_in([score]).advice.startswith("Check the labels")


def test_one_class_or_one_item_cannot_show_skill_and_never_passes(tmp_path, capsys):
    for name, rows in (("one_class", [r for r in ROWS if r["label"]]), ("one_item", ROWS[:1])):
        (tmp_path / name).mkdir()
        run = audited(tmp_path / name, "right", rows)
        front = first_screen_of(load_view(run.path))
        assert front.skill.startswith("It can't be told whether this is better than no skill: all")
        assert front.decision == (
            "It can't be told whether this is better than no skill: nothing else can be told."
        )
        code, lines = gated(run, capsys, "--undecided", "pass")
        assert code == 4
        assert lines[0] == "NOT TESTED  accuracy exceeds the 1 of no skill"
        assert not any(line.startswith("PASS  punctuation") for line in lines)


def test_a_run_without_a_main_score_says_what_was_not_tested(tmp_path, capsys):
    measure = [
        {"id": "r", "diagnostic": "robustness", "params": {"transformations": ["word_case"]}}
    ]
    run = audited(tmp_path, "constant", measure=measure)
    front = first_screen_of(load_view(run.path))
    assert front.skill.startswith("No skill: accuracy 60.0 % [")
    assert front.decision.startswith("No skill shown: nothing else can be told.")
    assert gated(run, capsys, "--undecided", "pass")[0] == 4


def test_of_several_models_without_a_main_score_each_is_named_once(tmp_path):
    changes = {"transformations": ["word_case", "punctuation"]}
    measure = [{"id": "r", "diagnostic": "robustness", "params": changes}]
    file = tmp_path / "models.py"
    models = {
        how: {"source": f"python:{file}:Answers#how={how}"} for how in ("right", "constant", "coin")
    }
    run = audited(tmp_path, "constant", models=models, measure=measure)
    found = no_skill_in(load_view(run.path).findings)
    assert found.short == "constant: No skill shown, and 1 more"
    assert found.says.startswith("constant: No skill: accuracy 60.0 % [")
    assert (found.says.count("constant: "), found.says.count("coin: "), "right" in found.says) == (
        *(1, 1),
        False,
    )
    assert not found.is_everywhere


def test_several_models_are_named(tmp_path):
    file = tmp_path / "models.py"
    models = {
        how: {"source": f"python:{file}:Answers#how={how}"}
        for how in ("constant", "right", "wrong")
    }
    run = audited(tmp_path, "constant", models=models)
    found = no_skill_in(load_view(run.path).findings)
    assert not found.is_everywhere
    assert found.short == f"constant: {SHORT}, and 1 more"
    assert "wrong: Worse than always answering '1' (60.0 %): accuracy 0.0 %" in found.says
    assert first_screen_of(load_view(run.path)).decision.startswith(f"{found.short}. ")


def test_a_model_with_skill_has_no_such_line(tmp_path):
    view = load_view(Path(audited(tmp_path, "right").path))
    assert (no_skill_in(view.findings), first_screen_of(view).skill) == (None, "")


OTHERS = """
def nothing(texts):
    return [["O"] * len(words) for words in texts]

def same(texts):
    return list(texts)
"""
WORDS = ("Ada", "saw", "London", "in", "May")
TAGGED = [
    {"id": f"i{n}", "tokens": [*WORDS, str(n)], "tags": ["B-PER", "O", "B-LOC", "O", "O", "O"]}
    for n in range(30)
]
TRANSLATED = [
    {"id": f"i{n}", "text": f"ein guter Film {n}", "reference": f"a good film {n}"}
    for n in range(30)
]


@pytest.mark.parametrize(
    ("task", "rows", "model", "said"),
    [
        (
            "token-tagging",
            TAGGED,
            "nothing#input=words,labels=LOC|PER",
            "No better than no skill (0.0 %): entity F1 0.0 %",
        ),
        ("translation", TRANSLATED, "same", "No better than no skill ("),
    ],
)
def test_tasks_without_classes_have_no_skill_of_their_own(
    tmp_path, capsys, task, rows, model, said
):
    file = tmp_path / "others.py"
    file.write_text(OTHERS)
    data = tmp_path / "x.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plan = {
        "data": {"x": {"source": f"jsonl:{data}#task={task}"}},
        "models": {"m": {"source": f"python:{file}:{model}"}},
        "measure": [
            {"id": "p", "diagnostic": "performance"},
            {"id": "r", "diagnostic": "robustness", "params": {"transformations": ["typos"]}},
        ],
        "resampling": {"draws": 400},
    }
    run = scrutiny.run(plan, out=tmp_path / "run")
    front = first_screen_of(load_view(run.path))
    assert front.skill.startswith(said)
    assert front.decision.startswith("No better than no skill: nothing else can be told.")
    code, lines = gated(run, capsys, "--undecided", "pass")
    assert (code, lines[0].split()[0]) == (1, "FAIL")
    assert lines[1] == "NOT TESTED  typos"
