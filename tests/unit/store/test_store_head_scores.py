"""Files of scores of heads: what they hold, and what is refused before it is believed."""

import pickle

import numpy as np
import pytest

from scrutiny.core.errors import DataError
from scrutiny.store.head_scores import ScoreKey, read_scores, score_keys

SCORES = np.full((2, 3, 3), 0.5)


def write(folder, **arrays):
    path = folder / "scores.npz"
    np.savez(path, **arrays)
    return path


def test_names_of_models_may_have_underscores(tmp_path):
    path = write(tmp_path, story_neg_bert_base=SCORES, review_pretrained_tiny=SCORES)
    keys = score_keys(path)
    expected = (ScoreKey("story", "neg", "bert_base"), ScoreKey("review", "pretrained", "tiny"))
    assert keys == expected
    assert keys[0].name == "story_neg_bert_base"
    np.testing.assert_array_equal(read_scores(path, keys[0]), SCORES)


def test_several_runs_keep_their_axis(tmp_path):
    runs = np.stack([SCORES, SCORES / 2]).astype(np.float32)
    path = write(tmp_path, story_neg_m=runs)
    found = read_scores(path, ScoreKey("story", "neg", "m"))
    assert found.shape == (2, 2, 3, 3)
    assert found.dtype == np.float64


@pytest.mark.parametrize("name", ["story", "story_neg", "story__m", "_neg_m"])
def test_other_names_are_refused(tmp_path, name):
    path = write(tmp_path, **{name: SCORES})
    with pytest.raises(DataError, match="not named CORPUS_TUNED_MODEL"):
        score_keys(path)


@pytest.mark.parametrize(
    "bad",
    [
        np.full((2, 3), 0.5),
        np.full((2, 3, 4), 0.5),
        np.ones((2, 3, 3), dtype=np.int64),
        np.full((2, 3, 3), 1.5),
        np.full((2, 3, 3), -0.1),
        np.full((2, 3, 3), np.nan),
        np.zeros((0, 3, 3)),
    ],
)
def test_what_is_no_share_by_head_is_refused(tmp_path, bad):
    path = write(tmp_path, story_neg_m=bad)
    with pytest.raises(DataError, match="story_neg_m"):
        read_scores(path, ScoreKey("story", "neg", "m"))


def test_an_array_that_is_not_there_is_named_with_those_that_are(tmp_path):
    path = write(tmp_path, story_neg_m=SCORES)
    with pytest.raises(DataError, match=r"no array 'story_neg_x': story_neg_m"):
        read_scores(path, ScoreKey("story", "neg", "x"))


class Trap:
    """Unpickling it would write a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_objects_are_refused_and_never_unpickled(tmp_path):
    mark = tmp_path / "unpickled"
    objects = np.empty((1, 1, 3), dtype=object)
    objects[...] = Trap(mark)
    path = write(tmp_path, story_neg_m=objects)
    with pytest.raises(DataError, match="cannot be read"):
        read_scores(path, ScoreKey("story", "neg", "m"))
    bare = tmp_path / "bare.npz"
    bare.write_bytes(pickle.dumps(Trap(mark)))
    with pytest.raises(DataError, match="cannot be read"):
        score_keys(bare)
    assert not mark.exists()


def test_other_files_are_refused(tmp_path):
    single = tmp_path / "single.npy"
    np.save(single, SCORES)
    empty = write(tmp_path)
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(write(tmp_path, story_neg_m=SCORES).read_bytes()[:-40])
    np.savez(empty)
    for path in (single, damaged, tmp_path / "nowhere.npz", empty):
        with pytest.raises(DataError, match=str(path.name)):
            score_keys(path)
