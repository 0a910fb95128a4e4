"""Trees follow what transformations do, or the change is refused by what it would lose."""

from dataclasses import replace

import pytest

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example, Span
from scrutiny.core.transformation import Intensity
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.changes import Change, word_sites
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.recipe import Recipe, Step
from scrutiny.tasks.tags import token_borders
from scrutiny.text.edits import apply_edits
from scrutiny.text.tokens import offsets_of_words

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


TAGS = {"upos": ("PRON", "VERB", "PRON", "PUNCT"), "xpos": ("PRP", "VBD", "PRP", ".")}
TAGGED = sentence("She sold it .", (2, 0, 2, 2), "nsubj root obj punct")
TAGGED = replace(TAGGED, gold=TAGGED.gold._replace(**TAGS))


@pytest.mark.parametrize(
    ("effect", "left"),
    [
        ({"*": "keeps"}, {"arcs", "upos", "xpos"}),
        ({"*": "keeps", "xpos": "may change"}, {"arcs", "upos"}),
        ({"*": "keeps", "arcs": "may change"}, {"upos", "xpos"}),
        ({"*": "keeps", "arcs": "may change", "upos": "may change"}, {"xpos"}),
        ({"*": "keeps", "arcs": "flips", "upos": "flips", "xpos": "flips"}, set()),
        ({"*": "may change", "words": "keeps"}, {"arcs", "upos", "xpos"}),
        ({"*": "may change"}, set()),
    ],
)
def test_the_gold_answer_says_nothing_in_layers_that_a_change_falsifies(effect, left):
    made = Replaces("xx")
    made.effect = effect
    step = Step(made, Intensity(), "around")
    variant = perturb(TAGGED, Recipe((step,)), seed=0, task="dependency-arcs")
    gold = variant.gold or Words("text", ())
    layers = {"arcs": gold.heads, "arcs of relations": gold.relations, "upos": gold.upos}
    layers["xpos"] = gold.xpos
    assert {name.partition(" ")[0] for name, layer in layers.items() if layer} == left
    assert (variant.gold is None) == (not left)


def test_the_past_becomes_the_present_and_arcs_stay():
    variant = perturb(TAGGED, "tense", seed=0, task="dependency-arcs")
    assert [edit.text for edit in variant.edits] == ["sells"]
    assert variant.gold == TAGGED.gold._replace(
        borders=((0, 3), (4, 9), (10, 12), (13, 14)), xpos=None
    )


def changed_text(example, variant):
    return apply_edits(example, variant.edits)


@pytest.mark.parametrize(
    ("text", "recipe", "expected"),
    [
        ("It is n't sold .", "contraction", ["It", "is", "not", "sold", "."]),
        ("It isn't sold .", "contraction", ["It", "is", "not", "sold", "."]),
        ("It is not sold .", "contraction", ["It", "is", "n't", "sold", "."]),
        ("It can not end .", "contraction", ["It", "ca", "n't", "end", "."]),
    ],
)
def test_contractions_are_two_words(text, recipe, expected):
    words = text.replace("isn't", "is n't").split()
    borders = offsets_of_words(text, words)
    gold = Words("text", borders, (3, 3, 3, ROOT, 3), ("a", "b", "c", "root", "d"))
    example = Example("1", {"text": text}, gold=gold, tokens={"text": borders})
    variant = perturb(example, recipe, seed=0)
    after = changed_text(example, variant)
    assert [after.text[a:b] for a, b in variant.gold.borders] == expected
    assert variant.gold[2:] == gold[2:]


def test_a_split_word_goes_with_its_first_part():
    variant = perturb(TAGGED, "split_word(share=0)", seed=3)
    assert len(variant.edits) == 1
    gold, after = variant.gold, changed_text(TAGGED, variant)
    first = gold.relations.index("goeswith") - 1
    assert gold.heads[first + 1] == first
    start, end = gold.borders[first][0], gold.borders[first + 1][1]
    assert after.text[start:end].replace(" ", "") in ("She", "sold", "it")
    rest = [k for k in range(5) if k != first + 1]
    assert [gold.relations[k] for k in rest] == list(TAGGED.gold.relations)
    assert gold.upos[first + 1] == "X"


def test_marks_depend_on_the_root_and_the_last_one_stays():
    example = sentence("She sold it .", (2, 0, 2, 2), "nsubj root obj punct")
    seen = set()
    for seed in range(12):
        variant = perturb(example, "punctuation", seed=seed)
        after = changed_text(example, variant)
        words = arcs(after, variant.gold)
        seen.add(after.text)
        assert [arc for arc in words if arc[2] != "punct"] == [
            ("She", "sold", "nsubj"),
            ("sold", "", "root"),
            ("it", "sold", "obj"),
        ]
        assert {arc[1] for arc in words if arc[2] == "punct"} == {"sold"}
    assert len(seen) > 5


def test_words_of_which_nothing_is_known_have_no_head():
    example = sentence("She sold it .", (2, 0, 2, 2), "nsubj root obj punct")
    for recipe in ("social_media", "append_irrelevant(least_tokens=1)", "tautology"):
        variant = perturb(example, recipe, seed=0)
        gold, after = variant.gold, changed_text(example, variant)
        known = [k for k, head in enumerate(gold.heads) if head is not None]
        assert [gold.relations[k] for k in known] == ["nsubj", "root", "obj", "punct"]
        assert {gold.relations[k] for k in range(len(gold.heads)) if k not in known} == {""}
        assert len(gold.heads) > 4
        assert gold.heads.count(ROOT) == 1
        assert [after.text[slice(*gold.borders[k])].lower() for k in known][1:] == [
            "sold",
            "it",
            ".",
        ]


def test_a_longer_name_has_one_head():
    example = sentence(
        "Ida Smith flew to Rome .", (3, 1, 0, 5, 3, 3), "nsubj flat root case obl punct"
    )
    spans = (Span("text", 0, 9, "PER"), Span("text", 18, 22, "LOC"))
    tree = replace(example, spans=spans)
    seen = set()
    for seed in range(20):
        variant = perturb(tree, "entity_swap", seed=seed)
        after = changed_text(tree, variant)
        found = {relation: word for word, _, relation in arcs_of_known(after, variant.gold)}
        seen.add(len(variant.gold.borders))
        assert found["root"] == "flew"
        assert after.text.split(" flew")[0].startswith(found["nsubj"])
        assert after.text.removesuffix(" .").endswith(found["obl"])
    assert len(seen) > 1


def arcs_of_known(example, gold):
    known = [k for k, relation in enumerate(gold.relations) if relation]
    words = [example.text[a:b] for a, b in gold.borders]
    return [(words[k], gold.heads[k], gold.relations[k]) for k in known]


def test_random_words_of_a_control_are_unknown_words():
    example = sentence("She sold it .", (2, 0, 2, 2), "nsubj root obj punct")
    variant = perturb(example, "insert_adverb", seed=0)
    control = Controls(example).of(variant, seed=0)
    assert (control.status, len(control.gold.borders)) == ("ok", 5)
    (new,) = [k for k, head in enumerate(control.gold.heads) if head is None]
    assert control.gold.relations[new] == ""
    known = [arc for arc in arcs_of_known(changed_text(example, control), control.gold)]
    assert [relation for _, _, relation in known] == ["nsubj", "root", "obj", "punct"]


@pytest.mark.parametrize(
    ("text", "heads", "relations", "ways"),
    [
        (
            "She sold it .",
            (2, 0, 2, 2),
            "nsubj root obj punct",
            {"She did not sell it .", "She did n't sell it ."},
        ),
        (
            "She will sell it .",
            (3, 3, 0, 3, 3),
            "nsubj aux root obj punct",
            {"She will not sell it .", "She wo n't sell it ."},
        ),
        (
            "She is glad .",
            (3, 3, 0, 3),
            "nsubj cop root punct",
            {"She is not glad .", "She is n't glad ."},
        ),
        (
            "She did not sell it .",
            (4, 4, 4, 0, 4, 4),
            "nsubj aux advmod root obj punct",
            {"She sold it ."},
        ),
    ],
)
def test_negations_depend_on_the_verb(text, heads, relations, ways):
    example = sentence(text, heads, relations)
    seen = set()
    for seed in range(8):
        variant = perturb(example, "reverse_negation", seed=seed, task="dependency-arcs")
        after = changed_text(example, variant)
        seen.add(after.text)
        found = arcs(after, variant.gold)
        (root,) = [word for word, _, relation in found if relation == "root"]
        assert {head for _, head, _ in found} == {"", root}
        new = [relation for word, _, relation in found if word in ("did", "not", "n't")]
        assert new in ([], ["advmod"], ["aux", "advmod"])
        assert [r for r in variant.gold.relations if r not in ("aux", "advmod")] == [
            r for r in relations.split() if r not in ("aux", "advmod")
        ]
    assert seen == ways
