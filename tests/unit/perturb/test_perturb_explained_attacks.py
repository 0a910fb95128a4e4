"""Attacks that an explanation guides, on planted models: of one word, of a bag of words, a rule."""

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import (
    INCOMPLETE,
    InputPiece,
    PathGradient,
    PathGradients,
    complete_paths,
)
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attack.random_change import AtRandom
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.passages.empty_words import DeleteEmptyWord, is_empty_word
from scrutiny.perturb.recipes.attack import Given, parse_attack
from scrutiny.perturb.search.goals.label_goals import Targeted, Untargeted
from scrutiny.perturb.search.judging import Base, Judged
from scrutiny.perturb.search.methods.explained import path_weights
from scrutiny.perturb.search.moves import Origin
from scrutiny.perturb.search.problem import Problem, Search, Settings, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.perturb.search.space import Space
from scrutiny.perturb.search.state import State
from scrutiny.text.lexicon import table
from scrutiny.text.tokens import token_spans, token_texts

LABELS = ("other", "match")
#: Words of asking and answering, beside function words, of which phrases are made.
ASKING = frozenset(
    "words word answer question tell please say know want like ask asking let now lot two one "
    "few many what here not".split()
)
ASKED = frozenset("用话来说几句换简单地答案题现请回告诉想知道样多问什么不里再一次")


class Matcher:
    """A matcher of texts whose probability of a match is a function of both."""

    labels = LABELS

    def __init__(self, chance):
        self.chance = chance

    def predict(self, examples):
        chances = [self.chance(*[t.lower() for t in e.fields.values()]) for e in examples]
        return [Prediction(LABELS[p > 0.5], (1 - p, p)) for p in chances]


def both(written, items, chance, **given):
    """Successes of an attack and of random change beside it, and how many were attacked."""
    attack, model = parse_attack(written), Matcher(chance)
    fields = tuple(items[0].fields)
    search = attack.search(Given(frozenset(), fields))
    victim = Victim(model.predict, model.labels, **given)
    found = list(search_all(items, search, victim=victim, settings=Settings(seed=1)))
    spent = {one.item: attack.expense(one) for one in found if one.status == "ok"}
    held = [one for one in items if one.id in spent]
    beside = Search(attack.control_space(search), search.goal, AtRandom(spent, search.method))
    random = search_all(held, beside, victim=victim, settings=Settings(seed=1))
    return (
        sum(one.is_success for one in found),
        sum(one.is_success for one in random),
        len(held),
        found,
    )


NAMES = "Ada Bo Cleo Dan Eva Finn Gus Hana Ivo Jan Kim Leo".split()
TOWNS = "Rome Oslo Lima Bonn Cork Graz Riga Nice Bern Kyiv Pune York".split()


def pairs(question, passage, *, gold="match", language="en"):
    """Pairs of a question and a passage with names and towns filled in."""
    return [
        Example(
            str(i),
            {
                "text": question.format(name=name, town=town, other=TOWNS[i - 1]),
                "text_pair": passage.format(name=name, town=town, other=TOWNS[i - 1]),
            },
            gold=gold,
            language=language,
        )
        for i, (name, town) in enumerate(zip(NAMES, TOWNS, strict=True))
    ]


QUESTION = "On which of the days in this year did she and {name} get to the town of {town}?"
PASSAGE = "In May {name} saw {town} once more."


def test_a_model_of_one_function_word_is_broken_by_the_word_that_is_named_and_seldom_at_random():
    """It looks for "this" alone: nine other function words may go first."""

    def of_one_word(question, passage):
        return 0.9 if "this" in question.split() else 0.2

    guided, random, n, found = both("named_stop_words", pairs(QUESTION, PASSAGE), of_one_word)
    assert (guided, n) == (12, 12)
    assert {one.n_tried for one in found} == {1}  # the named word is the first to go
    assert random <= 4
    assert "this" not in found[0].state.texts[0].split()


def test_a_rule_that_reads_names_is_broken_by_none_of_them():
    """A match is a passage with the name and the town of the question."""

    def rule(question, passage):
        known = {word.lower() for word in (*NAMES, *TOWNS)}
        held = known & {*token_texts(question.rpartition(": ")[2])}
        asked = {*token_texts(passage.partition(". ")[0])}  # it reads one sentence
        return 0.9 if len(held & asked) >= 2 else 0.1

    items = pairs(QUESTION, PASSAGE)
    for attack in ("named_stop_words", "empty_prefixes", "named_sentence(words=3)"):
        guided, random, n, _ = both(attack, items, rule)
        assert (guided, random, n) == (0, 0, 12), attack
    stays, random, n, found = both("subject_replaced(label=match)", items, rule)
    assert (stays, n) == (0, 12)  # it notices another subject, and no other stretch
    assert random >= 9  # now and then it is the town
    assert all(one.n_tried == 1 for one in found)


def test_a_bag_of_words_that_needs_a_third_of_the_words_is_over_stable():
    """The name may become a teapot: the other words still match."""
    question = "When did {name} see {town} for the first time in that long rainy summer?"
    passage = "In that long rainy summer {name} was to see {town}."

    def bag(question, passage):
        words = {*token_texts(question)}
        return 0.9 if len(words & {*token_texts(passage)}) / len(words) > 1 / 3 else 0.1

    stays, random, n, found = both("subject_replaced(label=match)", pairs(question, passage), bag)
    assert (stays, random, n) == (12, 12, 12)  # as if anything else were another
    assert found[0].state.texts[0] != found[0].state.origin.texts[0]


def test_a_sentence_of_named_words_fools_a_model_of_one_word_more_often_than_one_of_random_words():
    """It says match if the passage has the town, and cannot tell without one in the question."""
    question = "Which tall busy brave quiet clever {name} went north towards {town} yesterday?"

    def of_town(question, passage):
        towns = [t.lower() for t in TOWNS if t.lower() in question]
        return 0.5 if not towns else 0.95 if towns[0] in passage else 0.05

    items = pairs(question, "Nothing is said of {other} here.", gold="other")
    guided, random, n, found = both("named_sentence(words=2)", items, of_town)
    assert n == 12
    assert guided >= 11  # one of 24 sentences of two of ten words has the town
    assert random <= 6
    assert found[0].state.texts[1].startswith("Nothing is said of York here. ")


def test_a_model_that_falls_for_a_phrase_falls_for_no_jumble_of_its_own_words():
    def of_lot(question, passage):
        return 0.1 if "please" in question else 0.9

    items = pairs(QUESTION, PASSAGE)
    guided, random, n, found = both("empty_prefixes(tries=20)", items, of_lot)
    assert (guided, random, n) == (12, 0, 12)
    assert "lease" in found[0].state.texts[0].partition(":")[0]


def path_of(query, weights):
    """Exact path of a model whose logit is the sum of the weights of its words."""
    places, values = [], []
    for field, (_, text) in enumerate(query.texts):
        for start, end in token_spans(text):
            values.append(weights.get(text[start:end].lower(), 0.0))
            places.append((field, start, end))
    return PathGradients.of_pieces(values, places, (0.0, sum(values)))


def test_integrated_gradients_choose_the_phrase_and_no_text_is_asked_for_them():
    """The one phrase with a word of weight is asked about first."""
    weights = {"please": -3.0, "tell": -1.0}

    def ask(queries):
        return [path_of(query, weights) for query in queries]

    def chance(question, passage):
        return 0.9 + sum(weights.get(w, 0.0) for w in token_texts(question)) / 10 * 2

    items = pairs(QUESTION, PASSAGE)
    _, _, _, found = both("empty_prefixes(tries=1)", items, chance, paths=ask)
    assert {one.state.texts[0].partition(":")[0] for one in found} == {"Tell me please"}
    assert {one.n_asked for one in found} == {2}
    _, _, _, drawn = both("empty_prefixes(tries=1,order=random)", items, chance, paths=ask)
    assert len({one.state.texts[0].partition(":")[0] for one in drawn}) > 4


def test_integrated_gradients_choose_the_word_in_either_language():
    for language, question, word in (
        ("en", QUESTION, "this"),
        ("zh", "{name}和她在这一年的哪一天到了{town}？", "年"),
    ):
        word = "这" if language == "zh" else word
        items = pairs(question, PASSAGE, language=language)

        def ask(queries, word=word):
            return [path_of(query, {word: 2.0}) for query in queries]

        def chance(question, passage, word=word):
            return 0.9 if word in token_texts(question) else 0.3

        guided, random, n, found = both("named_stop_words", items, chance, paths=ask)
        assert (guided, n) == (12, 12)
        assert {one.n_asked for one in found} == {2}  # nothing was left out to learn its weight
        assert random < guided


def test_steps_are_doubled_until_a_path_is_complete():
    """Each query by itself, and one that never is stays a failure at the most steps."""
    least, asked = {"a": 0, "b": 100, "c": 9999}, []

    def ask(queries):
        asked.append([(query.target, query.steps) for query in queries])
        short = [query.steps < least[query.target] for query in queries]
        return [Failure(INCOMPLETE) if one else "path" for one in short]

    queries = [PathGradient((("text", "x"),), target) for target in "abc"]
    found = complete_paths(ask, queries)
    assert [query.steps for query, _ in found] == [32, 128, 512]
    assert [isinstance(answer, Failure) for _, answer in found] == [False, False, True]
    assert asked[1:] == [
        [("b", 64), ("c", 64)],
        [("b", 128), ("c", 128)],
        [("c", 256)],
        [("c", 512)],
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_phrases_say_nothing(language):
    """Each is of function words and of words of asking and answering, and twenty there are."""
    phrases = [phrase for code, phrase in table("empty_phrases") if code == language]
    assert len(phrases) == len({*phrases}) == 20
    for phrase in phrases:
        for word in token_texts(phrase):
            known = word.lower() in ASKING if language == "en" else word in ASKED
            assert known or is_empty_word(word), word


def test_nouns_are_pairs_of_the_same_things():
    nouns = {code: [n for c, n in table("household_nouns") if c == code] for code in ("en", "zh")}
    assert len(nouns["en"]) == len(nouns["zh"]) == 12
    assert all(len(noun) == 2 for noun in nouns["zh"])


def test_words_that_deny_or_ask_are_not_left_out():
    for text, left in (
        ("What is it that he did not see?", ["is", "it", "that", "he", "did"]),
        ("他为什么没有来？", []),
        ("那条河在不在城里？", None),
    ):
        document = document_of(text)
        found = [document.words[site.token] for site in DeleteEmptyWord().sites(document)]
        assert not {"不", "没", "什", "么", "What", "not"} & {*found}
        if left:
            assert found == left


def test_pieces_count_for_the_word_that_they_are_of():
    """Two pieces of one word; the passage's piece at the same place is not of it."""
    item = Example("1", {"text": "Ada came", "text_pair": "Ada left"}, gold="match")
    state = State.start(Origin(item))
    base = Base(item, Prediction("match", (0.2, 0.8)), LABELS)
    path = PathGradients.of_pieces(
        [1.0, 2.0, -0.5, 9.0], [(0, 0, 2), (0, 2, 3), (0, 4, 8), (1, 0, 3)], (0.0, 11.5)
    )
    words = [InputPiece("text", 4, 8), InputPiece("text", 0, 3)]
    for goal, wanted in ((Untargeted(), [-0.5, 3.0]), (Targeted("other"), [0.5, -3.0])):
        problem = Problem(
            Judged(state, base.answer, 0.0, is_reached=False),
            base,
            Space.of(DeleteEmptyWord()),
            goal.slope(base),
            paths=lambda queries: [path] * len(queries),
        )
        assert path_weights(problem, [state], [words]) == [wanted]
