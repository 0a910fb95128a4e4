from scrutiny.data.dataset import load_dataset
from scrutiny.data.summary import LabelCount, quantiles, summarize

ROWS = [
    {"text": "A fine film.", "label": "pos", "story": "s1", "age": 3},
    {"text": "a fine FILM", "label": "pos", "story": "s1", "age": 4},
    {"text": "A fine film!", "label": "neg", "story": "s2", "age": 4},
    {"text": "", "label": "neg", "story": "s2", "age": 4},
    {"text": "Not this one, no.", "label": "pos", "story": "s3", "age": 4},
    {"text": "10", "label": "pos", "story": "s3", "age": 4},
    {"text": "11", "label": "pos", "story": "s3", "age": 4},
]


def test_summary():
    data = load_dataset(ROWS, columns={"unit": "story", "group": "age"})
    summary = summarize(data)
    assert summary.n == 6
    assert summary.labels == (LabelCount("pos", 5, 5 / 6), LabelCount("neg", 1, 1 / 6))
    assert summary.chance == 5 / 6
    assert (summary.duplicates, summary.conflicts) == (2, 1)
    assert summary.bad_rows[0].source == "list:4"
    assert summary.units == {"story": 3}
    assert summary.groups == {"age": 2}
    assert summary.languages == {"en": 6}
    assert summary.examples == data.examples[:3]
    assert summary.fingerprint == data.fingerprint
    (field,) = summary.fields
    assert (field.words.least, field.words.median, field.words.most) == (1, 3, 6)
    assert field.characters.most == len("Not this one, no.")


def test_summary_of_pairs_names_both_fields():
    summary = summarize(load_dataset("builtin:pairs"))
    assert [field.name for field in summary.fields] == ["text", "text_pair"]
    assert summary.chance == 0.5


def test_summary_without_gold():
    summary = summarize(load_dataset([{"text": "a"}, {"text": "b"}]))
    assert summary.labels == ()
    assert summary.chance is None


def test_summary_of_entities_counts_types():
    summary = summarize(load_dataset("builtin:entities"))
    assert {label.label for label in summary.labels} == {"location", "organization", "person"}
    assert summary.chance == 0.0
    assert sum(label.share for label in summary.labels) == 1.0


def test_summary_gives_the_data_string(write):
    write("d.csv", "review,target\na,x\n")
    assert summarize(load_dataset("d.csv")).data_string == "csv:d.csv#text=review,label=target"


def test_quantiles_are_counts():
    assert quantiles(range(1, 101)) == (1, 5, 25, 50, 75, 95, 100)
    assert quantiles([7]) == (7,) * 7


def test_summary_of_pairs_without_labels():
    rows = [
        {"more": f"He saw {i}.", "less": f"She saw {i}.", "category": "ab"[i % 3 == 0]}
        for i in range(6)
    ]
    summary = summarize(load_dataset(rows))
    assert (summary.is_labeled, summary.chance) == (False, None)
    assert summary.members == {"category": {"a": 4, "b": 2}, "set": {"original": 6}}
    assert [field.name for field in summary.fields] == ["more", "less"]
    assert not any("gold" in note for note in summary.notes)


def test_groups_of_many_values_have_no_members():
    rows = [{"text": f"Text {i}.", "topic": f"t{i}"} for i in range(21)]
    summary = summarize(load_dataset(rows, columns={"group": "topic"}))
    assert (summary.groups, summary.members) == ({"topic": 21}, {})
