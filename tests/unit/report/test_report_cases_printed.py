"""``scrutiny report RUN --cases``: cases of one change, broken and mended apart."""

from scrutiny.report.terminal.cases import MOST_CASES, cases_lines

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


def test_broken_and_mended_stand_apart_with_their_counts():
    said = lines(ROW, MENDED, UNTOUCHED)
    assert said[0] == "typos: 2 of 3 texts changed an answer; 1 broken, 1 mended."
    places = [said.index("broken (1 of 1)"), said.index("mended (1 of 1)")]
    assert places == sorted(places)
    assert not any("r3" in line for line in said)


def test_a_case_says_both_texts_both_answers_and_what_is_right():
    said = "\n".join(lines(ROW))
    assert "- A fine film.  [positive]".replace("  ", " ") in said
    assert "+ A fien film. [negative]" in said
    assert "right is positive, answer changed in 4 of 5 models: fine → fien" in said


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
