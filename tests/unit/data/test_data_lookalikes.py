"""Labels and groups that look alike: told, refused where they are the same text, never merged."""

import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset
from scrutiny.data.summary import summarize


def data(labels, **columns):
    rows = [
        {"text": f"film {n}", "label": label, **{k: v[n] for k, v in columns.items()}}
        for n, label in enumerate(labels)
    ]
    options = {"text": "text", "label": "label", **({"group": "g"} if columns else {})}
    return load_dataset(rows, columns=options)


def test_labels_that_differ_in_case_are_two_and_told():
    found = data(["Good", "bad", "good", "Good"])
    assert found.labels == ("Good", "bad", "good")
    (said,) = found.warnings
    assert "The labels 'Good' (2 items) and 'good' (1) differ only in case" in said


@pytest.mark.parametrize("odd", ["good\u200b", "\ufeffgood", "go\u00adod", "ｇｏｏｄ"])
def test_labels_that_only_look_the_same_are_told_with_their_code_points(odd):
    (said,) = data(["good", odd, "bad"]).warnings
    assert ascii(odd) in said
    assert "count as two classes" in said


def test_one_text_in_two_unicode_forms_is_refused():
    with pytest.raises(DataError, match=r"'cafe\\u0301' and 'caf\\xe9' are the same text, café"):
        data(["café", "cafe\u0301"])


def test_groups_that_look_alike_are_told():
    (said,) = data(["good", "bad"], g=["women ", "women"]).warnings
    assert "The values of g 'women' (1 items) and 'women ' (1)" in said
    assert "count as two groups" in said


def test_many_pairs_are_counted():
    names = [name for n in range(8) for name in (f"l{n}", f"L{n}")]
    *shown, more = data(names).warnings
    assert len(shown) == 5
    assert more == "3 more pairs of labels look alike."


def test_labels_that_differ_are_not_told_and_a_summary_shows_what_is():
    assert data(["good", "bad", "goo d"]).warnings == ()
    assert any("'Good'" in note for note in summarize(data(["Good", "good"])).notes)
