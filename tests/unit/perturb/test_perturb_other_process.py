"""What a process under another seed of hashes makes: the same changes, searches and attacks."""

import json
import subprocess
import sys
from importlib.util import find_spec
from os import environ
from pathlib import Path

import pytest

from scrutiny.core.example import Example
from scrutiny.perturb.characters.typos import Typos
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.search import Search, Space, Victim
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.methods.populations import Genetic, ParticleSwarm
from scrutiny.perturb.search.running import search_all
from scrutiny.perturb.words.synonyms import SynonymWordnet
from scrutiny.testing.toy_models import KeywordClassifier

SCRIPT = """
import sys, json
sys.path.insert(0, sys.argv[1])
sys.modules["torch"] = None  # spaCy would load it, and nothing here needs it
from test_perturb_other_process import found
print(json.dumps(found()))
"""
TEXTS = ("He never said that the old dogs like John's good houses.", "Anna and Peter met in Paris.")
ATTACKS = ("deepwordbug", "pwws", "textfooler", "alzantot", "pso", "checklist")


def asked_by(method):
    """Texts that a search asks a model about, in their order."""
    model = KeywordClassifier(("good", "film"), ("bad",))
    item = Example("1", {"text": "A good film and a happy story about big dogs"}, gold="positive")
    asked = []

    def ask(examples):
        asked.extend(example.text for example in examples)
        return model.predict(examples)

    search = Search(Space.of(SynonymWordnet(), Typos(), most=4), Untargeted(), method)
    list(search_all([item], search, victim=Victim(ask, model.labels)))
    return asked


def found():
    """What each test below compares, by its name."""
    from test_perturb_conformance import NAMES as CHANGES
    from test_perturb_conformance import STAND_INS, digest
    from test_perturb_upstream_defects import attacked

    made = {
        "changes": digest(),
        "texts": [
            str(perturb(Example("1", {"text": one}), name, seed=seed, resources=STAND_INS).edits)
            for name in CHANGES
            for one in TEXTS
            for seed in range(4)
        ],
        "searches": [asked_by(method) for method in (Genetic(6, 3), ParticleSwarm(4, 2))],
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


@pytest.mark.parametrize("what", ["changes", "texts", "questions", "searches", "attacks"])
def test_another_process_makes_the_same(both, what):
    """Toolkits give other texts, and attacks, under another seed of hashes."""
    if what == "questions":
        pytest.importorskip("spacy")
    other, own = both
    assert own[what]
    assert other[what] == own[what]
