"""A corpus of published scores as data: one item."""

import numpy as np
import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "s.npz"
    scores = np.full((1, 2, 3), 0.5)
    np.savez(path, story_neg_m=scores, review_neg_m=scores, story_control_m=scores)
    return path


def test_a_corpus_is_one_item(file):
    data = load_dataset(f"head-scores:{file}#corpus=review")
    assert (data.task, len(data)) == ("stored-heads", 1)
    (item,) = data.examples
    assert (item.id, item.text, item.gold) == ("review", "review", None)
    assert any("one item" in note for note in data.notes)


def test_corpora_have_fingerprints_of_their_own(file):
    one, other = (load_dataset(f"head-scores:{file}#corpus={c}") for c in ("story", "review"))
    assert one.fingerprint != other.fingerprint


def test_the_only_corpus_need_not_be_named(tmp_path):
    path = tmp_path / "one.npz"
    np.savez(path, story_neg_m=np.full((1, 2, 3), 0.5))
    assert load_dataset(f"head-scores:{path}").examples[0].id == "story"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("", "holds scores on story, review: choose one"),
        ("#corpus=novel", "no corpus 'novel'; it has story, review"),
        ("#corpora=story", "no option 'corpora'"),
    ],
)
def test_which_corpus_has_to_be_clear(file, options, says):
    with pytest.raises(DataError, match=says):
        load_dataset(f"head-scores:{file}{options}")


def test_a_column_named_corpus_makes_no_table_a_file_of_scores(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("sentence,label,corpus\nAll good.,a,news\nAll bad.,b,news\n")
    assert load_dataset(f"csv:{path}").task == "text-classification"
