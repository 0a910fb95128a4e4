"""Opinions about aspects turned round, and other aspects added: by hand, and on ARTS' sentences."""

import json

import pytest

from scrutiny.core.example import Example
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.tasks.aspects import AspectSentiment, aspects_of
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits
from scrutiny.text.lexicon import table
from scrutiny.text.opinions import sign_of_word

TASK = "aspect-sentiment"


def place(text, words):
    start = text.find(words)
    assert start >= 0, (text, words)
    return [start, start + len(words)]


def item(text, gold, *aspects):
    """Item about the first aspect; each is its words, a bar, and its opinions with bars."""
    rows = []
    for number, written in enumerate(aspects):
        words, label, *opinions = written.split("|")
        places = [place(text, one) for one in opinions]
        rows.append({"place": place(text, words), "label": label, "opinions": places})
        if not number:
            own = words
    row = {"text": text, "aspect": own, "label": gold, **rows[0], "others": rows[1:]}
    return AspectSentiment().parse({**row, "label": gold, "id": "1"}, source="x:1")


def changed(example, recipe, seed=0):
    variant = perturb(example, recipe, seed=seed, task=TASK)
    return variant, apply_edits(example, variant.edits)


REVERSED = [
    ("The food is great.", "positive", ["food|positive|great"], "The food is terrible."),
    ("the food is great .", "positive", ["food|positive|great"], "the food is terrible ."),
    ("GREAT food!", "positive", ["food|positive|GREAT"], "TERRIBLE food!"),
    ("The staff was rude.", "negative", ["staff|negative|rude"], "The staff was friendly."),
    ("I love the bar.", "positive", ["bar|positive|love"], "I hate the bar."),
    ("We enjoyed the soup.", "positive", ["soup|positive|enjoyed"], "We disliked the soup."),
    ("The soup is not good.", "negative", ["soup|negative|not good"], "The soup is good."),
    ("The soup isn't good.", "negative", ["soup|negative|isn't good"], "The soup is good."),
    ("The soup is n't good .", "negative", ["soup|negative|n't good"], "The soup is good ."),
    ("I don't like the soup.", "negative", ["soup|negative|like"], "I like the soup."),
    ("Did not enjoy the soup.", "negative", ["soup|negative|not enjoy"], "Enjoyed the soup."),
    ("There is no menu.", "negative", ["menu|negative|no"], "There is a menu."),
    ("The bag is too heavy.", "negative", ["bag|negative|too heavy"], "The bag is not too heavy."),
    ("Try the soup.", "positive", ["soup|positive|Try"], "Avoid the soup."),
    (
        "A gorgeous, upbeat bar.",
        "positive",
        ["bar|positive|upbeat"],
        "A gorgeous, less than upbeat bar.",
    ),
    (
        "It has an excellent screen.",
        "positive",
        ["screen|positive|excellent"],
        "It has an awful screen.",
    ),
    ("It has a nice screen.", "positive", ["screen|positive|nice"], "It has an unpleasant screen."),
    (
        "The screen is bright and sharp.",
        "positive",
        ["screen|positive|bright|sharp"],
        "The screen is dim and blurry.",
    ),
    (
        "The food was good and the staff was kind.",
        "positive",
        ["food|positive|good", "staff|positive|kind"],
        "The food was bad but the staff was kind.",
    ),
    (
        "The food was good but the staff was rude.",
        "negative",
        ["staff|negative|rude", "food|positive|good"],
        "The food was good and the staff was friendly.",
    ),
    (
        "Great food and staff.",
        "positive",
        ["food|positive|Great", "staff|positive|Great"],
        "Terrible food and staff.",
    ),
    (
        "Good food. And kind staff.",
        "positive",
        ["food|positive|Good", "staff|positive|kind"],
        "Bad food. And kind staff.",
    ),
]


@pytest.mark.parametrize(("text", "gold", "aspects", "after"), REVERSED)
def test_what_is_said_of_the_aspect_turns_round(text, gold, aspects, after):
    variant, made = changed(item(text, gold, *aspects), "reverse_opinion")
    assert (variant.status, made.text) == ("ok", after)
    assert {variant.gold, gold} == {"positive", "negative"}


OTHERS = [
    (
        "The food was good and the staff was kind.",
        "positive",
        ["food|positive|good", "staff|positive|kind"],
        {"The food was good but the staff was unkind."},
    ),
    (
        "The food was good but the staff was rude.",
        "positive",
        ["food|positive|good", "staff|negative|rude"],
        {
            f"The food was good but the staff was {degree} rude."
            for degree in ("extremely", "really", "incredibly", "truly")
        },
    ),
    (
        "The food was good but the staff was very rude.",
        "positive",
        ["food|positive|good", "staff|negative|rude"],
        {"The food was good but the staff was extremely rude."},
    ),
    (
        "The food is good, the bar is loud, the staff is rude.",
        "negative",
        ["staff|negative|rude", "food|positive|good", "bar|negative|loud"],
        {
            f"The food is {degree} good, the bar is quiet, the staff is rude."
            for degree in ("extremely", "really", "incredibly", "truly")
        },
    ),
    (
        "A great bar but a nightmare of a wait .",
        "positive",
        ["bar|positive|great", "wait|negative|nightmare"],
        {f"A great bar but a {d} nightmare of a wait ." for d in ("complete", "total", "real")},
    ),
]


@pytest.mark.parametrize(("text", "gold", "aspects", "after"), OTHERS)
def test_what_is_said_of_the_others_turns_round_or_gets_stronger(text, gold, aspects, after):
    for seed in range(6):
        variant, made = changed(item(text, gold, *aspects), "reverse_other_opinions", seed)
        assert (variant.status, variant.gold) == ("ok", gold)
        assert made.text in after


SAFE = [
    ("reverse_opinion", "The soup is hot.", "neutral", ["soup|neutral|hot"]),
    ("reverse_opinion", "The soup is great.", "conflict", ["soup|conflict|great"]),
    ("reverse_opinion", "The soup is great.", "positive", ["soup|positive"]),
    ("reverse_other_opinions", "The soup is great.", "positive", ["soup|positive|great"]),
    (
        "reverse_other_opinions",
        "Great soup and bar.",
        "positive",
        ["soup|positive|Great", "bar|positive|Great"],
    ),
    (
        "reverse_other_opinions",
        "A hot soup, a full bar.",
        "neutral",
        ["soup|neutral|hot", "bar|neutral|full"],
    ),
    ("add_aspects", "The soup is great.", "conflict", ["soup|conflict|great"]),
]


@pytest.mark.parametrize(("recipe", "text", "gold", "aspects"), SAFE)
def test_where_gold_would_not_be_known_nothing_changes(recipe, text, gold, aspects):
    variant, _ = changed(item(text, gold, *aspects), recipe)
    assert (variant.status, variant.reason) == ("skipped", "no_site")


def test_words_that_say_the_reverse_of_their_annotation_are_left_alone():
    one = item("I would like to have a menu.", "negative", "menu|negative|like")
    assert changed(one, "reverse_opinion")[0].status == "skipped"
    both = item("A good but rude bar.", "negative", "bar|negative|good|rude")
    assert changed(both, "reverse_opinion")[1].text == "A good but friendly bar."


@pytest.mark.parametrize("recipe", ["reverse_opinion", "reverse_other_opinions", "add_aspects"])
def test_texts_without_aspects_are_left_alone(recipe):
    assert (
        perturb(Example("1", {"text": "Great food."}, "good"), recipe, seed=0).status == "skipped"
    )
    effects = {task: parse_recipe(recipe).effect(load_task(task).facts) for task in TASKS}
    assert effects == {**dict.fromkeys(TASKS, "may change"), TASK: effects[TASK]}
    assert effects[TASK] == ("sets" if recipe == "reverse_opinion" else "keeps")


TASKS = (TASK, "text-classification", "text-pair-classification", "token-tagging")


def test_neutral_aspects_change_if_asked_and_stay_neutral():
    one = item("The soup is hot.", "neutral", "soup|neutral|hot")
    variant, made = changed(one, "reverse_opinion(neutral=true)")
    assert (variant.gold, made.text) == ("neutral", "The soup is cold.")


def test_annotations_stand_on_the_new_words():
    one = item(
        "I do not like the soup, and the bar was loud.",
        "negative",
        "soup|negative|not like",
        "bar|negative|loud",
    )
    _, made = changed(one, "reverse_opinion")
    own, other = aspects_of(made)
    assert made.text == "I like the soup, but the bar was loud."
    places = [own.place, *own.opinions, other.place, *other.opinions]
    assert [made.text[s.start : s.end] for s in places] == ["soup", "like", "bar", "loud"]


ADDED = [
    ("The pizza is great.", "positive", ", but the ", "."),
    ("the pizza is great .", "positive", " , but the ", " ."),
    ("The pizza was bad but cheap!", "negative", "; the ", "!"),
    ("Is the pizza great?", "positive", " The ", "."),
    ("The pizza is here", "neutral", ", and the ", ""),
]


@pytest.mark.parametrize(("text", "gold", "joint", "end"), ADDED)
def test_aspects_are_added_behind_the_last_word(text, gold, joint, end):
    said = {phrase: sign for _, _, *both in table("aspect_phrases") for phrase, sign in
            zip(both, (1, -1), strict=True)}  # fmt: skip
    signs, numbers = set(), set()
    for seed in range(24):
        variant, made = changed(item(text, gold, f"pizza|{gold}"), "add_aspects", seed)
        assert (variant.status, variant.gold) == ("ok", gold)
        (edit,) = variant.edits
        assert edit.start == edit.end
        assert edit.text.startswith(joint)
        assert made.text.endswith(end)
        parts = edit.text.removeprefix(joint[:-4]).removesuffix(" .").removesuffix(".")
        found = [p for p in said if p in parts.lower().replace(" was ", " is ").replace(
            " were ", " are ")]  # fmt: skip
        assert found
        assert not any("pizza" in phrase for phrase in found)
        signs |= {said[phrase] for phrase in found}
        numbers.add(parts.count("the ") + parts.count("The "))
    assert signs == {"positive": {-1}, "negative": {1}, "neutral": {1, -1}}[gold]
    assert numbers == {1, 2, 3}


def test_the_domain_is_that_of_the_text_unless_it_is_named():
    rows = {}
    for domain, aspect, *_ in table("aspect_phrases"):
        rows.setdefault(domain, []).append(aspect)
    assert min(map(len, rows.values())) >= 7
    for text, own in (
        ("The battery of my laptop is good.", "laptop"),
        ("Good soup.", "restaurant"),
    ):
        one = item(text, "positive", "battery|positive" if own == "laptop" else "soup|positive")
        for recipe, domain in (("add_aspects", own), ("add_aspects(domain=any)", "any")):
            made = {changed(one, recipe, seed)[1].text for seed in range(8)}
            phrases = [r[3] for r in table("aspect_phrases") if r[0] == domain]
            assert all(any(p in text for p in phrases) for text in made)


def test_the_tables_say_one_thing_of_each_phrase():
    for kind, praise, blame in table("opinion_pairs"):
        assert praise != blame
        assert kind in "anvrp"
    assert [sign_of_word(w) for w in ("great", "terrible", "loved", "worst")] == [1, -1, 1, -1]
    phrases = [phrase for _, _, *both in table("aspect_phrases") for phrase in both]
    assert all(phrase.startswith("the ") and phrase.islower() for phrase in phrases)


#: Texts that each change makes of the test items of SemEval-2014, and those of ARTS.
COUNTS = [
    ("laptop", "reverse_opinion(neutral=true)", "_adv1", 461, 466, 93),
    ("laptop", "reverse_other_opinions", "_adv2", 132, 135, 22),
    ("rest", "reverse_opinion(neutral=true)", "_adv1", 838, 846, 126),
    ("rest", "reverse_other_opinions", "_adv2", 425, 444, 47),
]


@pytest.mark.parametrize(("domain", "recipe", "suffix", "ours", "published", "same"), COUNTS)
@pytest.mark.data("arts")
def test_as_many_texts_as_published_and_how_many_are_the_same(
    shared_data, domain, recipe, suffix, ours, published, same
):
    folder = shared_data("arts")
    text = (folder / f"arts_testset/{domain}_test_enriched.json").read_text(encoding="utf-8")
    theirs = {k: one for k, one in json.loads(text).items() if k.endswith(suffix)}
    data = load_dataset(f"aspects:{folder}/src_towe/{domain}_test_sent_towe.json")
    made = equal = 0
    for example in data.examples:
        variant = perturb(example, recipe, seed=0, task=TASK)
        if variant.status != "ok":
            assert variant.reason in ("no_site", "unchanged")
            continue
        made += 1
        after = apply_edits(example, variant.edits)
        for edit in variant.edits:
            assert example.text[edit.start : edit.end] != edit.text
        if (other := theirs.get(example.id + suffix)) is not None:
            assert variant.gold == other["polarity"]
            equal += _letters(after.text) == _letters(other["sentence"])
    assert (made, len(theirs), equal) == (ours, published, same)
    assert abs(made / published - 1) < 0.05


def _letters(text):
    return "".join(text.lower().split())
