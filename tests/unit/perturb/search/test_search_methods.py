"""Ways to search, on a classifier whose answers can be worked out by hand.

p(positive) = 2^s / (1 + 2^s): 8/9 for a sum of 3, 4/5 for 2, 2/3 for 1, and a tie, which is
negative, for 0.
"""

import math

import pytest
from rapidfuzz.distance import Levenshtein

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.plugin_base import sentence_of
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.perturb.constraints.extent import EditDistance
from scrutiny.perturb.recipes.similar_words import ByEncoder
from scrutiny.perturb.search import Amount, Changeable, Move, Search, Settings, Space, Victim
from scrutiny.perturb.search.goals.answer_goals import PartLost
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.goals.output_goals import FewestWords, KeepOutput
from scrutiny.perturb.search.judging import Base, Judged, best, ranked, reached
from scrutiny.perturb.search.methods import first_order
from scrutiny.perturb.search.methods.first_order import FirstOrder
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked, rank
from scrutiny.perturb.search.methods.plain_searches import Beam, Exhaustive, Greedy, RandomChoice
from scrutiny.perturb.search.methods.populations import (
    Genetic,
    ParticleSwarm,
    genes,
    join,
    mixed,
    parent_weights,
)
from scrutiny.perturb.search.moves import AnyWord, Origin
from scrutiny.perturb.search.problem import Problem
from scrutiny.perturb.search.running import search_all
from scrutiny.perturb.search.state import State
from scrutiny.testing.check_gradients import LinearClassifier
from scrutiny.testing.check_transformations import WordTable

WEIGHTS = {"great": 3, "good": 2, "fine": 1, "okay": 0, "poor": -1, "bad": -2, "awful": -3}


def item(text, gold="positive"):
    return Example("1", {"text": text}, gold=gold)


def run(method, text, table, *, goal=None, gold="positive", model=None, space=None, **settings):
    victim = model or LinearClassifier(WEIGHTS)
    where = space or Space.of(WordTable(table))
    search = Search(where, goal or Untargeted(), method)
    asking = Victim(victim.predict, victim.labels, victim)
    (found,) = search_all(
        [item(text, gold)], search, victim=asking, settings=Settings(**settings), resources=None
    )
    return found, [text for batch in victim.asked for (text,) in batch]


def problem_of(text, space, goal=None):
    victim = LinearClassifier(WEIGHTS)
    example = item(text)
    (answer,) = victim.predict([example])
    state = State.start(Origin(example))
    facts = Base(example, answer, victim.labels)
    judged = Judged(state, answer, *(goal or Untargeted()).judge(facts, answer, state))
    return Problem(judged, facts, space, None, victim), victim, goal or Untargeted()


def result(generator, problem, victim, goal):
    """What a generator returns when it is answered."""
    sent = None
    while True:
        try:
            states = generator.send(sent)
        except StopIteration as stop:
            return stop.value
        answers = victim.predict([state.example for state in states])
        sent = [
            Judged(s, a, *goal.judge(problem.facts, a, s))
            for s, a in zip(states, answers, strict=True)
        ]


def test_names_are_registered():
    found = registry()
    assert len(found.names("search_method")) == 11
    for name in found.names("search_method"):
        method = found.load("search_method", name)
        assert method.id == name
        assert sentence_of(method).endswith(".")


def test_greedy_by_importance_step_by_step():
    """great weighs 3 and comes first; then good becomes bad, which is better than okay."""
    table = {"great": ("good", "okay"), "good": ("okay", "bad")}
    found, asked = run(GreedyRanked(), "a good great film", table)
    assert asked == [
        "a good great film",
        "a [UNK] great film",
        "a good [UNK] film",
        "a good good film",
        "a good okay film",
        "a okay okay film",
        "a bad okay film",
    ]
    assert found.is_success
    assert found.state.texts == ("a bad okay film",)
    assert found.score == pytest.approx(0.8)
    assert found.asked_to_success() == 6
    assert [mark.n_asked for mark in found.trace] == [1, 4, 5, 6, 7]


def test_a_change_that_does_not_help_is_not_made():
    found, _ = run(GreedyRanked(), "a good film", {"good": ("great",)})
    assert not found.is_success
    assert found.state.edits == ()
    assert found.score == pytest.approx(0.2)


def test_ranking_by_deletion_and_at_random():
    table = {"good": ("fine",), "great": ("good",)}
    _, asked = run(GreedyRanked("delete"), "great and good", table)
    assert asked[1:4] == ["and good", "great and", "good and good"]
    firsts = {run(GreedyRanked("random"), "great and good", table, seed=s)[1][1] for s in range(9)}
    assert firsts == {"good and good", "great and fine"}
    again = [run(GreedyRanked("random"), "great and good", table, seed=3)[1] for _ in range(2)]
    assert again[0] == again[1]


def test_equal_places_are_visited_in_the_order_of_the_text():
    _, asked = run(GreedyRanked(), "good good good", {"good": ("fine",)})
    assert asked[-3:] == ["fine good good", "fine fine good", "fine fine fine"]


def test_ranking_by_candidates_asks_about_no_text_that_cannot_be_a_result():
    """One candidate of each word; then the best word first, and what was asked is not asked again.

    With a budget half of it ranks; the first text that reaches the goal ends the search.
    """
    table = {"great": ("fine", "okay"), "good": ("fine", "bad")}
    found, asked = run(GreedyRanked("candidate"), "a good great film", table)
    assert set(asked[1:3]) == {"a good fine film", "a fine great film"}
    assert asked[3:] == [
        "a good okay film", "a fine okay film", "a bad okay film"
    ]  # fmt: skip
    assert found.is_success
    found, asked = run(GreedyRanked("candidate"), "good good good good", table, budget=5)
    assert sorted(asked[1:3]) == sorted(set(asked[1:3]))
    assert all(text.split().count("fine") == 1 for text in asked[1:3])
    assert all("bad" in text for text in asked[3:4])
    found, asked = run(GreedyRanked("candidate"), "fine and", {"fine": ("awful",), "and": ("or",)})
    assert found.is_success
    assert found.n_asked == len(asked) <= 3
    again = [run(GreedyRanked("candidate"), "good good good", table, seed=4)[1] for _ in range(2)]
    assert again[0] == again[1]


def test_places_near_to_what_an_answer_speaks_of_are_tried_first():
    class Nobody:
        def predict(self, examples):
            self.asked = [*getattr(self, "asked", []), *(e.text for e in examples)]
            return [Prediction((Span("text", 10, 13, "PER"),)) for e in examples]

    example = Example(
        "1", {"text": "fine good Ida great x poor"}, gold=(Span("text", 10, 13, "PER"),)
    )
    table = {word: (word[::-1],) for word in ("fine", "good", "great", "poor")}
    victim = Nobody()
    list(
        search_all(
            [example],
            Search(Space.of(WordTable(table)), PartLost(), GreedyRanked("candidate")),
            victim=Victim(victim.predict),
        )
    )
    changed = [next(w for w in table if w not in text.split()) for text in victim.asked[1:5]]
    assert set(changed[:2]) == {"good", "great"}
    assert changed[2:] == ["fine", "poor"]


def test_only_a_share_of_the_places():
    table = {"good": ("fine",), "great": ("good",), "fine": ("okay",)}
    found, _ = run(GreedyRanked(share=0.4), "great and good and fine", table)
    assert found.state.texts == ("good and fine and fine",)
    with pytest.raises(PlanError, match="share"):
        GreedyRanked(share=0.0)
    with pytest.raises(PlanError, match="ranking"):
        GreedyRanked("best")


def test_saliency_multiplies_by_the_gain_and_not_by_the_score():
    """good: S = 1/3, gain 1/6; poor: S = -2/15, gain 1/3.

    The base has the score 1/3 already, so the absolute score after the change (1/2 against 2/3)
    says less than the gain, and the order turns round.
    """
    space = Space.of(WordTable({"good": ("fine",), "poor": ("awful",)}))
    orders = []
    for as_released in (False, True):
        problem, victim, goal = problem_of("good poor", space)
        how = GreedyRanked("saliency", as_released=as_released)
        found = result(rank(problem, how), problem, victim, goal)
        orders.append([one.place.token for one in found])
    assert orders == [[1, 0], [0, 1]]
    problem, victim, goal = problem_of("good poor", space)
    published = result(rank(problem, GreedyRanked("saliency")), problem, victim, goal)
    up, down = math.exp(1 / 3), math.exp(-2 / 15)
    assert published[0].importance == pytest.approx(down / (up + down) / 3)
    assert published[1].importance == pytest.approx(up / (up + down) / 6)


def test_a_fixed_choice_is_the_candidate_that_was_best_alone():
    table = {"great": ("good", "fine"), "good": ("okay", "fine")}
    found, asked = run(GreedyRanked("saliency", fixes_choice=True), "great good fine", table)
    assert "fine fine fine" not in asked
    assert found.state.texts == ("fine okay fine",)
    _, asked_again = run(GreedyRanked("saliency"), "great good fine", table)
    assert "fine fine fine" in asked_again


def test_importance_adds_the_gain_of_a_new_label():
    space = Space.of(AnyWord())
    problem, victim, goal = problem_of("good poor", space)
    plain = result(rank(problem, GreedyRanked("delete")), problem, victim, goal)
    problem, victim, goal = problem_of("good poor", space)
    flipped = result(rank(problem, GreedyRanked("delete", adds_flip=True)), problem, victim, goal)
    assert plain[0].importance == pytest.approx(1 / 3)
    assert flipped[0].importance == pytest.approx(2 / 3)
    assert flipped[1].importance == plain[1].importance


def test_ranking_by_gradient_asks_nothing():
    found, asked = run(GreedyRanked("gradient"), "good great", {"good": ("fine",)})
    assert asked == ["good great", "fine great"]
    assert found.n_gradients == 1


class ByLength:
    """The longer a text, the closer."""

    id = "by_length@1"

    def closeness(self, states):
        return [float(len(state.texts[0])) for state in states]


def test_among_texts_that_reach_the_goal_the_closest():
    table = {"good": ("bad", "gaud")}
    near = GreedyRanked(prefer=ByLength())
    assert run(GreedyRanked(), "good", table)[0].state.texts == ("bad",)
    assert run(near, "good", table)[0].state.texts == ("gaud",)
    assert run(Greedy(prefer=ByLength()), "good", table)[0].state.texts == ("gaud",)


def test_closeness_by_an_encoder():
    class Lengths:
        def encode(self, texts):
            return [[len(text), 1.0] if text else [0.0, 0.0] for text in texts]

    origin = Origin(item("ab"), resources={"encoder": Lengths()})
    states = [State(origin, (text,)) for text in ("cd", "", "abcdefgh")]
    same, none, longer = ByEncoder().closeness(states)
    assert same == pytest.approx(1.0)
    assert none == 0.0
    assert longer == pytest.approx(17 / math.sqrt(5 * 65))


def test_exhaustive_asks_about_everything_or_stops_at_a_place():
    table = {"great": ("good",), "good": ("awful", "fine"), "film": ("movie",)}
    found, asked = run(Exhaustive(), "good great film", table)
    assert len(asked) == 1 + 4
    assert found.state.texts == ("awful great film",)
    stopped, asked = run(Exhaustive(stops=True), "good film", table)
    assert stopped.is_success
    assert asked == ["good film", "awful film", "fine film"]


def test_a_beam_returns_the_best_text_seen_and_not_the_last():
    """After great -> okay nothing but good -> great is left, which makes it worse again."""
    table = {"great": ("okay",), "good": ("great",)}
    for method in (Greedy(), Beam(3)):
        found, asked = run(method, "good great film", table)
        assert "great okay film" in asked
        assert not found.is_success
        assert found.state.texts == ("good okay film",)
        assert found.score == pytest.approx(0.2)


def test_a_beam_finds_what_greedy_does_not():
    """Only one word may change again: from fine to awful, which greedy never sees."""
    table = {"great": ("good", "okay"), "good": ("bad",)}
    space = Space.of(WordTable(table), may_change=Changeable(is_once=False), amount=Amount(words=1))
    greedy, _ = run(Greedy(), "great fine", table, space=space)
    assert greedy.state.texts == ("okay fine",)
    beam, _ = run(Beam(2), "great fine", table, space=space)
    assert beam.state.texts == ("bad fine",)
    assert beam.is_success


def test_steps_bound_a_beam():
    table = {"great": ("good",), "good": ("fine",)}
    found, _ = run(Greedy(steps=1), "great good", table)
    assert found.state.words_changed == 1
    with pytest.raises(PlanError):
        Beam(width=0)


def test_random_choice_draws_other_texts_and_stops():
    table = {"great": ("good", "okay", "poor"), "good": ("fine", "okay")}
    _, asked = run(RandomChoice(50, stops=False), "great good", table)
    one_step = {"good good", "okay good", "poor good", "great fine", "great okay"}
    assert set(asked) == {"great good"} | one_step
    two, asked = run(RandomChoice(30, 2), "great good", table)
    assert two.is_success
    assert two.state.words_changed == 2
    _, asked = run(RandomChoice(30, amounts={"1": 2}, stops=False), "great good", table)
    assert not one_step & set(asked)
    nothing, asked = run(RandomChoice(), "nothing good", {"x": ("y",)})
    assert (nothing.n_asked, nothing.is_success) == (1, False)
    with pytest.raises(PlanError):
        RandomChoice(tries=0)


def test_parents_are_drawn_in_favor_of_the_better():
    """A toolkit draws them in proportion to exp(-score / 0.3), which favors the worst."""
    weights = parent_weights([0.1, 0.5, 0.9], 0.3)
    assert weights[2] > weights[1] > weights[0]
    assert weights[2] / weights[0] == pytest.approx(math.exp(0.8 / 0.3))
    assert sum(weights) == pytest.approx(1)
    assert parent_weights([float("-inf")] * 4, 0.3) == [0.25] * 4
    assert parent_weights([float("-inf"), 0.0], 0.3) == [0.0, 1.0]


HARD = "great and great and great film"
HARD_TABLE = {"great": ("good", "fine", "okay")}


@pytest.mark.parametrize(
    "method",
    [Genetic(8, 12), Genetic(8, 12, crossover="one_point", draws="uniform"), ParticleSwarm(8, 12)],
    ids=["genetic", "one_point", "particle_swarm"],
)
def test_populations_find_what_needs_every_word(method):
    """Nothing but okay in all three places brings the sum from 9 to 0."""
    found, asked = run(method, HARD, HARD_TABLE)
    assert found.is_success
    assert found.state.texts == ("okay and okay and okay film",)
    assert len(asked) == len(set(asked)) == found.n_asked
    assert found.n_considered > found.n_asked  # texts that come up again cost nothing
    assert run(method, HARD, HARD_TABLE)[1] == asked
    assert run(method, HARD, HARD_TABLE, seed=1)[1] != asked


@pytest.mark.parametrize("method", [Genetic(4, 3), ParticleSwarm(4, 3)], ids=["genetic", "swarm"])
def test_populations_end_where_nothing_can_be_changed_for_the_better(method):
    found, asked = run(method, "good film", {"good": ("great",)})
    assert (found.is_success, found.ended) == (False, "done")
    assert asked == ["good film", "great film"]
    assert found.state.edits == ()
    empty, _ = run(method, "good film", {"x": ("y",)})
    assert empty.n_asked == 1


def test_populations_of_no_size():
    for wrong in ({"population": 1}, {"generations": 0}, {"temperature": 0.0}):
        with pytest.raises(PlanError):
            Genetic(**wrong)
    with pytest.raises(PlanError):
        ParticleSwarm(population=0)
    assert Genetic.improved(10, 5).population == 10


def test_texts_are_put_together_place_by_place():
    space = Space.of(WordTable({"good": ("fine",), "old": ("new",), "film": ("movie",)}))
    problem, _, _ = problem_of("a good old film", space)
    start = problem.base.state
    one = space.candidates(start, space.places(start)[0])[0]
    one = space.candidates(one, space.places(one)[0])[0]
    other = space.candidates(start, space.places(start)[2])[0]
    assert sorted(genes(one)) == [(0, 1, -1), (0, 2, -1)]
    child = join(problem, mixed(genes(one), genes(other), [False, True, True]))
    assert child.texts == ("a fine old movie",)
    assert join(problem, mixed(genes(one), genes(other), [True, True, True])).key == other.key


def test_an_article_goes_with_its_word():
    origin = Origin(Example("1", {"text": "A good film"}))
    state = State.start(origin).step(
        [one._replace(field="text") for one in _edits([(0, 1, "An"), (2, 6, "awful")])]
    )
    assert list(genes(state)) == [(0, 1, -1)]
    assert len(genes(state)[0, 1, -1]) == 2


def _edits(rows):
    from scrutiny.core.edit import Edit

    return [Edit("text", *row) for row in rows]


def test_edits_that_exclude_each_other_make_no_text():
    problem, _, _ = problem_of("good film", Space.of(AnyWord()))
    origin = problem.base.state.origin
    wide, narrow = (State.of(origin, _edits([row])) for row in ((0, 9, "x"), (5, 9, "movie")))
    parts = {**genes(wide), **genes(narrow)}
    assert join(problem, parts) is None
    assert join(problem, genes(wide)).key == wide.key


@pytest.mark.parametrize("method", [Genetic(8, 6), ParticleSwarm(8, 6)], ids=["genetic", "swarm"])
def test_children_are_held_to_the_limits_and_constraints(method):
    """Two texts that may stand can have a child that changes too much."""
    table = WordTable(HARD_TABLE)
    few = Space.of(table, amount=Amount(words=2))
    found, asked = run(method, HARD, {}, space=few)
    assert not found.is_success
    assert found.state.words_changed == 2
    changed = [sum(a != b for a, b in zip(t.split(), HARD.split(), strict=True)) for t in asked]
    assert max(changed) == 2
    near = Space.of(table, constraints=[EditDistance(most=9, share=None)])
    found, asked = run(method, HARD, {}, space=near)
    assert all(Levenshtein.distance(text, HARD) <= 9 for text in asked)


def test_the_gradient_calls_for_the_worst_word_first():
    """Every place has the same slope, so the widest change of weight comes first."""
    space = Space.of(AnyWord())
    found, asked = run(FirstOrder(width=1, flips=1), "good and great", {}, space=space)
    assert asked == ["good and great", "good and awful"]
    assert found.is_success
    assert found.n_gradients == 1


def test_flips_stay_near_in_the_input_space_and_within_the_amount():
    space = Space.of(AnyWord(), amount=Amount(words=2))
    method = FirstOrder(width=1, flips=1, least_cosine=0.8)
    found, asked = run(method, "great great great", {}, space=space)
    assert asked[1:] == ["fine great great", "fine fine great"]  # good is nearer, fine is near
    assert not found.is_success
    assert found.refused == {}


def test_an_estimate_is_never_believed():
    class Misleading(LinearClassifier):
        def gradients(self, examples, labels):
            return [g._replace(gradient=-g.gradient) for g in super().gradients(examples, labels)]

    model = Misleading({"good": 2, "great": 3, "awful": -3})
    found, asked = run(
        FirstOrder(width=2, flips=2, steps=1), "good", {}, model=model, space=Space.of(AnyWord())
    )
    assert asked == ["good", "great", "awful"]
    assert found.state.texts == ("awful",)


def test_one_backward_pass_serves_all_texts_of_a_step_and_one_vocabulary_all_searches():
    sizes = []

    class Counted(LinearClassifier):
        def gradients(self, examples, labels):
            sizes.append(len(examples))
            return super().gradients(examples, labels)

        def embeddings(self):
            self.given = getattr(self, "given", None) or super().embeddings()
            return self.given

    model = Counted({"good": 2, "great": 3, "fine": 1, "awful": 0})
    method = FirstOrder(width=3, flips=3, steps=2)
    found, _ = run(method, "great great great", {}, model=model, space=Space.of(AnyWord()))
    assert not found.is_success
    assert sizes == [1, 3]
    assert found.n_gradients == 4
    kept = first_order._kept.vocabulary
    run(method, "good good", {}, model=model, space=Space.of(AnyWord()))
    assert first_order._kept.vocabulary is kept


def test_first_order_goals_of_their_own():
    """To keep the output, the words that change the loss least come first."""
    space = Space.of(AnyWord())
    found, asked = run(
        FirstOrder(width=1, flips=2, steps=1), "good", {}, goal=KeepOutput(), space=space
    )
    assert sorted(asked[1:]) == ["fine", "great"]
    assert found.state.texts == ("great",)  # |8/9 - 4/5| x 2 is less than |2/3 - 4/5| x 2
    with pytest.raises(PlanError):
        FirstOrder(flips=0)


def test_input_reduction_leaves_the_word_that_decides():
    """The texts without a word are asked about for the ranking, and are not paid again."""
    table = {word: ("",) for word in ("a", "good", "film", "indeed")}
    method = GreedyRanked("delete")
    found, asked = run(method, "a good film indeed", table, goal=FewestWords(), gold=None)
    assert found.is_success
    assert found.state.texts[0].split() == ["good"]
    assert len(asked) == len(set(asked)) == found.n_asked
    assert found.score == pytest.approx(3 / 4 + 0.8 / 4)


def test_shared_invariances_end_at_the_first_word_that_keeps_the_label():
    table = {"good": ("fine", "awful"), "film": ("movie", "flick")}
    found, _ = run(GreedyRanked(), "good film", table, goal=KeepOutput(), gold=None)
    assert found.state.texts == ("good movie",)
    assert found.score == 1.0
    whole, _ = run(Exhaustive(), "good film", table, goal=KeepOutput(), gold=None, keep=9)
    assert [one.state.texts[0] for one in whole.reached] == [
        "good movie",
        "good flick",
        "fine film",
    ]


def test_a_least_change_is_reached_over_several_steps():
    table = {"good": ("fine",), "film": ("movie",), "long": ("lengthy",)}
    goal = KeepOutput(least=3)
    for method in (Greedy(), Beam(2), GreedyRanked()):
        found, _ = run(method, "good long film", table, goal=goal, gold=None)
        assert found.is_success
        assert found.state.texts == ("fine lengthy movie",)


def judged(score, *, is_reached=False, answered=True):
    state = State.start(Origin(item("x")))
    return Judged(state, object() if answered else None, score, is_reached)


def test_ties_go_to_what_was_proposed_first():
    first, second, third = judged(0.5), judged(0.5), judged(0.7, answered=False)
    assert best([first, second, third]) is first
    assert ranked([judged(0.1), first, third, second])[:2] == [first, second]
    assert best([]) is None
    assert reached([first, second]) is None
    there = [judged(0.2, is_reached=True), judged(0.2, is_reached=True)]
    assert reached(there) is there[0]


def test_moves_with_rules_of_their_own():
    insert = Move(WordTable({"film": ("film film",)}), may_change=Changeable(is_once=False))
    swap = Move(WordTable({"good": ("fine",)}))
    found, asked = run(Greedy(steps=2), "good film", {}, space=Space((insert, swap)))
    assert asked[1:3] == ["fine film", "good film film"]
    assert found.state.texts == ("fine film",)
