"""Changes of words that a search chooses among, each by hand."""

import numpy as np
import pytest

from scrutiny.core.registry import registry
from scrutiny.core.transformation import Site
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.phrases.entity_swap import MentionSwap
from scrutiny.perturb.words.added_and_dropped import DeleteWord
from scrutiny.perturb.words.replacing import Inflections, _inflected_forms
from scrutiny.perturb.words.synonyms import VectorNeighbors, WordnetAll
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_to_text
from scrutiny.text.wordnet import synonyms


def proposals(transformation, text, word, resources=None):
    """Texts that the candidates of one word make."""
    document = document_of(text, resources=resources)
    (place,) = [s for s in transformation.sites(document) if text[s.start : s.end] == word]
    found = transformation.candidates(document, place, np.random.default_rng(0))
    return [apply_to_text(text, edits) for edits in found]


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("He loves it.", "loves", "He it."),
        ("He loves it.", "He", "loves it."),
        ("He loves it.", "it", "He loves."),
        ("Well, (very good)", "very", "Well, (good)"),
        ("one  two\tthree", "two", "one\tthree"),
        (" one two", "one", " two"),
        ("a-b,c d", "c", "a-b,d"),
    ],
)
def test_a_deleted_word_takes_one_gap_with_it(text, word, expected):
    assert proposals(DeleteWord(), text, word) == [expected]


def test_the_only_word_is_never_deleted():
    assert DeleteWord().sites(document_of("Wonderful!")) == ()
    assert len(DeleteWord().sites(document_of("Wonderful 7!"))) == 2


def test_all_synsets_of_all_parts_of_speech_give_their_single_words():
    found = synonyms("dogs", "nvar", None)
    assert found[0] == "dog"  # the base form is a lemma of its own synsets
    assert {"frump", "cad", "hound", "pawl", "chase", "trail", "tag"} <= set(found)
    assert not any(" " in other or "-" in other for other in found)
    assert synonyms("dogs", "nvar", 1) == ("dog", "chase", "trail", "tail", "tag", "track")
    assert synonyms("dogs", "v", None) == ("chase", "trail", "tail", "tag", "dog", "track")
    assert synonyms("qqq", "nvar", None) == ()


def test_synonyms_come_in_a_fixed_order_and_the_casing_of_the_word():
    found = proposals(WordnetAll(), "A Movie here", "Movie")
    assert found == ["A Film here", "A Picture here", "A Pic here", "A Flick here"]
    plain = proposals(WordnetAll(), "Two movies here", "movies")
    assert plain[0] == "Two movie here"
    inflected = proposals(WordnetAll(inflect=True), "Two movies here", "movies")
    assert inflected[0] == "Two films here"
    assert not {"Two movies here", "Two movie here"} & set(inflected)


def test_synonyms_by_part_of_speech_are_those_of_the_tag():
    text = "They watch the dog every day"
    of_noun = proposals(WordnetAll(pos="tagged"), text, "dog")
    assert "They watch the hound every day" in of_noun
    assert "They watch the chase every day" not in of_noun
    assert "They watch the chase every day" in proposals(WordnetAll(), text, "dog")


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("Two DOGS ran", "DOGS", ["Two DOG ran"]),
        ("He went home", "went", ["go", "goes", "going", "gone"]),
        ("a big house", "big", ["a bigger house", "a biggest house"]),
        ("He ran quickly", "quickly", []),
    ],
)
def test_inflections(text, word, expected):
    wanted = [e if " " in e else text.replace(word, e) for e in expected]
    assert proposals(Inflections(), text, word) == wanted


def test_function_words_are_inflected_on_demand():
    document = document_of("She was here")
    assert [s.token for s in Inflections().sites(document)] == []
    free = proposals(Inflections(skip_stop_words=False), "The was here", "was")
    assert "The are here" in free or free == []  # as the tagger has it


NEAR = {"film": (("movie", 0.9), ("Film", 0.85), ("3", 0.8), ("picture", 0.6), ("dog", 0.1))}


class Table:
    """Vectors by hand; what was warmed is kept."""

    def __init__(self):
        self.warmed = []

    def neighbors(self, word, *, most):
        return NEAR.get(word, ())[:most]

    def warm(self, words, *, most):
        self.warmed.append((sorted(words), most))


def test_neighbors_come_nearest_first_and_near_enough():
    resources = {"vectors": Table()}
    near = VectorNeighbors(least_cosine=0.5)
    assert proposals(near, "A FILM here", "FILM", resources) == ["A MOVIE here", "A PICTURE here"]
    assert proposals(VectorNeighbors(top=1), "A film here", "film", resources) == ["A movie here"]
    assert proposals(near, "A film here", "A", resources) == []


def test_neighbors_of_many_texts_are_looked_up_at_once():
    table = Table()
    texts = "A film!", "film 2"
    documents = [document_of(text, resources={"vectors": table}) for text in texts]
    VectorNeighbors(top=7).warm(documents, [(), ()])
    assert table.warmed == [(["a", "film"], 7)]


SEARCHED = [
    name
    for name in registry().names("transformation")
    if getattr(registry().load("transformation", name), "is_for_search", False)
]


def test_one_mention_is_renamed_and_the_others_keep_their_name():
    text = "Anna Smith met Anna in the Netherlands"
    found = proposals(MentionSwap(draws=5), text, "Anna Smith")
    assert 1 < len(found) == len(set(found)) <= 5
    assert all(made.endswith(" met Anna in the Netherlands") for made in found)
    assert not any(made.startswith("Anna Smith") for made in found)
    places = proposals(MentionSwap(), text, "Netherlands")
    assert all(made.startswith("Anna Smith met Anna in ") for made in places)
    assert not any(" the " in made for made in places)
    only = MentionSwap(kinds=("LOC",)).sites(document_of(text))
    assert [text[s.start : s.end] for s in only] == ["Netherlands"]


@pytest.mark.parametrize("name", SEARCHED)
def test_a_local_transformation_looks_at_the_word_alone(name):
    transformation = registry().load("transformation", name)()
    if not getattr(transformation, "is_local", False):
        return
    language = "zh" if transformation.languages == frozenset({"zh"}) else "en"
    text = "我未 在" if language == "zh" else "A good film, isn't it? 42 movies went"
    whole = document_of(text, language=language)
    sites = {s.token: text[s.start : s.end] for s in transformation.sites(whole)}
    alone = {
        i: word
        for i, word in enumerate(whole.words)
        if transformation.sites(document_of(word, language=language))
    }
    assert sites == alone


@pytest.mark.parametrize(
    ("transformation", "expected"),
    [
        (WordnetAll(), "movie"),
        (WordnetAll(pos="tagged", inflect=True), "movies"),
        (Inflections(), "film"),
        (VectorNeighbors(), "movies"),
    ],
)
def test_a_word_is_known_by_its_place_where_one_before_it_was_split(transformation, expected):
    """Sites of a search have the number that their token had in the base."""
    document = document_of("Go od films", resources={"vectors": Films()})
    proposed = transformation.candidates(document, Site(6, 11, 1), np.random.default_rng(0))
    assert expected in [edits[0].text for edits in proposed]


class Films(Table):
    """One neighbor of one word."""

    def neighbors(self, word, *, most):
        return (("movies", 0.9),) if word == "films" else ()


def test_searched_edits_are_in_no_default_list_and_run_by_name():
    assert {"delete_word@1", "swap_letters@1", "wordnet_all@1"} <= set(SEARCHED)
    task, languages = load_task("text-classification"), frozenset({"en"})
    default = {r.name for r in RobustnessParams().recipes(task, languages)}
    assert default.isdisjoint(SEARCHED)
    assert "typos@1" in default
    named = RobustnessParams(transformations=("delete_word",))
    assert [r.name for r in named.recipes(task, languages)] == ["delete_word@1"]
    assert parse_recipe("typos+delete_word").is_for_search
    assert not parse_recipe("typos").is_for_search


@pytest.mark.parametrize(
    ("word", "upos", "forms"),
    [
        ("many", "ADJ", ()),
        ("nobody", "NOUN", ()),
        ("main", "ADJ", ()),
        ("good", "ADJ", ("better", "best")),
        ("ill", "ADJ", ()),  # "worse" is of "bad"
        ("movies", "NOUN", ("movie",)),
    ],
)
def test_inflections_are_forms_that_are_written(word, upos, forms):
    assert _inflected_forms(word, upos) == forms
