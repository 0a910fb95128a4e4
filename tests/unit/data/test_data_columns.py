import pytest

from scrutiny.core.errors import DataError, UnknownNameError
from scrutiny.data.dataset import load_dataset


def columns_of(names, options="", **more):
    row = {name: ["a"] if name in ("tokens", "words") else "a" for name in names}
    row |= {name: ["O"] for name in names if name in ("tags", "ner_tags")}
    given = dict(part.split("=") for part in options.split(",") if part)
    data = load_dataset([row], columns=given, **more)
    return data.task, dict(data.columns), data.notes


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (("sentence", "label"), {"text": "sentence", "label": "label"}),
        (("Review", "Target", "n"), {"text": "Review", "label": "Target"}),
        (("content", "class", "guid"), {"text": "content", "label": "class", "id": "guid"}),
        (("premise", "hypothesis", "gold_label"),
         {"text": "premise", "text_pair": "hypothesis", "label": "gold_label"}),
        (("idx", "sentence1", "sentence2", "label"),
         {"text": "sentence1", "text_pair": "sentence2", "label": "label"}),
        (("question", "sentence", "label"),
         {"text": "question", "text_pair": "sentence", "label": "label"}),
        (("id", "tokens", "ner_tags", "text"),
         {"id": "id", "tokens": "tokens", "tags": "ner_tags"}),
        (("words", "tags"), {"tokens": "words", "tags": "tags"}),
        (("tokens", "text", "label"), {"text": "text", "label": "label"}),
    ],
)  # fmt: skip
def test_guesses_by_well_known_names(names, roles):
    _, found, notes = columns_of(names)
    assert found == roles
    assert "guessed" in notes[0]
    assert all(f"{role}={column}" in notes[0] for role, column in roles.items())


def test_nothing_is_noted_where_all_is_stated():
    _, found, notes = columns_of(("x", "y", "id"), "text=x,label=y,id=")
    assert found == {"text": "x", "label": "y"}
    assert notes == ()


def test_a_stated_text_rules_out_guessing_a_pair():
    task, found, _ = columns_of(("sentence1", "sentence2", "label"), "text=sentence1")
    assert task == "text-classification"
    assert found == {"text": "sentence1", "label": "label"}


def test_a_stated_task_decides():
    names = ("sentence1", "sentence2", "label", "tokens", "tags")
    assert columns_of(names)[0] == "token-tagging"
    assert columns_of(names, task="text-pair-classification")[1]["text_pair"] == "sentence2"
    assert columns_of(names, "task=text-classification")[1] == {
        "text": "sentence1",
        "label": "label",
    }


def test_an_empty_option_refuses_the_guess():
    _, found, notes = columns_of(("text", "label", "id"), "label=,id=")
    assert found == {"text": "text"}
    assert "There is no column of gold answers, so answers are not scored." in notes
    said = columns_of(("text", "verdict"))[2][-1]
    assert said.endswith(
        "(label, target, class, gold, gold_label, sentiment, category, polarity, y): "
        "add label=NAME."
    )


def test_units_groups_and_language():
    rows = [{"text": "a", "label": "x", "story": "s1", "age": 4, "sex": "f", "lang": "de"}]
    data = load_dataset(rows, columns={"unit": "story", "group": "age|sex", "language": "lang"})
    (example,) = data.examples
    assert example.attributes == {"u_story": "s1", "a_age": 4.0, "a_sex": "f"}
    assert example.language == "de"
    assert load_dataset(rows, columns={"language": "fr"}).languages == {"fr"}


def test_wrong_column_lists_the_columns_with_near_names(write, failure):
    write("dev.csv", "sentence,label,topic\na,x,t\n")
    message = failure("csv:dev.csv#text=sentense,label=label")
    assert "dev.csv has no column 'sentense' (asked for by text=)" in message
    assert "Did you mean 'sentence'?" in message
    assert "'sentence', 'label', 'topic'" in message
    assert "asked for by unit=" in failure("csv:dev.csv#unit=story")


def test_no_column_that_is_known(write, failure):
    write("dev.csv", "col_a,col_b\na,x\n")
    message = failure("csv:dev.csv#label=col_b")
    assert "needs a column of the text, and dev.csv has none by a name that is known" in message
    assert "(text, sentence, review," in message
    assert "'col_a', 'col_b'" in message
    assert "as in csv:dev.csv#label=col_b,text=NAME; if the rows" in message
    assert "as in columns={'text': 'NAME'}; if" in failure([{"a": "b"}])


def test_task_that_lacks_a_column(write, failure):
    write("dev.csv", "text,label\na,x\n")
    message = failure("csv:dev.csv", task="text-pair-classification")
    assert "needs a column of the second text" in message
    assert message.endswith("name it, as in csv:dev.csv#text_pair=NAME.")


def test_unknown_task_and_unknown_option(failure):
    with pytest.raises(UnknownNameError):
        load_dataset([{"text": "a"}], task="tagging-of-tokens")
    assert "no option 'txt'" in failure([{"text": "a"}], columns={"txt": "a"})


def test_a_column_without_a_name_is_no_language():
    data = load_dataset([{"": "0", "text": "a", "label": "x"}])
    assert "language" not in data.columns
    assert [example.language for example in data.examples] == ["en"]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["label"], "columns is a list; it is a dict of options"),
        ({"label": 5}, "columns has 'label': 5, and options and names of columns are text"),
        ({5: "label"}, "columns has 5: 'label'"),
    ],
)
def test_columns_that_are_no_text_are_refused(columns, words):
    with pytest.raises(DataError, match=words):
        load_dataset([{"text": "a", "label": "x"}], columns=columns)


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        (("text", "label", "z"), "text=text,label=label,tags=z", "tags= is no column of text-cl"),
        (("a", "b", "z"), "more=a,less=b,label=z", "label= is no column of sentence-pairs"),
        (("a", "b"), "more=a,less=b,labels=x:y", "sentence-pairs have no labels"),
        (("text", "label"), "language=lang", "neither a column of .* nor the code of a language"),
    ],
)
def test_options_that_a_task_would_not_look_at_are_refused(names, options, said):
    with pytest.raises(DataError, match=said):
        columns_of(names, options)


def test_an_empty_role_keeps_from_guessing():
    task, roles, _ = columns_of(("text", "label", "text_pair"), "text=text,label=label,text_pair=")
    assert (task, set(roles)) == ("text-classification", {"text", "label"})


def test_new_names_of_labels_that_no_row_has_are_noted():
    assert (
        "labels= renames 'zzz', which no row that was read has."
        in columns_of(("text", "label"), "labels=a:b|zzz:c")[-1]
    )


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("source", "target"), "text=source,reference=target"),
        (("de", "en", "label"), "text=de,reference=en"),
        (("source", "references"), ""),
        (("src", "tgt"), ""),
        (("src", "ref", "id"), ""),
    ],
)
def test_references_tell_translation(names, options):
    task, found, _ = columns_of(names, options)
    assert task == "translation"
    assert set(found) - {"id"} == {"text", "reference"}


@pytest.mark.parametrize("names", [("text", "target"), ("text", "label", "reference")])
def test_a_text_with_a_label_is_no_translation(names):
    assert columns_of(names)[0] == "text-classification"
