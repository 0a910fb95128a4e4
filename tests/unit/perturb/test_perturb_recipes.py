"""Published attacks against a victim whose answers are sums of word weights."""

from dataclasses import fields, is_dataclass
from typing import get_args

import pytest

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Example
from scrutiny.core.languages import speaks
from scrutiny.core.registry import registry
from scrutiny.perturb.recipes.attack import (
    Given,
    deviations_of,
    given_to_attacks,
    lacks,
    name_of,
    parse_attack,
)
from scrutiny.perturb.resources.capabilities import Guess
from scrutiny.perturb.search.problem import Settings, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.testing import LinearClassifier

NAMES = registry().names("attack")
EVERYTHING = given_to_attacks(
    ["masked_lm", "vectors", "encoder", "perplexity", "pinyin"], capabilities=["gradients"]
)


def attacked(attack, text, weights, *, resources=None, bias=0, gold="positive", **settings):
    """What came of it, and the texts that the model was asked about, in order."""
    model = LinearClassifier(weights, bias=bias)
    fields_ = text if isinstance(text, dict) else {"text": text}
    item = Example("1", fields_, gold=gold, language=settings.pop("language", "en"))
    given = Given(
        given_to_attacks(resources or {}).resources,
        tuple(fields_),
        frozenset({"predict", "gradients"}),
    )
    (found,) = search_all(
        [item],
        parse_attack(attack).search(given),
        victim=Victim(model.predict, model.labels, model),
        settings=Settings(**settings),
        resources=resources,
    )
    return found, [" | ".join(texts) for call in model.asked for texts in call]


class Filler:
    """A masked language model that expects the same words everywhere."""

    def __init__(self, words=("dull", "good", "tale"), respelled=("fair", "dull")):
        self.words, self.respelled = words, respelled

    def guess(self, queries, *, top, script="latin"):
        chances = [0.5 / 2**i for i in range(len(self.words))]
        found = tuple(Guess(w, p) for w, p in zip(self.words, chances, strict=True))[:top]
        return [found for _ in queries]

    def rewrite(self, queries, *, top, script="latin"):
        return [tuple(Guess(w, 1.0 + i) for i, w in enumerate(self.respelled)) for _ in queries]


class Neighbors:
    """Vectors that know a few neighbors."""

    def __init__(self, **near):
        self.near = {word: tuple(found.items()) for word, found in near.items()}

    def neighbors(self, word, *, most):
        return self.near.get(word, ())[:most]

    def warm(self, words, *, most):
        """Nothing to do."""

    def vector(self, word):
        """None has any."""


@pytest.mark.parametrize("name", NAMES)
def test_every_attack_states_what_it_is(name):
    kind = registry().load("attack", name)
    attack = kind()
    assert attack.id == name
    assert parse_attack(name_of(attack)) == attack
    for section in ("**Measures**", "**Misleads when**", "References"):
        assert section in kind.__doc__
    assert all(said.endswith(".") for said in (*attack.deviations, *attack.lacking.values()))
    assert attack.search(EVERYTHING).space.moves
    for choice in _variants(kind):
        chosen = parse_attack(f"{name}(variant={choice})")
        assert parse_attack(name_of(chosen)) == chosen
        assert chosen.search(EVERYTHING)


def _variants(kind):
    hints = kind.__annotations__
    return get_args(hints["variant"]) if "variant" in hints else ()


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_runs_on_what_it_says_that_it_needs(name):
    attack = registry().load("attack", name)()
    held = given_to_attacks(attack.resources, capabilities=attack.needs)
    assert lacks(attack, held) == ()
    search = attack.search(held)
    assert set(search.space.resources) <= held.resources
    assert len(deviations_of(attack, held)) >= len(attack.deviations)


def test_which_attacks_run_with_nothing_given():
    offline = [n for n in NAMES if not lacks(registry().load("attack", n)(), given_to_attacks([]))]
    assert offline == [
        "alzantot@1",
        "checklist@1",
        "chinese@1",
        "deepwordbug@1",
        "empty_prefixes@1",
        "input_reduction@1",
        "named_sentence@1",
        "named_stop_words@1",
        "pruthi@1",
        "pso@1",
        "pwws@1",
        "subject_replaced@1",
        "textbugger@1",
        "textfooler@1",
    ]


def test_names_that_do_not_read():
    with pytest.raises(UnknownNameError, match="textfooler@1"):
        parse_attack("textfoolr")
    with pytest.raises(UnknownNameError, match="candidates"):
        parse_attack("textfooler(candidate=3)")
    with pytest.raises(PlanError, match="2 attacks"):
        parse_attack("pwws+pruthi")
    assert (
        name_of(parse_attack('bae(mode="R+I", candidates=5)')) == 'bae@1(mode="R+I",candidates=5)'
    )


def test_languages():
    chinese, anything = parse_attack("chinese"), parse_attack("deepwordbug")
    assert speaks(chinese.languages, "zh-Hans")
    assert not speaks(chinese.languages, "en")
    assert speaks(anything.languages, "fi")


def test_deepwordbug_ranks_by_unknown_words_and_takes_the_best_of_four_slips():
    found, asked = attacked("deepwordbug", "A good and fine film", {"good": 3, "fine": 2}, bias=-1)
    # ranking in the order of the text, function words left out
    assert asked[:4] == [
        "A good and fine film",
        "A [UNK] and fine film",
        "A good and [UNK] film",
        "A good and fine [UNK]",
    ]
    # all four slips take "good" away, and the first of equals stays: two letters exchanged
    after_good = asked[4:8]
    assert all(text.startswith("A ") and text.endswith(" and fine film") for text in after_good)
    swapped = after_good[0].split()[1]
    assert sorted(swapped) == sorted("good")
    assert all(text.startswith(f"A {swapped} and ") for text in asked[8:])
    assert found.is_success
    assert found.n_asked == len(asked) == 12
    assert found.state.words_changed == 2


def test_deepwordbug_does_not_go_beyond_its_edit_distance():
    found, _ = attacked("deepwordbug(most_edits=1)", "good fine film", {"good": 3, "fine": 2})
    assert not found.is_success  # one letter put in, left out or replaced, and no second word
    assert len(found.state.edits) == 1


def test_pruthi_asks_about_every_inner_slip_of_every_longer_word_once():
    found, asked = attacked("pruthi", "the film good", {"good": 2})
    film, good = asked[1 : 1 + _slips("film")], asked[1 + _slips("film") :]
    assert all(text.startswith("the ") and text.endswith(" good") for text in film)
    assert all(text.startswith("the film ") for text in good)
    assert "the film gd" not in asked  # "oo" exchanged is no change; first and last letter stay
    assert all(text.split()[2][0] == "g" and text.split()[2][-1] == "d" for text in good)
    assert found.is_success
    assert found.state.words_changed == 1


def _slips(word):
    """Distinct inner slips of a word, as far as they can be counted without drawing letters."""
    from numpy.random import default_rng

    from scrutiny.perturb.engine.document import document_of

    space = parse_attack("pruthi").search(Given()).space
    document = document_of(word)
    texts = set()
    for move in space.moves:
        one = move.transformation
        for site in one.sites(document):
            for (edit,) in one.candidates(document, site, default_rng(0)):
                texts.add((type(one).__name__, edit.start, edit.end, edit.text))
    return len(texts)


WORDNET = {"film": 1, "movie": -3}  # "movie" is a synonym of "film"


def test_pwws_puts_the_best_synonym_at_the_place_of_the_largest_product():
    found, asked = attacked("pwws", "a film", {**WORDNET}, bias=1)
    assert asked[0] == "a film"
    assert asked[1] == "a [UNK]"
    assert "a movie" in asked
    assert len(asked) == found.n_asked  # one synonym needs no further text: it was asked already
    assert found.is_success
    assert found.state.texts == ("a movie",)


def test_pwws_orders_by_gain_and_the_released_toolkit_by_what_is_left():
    """Fixed choices ask about no synonym twice; the toolkit asks anew at each place."""
    text, weights = "a film and a story", {"film": 2, "story": 2}
    published, asked = attacked("pwws", text, weights, bias=3)
    assert not published.is_success
    assert len(asked) == len(set(asked)) == published.n_asked
    changed = [one for one in asked if "film" not in one and "story" not in one]
    assert changed == asked[-1:]
    again, more = attacked("pwws(variant=textattack)", text, weights, bias=3)
    assert len([one for one in more if "film" not in one and "story" not in one]) > 1
    assert again.state.words_changed == published.state.words_changed == 2


def test_pwws_weighs_saliency_by_gain():
    """Without "fine" less is lost than without "film", but a synonym of "fine" gains more."""
    weights = {"film": 2, "fine": 1, "all right": 0, "hunky-dory": 0, "okay": -4}
    found, asked = attacked("pwws", "a fine film", weights, bias=2)
    assert "a okay film" in asked
    assert found.is_success
    assert found.state.words_changed == 1


def test_textfooler_without_vectors_takes_synonyms_and_says_so():
    found, asked = attacked("textfooler", "a good film", {**WORDNET, "good": 3})
    assert asked[1:3] == ["a film", "a good"]  # each word left out; "a" is a function word
    assert found.is_success
    said = deviations_of(parse_attack("textfooler"), given_to_attacks([]))
    assert any("WordNet synonyms" in one for one in said)
    assert any("No encoder" in one for one in said)
    full = deviations_of(parse_attack("textfooler"), given_to_attacks(["vectors", "encoder"]))
    assert len(full) == len(said) - 2


def test_textfooler_with_vectors_keeps_to_the_published_cosine():
    near = Neighbors(good={"great": 0.8, "decent": 0.6})
    weights = {"good": 2, "great": 1, "decent": -1}
    strict, asked = attacked("textfooler", "a good plan", weights, resources={"vectors": near})
    assert not strict.is_success
    assert "a great plan" in asked
    assert "a decent plan" not in asked
    loose, _ = attacked(
        "textfooler(variant=textattack)", "a good plan", weights, resources={"vectors": near}
    )
    assert loose.state.texts == ("a decent plan",)


def test_textfooler_as_released_ranks_by_unknown_words():
    _, asked = attacked("textfooler(variant=as_released)", "a good film", {"good": 2})
    assert asked[1:3] == ["a <oov> film", "a good <oov>"]


def test_of_a_pair_the_second_text_alone_changes():
    pair = {"text": "a good film", "text_pair": "a good movie"}
    _, asked = attacked("textfooler", pair, {"good": 3})
    assert all(text.startswith("a good film | ") for text in asked)
    _, everywhere = attacked("deepwordbug", pair, {"good": 3})
    assert any(not text.startswith("a good film | ") for text in everywhere)


def test_textbugger_offers_five_bugs():
    near = Neighbors(great={"nice": 0.9})
    _, asked = attacked(
        "textbugger", "a great plan", {"plan": 9, "great": 9}, resources={"vectors": near}
    )
    bugs = [text for text in asked if text.startswith("a ") and text.endswith(" plan")]
    words = [text.removeprefix("a ").removesuffix(" plan") for text in bugs]
    assert "nice" in words
    assert any(" " in word for word in words)  # a space put in
    assert any(sorted(word) == sorted("great") and word != "great" for word in words)
    assert any(not word.isascii() for word in words)  # look-alikes


def test_spaces_go_into_short_words_only_unless_as_in_the_toolkit():
    text, weights = "wonderful", {"wonderful": 1}
    _, asked = attacked("textbugger", text, weights, bias=3)
    assert not any(" " in one for one in asked)
    _, more = attacked("textbugger(variant=textattack)", text, weights, bias=3)
    assert any(" " in one for one in more)


def test_input_reduction_leaves_what_the_answer_hangs_on():
    found, _ = attacked("input_reduction", "a good and rather long film", {"good": 1})
    assert found.is_success
    assert found.state.texts == ("good",)
    stuck, _ = attacked("input_reduction", "very good film", {"very": 1, "good": 1}, bias=-1)
    assert not stuck.is_success
    assert stuck.state.texts == ("very good",)


def test_input_reduction_needs_no_gold_and_fools_nobody():
    found, _ = attacked("input_reduction", "good film", {"good": 1}, gold=None)
    assert found.status == "ok"
    assert not parse_attack("input_reduction").is_fooling


def test_checklist_changes_numbers_names_and_contractions():
    found, asked = attacked(
        "checklist", "It is not what 25 people saw in Paris", {"is": 1}, bias=0, budget=60
    )
    assert "It isn't what 25 people saw in Paris" in asked
    assert any("25" not in text for text in asked[1:])
    assert any("Paris" not in text for text in asked[1:])
    assert found.is_success


def test_alzantot_needs_two_words_where_one_does_not_help():
    near = Neighbors(good={"fair": 0.9}, fine={"okay": 0.9}, story={"tale": 0.7})
    weights = {"good": 2, "fine": 2, "fair": 0, "okay": -1, "tale": -9}
    text = "a good and fine and very long and winding story of him and her"
    found, asked = attacked(
        "alzantot(population=8)", text, weights, resources={"vectors": near}, budget=200
    )
    assert found.is_success
    assert found.state.texts == (text.replace("good", "fair").replace("fine", "okay"),)
    assert not any("tale" in one for one in asked)  # its cosine is below .75


def test_alzantot_does_not_change_more_than_a_fifth():
    near = Neighbors(good={"fair": 0.9}, fine={"okay": 0.9})
    weights = {"good": 2, "fine": 2, "okay": 1}
    found, _ = attacked(
        "alzantot(population=4)", "good and fine now", weights, resources={"vectors": near}
    )
    assert not found.is_success
    assert found.state.words_changed == 1


def test_pso_puts_two_synonyms_together():
    found, _ = attacked(
        "pso(population=6,iterations=6)", "a film and a story", {"film": 1, "story": 1}, budget=400
    )
    assert found.is_success
    assert found.state.words_changed == 2


def test_a2t_goes_where_the_gradient_is_and_asks_nothing_for_it():
    near = Neighbors(good={"fair": 0.9}, plan={"idea": 0.9})
    found, asked = attacked(
        "a2t", "a good plan", {"good": 2, "fair": 0}, resources={"vectors": near}
    )
    assert asked[0] == "a good plan"
    assert set(asked[1:]) <= {"a fair plan", "a good idea", "a fair idea"}
    assert found.is_success
    assert found.n_gradients == 1
    with pytest.raises(PlanError, match="masked_lm"):
        parse_attack("a2t(candidates_from=masked_lm)").search(given_to_attacks([]))


WEIGHTS = {"good": 2, "dull": -3, "tale": 0}


def test_bae_replaces_by_importance_and_keeps_the_part_of_speech():
    found, asked = attacked("bae", "a good plan", WEIGHTS, resources={"masked_lm": Filler()})
    assert asked[1:3] == ["a plan", "a good"]
    assert found.is_success
    assert found.state.texts == ("a dull plan",)


def test_bae_inserts_to_the_left_or_to_the_right():
    found, asked = attacked(
        "bae(mode=I)", "a good plan", WEIGHTS, resources={"masked_lm": Filler()}
    )
    assert found.is_success
    assert found.state.texts[0] in ("a dull good plan", "a good dull plan")
    assert {"a dull good plan", "a good dull plan"} <= set(asked)


def test_bae_r_or_i_takes_the_better_of_the_two():
    weights = {"good": 2, "dull": -1}
    held = {"masked_lm": Filler(("dull",))}
    found, asked = attacked('bae(mode="R/I")', "a good plan", weights, resources=held)
    # replacing gives -1, inserting +1
    assert found.state.texts == ("a dull plan",)
    assert {"a dull plan", "a dull good plan"} <= set(asked)


def test_bae_r_and_i_replaces_first_and_then_inserts_before_it_goes_on():
    weights = {"good": 4, "plan": 1, "dull": -1, "drab": -1}
    held = {"masked_lm": Filler(("dull", "drab"))}
    found, asked = attacked('bae(mode="R+I")', "a good plan", weights, resources=held, bias=1)
    assert asked[3:5] == ["a dull plan", "a drab plan"]  # R at the more important word: 1
    # then I beside it, where "drab" gives 0; "dull" to the left of "dull" is none of its neighbors
    assert {"a drab dull plan", "a dull drab plan"} <= set(asked[5:])
    assert all(" dull" in text and text.endswith(" plan") for text in asked[5:])
    assert found.is_success
    assert found.state.words_changed == 2


def test_bert_attack_respells_words():
    found, asked = attacked(
        "bert_attack", "a good plan", WEIGHTS, resources={"masked_lm": Filler()}
    )
    assert asked[1:3] == ["a [MASK] plan", "a good [MASK]"]
    assert "a fair plan" in asked
    assert found.state.texts == ("a dull plan",)


def test_bert_attack_changes_two_words_of_five():
    weights = {f"good{c}": 2 for c in "abcde"}
    text = " ".join(weights)
    found, _ = attacked(
        "bert_attack", text, weights, resources={"masked_lm": Filler(respelled=("fair",))}
    )
    assert found.state.words_changed == 2


def test_clare_replaces_inserts_and_merges():
    held = {"masked_lm": Filler(("dull",))}
    found, asked = attacked("clare", "a good plan", {"good": 9}, resources=held)
    texts = set(asked)
    assert {"a dull plan", "a good dull", "a dull", "a good dull plan"} <= texts
    assert found.is_success


def test_hotflip_asks_first_about_the_flip_with_the_best_estimate():
    weights = {"good": 3, "nice": 2, "bad": -3, "film": 0}
    found, asked = attacked("hotflip(least_cosine=-1.0)", "a good film", weights, bias=1)
    assert found.is_success
    assert asked[1] == "a bad film"  # -6 is the largest change there is
    assert found.n_gradients == 1


def test_hotflip_on_characters_needs_a_model_that_reads_them():
    with pytest.raises(PlanError, match="reads characters"):
        attacked("hotflip(level=character)", "a good film", {"good": 3, "bad": -3})


def test_chinese_characters_of_like_shape():
    found, asked = attacked(
        "chinese", "未来很好", {}, bias=1, resources={}, language="zh", budget=40
    )
    assert "末来很好" in asked
    assert not found.is_success


def test_parameters_are_those_of_a_dataclass():
    for name in NAMES:
        kind = registry().load("attack", name)
        assert is_dataclass(kind)
        assert all(f.default is not None for f in fields(kind))


class Counting:
    """An encoder that counts a few words; texts are near where their counts are alike."""

    def __init__(self, *words):
        self.words = words

    def encode(self, texts):
        import numpy as np

        rows = [[1.0, *(float(text.split().count(w)) for w in self.words)] for text in texts]
        return np.array(rows, dtype=np.float32)


def test_of_several_that_flip_the_closest_is_taken():
    near = Neighbors(good={"great": 0.9, "decent": 0.8, "poor": 0.8})
    weights = {"good": 1, "great": 1, "decent": -1, "poor": -5}
    alone, _ = attacked("textfooler", "a good plan", weights, resources={"vectors": near})
    assert alone.state.texts == ("a poor plan",)  # the highest score
    held = {"vectors": near, "encoder": Counting("poor")}
    found, _ = attacked("textfooler", "a good plan", weights, resources=held)
    assert found.state.texts == ("a decent plan",)


def test_similarity_is_not_asked_for_in_short_texts_but_in_long_ones():
    near = Neighbors(good={"poor": 0.9})
    held = {"vectors": near, "encoder": Counting("poor")}
    weights = {"good": 1, "poor": -5}
    short, _ = attacked("textfooler", "a good plan", weights, resources=held)
    assert short.is_success
    long_ = "a good plan " + " ".join(f"of number {i}" for i in range(9))
    found, _ = attacked("textfooler", long_, weights, resources=held)
    assert not found.is_success  # the angle of (1, 0) and (1, 1) is 45 degrees
    assert found.refused["sentence_similarity"] == 1
    loose, _ = attacked("textfooler(similarity=0.74)", long_, weights, resources=held)
    assert loose.is_success
