"""Trees follow what transformations do, or the change is refused by what it would lose."""

from dataclasses import replace

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.transformation import Intensity
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.change import Change, word_sites
from scrutiny.perturb.engine.recipe import Recipe, Step
from scrutiny.tasks.columns.tags import token_borders

SOLD = "She sold it quickly ."


def sentence(text=SOLD, heads=(2, 0, 2, 2, 2), relations="nsubj root obj advmod punct"):
    """Sentence whose tree is written as in CoNLL-U."""
    borders = token_borders(text.split())
    gold = Words("text", borders, tuple(h - 1 for h in heads), tuple(relations.split()))
    return Example("1", {"text": text}, gold=gold, tokens={"text": borders})


def arcs(example, gold):
    """Each word with its head and relation."""
    words = [example.text[a:b] for a, b in gold.borders]
    return [
        (word, "" if head == ROOT else words[head], relation)
        for word, head, relation in zip(words, gold.heads, gold.relations, strict=True)
    ]


class Replaces(Change):
    """Words become what is given, one candidate after the other."""

    id = "replaces@1"
    intensity = Intensity(share=1.0, most=None)

    def __init__(self, *new):
        self.new = new

    def sites(self, document):
        return word_sites(document)

    def candidates(self, document, site, rng):
        for text in self.new:
            yield (Edit(document.field, site.start, site.end, text),)


def changed(transformation, example):
    step = Step(transformation, Intensity(share=1.0, most=None), "around")
    return perturb(example, Recipe((step,)), seed=0)


def test_an_inserted_adverb_keeps_every_arc_on_its_word():
    example = sentence("She sold it .", (2, 0, 2, 2), "nsubj root obj punct")
    variant = perturb(example, "insert_adverb", seed=0)
    (edit,) = variant.edits
    after = replace(example, fields={"text": f"She {edit.text}sold it ."})
    adverb = edit.text.strip()
    assert arcs(after, variant.gold) == [
        ("She", "sold", "nsubj"),
        (adverb, "sold", "advmod"),
        ("sold", "", "root"),
        ("it", "sold", "obj"),
        (".", "sold", "punct"),
    ]
    assert perturb(replace(example, gold="x", tokens=None), "insert_adverb", seed=0).edits == (
        edit._replace(pieces=()),
    )


def test_words_are_changed_wherever_they_stand():
    variant = changed(Replaces("xx"), sentence())
    assert [edit.text for edit in variant.edits] == ["xx"] * 4
    assert variant.gold.heads == sentence().gold.heads


def test_another_candidate_takes_the_place_of_one_that_loses_a_word():
    variant = changed(Replaces("x y", "xx"), sentence())
    assert [edit.text for edit in variant.edits] == ["xx"] * 4


def test_what_is_lost_is_the_reason_of_the_refusal():
    variant = changed(Replaces("x y"), sentence())
    assert (variant.status, variant.reason) == ("refused", "split_word")


def test_a_word_that_others_depend_on_does_not_go():
    variant = changed(Replaces(""), sentence())
    assert (variant.status, variant.reason) == ("ok", None)
    assert len(variant.edits) == 3  # all but the verb
    assert variant.gold.relations == ("root", "punct")


def test_two_steps_say_in_one_what_they_say_in_turn():
    example = sentence("She sold it .", (2, 0, 2, 2), "nsubj root obj punct")
    recipe = "insert_adverb+typos(share=1,mode=replace,where=anywhere)"
    variant = perturb(example, recipe, seed=0)
    assert variant.status == "ok"
    assert variant.gold.relations == ("nsubj", "advmod", "root", "obj", "punct")
