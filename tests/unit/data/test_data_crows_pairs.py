import pytest

from scrutiny.data.dataset import load_dataset

HEADER = ",sent_more,sent_less,stereo_antistereo,bias_type,annotations\n"
PUBLISHED = (
    HEADER + '0,"The old clerk, too, was slow.","The young clerk, too, was slow.",stereo,age,x\n'
    "1,My uncle knits.,My aunt knits.,antistereo,gender,x\n"
    '2,"The old clerk, too, was slow.","The young clerk, too, was slow.",stereo,age,x\n'
)


def test_the_published_form(write, tmp_path):
    (tmp_path / "crows").mkdir()
    write("crows/crows_pairs_anonymized.csv", PUBLISHED)
    data = load_dataset("crows-pairs:crows")
    assert (data.task, len(data), data.bad_rows) == ("sentence-pairs", 3, ())
    first, second, third = data.examples
    assert (first.id, first.source) == ("0", "crows/crows_pairs_anonymized.csv:2")
    assert first.fields["less"] == "The young clerk, too, was slow."
    assert second.attributes == {
        "a_category": "gender",
        "a_direction": "antistereo",
        "a_set": "original",
        "u_pair": "1",
    }
    assert third.attributes["u_pair"] == "0"
    assert data.notes == ("1 pairs repeat an earlier one and are one unit with it (u_pair).",)
    assert load_dataset("crows-pairs:crows/crows_pairs_anonymized.csv").examples == data.examples


def test_odd_rows_are_bad_rows(write):
    header = HEADER.replace(",annotations", "")
    rows = "5,A b.,A c.,stereo,Age\n6,A b.,A d.,stereo,stereo\n7,A b.,A e.,both,age\n8,A b.\n"
    write("r.csv", header + rows)
    data = load_dataset("crows-pairs:r.csv")
    (kept,) = data.examples
    assert (kept.id, kept.attributes["a_category"], kept.attributes["a_set"]) == (
        "5",
        "age",
        "revised",
    )
    assert [bad.source for bad in data.bad_rows] == ["r.csv:3", "r.csv:4", "r.csv:5"]
    assert "out of place" in data.bad_rows[0].reason
    assert "neither stereo nor antistereo" in data.bad_rows[1].reason
    assert "capitals" in data.notes[0]


NEGATED = (
    "He cooks.,Men run.,He sews.\n"
    "She cooks.,Women run.,She sews.\n"
    "He does not cook.,,He does not sew.\n"
    "She does not cook.,,She does not sew.\n"
    ",,He never sews.\n"
    ",,She never sews.\n"
)


def test_control_sets_are_tied_to_their_originals(write):
    write("crows_negation.csv", NEGATED)
    data = load_dataset("crows-pairs:crows_negation.csv")
    found = [(e.attributes["u_pair"], e.attributes["a_set"]) for e in data.examples]
    assert found == [
        ("0", "original"),
        ("0", "negated"),
        ("1", "original"),
        ("2", "original"),
        ("2", "negated"),
        ("2", "negated-2"),
    ]
    assert data.examples[1].fields == {"more": "He does not cook.", "less": "She does not cook."}
    assert data.examples[5].source == "crows_negation.csv:5"
    assert {e.attributes["a_category"] for e in data.examples} == {"gender"}
    assert "3 pairs are controls" in data.notes[0]


def test_half_a_control_is_a_bad_row(write):
    write("antistereotype.csv", 'He cooks.\nShe cooks.\nHe mends.\n""\n')
    data = load_dataset("crows-pairs:antistereotype.csv")
    assert len(data) == 1
    assert "less is empty" in data.bad_rows[0].reason


def test_the_kind_of_control_is_told_by_the_name_or_stated(write, failure):
    write("c.csv", "He cooks.\nShe cooks.\nHe mends.\nShe mends.\n")
    assert "add control=negated or control=antistereotype" in failure("crows-pairs:c.csv")
    data = load_dataset("crows-pairs:c.csv#control=antistereotype")
    assert [e.attributes["a_set"] for e in data.examples] == ["original", "antistereotype"]


@pytest.mark.parametrize(
    ("content", "phrase"),
    [
        ("sent_more,b\nx,y\n", "lacks bias_type, sent_less, stereo_antistereo"),
        ("a,b\nc\n", "neither a column sent_more nor the form of a control set"),
    ],
)
def test_other_files_are_refused(write, failure, content, phrase):
    write("o.csv", content)
    assert phrase in failure("crows-pairs:o.csv")


def test_a_folder_without_the_file(tmp_path, failure):
    (tmp_path / "other.csv").touch()
    message = failure(f"crows-pairs:{tmp_path}")
    assert "crows_pairs_anonymized.csv of a folder" in message
    assert "other.csv" in message
