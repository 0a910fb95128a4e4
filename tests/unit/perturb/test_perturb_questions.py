"""Questions as statements, sentences that look like answers, and questions without an answer."""

from dataclasses import replace

import numpy as np
import pytest

from scrutiny.core.answers.texts import AnyOf, Extract
from scrutiny.core.errors import MissingExtraError
from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import Setting, perturb
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.passages import question_changes
from scrutiny.perturb.passages.other_facts import altered, nouns_like, other_answer
from scrutiny.perturb.passages.parsed_question import (
    ParsedQuestion,
    Statement,
    statement_of,
    written,
)
from scrutiny.perturb.resources import loading
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits
from scrutiny.text.numbers import parse_number
from scrutiny.text.spacy_pipeline import load_spacy

pytest.importorskip("spacy")
TASK = "question-answering"
WHAT = Statement((), "", "what")


@pytest.fixture(scope="module")
def parsed():
    parser = load_spacy()

    def parse(text):
        (found,) = parser.annotate([text])
        return ParsedQuestion(text, found)

    return parse


STATEMENTS = {
    # about the subject
    "Which team won the match in 1998?": "ANSWER won the match in 1998.",
    "Who wrote the first book about Rome?": "ANSWER wrote the first book about Rome.",
    "How many people live in Lima?": "ANSWER people live in Lima.",
    "Who was hired to produce the show?": "ANSWER was hired to produce the show.",
    "What has successfully dealt with ozone depletion?": (
        "ANSWER has successfully dealt with ozone depletion."
    ),
    # with "do": the verb takes its form
    "What did Ida build in 1911?": "Ida built ANSWER in 1911.",
    "How many tackles did Luke Kuechly register?": "Luke Kuechly registered ANSWER tackles.",
    "What did the IPCC apologize for?": "The IPCC apologized for ANSWER.",
    "In what year did Joseph Priestley recognize oxygen?": (
        "Joseph Priestley recognized oxygen in ANSWER."
    ),
    "When did the plague reach England?": "The plague reached England in ANSWER.",
    "Who did John Elway play for in 1998?": "John Elway played for ANSWER in 1998.",
    # with an auxiliary
    "Where was Halford Mackinder born?": "Halford Mackinder was born in ANSWER.",
    "In what city was Joseph Priestley born?": "Joseph Priestley was born in ANSWER.",
    # with "be"
    "What is the name of the bridge?": "The name of the bridge is ANSWER.",
    "Who was the first chair of the IPCC?": "The first chair of the IPCC was ANSWER.",
    'What theatre was the best example of "modern drama"?': (
        'The best example of "modern drama" was ANSWER.'
    ),
    # in its place
    "State Route 180 comes from which direction via Mendota?": (
        "State Route 180 comes from ANSWER via Mendota."
    ),
    "In 2000, ABC started a campaign focused on what?": (
        "In 2000, ABC started a campaign focused on ANSWER."
    ),
    # behind a part of its own
    "For a field F, what would be the prime field?": (
        "For a field F, ANSWER would be the prime field."
    ),
}
#: Questions whose statement the rules do not know; a wrong one would be worse than none.
NONE = (
    "Why is the need for acceptance of punishment needed?",
    "How old was Peyton Manning when he played in Super Bowl 50?",
    "What did Luther think of the mass?",
    "What is Cultural Imperialism often referred to as?",
    "What famous Indian's actions were considered civil disobedience?",
    "What didn't Ida build?",
    "Name one way to close it",
    "What is it: a cat; or a dog?",
    "",
    "?",
    "What?",
)


@pytest.mark.parametrize("question", STATEMENTS)
def test_a_question_turns_into_its_statement(parsed, question):
    one = parsed(question)
    statement = statement_of(one)
    assert statement is not None
    assert written(one, statement, "ANSWER", {}) == STATEMENTS[question]


@pytest.mark.parametrize("question", NONE)
def test_others_have_none(parsed, question):
    assert statement_of(parsed(question)) is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("1349", "in 1349"),
        ("May 1349", "in May 1349"),
        ("8 May 1349", "on 8 May 1349"),
        ("May 8, 1349", "on May 8, 1349"),
        ("after 1349", "after 1349"),
        ("Monday", "on Monday"),
    ],
)
def test_the_preposition_goes_with_the_answer(parsed, answer, said):
    one = parsed("When did the plague reach England?")
    text = written(one, statement_of(one), answer, {})
    assert text == f"The plague reached England {said}."


@pytest.mark.parametrize(
    ("right", "statement", "fits"),
    [
        ("1349", WHAT, lambda new: new.isdigit() and 1300 < int(new) < 1400),
        ("2,000", WHAT, lambda new: parse_number(new).is_grouped),
        ("15%", WHAT, lambda new: new.endswith("%") and new != "15%"),
        ("over 37 million", WHAT, lambda new: new.startswith("over ") and "million" in new),
        ("8 February 2007", WHAT, lambda new: "February" not in new and "2007" not in new),
        ("four", WHAT, lambda new: parse_number(new).kind == "word"),
        ("southwest", WHAT, lambda new: new == "northeast"),
        ("Fort Caroline", WHAT, lambda new: new.startswith("Fort ") and new[5:] != "Caroline"),
        ("John Elway", Statement((), "", "who"), lambda new: len(new.split()) == 2),
        ("Lima", Statement((), "", "where"), str.istitle),
        ("Peru", Statement((), "country", "which"), str.istitle),
        ("nineteenth", Statement((), "century", "what"), lambda new: new.endswith(" century")),
        ("summer", WHAT, lambda new: new in {*nouns_like("summer", "NN"), "winter"}),
    ],
)
def test_another_answer_is_of_the_kind_of_the_right_one(right, statement, fits):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        new = other_answer(right, statement, rng, passage=right.lower())
        assert new, right
        assert new.lower() != right.lower()
        assert fits(new), new


@pytest.mark.parametrize(
    ("right", "statement"),
    [
        ("", WHAT),
        ("Mickey Smith (Noel Clarke) and Jack Harkness (John Barrowman)", WHAT),
        ("20 to 1", WHAT),
        ("1342 to 1350", WHAT),
        ("because it rained so much that night", WHAT),
        ("in the spring", Statement((), "", "when")),
        ("scottish ministers", Statement((), "", "who")),
    ],
)
def test_where_no_other_answer_is_known_there_is_none(right, statement):
    rng = np.random.default_rng(0)
    assert other_answer(right, statement, rng, passage=right.lower()) == ""


def test_what_comes_stands_nowhere_in_the_passage(parsed):
    question = parsed("When did Carl Scheele discover oxygen in Sweden?")
    for seed in range(10):
        changed = altered(question, np.random.default_rng(seed), passage="it was in norway")
        assert changed
        assert all("norway" not in new.lower() for _, new in changed.values())
        said = question.shown(0, len(question.parse.spans), changed)
        assert "Scheele" not in said
        assert "Sweden" not in said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which player had the most wins?", "Which player had the fewest wins?"),
        ("What is the largest city?", "What is the smallest city?"),
        ("Who won the upper league?", "Who lost the lower league?"),
        ("What is most of it used for?", "What is most of it used for?"),
        ("Who made the most successful engine?", "Who made the most unsuccessful engine?"),
        ("How long did it last?", "How long did it last?"),
    ],
)
def test_words_are_turned_round_where_nothing_has_a_name(parsed, question, said):
    one = parsed(question)
    changed = altered(one, np.random.default_rng(0), passage="")
    assert one.shown(0, len(one.parse.spans), changed) == said


CONTEXT = (
    "Carl Scheele came to Uppsala in 1770. He discovered oxygen there in 1773. "
    "Joseph Priestley did so in England a year later."
)
QUESTION = "When did Carl Scheele discover oxygen?"


def item(question=QUESTION, answer="1773", context=CONTEXT):
    gold = AnyOf([Extract(answer, "context", context.index(answer))])
    return Example("1", {"question": question, "context": context}, gold)


def asked(recipe, seed=0, one=None):
    one = one or item()
    variant = perturb(one, recipe, seed=seed, task="question-answering")
    return variant, apply_edits(one, variant.edits)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("at", ["end", "start", "answer"])
def test_a_distractor_leaves_question_passage_and_answer_as_they_are(seed, at):
    variant, after = asked(f"distractor(at={at})", seed)
    assert variant.status == "ok"
    (edit,) = variant.edits
    context, (right,) = after.fields["context"], variant.gold
    assert after.fields["question"] == QUESTION
    assert context.replace(edit.text, "") == CONTEXT
    assert context[right.start : right.start + 4] == right.text == "1773"
    said = edit.text.strip()
    assert said.endswith(".")
    assert "discovered oxygen in" in said
    assert "Scheele" not in said
    assert "1773" not in said
    place = {"end": len(CONTEXT), "start": 0, "answer": CONTEXT.index("He")}[at]
    assert edit.start == place


def test_a_distractor_is_spelled_as_the_passage_is():
    context = "carl scheele found oxygen in 1773 , it is said ."
    variant, _ = asked("distractor", one=item(context=context))
    said = variant.edits[0].text
    assert said == said.lower()
    assert said.endswith(" .")


@pytest.mark.parametrize(
    "one",
    [
        item("Why did Carl Scheele discover oxygen?"),  # no statement
        item("When did it rain?"),  # nothing to change
        item("What Uppsala chemist made oxygen?", "Carl Scheele"),  # nothing in the statement
        item("Tell me when"),  # no question
        Example("1", {"question": QUESTION, "context": CONTEXT}, AnyOf([Extract("")])),
        Example("1", {"question": QUESTION, "context": CONTEXT}),  # nobody knows the answer
        Example("1", {"text": "When did Carl Scheele discover oxygen?"}, "x"),
    ],
)
def test_where_none_can_be_made_none_is(one):
    variant = perturb(one, "distractor", seed=0)
    assert (variant.status, variant.edits) == ("skipped", ())


@pytest.mark.parametrize("seed", range(8))
def test_another_question_has_no_answer_in_the_passage(seed):
    variant, after = asked("other_question", seed)
    assert variant.status == "ok"
    assert variant.gold == AnyOf([Extract("")])
    assert after.fields["context"] == CONTEXT
    assert {edit.field for edit in variant.edits} == {"question"}
    assert "discover oxygen?" in after.fields["question"]
    assert "Scheele" not in after.fields["question"]


def test_their_effects_are_stated_by_task():
    tasks = ("question-answering", "text-pair-classification", "generation", "coreference")
    effects = {
        name: [parse_recipe(name).effect(load_task(task).facts) for task in tasks]
        for name in ("distractor", "other_question")
    }
    assert effects == {
        "distractor": ["keeps", "may change", "may change", "may change"],
        "other_question": ["sets", "may change", "may change", "may change"],
    }


def test_a_random_sentence_stands_beside_a_distractor():
    one = item()
    variant = perturb(one, "distractor", seed=0, task="question-answering")
    control = Controls(one).of(variant, seed=0)
    assert control.status == "ok"
    (edit,), (random,) = variant.edits, control.edits
    assert len(random.text) == len(edit.text)
    assert random.text != edit.text


def test_a_parser_of_ones_own_is_asked_and_a_missing_one_is_named(monkeypatch):
    asked_for = []

    class Nothing:
        def annotate(self, texts):
            asked_for.extend(texts)
            return load_spacy().annotate(texts)

    resources = {"parser": Nothing()}
    variant = perturb(item(), "distractor", seed=0, resources=resources, task="question-answering")
    assert variant.status == "ok"
    assert asked_for == [QUESTION]
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    loading.load_resource.cache_clear()
    with pytest.raises(MissingExtraError, match="nlp"):
        perturb(item("When did Bo Lee discover oxygen?"), "other_question", seed=0)
    loading.load_resource.cache_clear()
    assert question_changes._parsed.cache_info().currsize


NAMES = (
    "distractor",
    "other_question",
    "sentence_order(to=edge,any_sentence=true)",
    "add_sentence",
    "drop_sentence(replaced=true,any_sentence=true)",
)


@pytest.mark.parametrize("recipe", NAMES)
def test_the_same_comes_out_in_any_order_and_a_bad_item_ends_nothing(recipe):
    """In a toolkit a method before another changes its outputs, and one bad item ends the run."""
    items = [
        item(),
        Example("2", {"question": "Who?\x00", "context": "?"}, AnyOf([Extract("?", "context", 0)])),
        item("Where was Joseph Priestley born?", "England"),
    ]
    items = [replace(one, id=str(number)) for number, one in enumerate(items)]
    setting = Setting(seed=3, facts=load_task("question-answering").facts)
    there = dict(made(items, ["typos", recipe], setting))
    back = dict(made(items[::-1], [recipe], setting))
    assert {name: variants[1] for name, variants in there.items()} == {
        name: variants[0] for name, variants in back.items()
    }
    assert "failed" not in {variants[0].status for variants in back.values()}


def made(items, recipes, setting):
    for one, variants in perturb_stream(items, recipes, setting):
        yield one.id, variants


def test_words_beside_the_answer_are_those_of_its_sentence():
    one = item()
    variant = perturb(one, "typos(share=1,where=beside,shortest=2)", seed=0, task=TASK)
    start = CONTEXT.index("He discovered")
    place = CONTEXT.index("1773")
    assert variant.status == "ok"
    for edit in variant.edits:
        assert edit.field == "context"
        assert start <= edit.start < CONTEXT.index(" Joseph")
        assert not place <= edit.start < place + 4
    assert perturb(item("Who?"), "typos(where=beside,fields=question)", seed=0).edits == ()
