"""Rankings: recall at a precision with abstention, how sure a ranker is, data from questions."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from scrutiny.core.answers.choices import RANKING, Option, Ranking
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.data.item_values import Items
from scrutiny.reliability.metrics import metric_of
from scrutiny.store.item_tables import examples_of, items_table
from scrutiny.tasks.tasks import load_task

RANK = load_task("passage-ranking")


def recall(hits, sure, percent="90", weights=None):
    rows = np.column_stack([hits, sure]).astype(float)
    weights = np.ones((1, len(rows))) if weights is None else weights
    return metric_of(f"recall_at_precision({percent})@1").weighted(rows, weights)


def by_hand(hits, sure, least):
    """Every border by itself."""
    best = 0
    for border in set(sure):
        given = [hit for hit, one in zip(hits, sure, strict=True) if one >= border]
        if sum(given) / len(given) >= least - 1e-12:
            best = max(best, sum(given))
    return best / len(hits)


@pytest.mark.parametrize("percent", ["80", "90", "95", "100"])
def test_recall_is_that_of_every_border_by_itself(percent):
    rng = random.Random(int(percent))
    sure = [round(rng.random(), 2) for _ in range(1000)]
    hits = [float(rng.random() < 0.5 + one / 2) for one in sure]
    assert recall(hits, sure, percent)[0] == pytest.approx(by_hand(hits, sure, int(percent) / 100))


def test_recall_at_its_edges():
    assert recall([1, 1, 0], [0.9, 0.8, 0.1])[0] == pytest.approx(2 / 3)
    assert recall([0, 1, 1], [0.9, 0.8, 0.1])[0] == 0, "never precise enough"
    assert recall([1, 0], [1.0, 1.0], "50")[0] == 0.5, "all at once"
    assert recall([1, 0], [1.0, 1.0])[0] == 0
    drawn = np.array([[2.0, 0, 1], [0, 3, 0]])
    both = recall([1, 1, 0], [0.9, 0.8, 0.1], weights=drawn)
    assert both.tolist() == pytest.approx([2 / 3, 1.0])


@pytest.mark.parametrize("percent", ["0", "101", "much"])
def test_a_precision_is_a_percentage(percent):
    with pytest.raises(PlanError, match="a precision in percent"):
        metric_of(f"recall_at_precision({percent})@1")


def test_how_sure_a_ranker_is_comes_with_its_scores():
    gold = Ranking([1])
    assert RANKING.sure_of([1.0, 3.0]) > RANKING.sure_of([2.0, 1.0]) > RANKING.sure_of([-5.0, -9.0])
    assert RANK.score(gold, Prediction(Ranking([1, 0]), (0.25,)), labels=())[-1] == 0.25
    assert RANK.score(gold, Prediction(Ranking([1, 0])), labels=())[-1] == 1.0


@pytest.fixture
def questions(write):
    texts = [("Rivers", t) for t in ("The Rhine flows.", "The Po flows.")]
    texts += [("Towns", t) for t in ("Bonn is small.", "Rome is old.", "Oslo is cold.")]
    data = [
        {
            "title": title,
            "paragraphs": [
                {
                    "context": text,
                    "qas": [
                        {
                            "id": f"q{i}",
                            "question": f"What of {text.split()[-2]}?",
                            "answers": [{"text": text.split()[0], "answer_start": 0}],
                        }
                    ],
                }
            ],
        }
        for i, (title, text) in enumerate(texts)
    ]
    write("q.json", json.dumps({"data": data}))
    return "squad:q.json#task=passage-ranking"


def test_questions_and_passages_are_derived(questions):
    data = load_dataset(questions)
    assert data.task == "passage-ranking"
    assert [e.gold for e in data.examples] == [Ranking([i]) for i in range(5)]
    assert data.examples[3].fields["option_4"] == "Rome is old."
    assert len({e.attributes["u_paragraph"] for e in data.examples}) == 5
    assert any("Derived" in note for note in data.notes)


def test_a_question_that_its_passage_does_not_answer_is_a_bad_row(questions):
    path = Path("q.json")
    data = json.loads(path.read_text())
    asked = data["data"][0]["paragraphs"][0]["qas"]
    asked[0] |= {"is_impossible": True, "answers": []}
    path.write_text(json.dumps(data))
    read = load_dataset(questions)
    assert [bad.reason for bad in read.bad_rows] == ["no passage answers it"]
    assert [e.gold for e in read.examples] == [Ranking([i]) for i in range(1, 5)], (
        "its passage is still a candidate"
    )


def test_passages_of_the_same_article_come_first(questions):
    data = load_dataset(f"{questions},candidates=3")
    for example, own in zip(data.examples, (0, 0, 1, 1, 1), strict=True):
        texts = [text for name, text in example.fields.items() if name != "query"]
        assert len(texts) == 3
        towns = [text for text in texts if not text.startswith("The")]
        assert len(towns) == (3 if own else 1)
        assert texts[example.gold[0]] in texts
    assert data.examples == load_dataset(f"{questions},candidates=3").examples
    with pytest.raises(DataError):
        load_dataset(f"{questions},candidates=few")


@pytest.mark.parametrize(
    ("fields", "gold", "share"),
    [
        ({"query": "who sleeps", "option_1": "A dog.", "option_2": "A man sleeps."}, [1], 0.5),
        ({"query": "who sleeps", "option_1": "Who?", "option_2": "A man sleeps."}, [0, 1], 1.0),
        ({"query": "who sleeps", "option_1": "A dog.", "option_2": "A man."}, None, None),
    ],
)
def test_overlap_is_that_of_the_query_with_its_right_passages(fields, gold, share):
    items = Items.of([Example("1", fields, None if gold is None else Ranking(gold))])
    assert items.inside("overlap > 0.4") == [None if share is None else True]
    if share is not None:
        assert items.inside(f"overlap = {share}") == [True]


QUERY = "did Ida Berg buy two or 3 boats in Oslo"


@pytest.mark.parametrize(
    ("right", "other", "kind"),
    [
        ("Ida Berg did buy two boats in Oslo.", "A dog.", "number"),
        ("She did buy two or 3 boats in Oslo.", "A dog.", "name"),
        ("Ida Berg had 3 in Oslo.", "Did he buy two or five boats in it?", "rival"),
        ("Ida Berg had 3, by Oslo.", "A dog.", "words"),
        ("Ida Berg did buy 3 boats in Oslo.", "A dog.", "none"),
    ],
)
def test_a_query_has_a_kind_of_mismatch_with_its_right_passage(right, other, kind):
    fields = {"query": QUERY, "option_1": other, "option_2": right}
    found = Items.of([Example("1", fields, Ranking([1])), Example("2", fields, None)])
    assert found.inside(f"mismatch = {kind}") == [True, None]


def test_texts_of_a_stored_item_are_in_their_order():
    """Options and questions stand behind what they are about; what counts words asks for that."""
    fields = {"text": "It rained.", "question": "Did it?", "option_1": "Rained.", "option_2": "No."}
    example = Example("1", fields, Option(0))
    back = examples_of(items_table([example], "d"), "d")["1"]
    assert [*back.fields] == [*fields]
    assert Items.of([back]).inside("overlap = 1") == [True]


def test_overlap_of_options_is_that_of_the_right_one():
    fields = {"text": "It rained all day.", "question": "Did it?", "option_1": "All day.",
              "option_2": "No."}  # fmt: skip
    items = Items.of([Example(str(i), fields, Option(i)) for i in range(2)])
    assert items.inside("overlap = 1") == [True, False]
