"""Changes of items with options: cases by hand, what they keep, and models that fall for them."""

import json
import re
from pathlib import Path

import pytest

import scrutiny
from scrutiny.core.answers.choices import Option
from scrutiny.core.errors import PlanError
from scrutiny.core.registry import registry
from scrutiny.core.transformation import effect_of
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits

CASES = Path(__file__).parent / "cases"
OF_PASSAGES = ("asked_word_slip", "option_sentence", "option_from_passage")
OF_PRONOUNS = ("other_gender", "other_names", "relative_clause")
NAMES = (*OF_PASSAGES, *OF_PRONOUNS)


def read(name):
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))


def item(case):
    task = load_task("multiple-choice" if "question" in case else "pronoun-resolution")
    names = ("text", "question", "options", "answer")
    row = {name: case[name] for name in names if name in case}
    return task, task.parse({"id": "1", "language": "en", **row}, source="x:1")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(c, id=f"{c['recipe']}: {c.get('question', c['text'])}")
        for name in NAMES
        for c in read(name)
    ],
)
def test_a_text_turns_into_what_is_written_down(case):
    if case["recipe"].partition("(")[0] in ("option_sentence", "option_from_passage"):
        pytest.importorskip("spacy")
    task, example = item(case)
    made = set()
    for seed in range(8):
        variant = perturb(example, case["recipe"], seed=seed, task=task.name)
        assert variant.status == case.get("status", "ok"), case["why"]
        if variant.status == "ok":
            after = apply_edits(example, variant.edits)
            assert variant.gold == Option(case["answer"])
            made.add(after.text)
            options = [text for name, text in after.fields.items() if name.startswith("option")]
            assert options == case.get("options_after", case["options"])
    if "one_of" in case:
        assert made <= set(case["one_of"]), case["why"]
    if "matches" in case:
        assert all(re.fullmatch(case["matches"], text) for text in made), (made, case["why"])


@pytest.mark.parametrize("name", NAMES)
def test_there_are_ten_cases_at_least(name):
    assert len(read(name)) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_they_keep_options_and_are_refused_elsewhere(name):
    made = parse_recipe(name).steps[0].transformation
    own = load_task("multiple-choice" if name in OF_PASSAGES else "pronoun-resolution").facts
    assert effect_of(made, own) == "keeps"
    assert registry().load("transformation", name)().intensity == made.intensity
    with pytest.raises(PlanError, match="it would find nothing"):
        made.must_suit(load_task("text-classification").facts, ())


@pytest.mark.parametrize("name", ["other_names", "other_gender", "relative_clause"])
def test_the_right_answer_is_known_after_changes_of_those_whom_a_pronoun_means(name):
    assert parse_recipe(name).is_scored(load_task("pronoun-resolution").facts)


def test_a_slip_keeps_the_letters_and_the_edges_of_a_word():
    for case in read("asked_word_slip"):
        for text in case.get("one_of", ()):
            for old, new in zip(case["text"].split(), text.split(), strict=True):
                assert sorted(old) == sorted(new)
                assert (old[0], old.rstrip(".")[-1]) == (new[0], new.rstrip(".")[-1])


def test_two_sentences_have_two_wrong_options():
    pytest.importorskip("spacy")
    case = {**read("option_sentence")[0], "options": ["A coat.", "A hat.", "A bag."]}
    task, example = item(case)
    variant = perturb(example, "option_sentence(times=2)", seed=1, task=task.name)
    said = " ".join(edit.text for edit in variant.edits)
    assert ("A hat." in said, "A bag." in said, "A coat." in said) == (True, True, False)
    assert len(said) == len(apply_edits(example, variant.edits).text) - len(example.text) + 1


THINGS = "coat hat scarf lamp chair table clock book ring cup plate knife".split()


def dialogues():
    """Dialogues whose words say the right option, which is the longest."""
    for k in range(360):
        right, wrong = THINGS[k % 12], THINGS[(k + 5) % 12]
        text = f"Ida went to the market. Ida bought the {right} on day {k}. Then she slept well."
        options = [f"The {wrong}.", f"The {right}, as far as anybody can say."]
        yield {"id": str(k), "text": text, "question": "What was it that Ida bought?",
               "options": options[:: 1 if k % 2 else -1], "answer": k % 2}  # fmt: skip


@pytest.mark.parametrize(
    ("model", "verdict"), [("rules:overlap", "hurts"), ("rules:longest-option", "holds")]
)
def test_planted_truth_words_in_common_fall_for_slips_and_options_alone_cannot(model, verdict):
    pytest.importorskip("spacy")
    found = scrutiny.run(
        "robustness", model, [*dialogues()], task="multiple-choice",
        transformations=["asked_word_slip", "option_sentence"],
    )  # fmt: skip
    assert [risk["state"] for risk in found.risks] == [verdict] * 2, found.risks
