"""Pairs, minimal pairs and passages of the user's own, and tasks that have no labels."""

import json

import pytest

from scrutiny.core.errors import DataError
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.data.opening import iter_examples, open_data
from scrutiny.tasks.tasks import load_task

UNLABELED = [
    "association-test",
    "minimal-pairs",
    "passages",
    "sentence-pairs",
    "sentence-triples",
]
PAIRS = (
    "a,b,topic,kind\n"
    "The old baker forgot my name.,The young baker forgot my name.,age,stereo\n"
    "My uncle sews.,My aunt sews.,gender,antistereo\n"
)


@pytest.mark.parametrize("name", UNLABELED)
def test_contract_of_tasks_without_labels(name):
    task = load_task(name)
    assert f"{name}@1" in registry().names("task")
    assert task.name == name
    assert (task.scored_by, task.measures, task.chance([])) == (None, (), 0.0)
    assert set(task.fields) <= {role.name for role in task.roles if role.is_needed}
    with pytest.raises(DataError, match="so they have no score"):
        task.score(None, Prediction(), labels=())


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ({"more", "less", "category"}, "sentence-pairs"),
        ({"good", "bad"}, "minimal-pairs"),
        ({"context", "stereotype", "antistereotype", "unrelated"}, "sentence-triples"),
        ({"text", "set", "test"}, "text-classification"),
        ({"text", "document"}, "text-classification"),
    ],
)
def test_columns_tell_the_task(columns, name):
    row = {column: "X" if column == "set" else f"a {column}" for column in sorted(columns)}
    assert open_data([row]).task.name == name


def test_pairs_of_the_users_own(write):
    write("pairs.csv", PAIRS)
    data = load_dataset("csv:pairs.csv#more=a,less=b,group=topic,direction=kind")
    assert (data.task, data.labels, data.golds) == ("sentence-pairs", (), [None, None])
    first, second = data.examples
    assert first.fields["more"] == "The old baker forgot my name."
    assert second.fields["less"] == "My aunt sews."
    assert first.attributes == {
        "a_category": "age",
        "a_topic": "age",
        "a_direction": "stereo",
        "a_set": "original",
    }
    assert data.notes == ()


def test_pairs_of_a_jsonl_file(write):
    rows = [{"x": "He cooks.", "y": "She cooks.", "cat": "gender", "n": "p1"}]
    write("pairs.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    (one,) = iter_examples("jsonl:pairs.jsonl#more=x,less=y,category=cat,pair=n")
    assert one.attributes == {"a_category": "gender", "u_pair": "p1", "a_set": "original"}


def test_pairs_are_known_by_their_columns(write):
    write("p.csv", "sent_more,sent_less,bias_type\nHe cooks.,She cooks.,gender\n")
    data = load_dataset("csv:p.csv")
    assert data.task == "sentence-pairs"
    assert data.data_string == "csv:p.csv#more=sent_more,less=sent_less,category=bias_type"
    assert data.examples == load_dataset(data.data_string).examples
    assert "guessed" in data.notes[0]
    assert "gold" not in " ".join(data.notes)


def test_a_column_that_pairs_lack(write, failure):
    write("pairs.csv", PAIRS)
    message = failure("csv:pairs.csv#more=a", task="sentence-pairs")
    assert "sentence-pairs needs a column of the less stereotyping sentence" in message
    assert message.endswith("as in csv:pairs.csv#more=a,less=NAME.")
    assert "no column 'c' (asked for by less=)" in failure("csv:pairs.csv#more=a,less=c")


def test_options_of_tasks_are_known_by_near_names(write, failure):
    write("pairs.csv", PAIRS)
    assert "Did you mean direction" in failure("csv:pairs.csv#more=a,less=b,directon=kind")
    assert "no option 'tests'" in failure("csv:pairs.csv#more=a,less=b,tests=x")


def test_the_fingerprint_is_also_of_columns(write):
    write("one.csv", PAIRS)
    write("two.csv", PAIRS.replace("gender", "family"))
    one, two = (load_dataset(f"csv:{n}.csv#more=a,less=b,category=topic") for n in ("one", "two"))
    assert [e.id for e in one.examples] == [e.id for e in two.examples]
    assert one.fingerprint != two.fingerprint


def test_minimal_pairs():
    rows = [{"good": "The dogs bark.", "bad": "The dogs barks.", "template": 3, "n": 1}]
    (pair,) = load_dataset(rows).examples
    assert pair.attributes == {"u_template": "3"}
    assert list(pair.fields) == ["good", "bad"]


def test_lines_of_plain_text_are_passages(write, tmp_path):
    write("story.txt", "It rained.\n\n  \nNobody minded the rain. \n")
    data = load_dataset("text:story.txt")
    assert data.task == "passages"
    assert [e.text for e in data.examples] == ["It rained.", "Nobody minded the rain."]
    assert [e.source for e in data.examples] == ["story.txt:1", "story.txt:4"]
    assert {e.attributes["u_document"] for e in data.examples} == {"story"}
    (tmp_path / "texts").mkdir()
    write("texts/b.txt", "Two.\n")
    write("texts/a.txt", "One.\n")
    both = load_dataset("text:texts")
    assert [(e.text, e.source) for e in both.examples] == [
        ("One.", "texts/a.txt:1"),
        ("Two.", "texts/b.txt:1"),
    ]


def test_a_folder_without_text(tmp_path, failure):
    assert "no .txt file" in failure(f"text:{tmp_path}")


def test_passages_of_a_table_are_stated():
    rows = [{"body": "A first text.", "chapter": "one"}]
    assert load_dataset(rows).task == "text-classification"
    data = load_dataset(rows, columns={"task": "passages", "text": "body", "document": "chapter"})
    assert data.examples[0].attributes == {"u_document": "one"}


def test_the_sample_of_agreement():
    data = load_dataset("builtin:agreement")
    assert (data.task, data.bad_rows, data.notes) == ("minimal-pairs", (), ())
    assert len(data) >= 200
    first = data.examples[0]
    assert set(first.attributes) == {"a_construction", "a_number", "u_template"}
    assert all(e.fields["good"] != e.fields["bad"] for e in data.examples)
    assert len({e.fields["good"] for e in data.examples}) == len(data)
