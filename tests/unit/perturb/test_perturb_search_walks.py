"""Walks through the texts that edits of searches reach: every step holds on the base as well."""

import numpy as np
import pytest

from scrutiny.core.example import Example, Span
from scrutiny.core.registry import registry
from scrutiny.perturb.resources.capabilities import Guess
from scrutiny.perturb.resources.word_vectors import WordVectors
from scrutiny.perturb.search.moves import Changeable, Origin
from scrutiny.perturb.search.space import Space
from scrutiny.perturb.search.state import State
from scrutiny.text.edits import apply_edits, apply_to_text

SEARCHED = [
    name
    for name in registry().names("transformation")
    if getattr(registry().load("transformation", name), "is_for_search", False)
]
ENGLISH = "Anna's old friend saw two good films in Paris, didn't she? (Really  good!)"
CHINESE = "我们未来 在这里看电影，好吗？"
WORDS = "good film fine friend".split()


class Speaker:
    """Proposes the same words everywhere, and reads every character alike."""

    def guess(self, queries, *, top, script="latin"):
        words = "好坏" if script == "han" else WORDS
        return [tuple(Guess(word, 0.2) for word in words)[:top] for _ in queries]

    rewrite = guess

    def readings(self, char):
        return ("a1",)


def resources():
    rng = np.random.default_rng(0)
    vectors = WordVectors(WORDS, rng.normal(size=(len(WORDS), 3)).astype(np.float32))
    return {"masked_lm": Speaker(), "vectors": vectors, "pinyin": Speaker()}


def example(name):
    is_chinese = registry().load("transformation", name).languages == frozenset({"zh"})
    if is_chinese:
        return Example("1", {"text": CHINESE}, language="zh")
    start = ENGLISH.index("Paris")
    return Example("1", {"text": ENGLISH}, gold=(Span("text", start, start + 5, "LOC"),))


@pytest.mark.parametrize("is_once", [True, False])
@pytest.mark.parametrize("name", SEARCHED)
def test_steps_after_steps_are_edits_of_the_base(name, is_once):
    base = example(name)
    transformation = registry().load("transformation", name)()
    space = Space.of(transformation, may_change=Changeable(is_once=is_once))
    origin = Origin(base, resources=resources())
    reached = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        state = State.start(origin)
        for _ in range(5):
            places = space.places(state)
            if not places:
                break
            place = places[int(rng.random() * len(places))]
            found = space.candidates(state, place)
            if not found:
                continue
            state = found[int(rng.random() * len(found))]
            reached += 1
            assert apply_to_text(base.text, state.edits) == state.texts[0]
            assert apply_edits(base, state.edits).text == state.texts[0]
    assert reached > 1, "hardly anything was tried"
