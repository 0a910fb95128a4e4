"""Texts with words cut, parts marked and senses known, and what becomes of them, by hand."""

import json
from pathlib import Path

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_transformation
from scrutiny.text.edits import apply_edits

CASES = Path(__file__).parent / "cases"
OF_SEGMENTS = (
    "abbreviation", "chinese_number", "chinese_synonym", "name_part", "reduplication",
    "verb_one_verb",
)  # fmt: skip
OF_RELATIONS = ("kind_clause", "marked_noun_swap")
OF_SENSES = ("sense_synonym",)
TASKS = {
    **dict.fromkeys(OF_SEGMENTS, "word-segmentation"),
    **dict.fromkeys(OF_RELATIONS, "relation-classification"),
    **dict.fromkeys(OF_SENSES, "word-senses"),
}


def read(name):
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))


def item(name, case):
    if name in OF_SEGMENTS:
        row = {"segmented": case["segmented"], "language": "zh"}
    elif name in OF_RELATIONS:
        row = {"text": case["text"], "label": "R(e1,e2)"}
    else:
        row = {"text": case["text"], "senses": [f"sense {k}" for k in range(10)],
               "sense": case["sense"], "a_lemma": case["lemma"], "a_pos": case["pos"]}  # fmt: skip
    return load_task(TASKS[name]).parse({**row, "id": "1"}, source="x:1")


def shown(name, example):
    """Text, or its words with spaces between them."""
    if name not in OF_SEGMENTS:
        return example.text
    return " ".join(example.text[a:b] for a, b in example.gold.borders)


@pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(n, c, id=f"{n}: {c['why']}") for n in TASKS for c in read(n)],
)
def test_a_text_turns_into_what_is_written_down(name, case):
    example, recipe = item(name, case), f"{name}(share=1)" if name in OF_SEGMENTS else name
    made = set()
    for seed in range(12):
        variant = perturb(example, recipe, seed=seed, task=TASKS[name])
        assert variant.status == case.get("status", "ok")
        changed = apply_edits(example, variant.edits)
        if variant.status == "ok":
            made.add(shown(name, changed))
            assert variant.gold == changed.gold
    assert made <= set(case.get("one_of", ()))
    assert bool(made) == ("one_of" in case)


@pytest.mark.parametrize("name", TASKS)
def test_each_has_ten_cases_and_keeps_its_promises(name):
    cases = read(name)
    assert len(cases) >= 10
    change = parse_recipe(name).steps[0].transformation
    check_transformation(change, [TextDocument(item(name, case)) for case in cases])


@pytest.mark.parametrize("name", TASKS)
def test_it_is_refused_on_data_without_what_it_changes(name):
    facts = load_task("text-classification").facts
    change = parse_recipe(name).steps[0].transformation
    with pytest.raises(PlanError, match="changes data whose right answers are"):
        change.must_suit(facts, ())


@pytest.mark.parametrize("recipe", ["typos(share=1)", "word_case", "synonym_wordnet(share=1)"])
def test_no_other_change_touches_marked_parts(recipe):
    case = {"text": "The tall <e1>musicians</e1> like a <e2>carpenter</e2> a lot.", "sense": 0}
    example = item("marked_noun_swap", case)
    variant = perturb(example, recipe, seed=0, task="relation-classification")
    for edit in variant.edits:
        assert not any(edit.start < s.end and s.start < edit.end for s in example.protected)


def test_nouns_of_other_classes_and_rare_ones():
    case = {"text": "The <e1>song</e1> was written for a <e2>musician</e2>."}
    example, made = item("marked_noun_swap", case), {}
    for nouns in ("same", "rare", "other"):
        recipe = f"marked_noun_swap(nouns={nouns})"
        variants = [perturb(example, recipe, seed=k, task=TASKS["kind_clause"]) for k in range(5)]
        made[nouns] = {variant.edits[-1].text for variant in variants}
    assert made["same"].isdisjoint(made["other"] | made["rare"])


def test_surnames_that_are_words():
    example = item("name_part", {"segmented": "记者 李 建国 摄"})
    variant = perturb(example, "name_part(part=surname)", seed=0, task="word-segmentation")
    assert variant.edits[0].text in ("高", "万", "于", "马", "金", "白", "方", "常", "时", "成")
    assert variant.gold.borders == example.gold.borders
