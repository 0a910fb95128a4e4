"""Goals about answers of any type, by hand."""

from dataclasses import replace
from functools import partial

import pytest

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.clusters import clusters_of
from scrutiny.core.answers.texts import AnyOf, Extract, Text
from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Prediction
from scrutiny.perturb.recipes.attack import goal_for, parse_goal
from scrutiny.perturb.search.goals.answer_goals import PartLost, ScoreFalls
from scrutiny.perturb.search.goals.label_goals import Targeted
from scrutiny.perturb.search.judging import Base
from scrutiny.perturb.search.moves import Origin
from scrutiny.perturb.search.state import State
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task

IDA, ROME = Span("text", 0, 3, "PER"), Span("text", 8, 12, "LOC")
ITEM = Example("1", {"text": "Ida saw Rome"}, gold=(IDA, ROME))


def state(*edits, item=ITEM):
    return State.of(Origin(item), [Edit("text", *edit) for edit in edits])


def share_right(example, prediction):
    """F1 of spans, of one item."""
    right, given = frozenset(example.gold), frozenset(prediction.answer)
    return 2 * len(right & given) / max(1, len(right) + len(given))


SAME = state((4, 7, "saaw"))
MOVED = Span("text", 9, 13, "LOC")


@pytest.mark.parametrize(
    ("answer", "right", "parts"),
    [
        ("good", "good", 1),
        ("bad", "good", 0),
        ((IDA, ROME), (IDA,), 1),
        ((IDA._replace(label="ORG"), ROME), (IDA, ROME), 1),
        ((), (IDA,), 0),
        (Text("The cat sat sat"), Text("the dog sat"), 2),
        (Extract("the Rome"), Extract("Rome", "text", 8), 1),
        (Extract("in Rome"), AnyOf([Extract("Milan"), Extract("Rome")]), 1),
        (
            clusters_of("text", [[(0, 3), (14, 17)], [(8, 12)]]),
            clusters_of("text", [[(0, 3), (14, 17), (18, 20)], [(8, 12)]]),
            3,
        ),
        (clusters_of("text", [[(0, 3)], [(14, 17)]]), clusters_of("text", [[(0, 3), (14, 17)]]), 1),
    ],
)
def test_parts_of_an_answer_that_are_right(answer, right, parts):
    assert len(type_of(right).right_parts(answer, right)) == parts


BORDERS = ((0, 3), (4, 7), (8, 12))
TREE = Words("text", BORDERS, (1, ROOT, 1), ("nsubj", "root", "obj:x"), ("PROPN", "VERB", "PROPN"))


def test_parts_of_words_are_heads_with_relations_and_else_tags():
    kind = type_of(TREE)
    assert len(kind.right_parts(TREE, TREE)) == 3
    plain = TREE._replace(relations=("nsubj", "root", "obj"), upos=("X", "X", "X"))
    assert len(kind.right_parts(plain, TREE)) == 3  # neither subtypes nor tags are arcs
    assert len(kind.right_parts(TREE._replace(heads=(1, ROOT, 0)), TREE)) == 2
    tags = Words("text", BORDERS, upos=("PROPN", "NOUN", ""))
    assert kind.right_parts(tags, TREE) == {(0, 3)}
    assert kind.right_parts(Words("text", BORDERS), TREE) == frozenset()
    unknown = TREE._replace(heads=(None, ROOT, 1), relations=("", "root", "obj"))
    assert len(kind.right_parts(unknown, unknown)) == 2  # nobody says what the first depends on


def test_a_score_that_falls_below_a_share_of_what_it_was():
    base = Base(ITEM, Prediction((IDA, ROME)), score=share_right)
    goal = ScoreFalls()
    assert goal.skips(base) is None
    assert goal.judge(base, Prediction((IDA, MOVED)), SAME) == (0.0, False)
    score, is_reached = goal.judge(base, Prediction((IDA,)), SAME)
    assert (score, is_reached) == (pytest.approx(1 / 3), False)
    assert goal.judge(base, Prediction(()), SAME) == (1.0, True)
    assert ScoreFalls(below=0.7).judge(base, Prediction((IDA,)), SAME)[1] is True
    half = Base(ITEM, Prediction((IDA,)), score=share_right)  # 2/3 as it is: 1/3 is half of that
    assert goal.judge(half, Prediction((IDA, ROME, IDA._replace(end=4))), SAME)[1] is False


def test_where_a_score_cannot_fall():
    wrong = Base(ITEM, Prediction(()), score=share_right)
    assert ScoreFalls().skips(wrong) == "already_wrong"
    nothing = Example("1", {"text": "Nobody came"}, gold=())
    assert ScoreFalls().skips(Base(nothing, Prediction(()), score=share_right)) == "already_wrong"
    assert ScoreFalls().skips(Base(Example("1", {"text": "a"}), Prediction(()))) == "no_gold"
    with pytest.raises(PlanError, match="score of a task"):
        ScoreFalls().skips(Base(ITEM, Prediction(())))
    with pytest.raises(PlanError, match="below"):
        ScoreFalls(below=0)


def test_a_right_part_that_is_lost():
    base = Base(ITEM, Prediction((IDA, ROME)))
    goal = PartLost()
    assert goal.skips(base) is None
    assert goal.judge(base, Prediction((IDA, MOVED)), SAME) == (0.0, False)
    assert goal.judge(base, Prediction((MOVED,)), SAME) == (0.5, True)
    assert PartLost(least=2).judge(base, Prediction((MOVED,)), SAME) == (0.5, False)
    invented = (IDA, MOVED, Span("text", 4, 8, "ORG"))
    assert goal.judge(base, Prediction(invented), SAME) == (0.0, False)
    part = Base(ITEM, Prediction((IDA,)))  # what was never found cannot be lost
    assert goal.judge(part, Prediction((IDA,)), SAME) == (0.0, False)
    assert PartLost(least=2).skips(part) == "already_wrong"
    assert goal.skips(Base(ITEM, Prediction(()))) == "already_wrong"
    with pytest.raises(PlanError, match="least"):
        PartLost(least=0)


def test_what_a_model_says_can_be_lost_without_gold():
    bare = Example("1", {"text": "Ida saw Rome"})
    goal = PartLost(against="prediction")
    base = Base(bare, Prediction((IDA, ROME)))
    assert PartLost().skips(base) == "no_gold"
    assert goal.skips(base) is None
    changed = state((4, 7, "saaw"), item=bare)
    assert goal.judge(base, Prediction((IDA, MOVED)), changed) == (0.0, False)
    assert goal.judge(base, Prediction((IDA, ROME)), changed) == (0.5, True)
    assert goal.judge(base, Prediction(()), state((2, 5, "x"), item=bare)) == (0.0, False)


def test_a_label_is_one_part():
    item = Example("1", {"text": "a film"}, gold="good")
    base = Base(item, Prediction(scores=(0.2, 0.8)), ("bad", "good"))
    changed = State.of(Origin(item), [Edit("text", 0, 1, "one")])
    assert PartLost().judge(base, Prediction(scores=(0.9, 0.1)), changed) == (1.0, True)
    assert PartLost().judge(base, Prediction("good"), changed) == (0.0, False)


@pytest.mark.parametrize("goal", [ScoreFalls(), PartLost()])
def test_an_answer_that_stays_is_nearer_to_another_where_the_model_is_less_sure(goal):
    base = Base(ITEM, Prediction((IDA, ROME), (0.9, 0.7)), score=share_right)
    same = (IDA, MOVED)
    assert goal.judge(base, Prediction(same, (0.9, 0.7)), SAME) == (pytest.approx(0), False)
    assert goal.judge(base, Prediction(same, (0.5, 0.3)), SAME) == (pytest.approx(0.5), False)
    assert goal.judge(base, Prediction(same, (1.0, 1.0)), SAME) == (pytest.approx(-0.25), False)
    assert goal.judge(base, Prediction(same), SAME) == (0.0, False)  # it does not say how sure
    invented = Span("text", 4, 8, "ORG")  # what it is sure of and wrong does not count
    score, _ = PartLost().judge(base, Prediction((*same, invented), (0.5, 0.3, 1.0)), SAME)
    assert score == pytest.approx(0.5)
    assert goal.judge(base, Prediction((invented,), (1.0,)), SAME) == (1.0, True)
    one = PartLost(least=2).judge(base, Prediction((IDA,), (0.4,)), SAME)
    assert one == (pytest.approx(1 - 0.5 * 0.4 / 0.8), False)


def test_how_sure_a_model_is_of_an_extract_of_a_label_and_of_what_it_said_itself():
    rome = Example("1", {"q": "Where?", "text": "Ida saw Rome"}, gold=Extract("Rome", "text", 8))
    base = Base(rome, Prediction(Extract("Rome", "text", 8), (0.8,)))
    changed = state((4, 7, "saaw"), item=rome)
    said = Prediction(Extract("Rome", "text", 9), (0.6,))
    assert PartLost().judge(base, said, changed) == (pytest.approx(0.25), False)
    film = Example("1", {"text": "a film"}, gold="good")
    base = Base(film, Prediction(scores=(0.2, 0.8)), ("bad", "good"))
    changed = state((0, 1, "one"), item=film)
    assert PartLost().judge(base, Prediction(scores=(0.4, 0.6)), changed)[0] == pytest.approx(0.25)
    bare = Example("1", {"text": "Ida saw Rome"})
    base = Base(bare, Prediction((IDA, ROME), (0.9, 0.7)))
    score, _ = PartLost(against="prediction").judge(
        base, Prediction((IDA, MOVED), (0.5, 0.3)), state((4, 7, "saaw"), item=bare)
    )
    assert score == pytest.approx(0.5)


def test_the_probability_of_an_extract_that_is_right_in_part_is_not_that_of_the_right_one():
    item = Example("1", {"q": "Whom?", "text": "Ida saw old Rome"}, gold=Extract("old Rome"))
    score = partial(level_of, load_task("question-answering"), labels=())
    base = Base(
        item, Prediction(Extract("old Rome", "text", 8), (0.6,)), score=lambda e, p: score([e], [p])
    )
    changed = state((4, 7, "saaw"), item=item)
    for goal in (ScoreFalls(), PartLost(least=2)):
        found = {
            (text, sure): goal.judge(base, Prediction(Extract(text), (sure,)), changed)[0]
            for text in ("old Rome", "Rome", "Ida")
            for sure in (0.3, 0.9)
        }
        assert found["old Rome", 0.9] == pytest.approx(-0.5)
        assert found["old Rome", 0.3] == pytest.approx(0.5)
        part = found["Rome", 0.3]
        assert 0 < part == found["Rome", 0.9] < found["Ida", 0.3] == found["Ida", 0.9] == 1
    half = replace(base, answer=Prediction(Extract("Rome"), (0.6,)))  # both right in part: alike
    assert ScoreFalls().judge(half, Prediction(Extract("Rome"), (0.3,)), changed)[
        0
    ] == pytest.approx(0.5)


def test_goals_by_their_written_form():
    assert parse_goal("part_lost(least=2)") == PartLost(2)
    assert parse_goal("score_falls@1(below=0.3)") == ScoreFalls(0.3)
    with pytest.raises(PlanError, match="2 goals"):
        parse_goal("part_lost+score_falls")


def test_goals_of_a_task():
    labels, spans = load_task("text-classification"), load_task("token-tagging")
    assert goal_for("", labels) is None
    assert goal_for("", spans) == ScoreFalls()
    assert goal_for("part_lost", labels) == goal_for("part_lost", spans) == PartLost()
    assert goal_for('targeted(target="bad")', labels) == Targeted("bad")
    with pytest.raises(PlanError, match=r"targeted@1 is about labels.*spans of words.*part_lost"):
        goal_for("targeted", spans)
