"""What a process under another seed of hashes makes: the same changes, and the same attacks."""

import json
import subprocess
import sys
from importlib.util import find_spec
from os import environ
from pathlib import Path

import pytest

SCRIPT = """
import sys, json
sys.path.insert(0, sys.argv[1])
from test_perturb_other_process import found
print(json.dumps(found()))
"""
ATTACKS = ("deepwordbug", "pwws", "textfooler", "alzantot", "pso", "checklist")


def found():
    """What each test below compares, by its name."""
    from test_perturb_conformance import digest
    from test_perturb_upstream_defects import attacked

    made = {
        "changes": digest(),
        "attacks": [str(attacked(name, budget=60)[1]) for name in ATTACKS],
    }
    if find_spec("spacy"):
        from test_perturb_questions import NAMES, asked

        made["questions"] = [[edit[1:4] for edit in asked(name)[0].edits] for name in NAMES]
    return made


@pytest.fixture(scope="module")
def both():
    """Of a process under another seed of hashes, and of this one."""
    seed = "7" if environ.get("PYTHONHASHSEED") != "7" else "8"
    other = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(Path(__file__).parent)],
        env={**environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(other.stdout), json.loads(json.dumps(found()))


@pytest.mark.parametrize("what", ["changes", "questions", "attacks"])
def test_another_process_makes_the_same(both, what):
    """Toolkits give other texts, and attacks, under another seed of hashes."""
    if what == "questions":
        pytest.importorskip("spacy")
    other, own = both
    assert own[what]
    assert other[what] == own[what]
