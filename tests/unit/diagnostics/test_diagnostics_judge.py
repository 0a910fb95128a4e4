"""The judge diagnostic: planted biases, odd verdicts, stored verdicts, and the edges."""

import pytest
from toy_runs import estimate, run

from planted_judges import PlantedJudge, pairs
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.judges.judge_page import (
    AS_IT_IS,
    CORRECTED,
    NOT_SHOWN,
    judge_part,
    judge_views,
)
from scrutiny.diagnostics.judges.questions import FORMATS, PADDING, formatted, padded, swapped
from scrutiny.diagnostics.judges.verdicts import UNPARSED, JudgeParams, VerdictScale
from scrutiny.report.load import load_view

FEW = {"keeping": [], "changing": [], "formats": ["bullets"]}


def judged(judge, rows, out, *, task="judged-pairs", **params):
    return run("judge", judge, rows, out / "run", task=task, **{**FEW, **params})


def view_of(folder):
    (found,) = judge_views(load_view(folder.path))
    return found


def states(folder):
    return {f.claim.id.split("/", 3)[-1]: f.verdict for f in folder.findings()}


def test_a_perfect_judge_may_be_used_as_it_is(tmp_path):
    folder = judged(PlantedJudge(), pairs(300), tmp_path)
    assert estimate(folder, "kappa", policy="named").value == 1.0
    assert estimate(folder, "mean(changed)", asked="again").value == 0.0
    assert estimate(folder, "mean(first)", asked="swapped").value == 0.0
    assert estimate(folder, "mean(toward)", asked="longer").value == 0.0
    assert view_of(folder).decision()[0] == AS_IT_IS
    assert set(states(folder).values()) <= {"holds", "supported"}


def test_planted_biases_are_found_with_their_size(tmp_path):
    judge = PlantedJudge(right=0.85, first=0.2, longer=0.2)
    folder = judged(judge, pairs(700), tmp_path)
    found = states(folder)
    assert {name for name, state in found.items() if state == "hurts"} == {
        "bias/order", "bias/first", "bias/longer", "bias/length",
    }  # fmt: skip
    first = estimate(folder, "mean(first)", asked="swapped")
    # it yields to the first on a fifth of the items, unless it yields to the longer one there
    assert first.low < 0.2 * 0.8 / 2 < first.high
    outcome, why = view_of(folder).decision()
    assert outcome == CORRECTED
    assert "first answer favored" in why


def test_a_judge_that_always_says_the_same_is_no_better_than_a_constant(tmp_path):
    folder = judged(PlantedJudge(first=1.0), pairs(100), tmp_path)
    assert view_of(folder).decision()[0] == NOT_SHOWN
    assert estimate(folder, "mean(first)", asked="swapped").value == 0.5
    assert estimate(folder, "over_constant", policy="named").value <= 0.0


def test_noise_is_no_bias_of_order(tmp_path):
    folder = judged(PlantedJudge(noise=0.1), pairs(300), tmp_path)
    assert states(folder)["noise"] == "hurts"
    assert estimate(folder, "mean(changed)", asked="swapped").value > 0.1
    assert states(folder)["bias/order"] != "hurts"


def test_without_people_nothing_is_said_of_agreement(tmp_path):
    folder = judged(PlantedJudge(), pairs(60, labeled=0.0), tmp_path)
    assert not [e for e in folder.estimates() if e.key.metric.startswith(("kappa", "corrected"))]
    assert view_of(folder).decision() == (
        NOT_SHOWN, "no verdicts of people stand beside its own.",
    )  # fmt: skip


def test_policies_for_odd_verdicts_are_shown_apart(tmp_path):
    judge = PlantedJudge(right=0.9, odd=0.3)
    folder = judged(judge, pairs(200, ties=0.2), tmp_path)
    values = {
        dict(e.key.condition)["policy"]: e.value
        for e in folder.estimates()
        if e.key.metric == "kappa@1"
    }
    assert len(values) == 5
    assert values["both dropped"] > values["unparsed dropped"] > values["named"]
    assert values["unparsed wrong"] < values["unparsed dropped"]
    assert 0.2 < estimate(folder, "mean(unparsed)", asked="as given").value < 0.4
    said = dict(view_of(folder).facts())
    assert "where ties and unparsed left out" in said["kappa"]


def test_few_labels_correct_the_mean(tmp_path):
    rows = pairs(400, labeled=0.3)
    folder = judged(PlantedJudge(first=0.5), rows, tmp_path)
    raw = estimate(folder, "mean(value)", asked="as given")
    corrected = estimate(folder, "corrected", asked="as given")
    truth = sum("good" in row["answer_a"] for row in rows) / len(rows)
    assert raw.low > truth
    assert corrected.low <= truth <= corrected.high


def test_own_answers_that_are_favored_are_found(tmp_path):
    rows = pairs(400)
    for number, row in enumerate(rows):
        row |= {"author_a": ("me", "you")[number % 2], "author_b": ("you", "me")[number % 2]}

    class Vain(PlantedJudge):
        def verdict(self, question, a, b):
            number = int(question.split()[-1].rstrip("?"))
            return "AB"[number % 2] if number % 3 == 0 else super().verdict(question, a, b)

    found = states(judged(Vain(), rows, tmp_path, own="me"))
    assert found["bias/own"] == "hurts"


def test_answers_by_themselves(tmp_path):
    rows = [
        {
            "id": str(k),
            "question": f"{k}?",
            "answer": f"It is {'right' if k % 3 else 'wrong'}. I am sure.",
            "human": "good" if k % 3 else "bad",
        }
        for k in range(120)
    ]

    class Strict:
        labels = ("bad", "good")

        def __call__(self, items):
            return ["good" if "right" in a and len(a) < 200 else "bad" for _, a in items]

    folder = judged(Strict(), rows, tmp_path, task="judged-answers")
    assert estimate(folder, "kappa", policy="named").value == 1.0
    assert estimate(folder, "mean(toward)", asked="longer").value == pytest.approx(-2 / 3)
    assert estimate(folder, "rogan_gladen", asked="as given").value == pytest.approx(2 / 3)


def test_changed_meaning_is_noticed(tmp_path):
    rows = [
        {
            "id": str(k),
            "question": f"When, {k}?",
            "answer_a": f"There are {k + 11} apples in it.",
            "answer_b": "I do not know at all.",
            "human": "A" if k % 5 else "B",
        }
        for k in range(60)
    ]

    class Checks:
        labels = ("A", "B")

        def __call__(self, items):
            sums = [int(question.split()[-1][:-1]) + 11 for question, _, _ in items]
            return [
                "A" if f"are {one} apples" in a + b else "B"
                for one, (_, a, b) in zip(sums, items, strict=True)
            ]

    folder = judged(Checks(), rows, tmp_path, changing=["number_swap"])
    assert estimate(folder, "mean(noticed)", asked="number_swap").value == 1.0
    assert states(folder)["notices/number_swap"] == "supported"


@pytest.mark.parametrize("n", [1, 2])
def test_hardly_any_items(tmp_path, n):
    folder = judged(PlantedJudge(), pairs(n), tmp_path)
    part = judge_part(load_view(folder.path))
    assert part is not None
    assert view_of(folder).decision()[0] == NOT_SHOWN


def test_labels_that_say_nothing_are_refused():
    with pytest.raises(ScrutinyError, match="which of two answers is better"):
        VerdictScale.of(["yes", "no"], JudgeParams(), is_pairs=True)
    with pytest.raises(ScrutinyError, match="positive="):
        VerdictScale.of(["blue", "red"], JudgeParams(), is_pairs=False)
    with pytest.raises(ScrutinyError, match="bullets"):
        JudgeParams(formats=("sonnet",))


def test_outcomes_and_their_numbers():
    scale = VerdictScale.of(["A", "B", "tie"], JudgeParams(), is_pairs=True)
    assert scale.outcome(Prediction("A"), is_swapped=True) == "B"
    assert scale.outcome(Failure("refused")) == UNPARSED
    assert scale.outcome(Failure("timed_out")) == Failure("timed_out")
    assert [scale.value(one) for one in ("A", "B", "tie", UNPARSED)] == [1.0, 0.0, 0.5, 0.5]
    assert scale.under("named", UNPARSED, "A") == (3.0, 0.0)
    assert scale.under("unparsed dropped", UNPARSED, "A") is None
    assert scale.under("both dropped", "tie", "A") is None
    assert scale.under("tie is first", "tie", "A") == (0.0, 0.0)
    judge, human = scale.under("unparsed wrong", UNPARSED, "A")
    assert judge != human
    good = VerdictScale.of(["bad", "Good"], JudgeParams(), is_pairs=False)
    assert good.values == {"bad": 0.0, "Good": 1.0}


def test_questions_keep_what_they_say_they_keep():
    item = Example("1", {"question": "q", "answer_a": "Yes. It is.", "answer_b": "No."})
    assert swapped(swapped(item)) == item
    assert padded(item, "answer_b").fields["answer_b"] == f"No. {PADDING}"
    for how in FORMATS:
        words = formatted(item, "answer_a", how).fields["answer_a"]
        assert [w for w in words.replace("*", "").split() if w not in ("-", "##", "Answer")] == [
            "Yes.", "It", "is.",
        ]  # fmt: skip
