"""Facts of tasks: who has them, who wants them, and what changes say about them."""

import pytest

from scrutiny.core.answers.clusters import CLUSTERS as OF_CLUSTERS
from scrutiny.core.diagnostic import fits
from scrutiny.core.facts import (
    ARCS,
    CLUSTERS,
    EXTRACTS,
    GROUNDS,
    LABELS,
    ONE_TEXT,
    RUNNING_TEXT,
    SPANS,
    WRITTEN,
    Facts,
    wanted_in_words,
)
from scrutiny.core.registry import registry
from scrutiny.core.transformation import effect_of, keeps_unless, may_change_unless
from scrutiny.perturb.characters.typos import Typos
from scrutiny.tasks.classification import Classification
from scrutiny.tasks.tasks import LABEL, TEXT, TEXT_PAIR, every_task, load_task, text_role

ANCHORED = Facts("label", "anchor")
RELATION = Facts("label", "relation")


class Stance(Classification):
    """A text, what it is about, and for or against."""

    name = "stance"
    roles = (TEXT, text_role("topic", "column of the topic", is_anchor=True), LABEL)


class Answered(Classification):
    """A text beside a form that no change may touch."""

    name = "answered"
    roles = (TEXT, text_role("form", "column of the form", may_change=False), LABEL)


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("text-classification", ONE_TEXT),
        ("text-pair-classification", RELATION),
        ("token-tagging", SPANS),
        ("dependency-arcs", ARCS),
        ("coreference", CLUSTERS),
        ("question-answering", EXTRACTS),
        ("situation-questions", EXTRACTS),
        ("translation", WRITTEN),
        ("passages", RUNNING_TEXT),
    ],
)
def test_what_a_task_is_follows_from_its_columns_and_answers(name, facts):
    assert facts.are_of(load_task(name).facts)


def test_a_closed_text_is_no_second_side_of_a_relation():
    assert Stance().facts == ANCHORED
    assert Answered().facts == ONE_TEXT
    assert (Answered.open_fields, Answered.closed_fields) == (("text",), ("form",))
    both = type("Both", (Classification,), {"roles": (TEXT, TEXT_PAIR, LABEL), "name": "both"})
    assert both().facts == RELATION


def test_wanted_facts_that_are_empty_are_any():
    assert all(LABELS.are_of(one) for one in (ONE_TEXT, RELATION, ANCHORED))
    assert not any(LABELS.are_of(one) for one in (SPANS, RUNNING_TEXT, WRITTEN))
    assert Facts().are_of(SPANS)


@pytest.mark.parametrize("task", [ANCHORED, ONE_TEXT, RELATION, SPANS, ARCS, WRITTEN])
def test_grounds_are_names_that_changes_know(task):
    assert set(task.grounds) <= {*GROUNDS}


@pytest.mark.parametrize(
    ("effect", "task", "found"),
    [
        (keeps_unless("relation"), RELATION, "may change"),
        (keeps_unless("relation"), ANCHORED, "keeps"),
        (may_change_unless("label"), ANCHORED, "keeps"),
        (may_change_unless("label"), RELATION, "may change"),
        (keeps_unless("anchor"), ANCHORED, "may change"),
        (keeps_unless("anchor"), ONE_TEXT, "keeps"),
        ({"label": "flips"}, SPANS, "may change"),
        ({"label": "flips"}, ANCHORED, "flips"),
    ],
)
def test_a_change_says_what_it_does_by_the_nearest_name(effect, task, found):
    kind = type("Trial", (Typos,), {"effect": effect, "__slots__": ()})
    assert effect_of(kind(), task) == found


def test_each_diagnostic_that_wants_labels_takes_those_of_an_anchored_text():
    anchored, plain = Stance(), load_task("text-classification")
    of_plain, of_anchored = set(), set()
    for name in registry().names("diagnostic"):
        one = registry().load("diagnostic", name)()
        of_plain |= {name} if fits(one, plain) else set()
        of_anchored |= {name} if fits(one, anchored) else set()
    assert {name.partition(".")[0] for name in of_plain - of_anchored} == {
        "artifacts",  # those of single texts
        "faithfulness",
    }
    assert {name.partition("@")[0] for name in of_anchored - of_plain} == {"artifacts"}
    assert {"robustness@1", "attack@1", "calibration@1", "labels@1"} <= of_anchored


def test_every_diagnostic_says_in_words_what_it_wants():
    for name in registry().names("diagnostic"):
        wanted = registry().load("diagnostic", name).wants
        said = wanted_in_words(wanted)
        assert bool(said) == bool(wanted)
        assert "texts without answers" not in said


def test_every_task_is_wanted_by_a_diagnostic_or_read_for_one():
    unwanted = {
        task.name
        for task in every_task()
        if not any(fits(registry().load("diagnostic", name)(), task)
                   for name in registry().names("diagnostic"))
    }  # fmt: skip
    assert not unwanted


def test_clusters_are_known_by_the_name_of_their_type():
    assert CLUSTERS.answer == OF_CLUSTERS.name
