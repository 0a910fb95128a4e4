"""Sentences of passages that are moved, added and dropped: what becomes of the right answers."""

from collections import Counter
from itertools import pairwise

import pytest

from scrutiny.core.answers.clusters import CLUSTERS, clusters_of
from scrutiny.core.answers.texts import AnyOf, Extract
from scrutiny.core.example import Example, Span
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.passages.sentences_in_order import free_sentences, sentences_of
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits
from scrutiny.text.lexicon import listed
from scrutiny.text.tagger import default_tagger
from scrutiny.text.tokens import token_spans

# Spelled as in the Penn treebank, a sentence a line.
LINES = (
    "Ida Lee came to the old house at noon .",
    "Nobody had opened the heavy door for 20 years .",
    "Max was in the garden with a dog .",
    "He did n't see her .",
    "The clock struck one .",
    "Ida Lee had lived there as a child .",
    "Her aunt had kept the keys .",
)
TEXT = " ".join(LINES)
TOKENS = tuple(token_spans(TEXT))


def places(said, number=0):
    """Place of the words, the first time or a later one."""
    at = -1
    for _ in range(number + 1):
        at = TEXT.index(said, at + 1)
    return at, at + len(said)


IDA = [places("Ida Lee"), places("her ."), places("Ida Lee", 1), places("Her"), places("a child")]
IDA[1] = (IDA[1][0], IDA[1][0] + 3)
GOLD = clusters_of(
    "text",
    [
        IDA,
        [places("Max"), places("He")],
        [places("the old house"), places("there")],
        [places("Her aunt")],
        [places("the garden")],
    ],
)
ITEM = Example("1", {"text": TEXT}, GOLD, tokens={"text": TOKENS})
RECIPES = (
    "sentence_order",
    "sentence_order(any_sentence=true,least=3)",
    "sentence_order(to=edge,any_sentence=true)",
    "add_sentence",
    "add_sentence(what=again)",
    "add_sentence(what=again,far=true,least=2)",
    "drop_sentence",
    "drop_sentence(any_sentence=true,least=2)",
    "drop_sentence(replaced=true,any_sentence=true)",
)


def changed(recipe, seed=0, item=ITEM, task="coreference"):
    variant = perturb(item, recipe, seed=seed, task=task)
    return variant, apply_edits(item, variant.edits)


def surfaces(example):
    """Words of the mentions of each cluster."""
    return [Counter(example.text[a:b] for a, b in c) for c in example.gold.clusters]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("seed", range(4))
def test_mentions_are_the_same_words_in_the_same_clusters(recipe, seed):
    """A toolkit counts what it did not change, shifts spans wrongly and loses sentences."""
    variant, after = changed(recipe, seed)
    assert variant.status == "ok"
    assert variant.gold == after.gold
    assert CLUSTERS.check(variant.gold, after) is None
    assert after.text != TEXT
    before = [Counter(TEXT[a:b] for a, b in c) for c in GOLD.clusters]
    for cluster in surfaces(after):  # each is one of before, with some more or less of its words
        assert any(set(cluster) <= set(old) for old in before)
    if not recipe.startswith("drop"):
        assert sorted(map(sorted, map(set, surfaces(after)))) == sorted(
            map(sorted, map(set, before))
        )


@pytest.mark.parametrize("recipe", RECIPES)
def test_sentences_stay_byte_for_byte(recipe):
    _, after = changed(recipe)
    known = {*LINES, *(f"{line[:-1]} ." for line in listed("plain_sentences"))}
    rest = after.text
    for line in sorted(known, key=len, reverse=True):
        rest = rest.replace(line, "")
    assert rest.strip() == ""
    assert "  " not in after.text
    shown = [after.text[a:b] for a, b in after.tokens["text"]]
    assert " ".join(shown) == after.text  # tokens as the data cut them: "did", "n't"


def test_a_moved_sentence_has_its_mentions_at_its_new_place():
    for seed in range(6):
        variant, after = changed("sentence_order(to=edge)", seed)
        moved = next(edit for edit in variant.edits if edit.copies)
        (at, start, end), *_ = moved.copies
        assert TEXT[start:end] == moved.text[at : at + end - start]
        assert sum(c.total() for c in surfaces(after)) == len(GOLD.mentions)


def test_a_repeated_sentence_has_them_twice():
    variant, after = changed("add_sentence(what=again)")
    (edit,) = variant.edits
    inside = [m for m in GOLD.mentions if edit.copies[0].start <= m[0] < edit.copies[0].end]
    assert len(after.gold.mentions) == len(GOLD.mentions) + len(inside)


def test_sentences_that_others_need_are_not_free():
    """Ida's first sentence has the house that "there" means; "He" needs Max; "Her" needs Ida."""
    free = {ITEM.text[s.start : s.end] for s in free_sentences(TextDocument(ITEM), False)}
    assert free == {LINES[1], LINES[4]}
    bare = TextDocument(Example("1", {"text": TEXT}))
    shown = {TEXT[s.start : s.end] for s in free_sentences(bare, False)}
    assert shown == {LINES[0], LINES[1], LINES[4]}
    assert len(free_sentences(bare, True)) == len(LINES)


def test_pronouns_lose_no_antecedent():
    for seed in range(20):
        _, after = changed("drop_sentence(share=1,most=none)", seed)
        assert all(line in after.text for line in (LINES[0], LINES[2], LINES[3], LINES[6]))


@pytest.mark.parametrize("recipe", RECIPES)
def test_entities_and_anchors_come_along(recipe):
    spans = tuple(Span("text", *place, "PER") for place in (IDA[0], places("Max")))
    item = Example("1", {"text": TEXT}, spans)
    variant, after = changed(recipe, 1, item, "token-tagging")
    assert variant.status == "ok"
    for span in after.gold:
        assert after.text[span.start : span.end] in ("Ida Lee", "Max")
    if not recipe.startswith("drop"):
        assert len(after.gold) >= 2


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_effect_is_stated_by_kind_of_answer(recipe):
    parsed = parse_recipe(recipe)
    effects = {task: parsed.effect(load_task(task).facts) for task in EFFECTS["drop"]}
    assert effects == EFFECTS[recipe.partition("_")[0]]


EFFECTS = {
    "add": {
        "coreference": "keeps",
        "token-tagging": "keeps",
        "question-answering": "keeps",
        "text-classification": "keeps",
        "text-pair-classification": "may change",
        "translation": "may change",
        "generation": "may change",
    },
    "drop": {
        "coreference": "keeps",
        "token-tagging": "keeps",
        "question-answering": "may change",
        "text-classification": "may change",
        "text-pair-classification": "may change",
        "translation": "may change",
        "generation": "may change",
    },
}
EFFECTS["sentence"] = EFFECTS["drop"] | {"question-answering": "keeps"}


def test_a_moved_answer_is_still_the_answer():
    """A toolkit forgets where a sentence begins, cuts off the passage and repeats another."""
    place = places("a dog")
    gold = AnyOf([Extract("a dog", "context", place[0])])
    item = Example("1", {"question": "What was with Max?", "context": TEXT}, gold)
    for seed in range(6):
        variant, after = changed(
            "sentence_order(to=edge,any_sentence=true,fields=context)",
            seed,
            item,
            "question-answering",
        )
        (one,) = variant.gold
        context = after.fields["context"]
        assert context[one.start : one.start + len(one.text)] == "a dog"
        assert sorted(context.split()) == sorted(TEXT.split())
        assert sorted(split(context)) == sorted(LINES)


def split(text):
    document = TextDocument(Example("1", {"text": text}))
    return [text[s.start : s.end] for s in sentences_of(document)]


def test_a_dropped_answer_leaves_none():
    place = places("a dog")
    gold = AnyOf([Extract("a dog", "context", place[0])])
    item = Example("1", {"question": "What was with Max?", "context": TEXT}, gold)
    reasons = set()
    for seed in range(12):
        recipe = "drop_sentence(any_sentence=true,fields=context)"
        reasons.add(perturb(item, recipe, seed=seed, task="question-answering").reason)
    assert reasons == {None, "dropped_answer"}


@pytest.mark.parametrize("recipe", RECIPES)
def test_controls_change_as_much_or_have_no_room(recipe):
    item = Example("1", {"text": " ".join([TEXT] * 3)}, "x")
    variant = perturb(item, recipe, seed=0)
    control = Controls(item).of(variant, seed=0)
    assert (control.status, control.reason) in (("ok", None), ("skipped", "no_room"))


def test_what_the_list_says_names_nobody():
    """No person, no place, no pronoun, no number: nothing that an annotator would mark."""
    tagger = default_tagger()
    for line in listed("plain_sentences"):
        words = [line[a:b] for a, b in token_spans(line)]
        tags = [tag.xpos for tag in tagger.tag(words)]
        assert not {"NNP", "NNPS", "PRP", "PRP$", "CD"} & set(tags[1:]), line
        assert words[0].lower() not in ("he", "she", "it", "they"), line
        (sentence,) = sentences_of(TextDocument(Example("1", {"text": line})))
        assert sentence.is_whole, line


def test_sentences_cover_the_text_in_order():
    text = 'Ida left. "No," he said. It rained (all day). Well... so what? end'
    found = sentences_of(TextDocument(Example("1", {"text": text})))
    assert all(a.end <= b.start and a.next == b.start for a, b in pairwise(found))
    assert [(text[s.start : s.end], s.is_whole, s.leans) for s in found] == [
        ("Ida left.", False, False),  # too short
        ('"No," he said.', False, True),
        ("It rained (all day).", True, True),
        ("Well... so what?", True, False),
        ("end", False, False),
    ]


def test_what_somebody_is_quoted_to_say_is_not_moved():
    """ "I" of a quotation would be somebody else elsewhere."""
    text = "Ida left town . “ I like the sea . I never sing a song . ” Max sang a song ."
    for said in (text, text.replace("“", '"').replace("”", '"'), text.replace("“ ", "`` ")):
        document = TextDocument(Example("1", {"text": said}))
        assert [said[s.start : s.end] for s in sentences_of(document) if s.is_whole] == [
            "Ida left town ."
        ]
    odd = 'Ida left town . " I like the sea . Max sang a song . Bo was here .'
    document = TextDocument(Example("1", {"text": odd}))
    assert [odd[s.start : s.end] for s in sentences_of(document) if s.is_whole] == [
        "Ida left town ."
    ]
