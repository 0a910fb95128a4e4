"""Counts in README and docs are those of the registry."""

import re
from pathlib import Path

import pytest

from scrutiny.core.registry import registry
from scrutiny.tasks.tasks import load_task
from scrutiny.text.numbers import parse_number

ROOT = Path(__file__).parents[2]


def count(kind: str) -> int:
    """Number of names of a kind."""
    return len(registry().names(kind))


def stated(word: str) -> int:
    """Number of a word or of digits."""
    return int(word) if word.isdigit() else int(parse_number(word).value)


TRANSFORMATIONS = [
    registry().load("transformation", name) for name in registry().names("transformation")
]
ALL, ATTACKS = len(TRANSFORMATIONS), count("attack")
#: What an audit applies; the others are edits that a search chooses among.
OURS = sum(not one.is_for_search for one in TRANSFORMATIONS)
CHINESE = sum(one.languages == {"zh"} for one in TRANSFORMATIONS)
TASKS = [load_task(name) for name in registry().names("task")]
#: Tasks with columns or answers of their own: two ways of comparing the same answers are one.
SCORED = len(
    {
        (task.answer_type.name, *(role.name for role in task.roles))
        for task in TASKS
        if task.scored_by is not None
    }
)
STATED = [
    ("docs/audit.md", r"knows ([\w-]+) transformations of\s+English", OURS),
    ("docs/audit.md", r"the other ([\w-]+) are edits", ALL - OURS),
    ("docs/attacks.md", r"([\w-]+) published attacks on one search engine", ATTACKS),
    ("docs/peers.md", r"\| attack recipes \| (\d+),", ATTACKS),
    ("docs/peers.md", r"\| transformations \| (\d+),", ALL),
    ("docs/peers.md", r"\| transformations \| \d+, (\w+) of them Chinese", CHINESE),
    ("docs/peers.md", r"\| tasks a model is scored on \| (\d+) ", SCORED),
]


@pytest.mark.parametrize(("page", "pattern", "number"), STATED)
def test_a_count_is_that_of_the_registry(page: str, pattern: str, number: int) -> None:
    found = re.findall(pattern, (ROOT / page).read_text(encoding="utf-8"))
    assert [stated(word) for word in found] == [number], (
        f"{page}: where it says {pattern!r}, the number is {number}"
    )


COUNTED = {
    "transformations": {ALL, OURS, ALL - OURS},
    "published attacks": {ATTACKS},
    "attacks": {ATTACKS},
    "constraints": {count("constraint")},
    "diagnostics": {count("diagnostic")},
    "statistics": {count("statistic")},
    "readers": {count("reader")},
}
_NUMBER = r"([0-9]{2,3}|[a-z]+teen|eleven|twelve|(?:twen|thir|for|fif)ty(?:-[a-z]+)?)"


@pytest.mark.parametrize("page", ["README.md", *sorted(p.name for p in ROOT.glob("docs/*.md"))])
def test_no_page_states_another_count(page: str) -> None:
    """Numbers from ten on before these nouns speak of all of them; peers.md is of other tools."""
    path = ROOT / page if page == "README.md" else ROOT / "docs" / page
    text = path.read_text(encoding="utf-8") if page != "peers.md" else ""
    for noun, numbers in COUNTED.items():
        for word in re.findall(rf"\b{_NUMBER} {noun}\b", text, re.IGNORECASE):
            assert stated(word.lower()) in numbers, (page, word, noun)
