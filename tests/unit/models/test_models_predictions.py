import json

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example, Span
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.row_files import read_rows
from scrutiny.models.strings.model_loading import load_model

ROWS = [
    {"id": "0", "label": "pos", "probabilities": {"neg": 0.25, "pos": 0.75}},
    {"id": "1", "label": "neg", "probabilities": {"neg": 0.75, "pos": 0.25}},
]


def write(path, rows):
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    elif path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        lines = [mark.join(rows[0])] + [mark.join(map(str, row.values())) for row in rows]
        path.write_text("\n".join(lines) + "\n")
    return f"predictions:{path}"


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_labels_and_probabilities(tmp_path, classification, make, ending):
    model = load_model(write(tmp_path / f"p{ending}", ROWS), classification)
    assert model.labels == ("neg", "pos")
    answers = predict_or_fail(model, make("b", "a"))
    assert [(a.answer, a.scores) for a in answers] == [("pos", (0.25, 0.75)), ("neg", (0.75, 0.25))]
    assert model.is_batch_invariant
    assert model.has_stored_answers_only


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_columns_of_probabilities(tmp_path, classification, make, ending):
    rows = [{"id": 0, "p_neg": 0.25, "p_pos": 0.75}, {"id": 1, "p_neg": 1, "p_pos": 0}]
    model = load_model(write(tmp_path / f"p{ending}", rows), classification)
    assert model.labels == ("neg", "pos")
    assert [a.answer for a in predict_or_fail(model, make("a", "b"))] == ["pos", "neg"]


def test_lists_of_probabilities_need_labels(tmp_path, classification, make):
    source = write(tmp_path / "p.jsonl", [{"id": "0", "probabilities": [0.1, 0.9]}])
    with pytest.raises(ModelError, match=r"p\.jsonl:1 lists probabilities"):
        load_model(source, classification)
    model = load_model(f"{source}#labels=neg|pos", classification)
    assert predict_or_fail(model, make("a"))[0].answer == "pos"


def test_labels_alone_in_natural_order(tmp_path, classification, make):
    rows = [{"id": str(i), "label": label} for i, label in enumerate([10, 2, 10])]
    model = load_model(write(tmp_path / "p.jsonl", rows), classification)
    assert model.labels == ("2", "10")
    assert [a.answer for a in predict_or_fail(model, make(*"abc"))] == ["10", "2", "10"]


def test_renamed_columns(tmp_path, classification, make):
    rows = [
        {"key": "0", "guess": "pos", "label": "neg"},
        {"key": "1", "guess": "neg", "label": "neg"},
    ]
    source = write(tmp_path / "p.csv", rows)
    model = load_model(f"{source}#id=key,label=guess", classification)
    assert [a.answer for a in predict_or_fail(model, make("a", "b"))] == ["pos", "neg"]


def test_an_unknown_item_fails_alone(tmp_path, classification, make):
    model = load_model(write(tmp_path / "p.jsonl", ROWS), classification)
    answers = predict_or_fail(model, make("a", "b", "c"))
    assert [isinstance(a, Failure) for a in answers] == [False, False, True]
    assert answers[2].reason == "no_prediction"
    assert "item '2'" in answers[2].message


def test_variants_have_rows_of_their_own(tmp_path, classification):
    rows = [
        {"id": "0", "variant": None, "label": "pos"},
        {"id": "0", "variant": "typos", "label": "neg"},
    ]
    model = load_model(write(tmp_path / "p.jsonl", rows), classification)

    def example(**attributes):
        return Example("0", {"text": "x"}, attributes=attributes)

    answers = predict_or_fail(model, [example(variant="typos"), example(), example(variant="ocr")])
    assert [getattr(a, "answer", None) for a in answers[:2]] == ["neg", "pos"]
    assert answers[2].reason == "no_prediction"


def test_a_row_for_another_text_is_no_answer(tmp_path, classification):
    rows = [{"id": "0", "text": "good", "label": "pos"}]
    model = load_model(write(tmp_path / "p.jsonl", rows), classification)
    same, changed = predict_or_fail(
        model, [Example("0", {"text": "good"}), Example("0", {"text": "goood"})]
    )
    assert same.answer == "pos"
    assert (changed.reason, "another text" in changed.message) == ("no_prediction", True)


def test_two_texts_of_one_item_need_a_column_that_tells_them_apart(tmp_path, classification):
    model = load_model(write(tmp_path / "p.jsonl", ROWS), classification)
    model.predict([Example("0", {"text": "good"})])
    with pytest.raises(ModelError, match="Add the columns text"):
        model.predict([Example("0", {"text": "goood"})])


def test_stored_tags_and_spans(tmp_path, tagging):
    rows = [{"id": "0", "tags": ["B-PER", "O"]}, {"id": "1", "spans": [[0, 3, "PER"]]}, {"id": "2"}]
    model = load_model(write(tmp_path / "p.jsonl", rows), tagging)
    examples = [Example(str(i), {"text": "Ada left"}) for i in range(2)]
    assert [a.answer for a in model.predict(examples)] == [(Span("text", 0, 3, "PER"),)] * 2
    *_, lacking = predict_or_fail(model, [*examples, Example("2", {"text": "Ada left"})])
    assert (lacking.reason, "p.jsonl:3 has neither" in lacking.message) == ("bad_answer", True)


def test_two_rows_for_one_item(tmp_path, classification):
    source = write(tmp_path / "p.jsonl", [*ROWS, ROWS[0]])
    with pytest.raises(ModelError, match=r"p\.jsonl:3 and p\.jsonl:1 are both for item '0'"):
        load_model(source, classification)


def test_a_missing_id_lists_the_columns(tmp_path, classification):
    source = write(tmp_path / "p.csv", [{"item": "0", "label": "pos"}])
    with pytest.raises(ModelError, match=r"p\.csv:2 has no 'id'.*item, label.*#id=COLUMN"):
        load_model(source, classification)


def test_a_missing_answer_lists_the_columns(tmp_path, classification):
    source = write(tmp_path / "p.csv", [{"id": "0", "guess": "pos"}])
    said = r"mapping from labels in .probabilities., or columns p_LABEL.*Rename with #label=COLUMN"
    with pytest.raises(ModelError, match=said):
        load_model(source, classification)


def test_a_probability_that_is_missing(tmp_path, classification, make):
    rows = [ROWS[0], {"id": "1", "probabilities": {"neg": 1.0}}]
    model = load_model(write(tmp_path / "p.jsonl", rows), classification)
    answer, failure = predict_or_fail(model, make("a", "b"))
    assert answer.scores == (0.25, 0.75)
    assert failure.reason == "bad_answer"
    assert "p.jsonl:2 has no probability of 'pos'" in failure.message


def test_a_probability_that_is_no_number(tmp_path, classification, make):
    rows = [{"id": 0, "p_neg": "high", "p_pos": 0.75}]
    model = load_model(write(tmp_path / "p.csv", rows), classification)
    (failure,) = predict_or_fail(model, make("a"))
    assert "cannot be read" in failure.message


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("p.jsonl", "{", r"p\.jsonl:1 is no JSON:"),
        ("p.jsonl", "[1]", r"p\.jsonl:1 is no JSON object"),
        ("p.csv", "id,label\n0\n", r"p\.csv:2 has more or fewer cells"),
        ("p.csv", "id,label\n0,a,b\n", r"p\.csv:2 has more or fewer cells"),
        ("p.txt", "", r"the ending '\.txt'; its rows are read from \.jsonl, \.csv"),
        ("p.parquet", "no", r"p\.parquet' cannot be read"),
    ],
)
def test_files_that_do_not_read(tmp_path, classification, name, text, match):
    (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match=match):
        load_model(f"predictions:{tmp_path}/{name}", classification)


def test_a_file_that_is_not_there(tmp_path, classification):
    (tmp_path / "there.csv").write_text("id\n")
    with pytest.raises(ModelError, match=r"Such files there: there\.csv"):
        load_model(f"predictions:{tmp_path}/not.csv", classification)


def test_the_fingerprint_follows_the_file(tmp_path, classification):
    source = write(tmp_path / "p.jsonl", ROWS)
    before = load_model(source, classification).fingerprint()
    assert load_model(source, classification).fingerprint() == before
    assert load_model(f"{source}#training=csv:t.csv", classification).fingerprint() == before
    write(tmp_path / "p.jsonl", ROWS[:1])
    assert load_model(source, classification).fingerprint() != before


@pytest.mark.parametrize("name", ["twice.csv", "twice.tsv", "twice.parquet"])
def test_two_columns_of_one_name_are_refused(tmp_path, name):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / name
    if path.suffix == ".parquet":
        pq.write_table(pa.table([["1"], ["a"], ["b"]], names=["id", "label", "label"]), path)
    else:
        separator = "," if path.suffix == ".csv" else "\t"
        path.write_text("id,label,label\n1,a,b\n".replace(",", separator))
    with pytest.raises(ModelError, match="two columns named 'label'; rename one of them"):
        list(read_rows(path))


def test_a_key_that_stands_twice_is_refused(tmp_path):
    path = tmp_path / "twice.jsonl"
    path.write_text('{"id": "1", "label": "a", "label": "b"}\n')
    with pytest.raises(ModelError, match=r"twice\.jsonl:1 is no JSON: the key 'label' occurs"):
        list(read_rows(path))


def test_predictions_that_fill_the_memory_are_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    places = pa.array([0] * 1000, pa.int32())
    many = pa.DictionaryArray.from_arrays(places, pa.array(["x" * 5_000_000]))
    table = pa.table({"id": list(map(str, range(1000))), "label": many})
    pq.write_table(table, tmp_path / "p.parquet", store_schema=False)
    with pytest.raises(ModelError, match=r"p\.parquet' unpacks from"):
        list(read_rows(tmp_path / "p.parquet"))
