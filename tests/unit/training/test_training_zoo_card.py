"""The card says what the competence record says, once, with what falls short."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "tools" / "zoo"))

from card import with_competence, write_on_card


def number(value, low, high, n=360):
    return {"value": value, "low": low, "high": high, "n": n}


def record(agreement=0.7, **gates):
    return {
        "masked_accuracy": number(0.2304, 0.225, 0.2361),
        "likelihood": {
            "pseudo_perplexity": number(77.96, 73.2, 82.9),
            "fivegram_perplexity": {"value": 140.8},
            "unigram_perplexity": {"value": 1091.2},
        },
        "next_sentence": {"accuracy": number(0.586, 0.551, 0.619)},
        "agreement": {"accuracy": number(agreement, 0.6, 0.75)},
        "gates": {"fivegram": True, "agreement": True, **gates},
    }


def test_every_number_stands_with_its_interval_and_what_it_is_held_against():
    card = with_competence("# A model\n", record())
    assert card.startswith("# A model\n\n## What it can do\n\n| on held-out text |")
    assert "| masked accuracy | 0.230 [0.225, 0.236] |" in card
    assert "| pseudo-perplexity | 78 [73, 83] | 141 by a 5-gram, 1,091 by the unigram |" in card
    assert "| agreement, 360 minimal pairs | 0.700 [0.600, 0.750] | 0.5 by chance |" in card
    assert card.endswith("Above all gates.\n")


def test_what_falls_short_is_said():
    card = with_competence("# A model\n", record(0.614, fivegram=False))
    assert "Below the gates fivegram: scrutiny refuses" in card
    assert "does not reach 65%" in card


def test_a_second_writing_replaces_the_first(tmp_path):
    (tmp_path / "README.md").write_text("# A model\n\ntext\n")
    write_on_card(tmp_path, record(0.614))
    write_on_card(tmp_path, record(0.7))
    card = (tmp_path / "README.md").read_text()
    assert card.count("## What it can do") == 1
    assert "65%" not in card
    assert card.startswith("# A model\n\ntext\n\n## What")


def goals(low):
    gain = {"value": low + 0.01, "low": low, "high": low + 0.02, "is_reached": low > 0}
    return {
        "larger_above_smaller": {"over_seeds": gain, "is_reached": gain["is_reached"]},
        "student_above_smaller": gain,
    }


def test_goals_reached_and_missed_are_said():
    reached = with_competence("# A model\n", record(), goals(0.002))
    assert "- four layers over two, five seeds: +0.012 [+0.002, +0.022].\n" in reached
    assert "missed" not in reached
    missed = with_competence("# A model\n", record(), goals(-0.002))
    assert "+0.008 [-0.002, +0.018]; the goal was more than zero, and is missed" in missed
    assert missed.count("is missed") == 2
    assert with_competence(missed, record()) == with_competence("# A model\n", record())
