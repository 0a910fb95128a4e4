"""Goals, by hand."""

import math

import pytest

from scrutiny.core.answers.texts import Text
from scrutiny.core.edit import Edit
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.plugin_base import sentence_of
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.perturb.search.goals.answer_goals import DISTANCES, scores_of
from scrutiny.perturb.search.goals.label_goals import (
    Confidence,
    Disagreement,
    RegressionMargin,
    Targeted,
    Untargeted,
)
from scrutiny.perturb.search.goals.output_goals import FewestWords, KeepOutput, OutputText, Tagging
from scrutiny.perturb.search.judging import AnswerPair, Base, Slope
from scrutiny.perturb.search.moves import Origin
from scrutiny.perturb.search.state import State

LABELS = ("bad", "mixed", "good")
ITEM = Example("1", {"text": "a good film"}, gold="good")
SURE = Prediction("good", (0.1, 0.3, 0.6))
LOST = Prediction("mixed", (0.25, 0.5, 0.25))


def base(answer=SURE, item=ITEM, labels=LABELS):
    return Base(item, answer, labels)


def text(*edits, item=ITEM):
    state = State.start(Origin(item))
    for start, end, new in edits:
        state = state.step([Edit("text", start, end, new)])
    return state


CHANGED = text((2, 6, "fine"))


def test_names_are_registered():
    found = registry()
    for name in found.names("goal"):
        goal = found.load("goal", name)
        assert goal.id == name
        assert sentence_of(goal).endswith(".")


def test_losing_a_label():
    goal = Untargeted()
    assert goal.judge(base(), SURE, CHANGED) == (pytest.approx(0.4), False)
    assert goal.judge(base(), LOST, CHANGED) == (0.75, True)
    assert goal.slope(base()) == Slope("good", 1)
    assert Untargeted(is_hard=True).judge(base(), SURE, CHANGED) == (0.0, False)
    assert Untargeted(is_hard=True).judge(base(), LOST, CHANGED) == (1.0, True)


def test_a_score_of_labels_alone_is_zero_or_one():
    decided = base(Prediction("good"))
    assert Untargeted().judge(decided, Prediction("good"), CHANGED) == (0.0, False)
    assert Untargeted().judge(decided, Prediction("bad"), CHANGED) == (1.0, True)


@pytest.mark.parametrize("goal", [Untargeted(), Confidence(), Targeted("bad")])
def test_where_no_search_begins(goal):
    nobody = Example("1", {"text": "x"})
    assert goal.skips(base(item=nobody)) == "no_gold"
    assert goal.skips(base(item=Example("1", {"text": "x"}, gold="great"))) == "unknown_label"
    assert goal.skips(base(LOST)) == "already_wrong"
    assert goal.skips(base()) is None


def test_the_models_own_answer_stands_in_for_gold():
    goal = Untargeted(against="prediction")
    assert goal.skips(base(LOST)) is None
    assert goal.judge(base(LOST), SURE, CHANGED) == (0.7, True)
    with pytest.raises(ModelError, match="'great'"):
        goal.judge(base(Prediction("great")), SURE, CHANGED)


def test_a_certain_label():
    assert Targeted("bad").judge(base(), LOST, CHANGED) == (0.25, False)
    assert Targeted("mixed").judge(base(), LOST, CHANGED) == (0.5, True)
    assert Targeted().judge(base(), LOST, CHANGED) == (0.5, True)  # the second likeliest of SURE
    assert Targeted(choice="last").judge(base(), LOST, CHANGED) == (0.25, False)
    assert Targeted("bad").slope(base()) == Slope("bad", -1)
    assert Targeted("good").skips(base()) == "is_target"
    with pytest.raises(PlanError, match="awful"):
        Targeted("awful").skips(base())


def test_confidence_below_a_threshold():
    goal = Confidence(below=0.7)
    assert goal.judge(base(), Prediction("good", (0.1, 0.2, 0.7)), CHANGED)[1] is False
    assert goal.judge(base(), SURE, CHANGED) == (pytest.approx(0.4), True)
    with pytest.raises(PlanError, match="below"):
        Confidence(below=0)


def test_a_number_that_moves():
    item = Example("1", {"text": "a good film"}, gold="3.0")
    start = Base(item, Prediction(scores=(3.25,)))
    goal = RegressionMargin(margin=1.0)
    assert goal.skips(start) is None
    assert goal.judge(start, Prediction(scores=(4.5,)), CHANGED) == (1.5, True)
    assert goal.judge(start, Prediction(scores=(2.25,)), CHANGED) == (0.75, False)
    down = RegressionMargin(margin=1.0, against="prediction", direction="down")
    assert down.judge(start, Prediction(scores=(4.5,)), CHANGED) == (-1.25, False)
    assert down.judge(start, Prediction(scores=(2.0,)), CHANGED) == (1.25, True)
    assert goal.skips(Base(item, Prediction(scores=(4.0,)))) == "already_wrong"
    assert goal.skips(Base(ITEM, Prediction(scores=(4.0,)))) == "no_gold"
    with pytest.raises(ModelError, match="number"):
        goal.judge(start, Prediction("good"), CHANGED)


ADA = (Span("text", 0, 3, "PER"), Span("text", 8, 11, "PER"))
NAMES = Example("1", {"text": "Ada met Bob"}, gold=ADA)


def tagged(*spans):
    return Prediction(tuple(Span("text", *span) for span in spans))


def test_entities_that_are_lost_found_or_renamed():
    start = Base(NAMES, tagged((0, 3, "PER"), (8, 11, "PER")))
    longer = text((4, 7, "encountered"), item=NAMES)
    moved = tagged((0, 3, "PER"), (16, 19, "PER"))
    assert Tagging().skips(start) is None
    assert Tagging().judge(start, moved, longer) == (0.0, False)  # both are where they belong
    assert Tagging().judge(start, tagged((0, 3, "PER")), longer) == (pytest.approx(1 / 3), True)
    assert Tagging("gold", "lost").judge(start, tagged((0, 3, "PER")), longer) == (0.5, True)
    more = tagged((0, 3, "PER"), (16, 19, "PER"), (4, 15, "ORG"))
    assert Tagging().judge(start, more, longer) == (pytest.approx(0.2), True)
    assert Tagging(what="lost").judge(start, more, longer) == (0.0, False)


def test_where_tagging_does_not_begin():
    assert Tagging().skips(Base(NAMES, tagged((0, 3, "PER")))) == "already_wrong"
    assert Tagging().skips(Base(ITEM, tagged())) == "no_gold"
    empty = Example("1", {"text": "none"}, gold=())
    assert Tagging(what="lost").skips(Base(empty, tagged())) == "nothing_to_lose"
    assert Tagging(what="lost", against="prediction").skips(Base(ITEM, tagged())) == (
        "nothing_to_lose"
    )
    assert Tagging().skips(Base(empty, tagged())) is None


def test_predicted_spans_are_carried_unless_an_edit_breaks_them():
    plain = Example("1", {"text": "Ada met Bob"})
    start = Base(plain, tagged((0, 3, "PER"), (8, 11, "PER")))
    goal = Tagging(against="prediction")
    inside = text((0, 1, "O"), item=plain)
    assert goal.judge(start, tagged((8, 11, "PER")), inside) == (pytest.approx(1 / 3), True)
    across = text((2, 5, "x"), item=plain)
    assert goal.judge(start, tagged(), across) == (0.0, False)


def test_another_output_text():
    start = Base(ITEM, Prediction(Text("the cat sat")))
    assert OutputText().judge(start, Prediction(Text("the dog sat")), CHANGED) == (
        pytest.approx(1 / 3),
        True,
    )
    none_shared = OutputText(most=0.0)
    assert not none_shared.judge(start, Prediction(Text("the dog sat")), CHANGED)[1]
    assert none_shared.judge(start, Prediction(Text("no dog")), CHANGED) == (1.0, True)
    placed = OutputText(overlap="positions", most=0.4)
    assert placed.judge(start, Prediction(Text("cat sat sat")), CHANGED) == (
        pytest.approx(2 / 3),
        True,
    )
    assert OutputText().skips(Base(ITEM, Prediction(Text(" ")))) == "no_output"
    with pytest.raises(ModelError, match="text"):
        OutputText().skips(base())


def test_input_reduction_counts_words_while_the_label_holds():
    goal = FewestWords()
    assert goal.judge(base(), SURE, text()) == (pytest.approx(0.2), False)
    assert goal.judge(base(), SURE, text((0, 2, ""))) == (pytest.approx(1 / 3 + 0.2), False)
    assert goal.judge(base(), SURE, text((0, 7, ""))) == (pytest.approx(2 / 3 + 0.2), True)
    assert goal.judge(base(), LOST, text((0, 7, ""))) == (pytest.approx(0.25 / 3 - 1), False)
    with pytest.raises(PlanError, match="words must be at least 1"):
        FewestWords(words=0)


def test_keeping_the_output():
    goal = KeepOutput()
    near = Prediction("good", (0.1, 0.2, 0.7))
    assert goal.skips(base()) is None
    assert goal.judge(base(), near, CHANGED) == (pytest.approx(1 / 1.2), True)
    assert goal.judge(base(), SURE, CHANGED) == (1.0, True)
    assert goal.judge(base(), LOST, CHANGED) == (pytest.approx(1 / 1.7 - 1), False)
    assert KeepOutput(keeps_label=False).judge(base(), LOST, CHANGED) == (
        pytest.approx(1 / 1.7),
        True,
    )
    assert goal.slope(base()) == Slope("good", 0)


def test_the_base_itself_is_no_result_and_scores_zero():
    """Minimizing the distance would otherwise end where it began."""
    assert KeepOutput().judge(base(), SURE, text()) == (0.0, False)
    assert KeepOutput(keeps_label=False).judge(base(), SURE, text()) == (0.0, False)


def test_least_and_most_change():
    two = KeepOutput(least=2)
    assert two.judge(base(), SURE, CHANGED) == (0.0, False)
    both = text((2, 6, "fine"), (7, 11, "movie"))
    assert two.judge(base(), SURE, both) == (1.0, True)
    assert KeepOutput(most=1).judge(base(), SURE, both) == (0.0, False)
    letters = KeepOutput(least=3, unit="characters")
    assert letters.judge(base(), SURE, text((2, 6, "god"))) == (-1.0, False)
    assert letters.judge(base(), SURE, text((2, 6, "wood"))) == (-1.0, False)
    assert letters.judge(base(), SURE, text((2, 6, "fine"))) == (1.0, True)
    with pytest.raises(PlanError, match="least"):
        KeepOutput(least=3, most=2)
    with pytest.raises(PlanError, match="l1"):
        KeepOutput(distance="l7")


def test_a_text_that_may_not_stand_is_never_better_than_one_that_may():
    goal = KeepOutput(least=2)
    far = Prediction("good", (0.4, 0.15, 0.45))
    allowed, _ = goal.judge(base(), far, text((2, 6, "fine"), (7, 11, "movie")))
    refused, _ = goal.judge(base(), SURE, CHANGED)
    assert allowed > refused


P, Q = (0.5, 0.25, 0.25), (0.25, 0.25, 0.5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("l1", 0.5),
        ("kl", 0.5 * 1 + 0.25 * -1),
        ("max_abs", 0.25),
        ("mse", 2 * 0.0625 / 3),
        ("cosine", 1 - 0.3125 / 0.375),
    ],
)
def test_distances(name, value):
    assert DISTANCES[name](P, Q) == pytest.approx(value)
    assert DISTANCES[name](P, P) == 0


def test_jensen_shannon_divergence_is_symmetric_and_bounded():
    js = DISTANCES["js"]
    middle = (0.375, 0.25, 0.375)
    by_hand = sum(
        0.5 * (p * math.log2(p / m) + q * math.log2(q / m))
        for p, q, m in zip(P, Q, middle, strict=True)
    )
    assert js(P, Q) == pytest.approx(by_hand)
    assert js(P, Q) == js(Q, P)
    assert js((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) == 1


def test_an_answer_without_probabilities_has_all_of_it_on_its_label():
    assert scores_of(Prediction("mixed"), LABELS) == (0.0, 1.0, 0.0)
    with pytest.raises(ModelError, match="neither"):
        scores_of(Prediction(Text("hm")), LABELS)


def test_two_models_that_disagree():
    start = base(AnswerPair(SURE, SURE))
    goal = Disagreement()
    assert goal.skips(start) is None
    assert goal.judge(start, AnswerPair(SURE, LOST), CHANGED) == (pytest.approx(0.7), True)
    assert goal.skips(base(AnswerPair(SURE, LOST))) == "already_there"
    near = AnswerPair(SURE, Prediction("good", (0.1, 0.2, 0.7)))
    assert Disagreement(least=0.1).judge(start, near, CHANGED) == (pytest.approx(0.2), True)
    assert goal.judge(start, near, CHANGED)[1] is False
    with pytest.raises(ModelError, match="two models"):
        goal.judge(start, SURE, CHANGED)
    with pytest.raises(ModelError, match="same labels"):
        goal.judge(start, AnswerPair(SURE, Prediction("good", (0.5, 0.5))), CHANGED)


def test_goals_for_one_model_look_at_the_reference_of_two():
    assert KeepOutput().judge(base(AnswerPair(SURE, LOST)), AnswerPair(SURE, LOST), CHANGED) == (
        1.0,
        True,
    )
