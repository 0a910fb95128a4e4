"""Recipes: written, read, crossed, looked up."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrutiny.core.answers.answer import AnswerType
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.registry import registry
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.engine.recipe_syntax import read_recipe, write_value
from scrutiny.tasks.tasks import load_task


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("typos", "typos@1"),
        (" typos@1 ( ) ", "typos@1"),
        ("typos(share=0.3)", "typos@1"),  # its own default
        ("typos( mode = swap , share=.2 )", "typos@1(mode=swap,share=0.2)"),
        ("typos(share=0.2,mode=swap)", "typos@1(mode=swap,share=0.2)"),
        ("typos(share=1)", "typos@1(share=1.0)"),
        ("typos(skip_first=false)", "typos@1(skip_first=false)"),
        ("typos(most=3,least=2)", "typos@1(least=2,most=3)"),
        ("keyboard(most=none)", "keyboard@1"),
        ("social_media(handle=none)", "social_media@1(handle=none)"),
        ("typos(fields=premise|hypothesis)", "typos@1(fields=premise|hypothesis)"),
        ("typos(fields=premise)", "typos@1(fields=premise)"),
        ("typos(where=within)", "typos@1(where=within)"),
        ('contraction + typos(mode="swap")', "contraction@1+typos@1(mode=swap)"),
    ],
)
def test_recipes_have_one_canonical_name_that_reads_back(written, name):
    recipe = parse_recipe(written)
    assert recipe.name == name
    assert parse_recipe(name) == recipe


@pytest.mark.parametrize(
    ("written", "error", "said"),
    [
        ("typo", UnknownNameError, "'typos@1'"),
        ("typos@7", UnknownNameError, "typos@1"),
        ("typos(modes=swap)", UnknownNameError, "'mode'"),
        ("typos(mode=swop)", UnknownNameError, "'swap'"),
        ("typos(where=withn)", UnknownNameError, "within"),
        ("typos(share=lots)", PlanError, "a number"),
        ("typos(share=2)", PlanError, "between 0 and 1"),
        ("typos(shortest=2.5)", PlanError, "a whole number"),
        ("typos(skip_first=1)", PlanError, "true or false"),
        ("typos(most=0)", PlanError, "most >= 1"),
        ("typos(least=5,most=2)", PlanError, "least <= most"),
        ("typos(share=0.1,share=0.2)", PlanError, "twice"),
        ("typos(share)", PlanError, "character 7"),
        ("typos(share=0.1", PlanError, "',' or ')'"),
        ("typos+", PlanError, "the name"),
        ("", PlanError, "the name"),
        ("typos word_case", PlanError, "'+'"),
        ("typos(mode=)", PlanError, "a value"),
    ],
)
def test_mistakes_say_what_is_allowed(written, error, said):
    with pytest.raises(error, match=r"(?s).*") as caught:
        parse_recipe(written)
    assert said in str(caught.value)


values = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
)


@settings(max_examples=300)
@given(st.dictionaries(st.from_regex(r"[a-z]\w{0,5}", fullmatch=True), values, max_size=4))
def test_values_of_all_types_survive_writing_and_reading(parameters):
    inner = ",".join(f"{key}={write_value(value)}" for key, value in parameters.items())
    ((name, read),) = read_recipe(f"typos({inner})")
    assert name == "typos"
    assert read == parameters
    assert {k: type(v) for k, v in read.items()} == {k: type(v) for k, v in parameters.items()}


def test_a_parameter_without_a_written_form_is_refused():
    with pytest.raises(PlanError, match="written form"):
        write_value(object())


def test_every_registered_transformation_is_a_recipe_by_its_name():
    for name in registry().names("transformation"):
        assert parse_recipe(name).name == name


def test_a_recipe_needs_and_speaks_what_its_steps_do():
    recipe = parse_recipe("typos+contraction+synonym_wordnet")
    assert recipe.resources == ("tagger", "wordnet")
    assert recipe.languages == frozenset({"en"})


def test_a_step_knows_its_stream_and_its_quick_way():
    step, other = (parse_recipe(name).steps[0] for name in ("typos(mode=swap)", "contraction"))
    assert (step.stream, other.stream) == ("typos@1", "contraction@1")
    assert step.at_once == step.transformation.at_once
    assert other.at_once is None
    assert replace(step, where="anywhere").at_once == step.at_once


def test_a_recipe_is_harmless_if_every_step_keeps_every_gold_answer():
    names = ("typos", "typos+ocr", "antonym_swap", "typos+antonym_swap")
    assert [parse_recipe(name).is_harmless for name in names] == [True, True, False, False]


def test_what_has_parts_in_a_text_is_what_the_answers_say():
    """Of tasks with answers: those of parts that no edit may cross, or that hang on one."""
    for name in registry().names("task"):
        task = load_task(name)
        if task.answer_type is None:
            continue
        fenced = type(task.answer_type).fences is not AnswerType.fences
        is_marked = any(role.is_anchor for role in task.roles)
        assert task.facts.has_places == (fenced or is_marked or bool(task.holds)), name


@pytest.mark.parametrize("where", ["within", "beside"])
def test_places_that_a_task_does_not_have_are_refused_with_what_is_allowed(where):
    recipe = parse_recipe(f"contraction+typos(where={where})")
    for task in ("token-tagging", "question-answering", "aspect-sentiment", "coreference"):
        recipe.must_suit(load_task(task).facts, ())
    for task in ("text-classification", "dependency-arcs", "translation", "word-segmentation"):
        with pytest.raises(PlanError, match="Allowed here are anywhere and around") as error:
            recipe.must_suit(load_task(task).facts, ())
        assert f"typos@1(where={where}): where={where} changes words" in str(error.value)


def test_texts_that_items_do_not_have_are_refused():
    recipe = parse_recipe("typos(fields=question)")
    facts = load_task("question-answering").facts
    recipe.must_suit(facts, (), ("question", "context"))
    recipe.must_suit(facts, ())  # nobody knows them
    with pytest.raises(PlanError, match="no text of these items named 'question'"):
        recipe.must_suit(facts, (), ("text",))
