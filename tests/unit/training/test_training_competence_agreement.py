import json
import re
import runpy
from collections import Counter
from pathlib import Path

import pytest

from scrutiny.training.competence.masked import read_pairs

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def pairs():
    return read_pairs()


def differing(pair):
    good, bad = pair.good.split(), pair.bad.split()
    assert len(good) == len(bad)
    return [(a, b) for a, b in zip(good, bad, strict=True) if a != b]


def test_there_are_enough_of_several_kinds(pairs):
    assert len(pairs) >= 200
    assert len({pair.id for pair in pairs}) == len(pairs) == len({pair.good for pair in pairs})
    kinds = Counter(pair.construction for pair in pairs)
    assert len(kinds) == 8
    assert min(kinds.values()) >= 30
    assert len({pair.frame for pair in pairs}) >= 20  # clusters


def test_sentences_differ_in_one_word(pairs):
    assert all(len(differing(pair)) == 1 for pair in pairs)


def test_preferring_one_form_is_right_half_of_the_time(pairs):
    by_frame = {}
    for pair in pairs:
        [(good, bad)] = differing(pair)
        by_frame.setdefault((pair.frame, *sorted((good, bad))), []).append((good, pair.number))
    assert len(by_frame) == len({pair.frame for pair in pairs})
    for found in by_frame.values():
        counts = Counter(found)
        assert len(counts) == 2  # one form for the singular, the other for the plural
        assert len(set(counts.values())) == 1


def test_agreeing_with_the_nearest_noun_is_wrong_with_an_attractor(pairs):
    plurals = {"men", "women", "children", "gentlemen"}
    for pair in pairs:
        if pair.construction == "prepositional":
            words = re.findall(r"[a-z]+", pair.good.lower())
            [(good, _)] = differing(pair)
            near = words[words.index(good) - 1]
            is_plural = near in plurals or near.endswith("s")
            assert is_plural == (pair.number == "singular"), pair.good


def test_the_kept_script_writes_the_sample(pairs):
    made = runpy.run_path(str(ROOT / "tools" / "zoo" / "agreement_pairs.py"))["pairs"]()
    shown = [
        {f: getattr(p, f) for f in ("id", "construction", "frame", "number", "good", "bad")}
        for p in pairs
    ]
    assert json.dumps(list(made)) == json.dumps(shown)


def test_agreeing_with_the_nearest_noun_is_right_half_of_the_time(pairs):
    kinds = Counter(pair.construction for pair in pairs)
    for name in ("prepositional", "relative"):
        assert kinds[f"{name}_same"] == kinds[f"{name}_other"]
    # each noun of a frame stands in both numbers, whatever stands between
    for half in ("prepositional_other", "relative_same"):
        numbers = Counter(pair.number for pair in pairs if pair.construction == half)
        assert numbers["singular"] == numbers["plural"]
