"""Facts, subtrees, names that no model has seen, and words of several parts of speech."""

from dataclasses import replace

import pytest

from scrutiny.core.answers.words import ROOT, WORDS, Words
from scrutiny.core.example import Example, Span
from scrutiny.core.facts import ARCS, ONE_TEXT, SPANS, Facts
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.languages.stated_tags import open_tag
from scrutiny.perturb.phrases.known_names import known_names
from scrutiny.perturb.phrases.unusual_names import invented, longer_parts
from scrutiny.tasks.tags import token_borders
from scrutiny.text.edits import apply_edits
from scrutiny.text.inflection import inflect, lemma
from scrutiny.text.lexicon import table, zipf
from scrutiny.text.tokens import offsets_of_words
from scrutiny.text.wordnet import exists


def sentence(words, heads, relations, xpos, text=""):
    """Sentence whose tree is written as in CoNLL-U."""
    text = text or words
    borders = offsets_of_words(text, words.split())
    gold = Words(
        "text",
        borders,
        tuple(int(h) - 1 for h in heads.split()),
        tuple(relations.split()),
        ("X",) * len(borders),
        tuple(xpos.split()),
    )
    return Example("1", {"text": text}, gold, tokens={"text": borders})


def arcs(example, gold):
    """Each word with its head, relation and tag."""
    words = [example.text[a:b] for a, b in gold.borders]
    heads = ["" if head == ROOT else words[head] for head in gold.heads]
    return list(zip(words, heads, gold.relations, gold.xpos, strict=True))


MET = ("I met Tom Hanks .", "2 0 2 3 2", "nsubj root obj flat punct", "PRP VBD NNP NNP .")


@pytest.mark.parametrize("text", ["", "I met Tom Hanks."])
def test_a_clause_brings_its_tree_and_no_other_root(text):
    example = sentence(*MET, text)
    variant = perturb(example, "add_fact(form=clause)", seed=0, task="dependency-arcs")
    after = apply_edits(example, variant.edits)
    wanted = {
        "": "I met Tom Hanks , who was born in 1956 .",
        "I met Tom Hanks.": "I met Tom Hanks, who was born in 1956.",
    }
    assert after.text == wanted[text]
    assert arcs(after, variant.gold) == [
        ("I", "met", "nsubj", "PRP"),
        ("met", "", "root", "VBD"),
        ("Tom", "met", "obj", "NNP"),
        ("Hanks", "Tom", "flat", "NNP"),
        (",", "born", "punct", ","),
        ("who", "born", "nsubj:pass", "WP"),
        ("was", "born", "aux:pass", "VBD"),
        ("born", "Tom", "acl:relcl", "VBN"),
        ("in", "1956", "case", "IN"),
        ("1956", "born", "obl", "CD"),
        (".", "met", "punct", "."),
    ]
    assert WORDS.check(variant.gold, after) is None


@pytest.mark.parametrize("form", ["brackets", "clause"])
@pytest.mark.parametrize("name", ["Tom Hanks", "Pulp Fiction", "Google", "Nairobi", "Iraq"])
def test_every_word_of_a_fact_has_a_head_and_a_tag(name, form):
    words = f"He saw {name} again ."
    n = len(name.split())
    inner = " ".join(["2"] + ["3"] * (n - 1))
    example = sentence(
        words,
        f"2 0 {inner} 2 2",
        " ".join(["nsubj root obj", *["flat"] * (n - 1), "advmod punct"]),
        " ".join(["PRP VBD", *["NNP"] * n, "RB ."]),
    )
    variant = perturb(example, f"add_fact(form={form})", seed=0, task="dependency-arcs")
    gold, after = variant.gold, apply_edits(example, variant.edits)
    assert gold.heads.count(ROOT) == 1
    assert all(head is not None for head in gold.heads)
    assert all([*gold.relations, *gold.xpos])
    for word in range(len(gold.heads)):
        seen = set()
        while word != ROOT:
            assert word not in seen
            seen.add(word)
            word = gold.heads[word]
    new = len(gold.heads) - len(example.gold.heads)
    assert len(after.text.split()) == len(words.split()) + new


def test_a_name_that_is_no_phrase_of_the_tree_gets_no_fact():
    broken = sentence(MET[0], "2 0 2 2 2", *MET[2:])
    assert perturb(broken, "add_fact", seed=0).reason == "no_site"


LEFT = (
    "Ann , who sang , left , smiling .",
    "6 4 4 1 4 0 8 6 6",
    "nsubj punct nsubj acl:relcl punct root punct advcl punct",
    "NNP , WP VBD , VBD , VBG .",
)


def test_a_subtree_goes_with_its_commas_and_the_rest_keeps_its_arcs():
    example = sentence(*LEFT)
    seen = set()
    for seed in range(20):
        variant = perturb(example, "delete_subtree", seed=seed, task="dependency-arcs")
        after = apply_edits(example, variant.edits)
        seen.add(after.text)
        before = {(word, head): rest for word, head, *rest in arcs(example, example.gold)}
        assert all(before[word, head] == rest for word, head, *rest in arcs(after, variant.gold))
    assert seen == {"Ann left , smiling .", "Ann , who sang , left ."}


def test_a_subtree_that_opens_a_sentence_hands_on_its_capital():
    example = sentence(
        "Today , he left .",
        "4 1 4 0 4",
        "obl punct nsubj root punct",
        "NN , PRP VBD .",
        "Today, he left.",
    )
    assert (
        perturb(example, "delete_subtree", seed=0).reason == "no_site"
    )  # three words would be left
    longer = sentence(
        "Today , he left home .",
        "4 1 4 0 4 4",
        "obl punct nsubj root advmod punct",
        "NN , PRP VBD RB .",
        "Today, he left home.",
    )
    variant = perturb(longer, "delete_subtree", seed=0, task="dependency-arcs")
    after = apply_edits(longer, variant.edits)
    assert after.text == "He left home."
    assert [word for word, *_ in arcs(after, variant.gold)] == ["He", "left", "home", "."]


@pytest.mark.parametrize(
    "rows",
    [
        "He/2/nsubj saw/0/root Ann/2/obj ,/5/punct Bob/3/conj ,/8/punct and/8/cc Eve/3/conj "
        "./2/punct",
        'He/2/nsubj said/0/root ,/2/punct "/5/punct go/2/ccomp ,/2/punct "/5/punct and/9/cc '
        "left/2/conj ./2/punct",
        "If/3/mark it/3/nsubj rains/7/advcl ,/3/punct then/7/advmod it/7/nsubj pours/0/root "
        "down/7/advmod ./7/punct",
        "He/2/nsubj came/0/root home/2/advmod late/2/advmod yesterday/2/obl ./2/punct",
    ],
    ids=["a list", "quotes", "if and then", "no comma"],
)
def test_what_the_sentence_needs_stays(rows):
    words, heads, relations = zip(*(row.split("/") for row in rows.split()), strict=True)
    example = sentence(*map(" ".join, (words, heads, relations, ["X"] * len(words))))
    assert perturb(example, "delete_subtree", seed=0, task="dependency-arcs").reason == "no_site"


def test_a_text_without_a_tree_keeps_its_subtrees():
    for gold in (None, "good"):
        assert perturb(Example("1", {"text": LEFT[0]}, gold), "delete_subtree", seed=0).edits == ()


def test_an_annotated_name_does_not_go_with_a_subtree():
    example = sentence(*LEFT)
    example = replace(example, spans=(Span("text", 10, 14, "PER"),))
    for seed in range(10):
        variant = perturb(example, "delete_subtree", seed=seed, task="dependency-arcs")
        assert apply_edits(example, variant.edits).text == "Ann , who sang , left ."


def test_invented_names_are_in_no_dictionary_and_longer_ones_are_longer():
    for kind in ("PER", "LOC", "ORG"):
        names = invented(kind)
        assert len({*names}) == len(names) > 1_000
        assert not any(zipf(name) or exists(name) for name in names)
    for kind, name in table("long_names"):
        assert name.count(" ") >= 2, name
        assert kind in ("LOC", "ORG")
    for words in (1, 2, 3, 4):
        parts = longer_parts("PER", words, "female")
        assert len(parts) == max(3, words + 1)


@pytest.mark.parametrize("choice", ["unseen", "longer"])
def test_unusual_names_keep_types_and_borders(choice):
    text = "Ada flew from Rome to Acme Corp and Ada stayed ."
    borders = token_borders(text.split())
    gold = tuple(
        Span("text", text.index(name), text.index(name) + len(name), label)
        for name, label in (("Ada", "PER"), ("Rome", "LOC"), ("Acme Corp", "ORG"))
    )
    gold += (Span("text", text.rindex("Ada"), text.rindex("Ada") + 3, "PER"),)
    example = Example("1", {"text": text}, tuple(sorted(gold)), tokens={"text": borders})
    variant = perturb(example, f"entity_swap(names={choice})", seed=0, task="token-tagging")
    after = apply_edits(example, variant.edits)
    names = [(after.text[s.start : s.end], s.label) for s in variant.gold]
    assert [label for _, label in names] == ["PER", "LOC", "ORG", "PER"]
    assert names[0] == names[3]
    assert names[0][0] != "Ada"
    rest = after.text
    for name, _ in names:
        rest = rest.replace(name, "_")
    assert rest == "_ flew from _ to _ and _ stayed ."
    if choice == "longer":
        assert all(len(name.split()) >= 3 for name, _ in names)
    else:
        assert not any(zipf(name.split()[0]) for name, _ in names)


def test_a_longer_name_has_the_gender_of_the_pronouns():
    gold = (Span("text", 0, 3, "PER"),)
    for pronoun, others in (("She", "John Peter Robert"), ("He", "Mary Anna Susan")):
        example = Example("1", {"text": f"Xyo came. {pronoun} left."}, gold)
        for seed in range(15):
            name = perturb(example, "entity_swap(names=longer)", seed=seed).edits[0].text
            assert name.split()[0] not in others.split()


def test_the_tag_that_the_data_state_counts():
    example = sentence("They report it .", "2 0 2 2", "nsubj root obj punct", "PRP VBP PRP .")
    document = TextDocument(example)
    assert open_tag(document, 1) == "VBP"
    noun = replace(example, gold=example.gold._replace(xpos=("PRP", "NN", "PRP", ".")))
    assert open_tag(TextDocument(noun), 1) == "NN"
    universal = example.gold._replace(xpos=None, upos=("PRON", "NOUN", "PRON", "PUNCT"))
    assert open_tag(TextDocument(replace(example, gold=universal)), 1) in ("", "NN")
    labels = tuple(
        Span("text", a, b, tag)
        for (a, b), tag in zip(example.gold.borders, example.gold.xpos, strict=True)
    )
    assert open_tag(TextDocument(replace(example, gold=labels)), 1) == "VBP"
    assert open_tag(TextDocument(replace(example, gold=(Span("text", 5, 11, "ORG"),))), 1) == ""


@pytest.mark.parametrize("recipe", ["ambiguous_word", "prefix_swap"])
def test_another_word_keeps_the_tag_and_the_arcs(recipe):
    words = "She wants to import a lovely novel ."
    tags = "PRP VBZ TO VB DT JJ NN ."
    example = sentence(words, "2 0 4 2 7 7 4 2", "nsubj root mark xcomp det amod obj punct", tags)
    variant = perturb(example, f"{recipe}(share=1,most=none)", seed=0, task="dependency-arcs")
    assert variant.status == "ok"
    assert (variant.gold.xpos, variant.gold.heads) == (example.gold.xpos, example.gold.heads)
    after = apply_edits(example, variant.edits)
    kept = [a == b for a, b in zip(words.split(), after.text.split(), strict=True)]
    assert kept[:3] == [True] * 3
    labels = tuple(
        Span("text", a, b, tag)
        for (a, b), tag in zip(example.gold.borders, tags.split(), strict=True)
    )
    spans = perturb(
        replace(example, gold=labels), f"{recipe}(share=1,most=none)", seed=0, task="token-tagging"
    )
    assert [s.label for s in spans.gold] == tags.split()


def test_words_that_may_be_several_parts_of_speech_may_be():
    """The published class changes no word by default: its bounds are 2 and 1."""
    letters = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}
    for tag, _, words in table("ambiguous_words"):
        for word in words.split():
            others = [pos for pos in "nvar" if pos != letters[tag] and exists(word, pos)]
            assert exists(word, letters[tag]), (tag, word)
            assert others, (tag, word)


def test_no_denial_is_of_the_word_itself_and_each_denies_another():
    """The published table has words that become their own denial, such as "moved"."""
    rows = table("denials")
    assert len({row[:2] for row in rows}) == len(rows) > 100
    assert all(word != other for _, word, other in rows)
    assert all(
        lemma(word, "VERB") == word and inflect(word, "VBD")
        for upos, word, _ in rows
        if upos == "VERB"
    )
    turned = {(upos, other): word for upos, word, other in rows}
    for upos, word, other in rows:  # no word is the opposite of its own opposite's opposite
        assert (upos, word, word) not in rows
        assert turned[upos, other] != other


def test_a_denial_brings_its_words_to_a_tree():
    example = sentence("She liked it .", "2 0 2 2", "nsubj root obj punct", "PRP VBD PRP .")
    variant = perturb(example, "double_denial", seed=0, task="dependency-arcs")
    after = apply_edits(example, variant.edits)
    assert after.text == "She did not dislike it ."
    assert variant.gold.relations == ("nsubj", "aux", "advmod", "root", "obj", "punct")
    assert variant.gold.heads == (3, 3, 3, ROOT, 3, 3)
    assert variant.gold.xpos is None  # "liked" was VBD, and "dislike" is VB
    assert variant.gold.upos[1:3] == ("AUX", "PART")


def test_the_longer_of_two_known_names_is_found():
    """The published class takes whichever name comes first in its table."""
    for rows in known_names(in_lower_case=False).values():
        for own, one in rows:
            written = one.name if own.match(one.name) else one.short
            found = next(m for pattern, _ in rows if (m := pattern.match(written)))
            assert found[0] == written


def test_tables_of_facts_are_of_one_form():
    for name, gender, nation, what, year, short in table("people"):
        assert gender in "fm", name
        assert nation.isalpha(), name
        assert what.isalpha(), name
        assert 1500 < int(year) < 2010, name
        assert not short or name.endswith(short)
    for title, year, director in table("films"):
        assert " " in title or "-" in title
        assert 1900 < int(year) < 2020, title
        assert director
    assert all(1600 < int(year) < 2020 for _, year in table("founded"))
    assert len(table("people")) > 200
    assert len(table("films")) >= 100


@pytest.mark.parametrize(
    ("recipe", "scored"),
    [
        ("double_denial", {"label", "spans", "words"}),
        ("add_fact", {"label", "words"}),
        ("known_name_swap", {"label", "spans"}),
        ("ambiguous_word", {"spans", "words"}),
        ("prefix_swap", {"spans", "words"}),
        ("delete_subtree", {"words"}),
        ("entity_swap(names=unseen)", {"label", "spans", "words"}),
    ],
)
def test_effects_are_declared_for_each_kind_of_answer(recipe, scored):
    made = parse_recipe(recipe)
    kinds = {"label": ONE_TEXT, "spans": SPANS, "words": ARCS}
    assert {kind for kind, facts in kinds.items() if made.is_scored(facts)} == scored
    for kind in ("extract", "text", "clusters"):
        assert not made.is_scored(Facts(kind)) or (recipe, kind) == ("double_denial", "clusters")
    assert not made.is_scored(Facts("label", "relation"))
    assert not made.is_default
