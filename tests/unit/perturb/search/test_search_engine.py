"""Many searches at once: batches, budgets, accounts, failures, and starting over."""

from dataclasses import dataclass, field

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.core.transformation import AsksAhead
from scrutiny.perturb.characters.typos import Typos
from scrutiny.perturb.constraints.extent import EditDistance
from scrutiny.perturb.search import Amount, AnswerPair, Changeable, Search, Settings, Space, Victim
from scrutiny.perturb.search.goals.label_goals import Disagreement, Untargeted
from scrutiny.perturb.search.goals.output_goals import KeepOutput
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.methods.plain_searches import Beam, Exhaustive, Greedy, RandomChoice
from scrutiny.perturb.search.methods.populations import Genetic, ParticleSwarm
from scrutiny.perturb.search.running import search_all
from scrutiny.testing.check_gradients import LinearClassifier
from scrutiny.testing.check_transformations import WordTable
from scrutiny.text.edits import apply_edits

WEIGHTS = {
    "great": 3, "good": 2, "fine": 1, "warm": 1, "poor": -1, "bad": -2, "awful": -3, "dull": -1
}  # fmt: skip
TEXTS = [
    ("A great and good film with a warm heart", "positive"),
    ("Good actors in a poor story", "positive"),
    ("A bad film with one fine scene", "negative"),
    ("An awful story, dull and bad", "negative"),
    ("Nothing to say here", "positive"),
    ("Good actors in a poor story", "positive"),
    ("Great, great, great", "positive"),
    ("One good scene", None),
]
ITEMS = [Example(f"i{n}", {"text": t}, gold=g) for n, (t, g) in enumerate(TEXTS)]
SPACE = Space.of(
    Typos(mode="delete", shortest=3),
    Typos(mode="replace", shortest=3),
    most=1,
    may_change=Changeable(stop_words=True),
    amount=Amount(share=0.5),
)
METHODS = [
    GreedyRanked(),
    GreedyRanked("saliency"),
    Greedy(),
    Beam(3),
    Exhaustive(),
    RandomChoice(12, 2),
    Genetic(6, 3),
    ParticleSwarm(5, 3),
]


def ids(method):
    return method.id


def model():
    return LinearClassifier(WEIGHTS)


def found_by(method, *, goal=None, ask=None, items=ITEMS, space=SPACE, **settings):
    victim = model()
    search = Search(space, goal or Untargeted(), method)
    more = {k: settings.pop(k) for k in ("clock", "excluded") if k in settings}
    asking = Victim(ask or victim.predict, victim.labels, victim)
    return list(search_all(items, search, victim=asking, settings=Settings(**settings), **more))


def plain(found):
    """What came of a search, without the objects that say it."""
    state = found.state
    return (
        *(found.item, found.status, found.reason, found.is_success, found.score, found.n_asked),
        *(found.n_considered, found.trace, tuple(found.refused.items()), found.ended),
        *(() if state is None else (state.texts, state.edits)),
        tuple(one.state.key for one in found.reached),
    )


def plains(founds):
    return [plain(found) for found in founds]


@pytest.mark.parametrize("method", METHODS, ids=ids)
def test_the_window_and_the_neighbors_change_nothing(method):
    alone = [plain(found_by(method, items=[item])[0]) for item in ITEMS]
    for window in (1, 3, 256):
        assert plains(found_by(method, window=window)) == alone
    backward = found_by(method, items=ITEMS[::-1], window=3)
    assert plains(backward[::-1]) == alone
    assert [found.item for found in backward] == [item.id for item in ITEMS[::-1]]


@pytest.mark.parametrize("method", METHODS, ids=ids)
def test_a_budget_is_kept_to_the_text_and_the_trace_is_its_curve(method):
    free = found_by(method)
    for budget in (1, 2, 5, 9, 17):
        for whole, cut in zip(free, found_by(method, budget=budget), strict=True):
            assert cut.n_asked <= budget
            if whole.status != "ok":
                continue
            first = whole.asked_to_success()
            assert cut.is_success == (first is not None and first <= budget)
            assert cut.ended == ("budget" if whole.n_asked > budget else "done")
            if whole.n_asked <= budget:
                assert plain(cut) == plain(whole)
            else:
                assert cut.n_asked == budget


@pytest.mark.parametrize("method", METHODS, ids=ids)
def test_what_the_model_saw_is_what_is_counted(method):
    for item in ITEMS:
        victim = model()
        (found,) = found_by(method, items=[item], ask=victim.predict)
        texts = [text for batch in victim.asked for (text,) in batch]
        assert len(texts) == len(set(texts)) == found.n_asked
        assert found.n_considered >= found.n_asked or found.status == "skipped"


@pytest.mark.parametrize("method", METHODS, ids=ids)
def test_edits_of_the_base_give_the_text_that_was_judged(method):
    for found in found_by(method):
        if found.state is not None:
            after = apply_edits(found.state.base, found.state.edits)
            assert after.fields == found.state.example.fields
            (answer,) = model().predict([after])
            assert answer == found.answer
            assert found.state.base.gold == after.gold
            assert not found.state.is_probe


def test_each_round_is_one_batch_of_distinct_texts():
    victim = model()
    found_by(GreedyRanked(), ask=victim.predict)
    first = [text for (text,) in victim.asked[0]]
    assert first == [t for n, (t, _) in enumerate(TEXTS) if n != 5]  # 5 says what 1 says
    for batch in victim.asked:
        assert len(set(batch)) == len(batch)


def test_a_text_that_another_search_asked_counts_for_both():
    found = found_by(GreedyRanked(), items=[ITEMS[1], Example("other", {"text": TEXTS[1][0]})])
    assert found[1].reason == "no_gold"
    again = found_by(
        Exhaustive(), items=[ITEMS[1], Example("i1", {"text": TEXTS[1][0]}, gold="positive")]
    )
    assert again[0].n_asked == again[1].n_asked > 1


def test_what_is_not_searched():
    found = found_by(GreedyRanked())
    assert [(f.status, f.reason) for f in found] == [
        *[("ok", None)] * 4,
        ("skipped", "already_wrong"),
        *[("ok", None)] * 2,
        ("skipped", "no_gold"),
    ]
    assert found[4].n_asked == 1
    assert found[4].base_answer.answer == "negative"


def test_a_failing_answer_is_judged_as_none_and_the_search_goes_on():
    victim = model()

    def ask(examples):
        answers = victim.predict(examples)
        return [
            Failure("too_long") if "[UNK]" in e.text and "great" not in e.text else answer
            for e, answer in zip(examples, answers, strict=True)
        ]

    (found,) = found_by(GreedyRanked(), items=ITEMS[:1], ask=ask)
    assert (found.status, found.n_failed) == ("ok", 1)
    assert found.is_success
    assert found.n_asked > 5


def test_a_search_whose_base_fails_is_failed():
    def ask(examples):
        return [
            Failure("too_long") if "great" in example.text else answer
            for example, answer in zip(examples, model().predict(examples), strict=True)
        ]

    found = found_by(GreedyRanked(), ask=ask)
    assert (found[0].status, found[0].reason, found[0].n_asked) == ("failed", "too_long", 1)
    assert found[1].status == "ok"


def test_an_error_in_one_item_is_an_outcome_and_an_error_of_the_user_is_not():
    class Odd(WordTable):
        def candidates(self, document, site, rng):
            if "poor" in document.text:
                raise ValueError("hm")
            return super().candidates(document, site, rng)

    space = Space.of(Odd({"film": ("movie",), "story": ("tale",)}))
    found = found_by(Exhaustive(), space=space)
    assert (found[1].status, found[1].reason) == ("failed", "error:ValueError")
    assert found[0].status == "ok"
    with pytest.raises(PlanError, match="gradients"):
        list(
            search_all(
                ITEMS,
                Search(SPACE, Untargeted(), GreedyRanked("gradient")),
                victim=Victim(model().predict, model().labels),
            )
        )


def test_a_victim_answers_every_text():
    with pytest.raises(ConformanceError, match="answered"):
        found_by(GreedyRanked(), ask=lambda examples: model().predict(examples)[1:])


@dataclass(frozen=True)
class Guessing(WordTable, AsksAhead):
    """A table that has to be asked for in batches."""

    asked: list = field(default_factory=list)
    error: Exception | None = None

    def warm(self, documents, sites):
        pairs = zip(documents, sites, strict=True)
        self.asked.append([d.text[s.start : s.end] for d, held in pairs for s in held])
        if self.error is not None:
            raise self.error


WORDS = {"great": ("grand", "okay"), "good": ("okay", "poor"), "film": ("movie",)}


@pytest.mark.parametrize("method", METHODS, ids=ids)
def test_moves_that_ask_a_model_do_so_for_many_searches_at_once(method):
    guessing = Guessing(WORDS)
    found = plains(found_by(method, space=Space.of(guessing)))
    assert found == plains(found_by(method, space=Space.of(WordTable(WORDS))))
    first = guessing.asked[0]
    assert {"great", "good"} <= set(first) or len(first) > 1
    seen = len(guessing.asked)
    found_by(method, space=Space.of(guessing), window=1)
    assert len(guessing.asked) - seen > seen


def test_an_error_in_a_batch_of_moves_is_left_to_each_item():
    guessing = Guessing(WORDS, error=ValueError("hm"))
    assert found_by(Exhaustive(), space=Space.of(guessing))[0].status == "ok"
    guessing = Guessing(WORDS, error=PlanError("no model"))
    with pytest.raises(PlanError, match="no model"):
        found_by(Exhaustive(), space=Space.of(guessing))


class Killed(Exception):
    pass


@pytest.mark.parametrize("method", METHODS, ids=ids)
@pytest.mark.parametrize("after", [0, 1, 2, 4])
def test_a_killed_run_starts_over_and_asks_at_most_the_batch_in_flight_twice(method, after):
    victim = model()
    cache, batches, sent = {}, [], []

    def ask(examples):
        missing = [e for e in examples if e.text not in cache]
        if missing:
            sent.extend(e.text for e in missing)
            answers = victim.predict(missing)
            batches.append([e.text for e in missing])
            if len(batches) == after + 1:
                raise Killed  # the model has answered, and nothing was kept
            cache.update((e.text, a) for e, a in zip(missing, answers, strict=True))
        return [cache[e.text] for e in examples]

    whole = plains(found_by(method, window=3))
    try:
        found = found_by(method, ask=ask, window=3)
    except Killed:
        found = found_by(method, ask=ask, window=3)
    assert plains(found) == whole
    twice = {text for text in sent if sent.count(text) > 1}
    in_flight = set(batches[after]) if len(batches) > after else set()
    assert twice <= in_flight
    assert all(sent.count(text) == 2 for text in twice)


def test_seconds_cut_everything_short_and_say_so():
    ticks = iter(range(100))
    found = found_by(Beam(3), seconds=3, window=2, clock=lambda: next(ticks))
    assert [f.status for f in found[:2]] == ["ok", "ok"]
    assert found[0].ended == "time"
    assert (found[-1].status, found[-1].reason) == ("skipped", "out_of_time")
    assert len(found) == len(ITEMS)
    assert all(f.ended != "time" for f in found_by(Beam(3), budget=3))


def test_settings_that_make_no_sense():
    for wrong in ({"budget": 0}, {"window": 0}, {"keep": 0}):
        with pytest.raises(PlanError):
            Settings(**wrong)


def test_the_best_texts_are_kept_best_first_and_each_once():
    (found,) = found_by(Exhaustive(), goal=KeepOutput(), items=ITEMS[:1], keep=4)
    scores = [one.score for one in found.reached]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert found.reached[0].state is found.state
    assert len({one.state.key for one in found.reached}) == 4


def test_texts_of_earlier_draws_are_not_found_again():
    seen, item = frozenset(), ITEMS[:1]
    for draw in range(4):
        (found,) = found_by(
            Exhaustive(), goal=KeepOutput(), items=item, draw=draw, excluded={"i0": seen}
        )
        assert found.state.key not in seen
        seen |= {found.state.key}
    assert (TEXTS[0][0],) not in seen


def test_draws_and_seeds_make_other_texts():
    one, other, again = (
        plains(found_by(RandomChoice(5, 2), seed=0, draw=draw)) for draw in (0, 1, 0)
    )
    assert one == again != other


def test_two_models_are_asked_together():
    first, second = LinearClassifier(WEIGHTS), LinearClassifier({**WEIGHTS, "goood": 5})
    table = WordTable({"good": ("god", "goood")})

    def ask(examples):
        return [
            AnswerPair(*pair)
            for pair in zip(first.predict(examples), second.predict(examples), strict=False)
        ]

    items = [Example("1", {"text": "not good poor awful"})]
    (found,) = search_all(
        items,
        Search(Space.of(table), Disagreement(), Exhaustive()),
        victim=Victim(ask, first.labels),
    )
    assert found.is_success
    assert found.state.texts == ("not goood poor awful",)
    assert found.n_asked == 3
    assert found.answer.reference.answer == "negative"


def test_a_probe_is_never_a_result():
    """A text with a word left out may lose its label; it is no finding."""
    stuck = Space.of(WordTable({"good": ("great",)}))
    lone = Example("1", {"text": "good"}, gold="positive")
    (found,) = found_by(
        GreedyRanked("delete"),
        items=[lone],
        space=stuck,
    )
    assert not found.is_success
    assert found.state.texts == ("good",)
    assert found.n_asked == 3


def test_vetoes_are_counted():
    table = WordTable({"great": ("ok", "terrible"), "Great": ("Ok",)})
    near = EditDistance(most=5, share=None)
    space = Space.of(table, amount=Amount(words=1), constraints=[near])
    (found,) = found_by(Greedy(), items=ITEMS[6:7], space=space)
    assert found.refused == {"edit_distance": 2}
    assert found.n_asked == 4


def test_the_answers_of_a_model_that_gives_labels_only():
    def ask(examples):
        return [Prediction(answer.answer) for answer in model().predict(examples)]

    found = found_by(Beam(2), ask=ask)
    assert [f.is_success for f in found if f.status == "ok"].count(True) >= 2
