import pytest

from scrutiny.core.columns.item_columns import BLOCK
from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.data.dataset import load_dataset
from scrutiny.data.labels import LabelMatch, several_in_one

CSV = "id,text,label\n1,a,neg\n2,b,pos\n3,,pos\n4,d,pos\n"


def test_bad_rows_are_counted_and_listed(write):
    write("d.csv", CSV)
    data = load_dataset("d.csv")
    assert [e.id for e in data.examples] == ["1", "2", "4"]
    assert [(b.source, b.reason) for b in data.bad_rows] == [("d.csv:4", "text is empty")]
    assert data.labels == ("neg", "pos")
    assert len(data) == 3
    assert data.name == "d"


def test_bad_rows_are_fatal_on_demand(write, failure):
    write("d.csv", CSV)
    assert failure("d.csv", on_bad_row="fail").startswith("d.csv:4: text is empty.")


def test_all_rows_bad(write, failure):
    write("d.csv", "text,label\n,x\n ,y\nz,\n")
    message = failure("d.csv")
    assert "None of the 3 rows of d.csv reads" in message
    assert "d.csv:2: text is empty" in message
    assert "d.csv:4: label is missing" in message


def test_duplicate_user_ids_show_both_lines(write, failure):
    write("d.csv", "id,text,label\n7,a,x\n8,b,x\n7,c,x\n")
    data = load_dataset("d.csv")
    assert [e.id for e in data.examples] == ["7", "8"]
    assert data.bad_rows[0].source == "d.csv:4"
    assert "'7' is already on line 2" in data.bad_rows[0].reason
    message = failure("d.csv", on_bad_row="fail")
    assert "d.csv:4" in message
    assert "line 2" in message
    assert len(load_dataset("csv:d.csv#id=")) == 3


def test_content_ids_pair_up_whatever_the_order_and_the_file(write):
    write("d.csv", "text,label\na,x\nb,y\na,x\n")
    write("e.tsv", "label\tsentence\ny\tb\nx\ta\n")
    one, other = load_dataset("d.csv"), load_dataset("e.tsv")
    ids = [e.id for e in one.examples]
    assert ids[:2] == [e.id for e in reversed(other.examples)]
    assert ids[2] == f"{ids[0]}-1"
    assert all(len(name) == 16 for name in ids[:2])
    assert one.doubts == ("1 row repeats an earlier one exactly; the first is d.csv:4.",)


def test_limit_selects_the_same_items(write):
    write("d.csv", "text,label\na,x\n,x\na,x\nb,x\na,x\n")
    everything = load_dataset("d.csv").examples
    assert load_dataset("d.csv", limit="1:3").examples == everything[1:3]
    assert load_dataset("d.csv", limit=2).examples == everything[:2]
    with pytest.raises(DataError, match="9:12 selects no example"):
        load_dataset("d.csv", limit="9:12")


def test_fingerprint(write):
    write("d.csv", "text,label\na,0\nb,1\n")
    write("e.tsv", "x\ty\na\t0\nb\t1\n")
    base = load_dataset("d.csv").fingerprint
    assert len(base) == 32
    assert load_dataset("tsv:e.tsv#text=x,label=y").fingerprint == base
    assert load_dataset("csv:d.csv#labels=0:no|1:yes").fingerprint == base
    assert load_dataset("d.csv", limit=1).fingerprint != base
    write("d.csv", "text,label\na,0\nc,1\n")
    assert load_dataset("d.csv").fingerprint != base


def test_label_map(write):
    write("d.csv", "text,label\na,0\nb,1\nc,2\n")
    data = load_dataset("csv:d.csv#labels=1:yes|0:no")
    assert [e.gold for e in data.examples] == ["no", "yes"]
    assert data.labels == ("yes", "no")
    assert data.label_map == {"1": "yes", "0": "no"}
    assert data.bad_rows[0].reason == "the label '2' is not in labels=1:yes|0:no"
    plain = load_dataset("d.csv")
    assert [e.id for e in data.examples] == [e.id for e in plain.examples[:2]]


def test_models_labels():
    data = load_dataset([{"text": "a", "label": "0"}, {"text": "b", "label": "1"}])
    match = LabelMatch.between(data.labels, ["NEG", "POS"])
    named = data.with_labels(match)
    assert [e.gold for e in named.examples] == ["NEG", "POS"]
    assert named.labels == ("NEG", "POS")
    assert named.fingerprint == data.fingerprint
    assert match.note in named.notes
    tagged = load_dataset([{"tokens": ["Ada"], "tags": ["B-per"]}])
    named = tagged.with_labels(LabelMatch.between(tagged.labels, ["PER"]))
    assert named.golds == [(Span("text", 0, 3, "PER"),)]


def test_texts_are_untouched(write):
    write("d.tsv", "text\tlabel\n  two  spaces \t 1 \n")
    data = load_dataset("d.tsv")
    assert data.examples[0].text == "  two  spaces "
    assert data.examples[0].gold == "1"


def test_data_string_states_what_was_guessed(write):
    write("d.csv", "review,target\na,x\n")
    data = load_dataset("d.csv")
    assert data.data_string == "csv:d.csv#text=review,label=target"
    again = load_dataset(data.data_string)
    assert again.examples == data.examples
    assert again.notes == ()


@pytest.mark.parametrize(
    ("name", "task", "n"),
    [
        ("reviews", "text-classification", 640),
        ("pairs", "text-pair-classification", 70),
        ("entities", "token-tagging", 64),
    ],
)
def test_samples(name, task, n):
    data = load_dataset(f"builtin:{name}")
    assert (data.name, data.task, len(data)) == (name, task, n)
    assert data.bad_rows == ()
    assert data.notes == ()
    assert data.data_string == f"builtin:{name}"


def test_sample_options_and_names(failure):
    assert load_dataset("builtin:reviews", limit=1).examples[0].attributes == {
        "a_topic": "restaurant"
    }
    assert load_dataset("builtin:reviews#group=", limit=1).examples[0].attributes == {}
    assert "no sample named 'review'. Did you mean 'reviews'" in failure("builtin:review")


def test_a_file_of_many_rows_is_read_whole(write):
    count = 4 * BLOCK + 2
    rows = "".join(f"sentence number {i} of many\t{i % 2}\n" for i in range(count))
    write("d.tsv", "sentence\tlabel\n" + rows)
    data = load_dataset("d.tsv")
    assert (len(data), data.golds.count("1")) == (count, count // 2)


@pytest.mark.parametrize(
    ("golds", "mark"), [((0, -1, 2), "-1"), (("no", "-", "yes"), "-"), (("1", "--", "2"), "--")]
)
def test_rows_whose_label_says_that_there_is_none_are_counted_apart(golds, mark):
    rows = [{"text": f"item {n}", "label": gold} for n, gold in enumerate(golds)]
    data = load_dataset(rows)
    assert [example.gold for example in data.examples] == [str(golds[0]), None, str(golds[2])]
    assert len(data.labels) == 2
    assert data.doubts == (
        f"1 row has no gold label ({mark}): kept, but not scored; the first is list:2.",
    )
    stated = load_dataset(rows, columns={"labels": f"{golds[0]}:a|{mark}:b|{golds[2]}:c"})
    assert [example.gold for example in stated.examples] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "golds",
    [
        ["joy|love", "anger", "joy"],
        ["Action|Drama", "Drama|War", "War"],
        ["a;b", "b; c", "d"],
        ["joy,love", "love", "joy"],
        ["['joy', 'love']", "['anger']", "[]"],
    ],
)
def test_labels_that_join_several_are_refused(golds):
    rows = [{"text": f"item {n}", "label": gold} for n, gold in enumerate(golds)]
    with pytest.raises(DataError, match="several labels of one item: read all of them with task="):
        load_dataset(rows)
    names = "|".join(
        f"{gold.replace('|', '%7C').replace(',', '%2C')}:class {n}" for n, gold in enumerate(golds)
    )
    assert len(load_dataset(rows, columns={"labels": names}).labels) == 3


def test_a_bar_alone_makes_no_several_labels():
    rows = [{"text": f"item {n}", "label": gold} for n, gold in enumerate(["sci|tech", "art"])]
    assert load_dataset(rows).labels == ("art", "sci|tech")
    assert several_in_one(["food, drink", "food", "[x, y]"]) == ""
