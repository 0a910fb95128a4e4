"""A function from text to text as a transformation: edits, names, labels, refusals."""

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrutiny
from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import parse_recipe, recipes_given
from scrutiny.perturb.engine.rewrite import _identity_of, hold_function, keeps_label
from scrutiny.testing import KeywordClassifier
from scrutiny.text.edits import apply_edits, apply_to_text, edits_between

ROWS = [
    {"id": f"i{n}", "text": f"a {word} film about case {n}", "label": label}
    for n in range(12)
    for word, label in [[("bad", "negative"), ("good", "positive")][n % 2]]
]


def shout(text):
    """Loud."""
    return f"{text.upper()}!"


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_difference_turns_the_one_text_into_the_other(old, new):
    edits = list(edits_between("text", old, new))
    assert apply_to_text(old, edits) == new
    assert (edits == []) == (old == new)


def test_a_difference_is_of_words():
    assert list(edits_between("text", "so good, so far", "so GOOD, so far")) == [
        Edit("text", 3, 7, "GOOD")
    ]
    inserted = list(edits_between("text", "a film", "a very fine film"))
    assert "".join(edit.text for edit in inserted).strip() == "very fine"


def test_a_function_is_named_by_its_source():
    name = hold_function("shout", shout)
    assert name == hold_function("shout", shout)
    assert name.startswith("shout@py-")
    assert name != hold_function("shout", lambda text: text.upper())
    assert name != hold_function("shout", keeps_label(shout))
    assert parse_recipe(name).name == name


def test_what_a_function_closes_over_is_part_of_its_name():
    def ends_with(mark):
        return lambda text: text + mark

    names = {hold_function("end", ends_with(mark)) for mark in "!?!"}
    assert len(names) == 2
    defaults = {hold_function("end", lambda text, mark=mark: text + mark) for mark in "!?!"}
    assert len(defaults) == 2


def test_what_has_no_source_is_named_by_where_it_is():
    assert _identity_of("upper", str.upper) == "builtins:str.upper"
    variant = perturb(Example("1", {"text": "a film"}), hold_function("loud", str.upper), seed=0)
    assert [edit.text for edit in variant.edits] == ["A", "FILM"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"shout": functools.partial(str.replace, "a")},
            "'shout' is a partial that cannot be named",
        ),
        ({"shout": eval("lambda text: text")}, "'shout' is a function that cannot be named"),
        ({"up": "typos"}, "'up' is of type str, and it must be a function"),
        ({"up": keeps_label(3)}, "'up' is of type int, and it must be a function"),
        ({"typos": str.upper}, "'typos' is a transformation already"),
        ({"no name": str.upper}, "'no name' is no name"),
        ([lambda text: text], "a <lambda> has no name to stand in the plan"),
        ([keeps_label(lambda text: text)], "a <lambda> has no name to stand in the plan"),
    ],
)
def test_what_cannot_be_named_is_refused_in_words(given, said):
    with pytest.raises(PlanError, match=said):
        recipes_given(given)


def test_a_function_of_another_process_cannot_be_loaded():
    with pytest.raises(
        PlanError, match=r"'gone' is a Python function that was handed over.*plug-in"
    ):
        parse_recipe("typos+gone@py-00000000")


def test_recipes_of_every_kind_stand_beside_each_other():
    given = recipes_given(["typos(share=0.5)", shout, {"trim": str.strip}, "shout+typos", 3])
    assert [str(one).partition("@")[0] for one in given] == [
        *("typos(share=0.5)", "shout", "trim", "shout", "3")
    ]
    assert given[3] == f"{given[1]}+typos@1"
    assert recipes_given("typos") == ["typos"]


def test_a_function_is_composed_with_others():
    hold_function("shout", shout)
    example = Example("1", {"text": "a wonderful little film"}, gold="positive")
    variant = perturb(example, "shout+typos(share=0.5)", seed=0, task="text-classification")
    assert variant.status == "ok"
    text = apply_edits(example, variant.edits).fields["text"]
    assert text.endswith("!")
    assert text != shout(example.fields["text"])
    assert variant.gold is None  # nobody said that shouting keeps it


def test_who_says_that_the_label_is_kept_keeps_it():
    example = Example("1", {"text": "a film"}, gold="positive")
    assert perturb(example, hold_function("loud", keeps_label(shout)), seed=0).gold == "positive"
    assert perturb(example, hold_function("loud", shout), seed=0).gold is None


@pytest.mark.parametrize(
    ("function", "status", "reason"),
    [
        (lambda text: text, "skipped", "unchanged"),
        (lambda text: 1 / 0, "failed", "error:ZeroDivisionError"),
    ],
)
def test_what_comes_of_functions_that_do_nothing_or_fail(function, status, reason):
    variant = perturb(Example("1", {"text": "a film"}), hold_function("odd", function), seed=0)
    assert (variant.status, variant.reason) == (status, reason)


def test_a_function_that_gives_no_text_stops_the_run():
    with pytest.raises(PlanError, match="'odd' gave something of type NoneType for the text 'a fi"):
        perturb(Example("1", {"text": "a film"}), hold_function("odd", lambda text: None), seed=0)


@pytest.mark.parametrize(("end", "status"), [(3, "ok"), (5, "refused")])
def test_annotated_words_are_not_broken(end, status):
    gold = (Span("text", 0, end, "PER"), Span("text", 8, 10, "PER"))
    example = Example("1", {"text": "Ada met Bo"}, gold=gold)
    saw = hold_function("own", keeps_label(lambda text: text.replace("met", "saw")))
    variant = perturb(example, saw, seed=0)
    assert variant.status == status
    if status == "ok":
        assert apply_edits(example, variant.edits).gold == gold


def test_a_run_with_functions(tmp_path):
    given = {"shout": shout, "loud": keeps_label(str.upper)}
    found = scrutiny.run(
        "robustness",
        model=KeywordClassifier(),
        data=ROWS,
        transformations=given,
        out=tmp_path / "r",
    )
    assert found.estimate("flip_rate", group="changed", transformation="shout").counts.n == 12
    assert found.estimate("drop(accuracy)", transformation="loud").counts.planned == 12
    with pytest.raises(PlanError, match="No estimate of"):
        found.estimate("drop(accuracy)", transformation="shout")
    assert [f.claim.says for f in found.findings] == ["loud lowers accuracy"]
    assert {case["after"] for case in found.cases("shout")} == {shout(r["text"]) for r in ROWS}
    notes = found.manifest["measure"]["robustness"]["notes"]
    assert any(note.startswith("shout may change the gold answer") for note in notes)


def test_functions_do_not_travel():
    with pytest.raises(PlanError, match="cannot travel to a worker: use workers=1"):
        scrutiny.run(
            "robustness",
            model="builtin:sentiment",
            data=ROWS,
            transformations=[shout],
            workers=2,
        )
