"""Defects of toolkits that attack texts; each test fails on code that has one."""

import random
import tomllib
from fnmatch import fnmatch
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import pytest

from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputPiece, TokenGradients
from scrutiny.core.registry import registry
from scrutiny.perturb.recipes.attack import given_to_attacks, lacks, parse_attack
from scrutiny.perturb.resources import checkpoints, mask_filler
from scrutiny.perturb.resources.capabilities import Guess
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.judging import Base, Judged
from scrutiny.perturb.search.methods.first_order import FirstOrder, _words_of
from scrutiny.perturb.search.methods.greedy_ranked import loss_gradients
from scrutiny.perturb.search.methods.populations import (
    Genetic,
    ParticleSwarm,
    _mutation_rate,
    _Particle,
    genes,
)
from scrutiny.perturb.search.moves import AnyWord, Origin
from scrutiny.perturb.search.problem import Problem, Settings, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.perturb.search.space import Space
from scrutiny.perturb.search.state import State
from scrutiny.testing import LinearClassifier, WordTable

TEXT = "The film was not good in 1999, but the story of Ann and its 12 ends are a good find"
WEIGHTS = {"good": 2, "film": 1, "story": 1, "find": 1, "fine": -1, "tale": -1}
OFFLINE = [
    name
    for name in registry().names("attack")
    if not lacks(
        registry().load("attack", name)(), given_to_attacks([], capabilities=["gradients"])
    )
    and name != "chinese@1"
]


def attacked(attack, text=TEXT, *, resources=None, model=None, **settings):
    model = model or LinearClassifier(WEIGHTS, bias=1)
    given = given_to_attacks(resources or {}, capabilities=["gradients"])
    (found,) = search_all(
        [Example("1", {"text": text}, gold="positive")],
        parse_attack(attack).search(given),
        victim=Victim(model.predict, model.labels, model),
        settings=Settings(**settings),
        resources=resources,
    )
    return found, [text for call in model.asked for (text,) in call]


def problem_of(text, space, model):
    example = Example("1", {"text": text}, gold=model.labels[1])
    (answer,) = model.predict([example])
    state = State.start(Origin(example))
    facts, goal = Base(example, answer, model.labels), Untargeted()
    judged = Judged(state, answer, *goal.judge(facts, answer, state))
    return Problem(judged, facts, space, goal.slope(facts), model)


@pytest.mark.parametrize("name", OFFLINE)
def test_the_number_of_texts_is_what_the_model_saw(name):
    """A toolkit counts what its cache answers: four times the texts for a genetic algorithm."""
    found, asked = attacked(name, budget=150)
    assert found.status == "ok"
    assert found.n_asked == len(asked) == len(set(asked))


@pytest.mark.parametrize("name", OFFLINE)
def test_a_budget_ends_in_the_middle_of_a_batch(name):
    found, asked = attacked(name, budget=7)
    assert found.n_asked == len(asked) <= 7
    assert found.is_success or found.ended == "budget" or len(asked) < 7


@pytest.mark.parametrize("name", OFFLINE)
def test_global_random_numbers_are_neither_used_nor_moved(name):
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - the global state is what this is about
    first, asked = attacked(name, budget=60)
    after = random.random(), float(np.random.random())  # noqa: NPY002
    random.seed(2)
    np.random.seed(2)  # noqa: NPY002
    second, again = attacked(name, budget=60)
    assert asked == again
    assert first.state.texts == second.state.texts
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    assert after == (random.random(), float(np.random.random()))  # noqa: NPY002


def test_function_words_stay_in_any_casing():
    """A toolkit attacks "The" in the beginning of a sentence."""
    for name in ("deepwordbug", "pwws", "textfooler", "pruthi"):
        _, asked = attacked(name, "The film", budget=40)
        assert asked[1:]
        assert all(text.split()[0] == "The" for text in asked)


def test_the_better_member_has_more_children():
    """A toolkit draws parents in favor of the worst."""
    origin = Origin(Example("1", {"text": "a film"}))
    members = [Judged(State.start(origin), None, score, False) for score in (0.1, 0.5, 0.9)]
    pairs = [
        pair
        for seed in range(200)
        for pair in Genetic()._pairs(members, np.random.default_rng(seed))
    ]
    drawn = [one.score for pair in pairs for one in pair]
    shares = [drawn.count(one.score) / len(drawn) for one in members]
    assert shares == pytest.approx([0.052, 0.198, 0.75], abs=0.05)


def test_fewer_texts_mutate_the_more_of_them_is_changed():
    """A toolkit's share of changed words was 0 or 1 for years."""
    start = State.start(Origin(Example("1", {"text": "one two three four five"})))
    space = Space.of(WordTable({w: ("x",) for w in ("one", "two", "three")}))
    rates, state = [], start
    for _ in range(4):
        rates.append(_mutation_rate(state))
        places = space.places(state)
        state = space.candidates(state, places[0])[0] if places else state
    assert rates == pytest.approx([1.0, 0.6, 0.2, 0.0])


def test_velocities_grow_where_a_text_differs_from_the_best():
    """v <- w v + (1 - w)(+-3 +-3), with w = .8 in the first iteration and .5 in the middle."""
    problem = problem_of("one two", Space.of(AnyWord()), LinearClassifier({}))
    start = problem.base.state
    space = Space.of(WordTable({"one": ("x",)}))
    better = problem.base._replace(state=space.candidates(start, space.places(start)[0])[0])
    (locus,) = genes(better.state)

    def after(here, own, top, share, speed):
        particle = _Particle(here, own, speed, {})
        rng = np.random.default_rng(0)
        ParticleSwarm()._moved(problem, particle, top=top, share=share, rng=rng)
        return particle.velocity[locus]

    base = problem.base
    assert after(base, base, better, 0.0, 1.0) == pytest.approx(0.8)  # pulls cancel
    assert after(base, better, better, 0.0, 1.0) == pytest.approx(0.8 + 0.2 * 6)
    assert after(better, better, better, 0.0, 1.0) == pytest.approx(0.8 - 0.2 * 6)
    assert after(base, better, better, 0.5, 2.0) == 3.0  # 1 + .5 x 6, and no faster than 3


def spellings_of(place_scores, top, monkeypatch):
    """Best spellings, and how many partial ones were looked at."""
    made = []
    one = mask_filler.Spelling
    monkeypatch.setattr(mask_filler, "Spelling", lambda *a: made.append(1) or one(*a))
    size = place_scores.shape[1]
    anything = np.ones(size, dtype=bool)
    pieces = mask_filler.WordPieces([chr(97 + i % 26) for i in range(size)], anything, anything)
    return pieces.best_spellings(place_scores, top=top), len(made)


def test_a_word_of_four_pieces_is_no_power_of_four(monkeypatch):
    """48 pieces at four places are 5.3 million combinations; a toolkit tries to make them all."""
    rng = np.random.default_rng(0)
    scores = np.log(rng.dirichlet(np.ones(500), size=4))
    found, made = spellings_of(scores, 48, monkeypatch)
    assert len(found) == 48
    assert made <= 1 + 48 + 3 * 48**2


def test_spellings_are_ranked_by_perplexity_and_not_by_the_order_of_products(monkeypatch):
    """A toolkit sorts and throws the result away: it keeps the first of the product."""
    rng = np.random.default_rng(1)
    scores = np.log(rng.dirichlet(np.ones(4), size=4))
    found, _ = spellings_of(scores, 4, monkeypatch)
    every = product(range(4), repeat=4)
    best = sorted(every, key=lambda ids: -sum(scores[p, i] for p, i in enumerate(ids)))[:4]
    assert [s.ids for s in found] == best
    tops = [sorted(range(4), key=lambda i: -row[i])[:4] for row in scores]
    assert [s.ids for s in found] != list(product(*tops))[:4]


class Respelling:
    """A masked language model with four pieces for every word, each as likely as its number."""

    def rewrite(self, queries, *, top, script="latin"):
        scores = np.log(np.random.default_rng(3).dirichlet(np.ones(200), size=4))
        letters = "".join(chr(97 + i // 26) + chr(97 + i % 26) for i in range(200))
        texts = [letters[i : i + 2] for i in range(0, 400, 2)]
        anything = np.ones(200, dtype=bool)
        pieces = mask_filler.WordPieces(texts, anything, anything)
        found = pieces.best_spellings(scores, top=top)
        words = ["".join(texts[i] for i in s.ids) for s in found]
        return [tuple(Guess(w, 1.0 + n) for n, w in enumerate(words)) for _ in queries]


def test_bert_attack_asks_about_48_spellings_of_a_word_of_four_pieces():
    found, asked = attacked("bert_attack", "unbelievability", resources={"masked_lm": Respelling()})
    assert asked[1] == "[MASK]"
    assert len(asked) == found.n_asked == 2 + 48
    (first, *_) = Respelling().rewrite([None], top=48)[0]
    assert asked[2] == first.word


def test_a_filler_is_read_as_a_masked_language_model(monkeypatch):
    """A toolkit loads one as a causal model."""
    asked = []

    def load(checkpoint, kind):
        asked.append((checkpoint, kind))
        raise LookupError

    monkeypatch.setattr(checkpoints, "load_checkpoint", load)
    with pytest.raises(LookupError):
        mask_filler.CheckpointMaskFiller.load("here")
    assert asked == [("here", "AutoModelForMaskedLM")]


def test_estimates_of_flips_are_the_true_changes_of_a_linear_score():
    """For every place and word, and their sum for two flips."""
    weights = {"good": 3, "nice": 2, "film": 1, "story": -1, "bad": -3}
    model = LinearClassifier(weights, bias=-2)
    problem = problem_of("a good nice film", Space.of(AnyWord()), model)
    state = problem.base.state
    (gradients,), words = loss_gradients(problem, [state]), _words_of(model.embeddings())
    pieces = [1, 2, 3]
    gains = FirstOrder()._gains(problem, gradients, pieces, words)
    slope = log(2) * (1 - problem.base.answer.scores[1])  # of the loss, downwards in the score
    texts = "a good nice film".split()

    def score(changes):
        return sum(weights.get(changes.get(i, word), 0) for i, word in enumerate(texts))

    for row, piece in enumerate(pieces):
        for column, word in enumerate(words.words):
            if word == texts[piece]:
                assert gains[row, column] == -np.inf
                continue
            true = score({}) - score({piece: word})
            assert gains[row, column] / slope == pytest.approx(true, abs=1e-12)
    both = gains[0, words.words.index("bad")] + gains[2, words.words.index("story")]
    assert both / slope == pytest.approx(score({}) - score({1: "bad", 3: "story"}), abs=1e-12)


class Pieced(LinearClassifier):
    """Splits its first word in two pieces; its loss is steepest at "good"."""

    def gradients(self, examples, labels):
        found = []
        for one in super().gradients(examples, labels):
            (field, start, end), *rest = one.pieces
            pieces = (InputPiece(field, start, start + 2), InputPiece(field, start + 2, end), *rest)
            rows = np.vstack([one.gradient[:1], one.gradient])
            rows[2] *= 5  # the third piece is the second word
            found.append(TokenGradients(pieces, (0, *one.ids), rows))
        return found


def test_gradients_are_read_at_the_pieces_of_a_word():
    """A toolkit reads the row of the number of the word, and refuses all models but its own."""
    model = Pieced({"good": 1, "film": 1, "bad": 0, "tale": 0}, bias=-1)
    found, asked = attacked(
        "hotflip(least_cosine=-1.0,flips=1)", "certainly good film", model=model
    )
    assert asked[1] == "certainly bad film"
    assert found.is_success


def test_the_wheel_leaves_no_data_behind():
    """A toolkit lacks its tables of look-alikes there. Ours leaves out what git ignores alone."""
    root = Path(__file__).parents[3]
    target = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]
    assert target["wheel"] == {"packages": ["src/scrutiny"]}
    ignored = [line.strip("/") for line in (root / ".gitignore").read_text().split()]
    ignored.remove("__pycache__")
    parts = {
        part for path in (root / "src/scrutiny").rglob("*") for part in path.relative_to(root).parts
    }
    assert "homoglyphs.tsv" in parts
    assert [part for part in sorted(parts) for name in ignored if fnmatch(part, name)] == []
