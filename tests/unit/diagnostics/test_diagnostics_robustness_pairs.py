"""Changes that set the right answer: what they cost, the cases shown, and what is refused."""

import re

import pytest

import scrutiny
from scrutiny.core.errors import PlanError

KINDS = ("big", "small", "black", "white", "wild", "tame")
ROWS = [
    {
        "text": f"Two {kind} dogs run.",
        "text_pair": f"Two {kind} dogs are there.",
        "label": "entailment",
    }
    for kind in KINDS
] + [
    {"text": "A cat sleeps.", "text_pair": f"Nobody {does}.", "label": "contradiction"}
    for does in ("sings", "talks", "walks")
]


class ByOverlap:
    """A model of inference that looks at shared words, which a number is not."""

    labels = ("entailment", "neutral", "contradiction")
    task = "text-pair-classification"

    def predict(self, pairs):
        shared = [{*a.split()} & {*b.split()} - {"Two"} for a, b in pairs]
        return ["entailment" if words else "contradiction" for words in shared]


@pytest.fixture(scope="module")
def clashes():
    return scrutiny.run(
        "robustness", model=ByOverlap(), data=ROWS, transformations=["number_clash"]
    )


def test_who_does_not_read_numbers_loses_every_pair_that_clashes(clashes):
    level = clashes.estimate("accuracy")
    drop = clashes.estimate("drop(accuracy)", transformation="number_clash", group="changed")
    assert (level.value, drop.value, drop.counts.n) == (1.0, 1.0, len(KINDS))
    assert clashes.estimate("drop(accuracy)", transformation="number_clash").value == len(
        KINDS
    ) / len(ROWS)


def test_cases_are_broken_although_their_answers_are_the_same(clashes):
    rows = clashes.cases("number_clash").to_pandas()
    assert {*rows["label"]} == {"contradiction"}  # what is right of the changed pair
    assert (len(rows), {*rows["flipped"]}, {*rows["broken"]}) == (len(KINDS), {0}, {1})
    (risk,) = clashes.first_screen.risks
    assert {(case.gold, case.turn) for case in risk.cases} == {("contradiction", "broken")}


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"entailment": "1", "contradiction": "0"}, "number_clash: The labels are 0, 1"),
        ({"contradiction": "not_entailment"}, "contradiction, which entailment would be"),
    ],
)
def test_a_plan_whose_labels_say_nothing_is_refused(labels, said):
    rows = [row | {"label": labels.get(row["label"], row["label"])} for row in ROWS]
    model = ByOverlap()
    model.labels = tuple(dict.fromkeys(row["label"] for row in rows))
    with pytest.raises(PlanError, match=said):
        scrutiny.run("robustness", model=model, data=rows, transformations=["number_clash"])


PRICES = [
    {"source": f"{thing} costs {n} euros.", "reference": f"{thing} kostet {n} Euro."}
    for thing, n in zip(("Brot", "Radio", "Auto", "Haus"), (3, 230, 4500, 61000), strict=True)
]


@pytest.mark.parametrize(("copies", "cost"), [(True, 0.0), (False, 1.0)])
def test_a_translator_is_held_to_references_that_follow_the_text(copies, cost):
    known = {row["source"]: row["reference"] for row in PRICES}

    def translated(text):
        if copies:
            return re.sub(r"costs (\S+) euros", r"kostet \1 Euro", text)
        return known.get(text, "")

    run = scrutiny.run(
        "robustness",
        model=lambda texts: [translated(text) for text in texts],
        data=PRICES,
        task="translation",
        columns={"text": "source", "reference": "reference"},
        transformations=["same_number"],
    )
    drop = run.estimate("drop(chrf)", transformation="same_number")
    assert drop.value == pytest.approx(cost, abs=1e-9)
    assert run.estimate("coverage", transformation="same_number").value == 1.0
