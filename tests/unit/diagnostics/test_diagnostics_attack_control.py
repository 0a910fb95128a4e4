"""Where random change beside an attack draws its words from."""

import re
from types import MappingProxyType

import numpy as np
import pytest

from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputEmbeddings, InputPiece, TokenGradients
from scrutiny.core.task import Prediction
from scrutiny.core.transformation import Intensity, Transformation
from scrutiny.diagnostics.attack.random_change import AtRandom, OneAtRandom
from scrutiny.perturb.recipes.attack import given_to_attacks, parse_attack
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.judging import Expense
from scrutiny.perturb.search.moves import AnyWord
from scrutiny.perturb.search.problem import Search, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.perturb.search.space import Space


class Read:
    """A victim whose vectors are given: no change of any word changes its answer."""

    labels = ("negative", "positive")
    vectors = MappingProxyType(
        {"good": (1, 0), "fine": (1, 0.2), "nice": (1, 0.4), "bad": (-1, 0), "odd": (0, 1)}
    )

    def __init__(self):
        matrix = np.array(list(self.vectors.values()), dtype=float)
        self.given = InputEmbeddings(matrix, tuple(self.vectors), np.ones(len(matrix), dtype=bool))
        self.asked = []

    def predict(self, examples):
        self.asked += [example.text for example in examples]
        return [Prediction("positive", (0.2, 0.8)) for _ in examples]

    def embeddings(self):
        return self.given

    def gradients(self, examples, labels):
        del labels
        rows = list(self.vectors)
        found = []
        for e in examples:
            words = [w for w in re.finditer(r"\w+", e.text) if w[0].lower() in rows]
            pieces = tuple(InputPiece("text", w.start(), w.end()) for w in words)
            ids = tuple(rows.index(w[0].lower()) for w in words)
            found.append(TokenGradients(pieces, ids, np.ones((len(ids), 2))))
        return found


def changes_of(attack, text, *, words=1, method=AtRandom):
    """Texts that random change of an attack asks a victim about."""
    model = Read()
    search = parse_attack(attack).search(given_to_attacks([]))
    space = parse_attack(attack).control_space(search)
    spent = {"1": Expense(40, words)} if method is AtRandom else {"1": words}
    at_random = Search(space, search.goal, method(spent, search.method))
    item = Example("1", {"text": text}, gold="positive")
    list(search_all([item], at_random, victim=Victim(model.predict, model.labels, model)))
    return set(model.asked) - {text}


def test_random_change_of_hotflip_takes_words_as_near_as_hotflip_does():
    assert changes_of("hotflip", "Good plan") == {"Fine plan", "Nice plan"}
    near = changes_of("hotflip(least_cosine=0.95)", "Good plan")
    assert near == {"Fine plan"}
    free = changes_of("hotflip(least_cosine=-1.0)", "good plan")
    assert {"bad plan", "odd plan"} < free
    assert "good plan" not in free
    assert not any(text.startswith("good") for text in free)  # "plan" is no piece of the victim's


def test_one_random_text_of_hotflip_takes_such_words_too():
    (text,) = changes_of("hotflip", "Good plan", method=OneAtRandom)
    assert text in {"Fine plan", "Nice plan"}


class NoWord(Transformation):
    """Every word as a place whose candidates are all vetoed, as it were."""

    id, languages = "no_word@1", frozenset({"*"})
    resources, where = (), "around"
    effect, intensity = MappingProxyType({"*": "may change"}), Intensity()

    def sites(self, document):
        return AnyWord().sites(document)

    def candidates(self, document, site, rng):
        return iter(())


@pytest.mark.parametrize(("transformation", "asked"), [(AnyWord(), True), (NoWord(), False)])
def test_only_attacks_without_candidates_of_their_own_take_the_victims_words(transformation, asked):
    model = Read()
    at_random = Search(Space.of(transformation), Untargeted(), AtRandom({"1": Expense(40, 1)}))
    item = Example("1", {"text": "good"}, gold="positive")
    list(search_all([item], at_random, victim=Victim(model.predict, model.labels, model)))
    assert bool(set(model.asked) - {"good"}) == asked


def test_texts_with_one_candidate_are_the_candidates_and_longer_ones_add_to_them():
    one = changes_of("hotflip", "Good plan, good idea", words=1)
    two = changes_of("hotflip", "Good plan, good idea", words=2)
    assert one == {
        "Fine plan, good idea",
        "Nice plan, good idea",
        "Good plan, fine idea",
        "Good plan, nice idea",
    }
    assert {"Fine plan, nice idea", "Nice plan, fine idea"} < two
