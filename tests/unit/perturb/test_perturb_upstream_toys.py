"""Each published attack on a sum of word weights: what is asked, in which order, what comes out.

p(positive) = 2^s / (1 + 2^s): 4/5 for a sum of 2, 2/3 for 1, and a tie, which is negative, for 0.
"""

import pytest

from scrutiny.core.example import Example
from scrutiny.perturb.recipes.attack import Given, given_to_attacks, parse_attack
from scrutiny.perturb.resources.capabilities import Guess
from scrutiny.perturb.search.problem import Settings, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.testing import LinearClassifier


def attacked(attack, text, weights, *, resources=None, bias=0, model=None, **settings):
    """What came of it, and the texts that the model was asked about, in order."""
    model = model or LinearClassifier(weights, bias=bias)
    fields = text if isinstance(text, dict) else {"text": text}
    given = Given(
        given_to_attacks(resources or {}).resources,
        tuple(fields),
        frozenset({"predict", "gradients"}),
    )
    (found,) = search_all(
        [Example("1", fields, gold="positive")],
        parse_attack(attack).search(given),
        victim=Victim(model.predict, model.labels, model),
        settings=Settings(**settings),
        resources=resources,
    )
    return found, [" | ".join(texts) for call in model.asked for texts in call]


class Expecting:
    """A masked language model that expects the same words everywhere, each half as likely."""

    def __init__(self, *words):
        self.guesses = tuple(Guess(word, 0.5 / 2**i) for i, word in enumerate(words))

    def guess(self, queries, *, top, script="latin"):
        return [self.guesses[:top] for _ in queries]

    def rewrite(self, queries, *, top, script="latin"):
        return [self.guesses[:top] for _ in queries]


class Near:
    """Vectors that know a few neighbors and their cosines."""

    def __init__(self, **near):
        self.near = {word: tuple(found.items()) for word, found in near.items()}

    def neighbors(self, word, *, most):
        return self.near.get(word, ())[:most]

    def warm(self, words, *, most):
        """Nothing to do."""

    def vector(self, word):
        """None has any."""


def test_textbugger_asks_about_five_bugs_in_order_and_keeps_the_first_of_the_best():
    held = {"vectors": Near(great={"nice": 0.9, "big": 0.2})}
    found, asked = attacked("textbugger", "a great plan", {"great": 2, "plan": 1}, resources=held)
    assert asked[:3] == ["a great plan", "a plan", "a great"]  # "a" is a function word
    bugs = [text.removeprefix("a ").removesuffix(" plan") for text in asked[3:13]]
    space, deleted, swapped, *alike = bugs[:8]
    assert (space.replace(" ", ""), space.count(" "), space[0], space[-1]) == ("great", 1, "g", "t")
    assert (len(deleted), deleted[0], deleted[-1]) == (4, "g", "t")
    assert sorted(swapped) == sorted("great") != list(swapped)
    assert (swapped[0], swapped[-1]) == ("g", "t")
    changed = [[a != b for a, b in zip("great", word, strict=True)].index(True) for word in alike]
    assert changed == [0, 1, 2, 3, 4]  # a look-alike for each letter, the ends among them
    assert bugs[8:] == ["nice", "big"]  # no cosine is asked for
    # all of them take "great" away, so the first stays
    assert all(text.startswith(f"a {space} ") for text in asked[13:])
    assert found.is_success


def test_pwws_replaces_by_saliency_times_gain_until_the_label_is_lost():
    """Sum 2 + 1 + 1: "film" loses 8/17 unknown, "story" 4/17 or so; so "film" goes first."""
    found, asked = attacked("pwws", "a film and a story", {"film": 2, "story": 1, "tale": -9})
    assert asked[0] == "a film and a story"
    assert asked[1:3] == ["a [UNK] and a story", "a film and a [UNK]"]
    ranked = asked[3:]
    assert [text.endswith(" a story") for text in ranked] == sorted(
        (text.endswith(" a story") for text in ranked), reverse=True
    )
    # the best of "story" gains most by far: it is the first, and was asked about already
    assert found.state.texts == ("a film and a tale",)
    assert found.n_asked == len(asked) == len(set(asked)) == 1 + 2 + len(FILMS) + len(STORIES)


FILMS = ("movie", "picture", "pic", "flick", "cinema", "celluloid")
STORIES = (
    "narrative narration tale floor level storey history account chronicle report fib "
    "tarradiddle taradiddle"
).split()


def test_pwws_takes_its_fixed_choices_even_where_they_do_not_help():
    """Paper: every word gets its best synonym, in order, until the label is lost."""
    weights = dict.fromkeys((*FILMS, *STORIES), 1)  # every synonym makes it surer
    found, asked = attacked("pwws", "a film and a story", weights, bias=2)
    assert asked[-1] == "a movie and a narrative"
    assert not found.is_success
    assert found.state.edits == ()  # the best that was seen is what stays
    _, kept = attacked("pwws(variant=textattack)", "a film and a story", weights, bias=2)
    assert all("film" in text or "story" in text for text in kept)


def test_textfooler_walks_from_the_most_important_word_and_keeps_its_steps():
    near = Near(good={"fair": 0.9, "nice": 0.8}, fine={"great": 0.9})
    weights = {"good": 1, "fine": 2, "great": 1, "fair": 1}
    found, asked = attacked(
        "textfooler", "A good and fine plan", weights, resources={"vectors": near}, bias=1
    )
    assert asked == [
        "A good and fine plan",  # 4
        "A and fine plan",
        "A good and plan",
        "A good and fine",
        "A good and great plan",  # "fine" first: 3
        "A fair and great plan",  # 3, no better
        "A nice and great plan",  # 2, and "plan" has no neighbor
    ]
    assert not found.is_success
    assert found.state.texts == ("A nice and great plan",)


def test_textfooler_asks_for_the_part_of_speech_of_the_word_in_its_place_alone():
    """Earlier words that a tagger reads otherwise from now on veto nothing."""

    class Reading:
        def tag_at(self, words, position):
            from scrutiny.text.tagger import Tag

            word, rest = words[position], words[position + 1 :]
            if word == "clear" and rest[:1] == ["deal"]:  # before "deal" it looks like a verb
                return Tag("VB", "VERB")
            kinds = {"bright": "ADJ", "clear": "ADJ", "plan": "NOUN", "deal": "NOUN", "so": "ADV"}
            return Tag("", kinds.get(word, "X"))

    near = Near(bright={"clear": 0.9}, plan={"so": 0.9, "deal": 0.8})
    held = {"vectors": near, "tagger": Reading()}
    found, asked = attacked("textfooler", "bright plan", {"bright": 3, "plan": 2}, resources=held)
    assert asked[3:] == ["clear plan", "clear deal"]
    assert found.refused == {"same_pos": 1}  # "so"
    assert found.is_success


@pytest.mark.parametrize(("cosine", "is_asked"), [(0.75, True), (0.749, False)])
def test_alzantot_takes_words_within_the_published_distance(cosine, is_asked):
    """A squared distance of .5 between vectors of length one is 2 - 2 cos, so a cosine of .75."""
    held = {"vectors": Near(good={"dull": cosine})}
    found, asked = attacked("alzantot(population=4)", "a good plan", {"good": 2}, resources=held)
    assert asked == ["a good plan", "a dull plan"] if is_asked else ["a good plan"]
    assert found.is_success is is_asked


def test_alzantot_asks_about_each_text_once_however_many_members_propose_it():
    held = {"vectors": Near(good={"fair": 0.9, "dull": 0.8})}
    weights = {"good": 2, "fair": 1, "dull": -1}
    found, asked = attacked("alzantot(population=4)", "a good plan", weights, resources=held)
    assert asked == ["a good plan", "a fair plan", "a dull plan"]
    assert (found.n_asked, found.n_considered) == (3, 1 + 4 * 2)
    assert found.state.texts == ("a dull plan",)


@pytest.mark.parametrize(
    ("variant", "again"), [("as_published", False), ("faster", False), ("improved", True)]
)
def test_only_the_improved_algorithm_replaces_a_word_again(variant, again):
    """good, film: 4; fair, tape: 2; dull, which is near "fair" alone, tape: 0."""
    near = Near(good={"fair": 0.9}, fair={"dull": 0.9}, film={"tape": 0.8})
    found, asked = attacked(
        f"alzantot(variant={variant},population=6)",
        "good film and story of x y z qq rr",
        {"good": 2, "film": 2, "fair": 1, "dull": -1, "tape": 1},
        resources={"vectors": near},
    )
    assert any(text.startswith("dull") for text in asked) is again
    assert found.is_success is again
    start = "dull tape" if again else "fair tape"
    assert found.state.texts[0].startswith(start)


def test_pso_asks_about_all_candidates_of_the_base_and_takes_what_gains():
    """Of the synonyms of "film" only "movie" gains, so every member becomes it."""
    weights = {"film": 1, "movie": -1, "picture": 1, "pic": 1, "flick": 1, "cinema": 1}
    found, asked = attacked("pso(population=4)", "a film", {**weights, "celluloid": 1})
    synonyms = ["movie", "picture", "pic", "flick", "cinema", "celluloid"]
    assert asked == ["a film", *(f"a {word}" for word in synonyms)]
    assert found.state.texts == ("a movie",)


def test_clare_compares_replacing_inserting_and_merging_at_every_place():
    held = {"masked_lm": Expecting("dull")}
    found, asked = attacked("clare", "a good plan", {"good": 4, "dull": -1}, resources=held)
    assert asked == [
        "a good plan",
        "dull plan",  # "a good" merged
        *("a dull plan", "a dull good plan", "a good dull plan"),  # replaced, left, right
        "a dull",  # "good plan" merged
        *("a good dull", "a good plan dull"),  # left of "plan" was there
    ]
    assert found.state.texts == ("dull plan",)  # of equal ones the first


def test_clare_goes_on_from_the_best_of_all():
    """Nothing flips at once: "good" is replaced first (sum 2), not "fine" (sum 3)."""
    held = {"masked_lm": Expecting("tale")}
    weights = {"good": 3, "fine": 2}
    _, asked = attacked("clare", "good, fine", weights, resources=held)
    step = asked.index("tale, fine")
    later = [text for text in asked if "good" not in text and text != "tale, fine"]
    assert later
    assert min(asked.index(text) for text in later) > step


def test_a2t_visits_words_by_the_length_of_their_gradients():
    class Steep(LinearClassifier):
        """The slope at the last token is three times that of the others."""

        def gradients(self, examples, labels):
            found = super().gradients(examples, labels)
            for one in found:
                one.gradient[-1] *= 3
            return found

    near = Near(good={"fair": 0.9, "great": 0.7}, plan={"idea": 0.9})
    model = Steep({"good": 2, "fair": 1})
    found, asked = attacked("a2t", "a good plan", {}, resources={"vectors": near}, model=model)
    assert asked == ["a good plan", "a good idea", "a fair plan"]  # "great" is below .8
    assert found.n_gradients == 1
    assert (found.n_asked, found.is_success) == (3, False)


def test_checklist_asks_about_one_contraction_three_numbers_and_three_places():
    text = "It is not what 25 people saw in Paris"
    found, asked = attacked("checklist", text, {"is": 1}, bias=5)
    changed = [("isn't" in one, "25" not in one, "Paris" not in one) for one in asked[1:]]
    assert (
        changed[:7]
        == [(True, False, False), *[(False, True, False)] * 3] + [(False, False, True)] * 3
    )
    # the contraction is the only gain; then one of the rest beside it, then both
    assert changed[7:13] == [(True, True, False)] * 3 + [(True, False, True)] * 3
    assert changed[13:] == [(True, True, True)] * 3
    assert found.n_asked == 1 + 7 + 6 + 3


def test_pruthi_asks_in_the_order_of_slips_and_places():
    """film: one inner pair, two inner letters, three inner gaps, the keys beside i and l."""
    found, asked = attacked("pruthi", "the film", {"film": 2})
    words = [text.removeprefix("the ") for text in asked[1:]]
    assert words[:3] == ["flim", "flm", "fim"]
    put_in = words[3:6]
    assert [len(word) for word in put_in] == [5] * 3
    assert all(word[0] == "f" and word[-1] == "m" for word in words)
    keys = words[6:]
    assert all(len(word) == 4 for word in keys)
    assert {word[1] for word in keys} >= set("uojk")
    assert found.state.texts == ("the flim",)  # all take "film" away


def test_input_reduction_step_by_step():
    """Sum 1 with both words, 0 and so the other label without one of them."""
    weights = {"very": 1, "good": 1}
    found, asked = attacked("input_reduction", "a very good film", weights, bias=-1)
    assert asked == [
        "a very good film",
        *("very good film", "a good film", "a very film", "a very good"),
        # only texts that keep the label go on: "very good film" and "a very good"
        *("good film", "very film", "very good", "a good", "a very"),
        *("good", "very"),
    ]
    assert not found.is_success
    assert found.state.texts == ("very good",)


def test_input_reduction_in_a_fixed_order():
    weights = {"very": 1, "good": 1}
    found, asked = attacked(
        "input_reduction(variant=textattack)", "a very good film", weights, bias=-1
    )
    ranking = ["very good film", "a good film", "a very film", "a very good"]
    assert asked == ["a very good film", *ranking, "very good", "good", "very"]
    assert found.state.texts == ("very good",)


@pytest.mark.parametrize("variant", ["as_published", "textattack"])
def test_input_reduction_of_a_pair_leaves_one_word_of_the_second_text(variant):
    pair = {"text": "the old film", "text_pair": "a good and long film"}
    found, asked = attacked(f"input_reduction(variant={variant})", pair, {"good": 1})
    assert all(text.startswith("the old film | ") for text in asked)
    assert found.is_success
    assert found.state.texts == ("the old film", "good")
    assert found.score == pytest.approx(4 / 5 + (2 / 3) / 5)


def test_bert_attack_ranks_by_the_token_that_its_variant_says():
    held = {"masked_lm": Expecting("dull")}
    _, asked = attacked("bert_attack", "a good plan", {"good": 2}, resources=held)
    assert asked[1:3] == ["a [MASK] plan", "a good [MASK]"]
    _, other = attacked(
        "bert_attack(variant=textattack)", "a good plan", {"good": 2}, resources=held
    )
    assert other[1:3] == ["a [UNK] plan", "a good [UNK]"]


def test_bae_inserts_beside_each_word_in_the_order_of_importance():
    held = {"masked_lm": Expecting("tale")}
    found, asked = attacked("bae(mode=I)", "good plan", {"good": 2, "plan": 1}, resources=held)
    assert asked == [
        "good plan",
        "plan",
        "good",
        "tale good plan",  # left and right of "good", which lowers nothing
        "good tale plan",
        "good plan tale",  # left of "plan" was asked about
    ]
    assert (found.is_success, found.state.edits) == (False, ())
