"""``scrutiny report RUN --cases``: cases of one change, broken and fixed apart."""

from scrutiny.report.cases.shown import MOST_CASES, MOST_OF_SUITE, cases_lines

ROW = {
    "item": "r1",
    "before": "A fine film.",
    "after": "A fien film.",
    "said_before": "positive",
    "said_after": "negative",
    "label": "positive",
    "edits": "fine → fien",
    "replicate": "",
    "replicates": 5,
    "flipped": 4,
    "broken": 4,
    "mended": 0,
}
MENDED = {**ROW, "item": "r2", "label": "negative", "broken": 0, "mended": 4}
UNTOUCHED = {**ROW, "item": "r3", "flipped": 0, "broken": 0}


def lines(*rows):
    return [line.plain for line in cases_lines("typos", rows)]


def test_broken_and_fixed_stand_apart_with_their_counts():
    said = lines(ROW, MENDED, UNTOUCHED)
    assert said[0] == "typos: 2 of 3 texts changed an answer; 1 broken, 1 fixed."
    places = [said.index("broken (1 of 1)"), said.index("fixed (1 of 1)")]
    assert places == sorted(places)
    assert not any("r3" in line for line in said)


def test_a_change_without_cases_says_why():
    (said,) = [" ".join(lines())]
    assert said.startswith("typos: no cases. It changed no text of these data")
    assert "0 of 0" not in said


def test_a_case_says_both_texts_both_answers_and_what_is_right():
    said = "\n".join(lines(ROW))
    assert "- A fine film.  [positive]".replace("  ", " ") in said
    assert "+ A fien film. [negative]" in said
    assert "right is positive, answer changed in 4 of 5 models; text: fine → fien" in said


def test_of_many_cases_the_first_are_shown_within_80_columns():
    many = [{**ROW, "before": "long words " * 40, "item": f"i{n}"} for n in range(90)]
    said = lines(*many)
    assert sum(line.startswith("  - ") for line in said) == MOST_CASES
    assert max(map(len, said)) <= 80


def test_gold_answers_that_nobody_judges_are_neither():
    said = lines({**ROW, "broken": None, "mended": None})
    assert "changed (1 of 1)" in said


def test_of_a_long_text_the_part_around_the_first_change_is_shown():
    before = "kept " * 400 + "old " + "behind " * 400
    edits = "; ".join(f"old{n} → new{n}" for n in range(200))
    long = {**ROW, "before": before, "after": before.replace("old", "new"), "edits": edits}
    said = " ".join(line.strip() for line in lines(long))
    assert said.count("…kept kept") == 2  # neither from its beginning
    assert "kept old behind" in said
    assert "kept new behind" in said
    assert "…  [positive]".replace("  ", " ") in said
    assert len(said) < 3 * 900


def test_attacks_are_counted_by_items_and_by_models():
    fooled = {**ROW, "replicate": "seed-1", "replicates": 1, "flipped": 1, "broken": 1}
    rows = [fooled, {**fooled, "replicate": "seed-2"}, {**fooled, "item": "r9", "flipped": 0}]
    said = " ".join(lines(*rows))
    assert "typos: 2 of 3 texts changed an answer (of 1 of 2 items, each in its models)" in said


def test_cases_of_an_attack_on_one_model_are_counted_once():
    said = lines({**ROW, "replicate": "single model", "replicates": 1})
    assert said[0] == "typos: 1 of 1 texts changed an answer; 1 broken, 0 fixed."


SUITE = {**ROW, "case": "c1", "outcome": "failed", "edits": "", "label": "not 1", "said_after": "1"}


def test_each_case_of_a_suite_is_failed_passed_or_without_an_answer():
    passed = {**SUITE, "case": "c2", "outcome": "passed", "said_after": "0"}
    mute = {**SUITE, "case": "c3", "outcome": "no answer", "said_after": "(no answer)"}
    once = {**SUITE, "outcome": "passed"}
    changed = {**passed, "case": "c4", "edits": "fine \u2192 fien", "said_before": "1"}
    said = lines(passed, mute, SUITE, once, changed)
    assert said[0] == "'typos': 1 of 4 cases failed, 1 without an answer."
    assert [
        line.split()[1] for line in said if line[2:3] in "\u25cf\u25cb\u2713" and line[2:3]
    ] == ["failed", "no", "passed", "passed"]
    together = " ".join(" ".join(said).split())
    assert "answered 1; expected not 1; in 1 of 2 models" in together
    assert "c3 A fien film. expected not 1" in together
    assert "changed: fine \u2192 fien; before: 1" in together


def test_of_many_cases_of_a_suite_those_that_failed_come_first():
    many = [{**SUITE, "case": f"c{n}", "outcome": "passed"} for n in range(90)]
    said = lines(*many, {**SUITE, "case": "late"})
    assert "late" in said[1]
    assert said[-1].startswith(f"{91 - MOST_OF_SUITE} more: scrutiny.load(RUN)")
    assert all(len(line) <= 80 for line in said)
