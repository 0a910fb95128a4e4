"""Published scores as a model: counts come back exactly, or the file is refused."""

import numpy as np
import pytest

from scrutiny.core.errors import DataError, ModelError, UserError
from scrutiny.core.queries.attention import KnowsHeadCounts
from scrutiny.models.stored_head_scores import counts_behind
from scrutiny.models.strings.model_families import expand
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.annotated import StoredHeads

GOLD = 6_382
TASK = StoredHeads()


def scores_of(tp, predicted, gold):
    """Scores as they are published; 0 of a head that predicts nothing."""
    with np.errstate(invalid="ignore"):
        precision = np.where(predicted > 0, tp / predicted, 0.0)
        return np.stack([precision, tp / gold, 2 * tp / (predicted + gold)], axis=-1)


def invented(seed, *, gold=GOLD, runs=None, shape=(4, 6)):
    rng = np.random.default_rng(seed)
    whole = shape if runs is None else (runs, *shape)
    tp = rng.integers(1, gold // 2, whole)
    return tp, tp + rng.integers(0, gold, whole), gold


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "s.npz"
    np.savez(
        path,
        story_pretrained_m=scores_of(*invented(0)),
        review_pretrained_m=scores_of(*invented(1, gold=18_472)),
        story_neg_m=scores_of(*invented(2, runs=11)),
        review_neg_m=scores_of(*invented(3, runs=11, gold=18_481)),
        story_neg_other_m=scores_of(*invented(4, runs=2)),
    )
    return path


@pytest.mark.parametrize("gold", [1_021, GOLD, 18_472, 18_481, 18_893])
def test_counts_come_back_exactly(gold):
    tp, predicted, _ = invented(5, gold=gold, shape=(12, 12))
    tp[0, 0] = predicted[0, 0] = 0
    found = counts_behind(scores_of(tp, predicted, gold))
    assert found.gold == gold
    np.testing.assert_array_equal(found.tp, tp)
    np.testing.assert_array_equal(found.predicted, predicted)


def test_a_head_that_was_never_right_stands_as_one_that_predicted_nothing():
    tp, predicted, gold = invented(6)
    tp[1, 1], predicted[1, 1] = 0, 7
    assert counts_behind(scores_of(tp, predicted, gold)).predicted[1, 1] == 0


def test_common_factors_change_no_score():
    tp, predicted, gold = (3 * part for part in invented(7, gold=500))
    found = counts_behind(scores_of(tp, predicted, gold))
    assert found.gold == 500
    np.testing.assert_allclose(scores_of(*found), scores_of(tp, predicted, gold), atol=1e-15)


def test_scores_of_other_origin_are_refused():
    scores = scores_of(*invented(8))
    for column, shift in ((0, 1e-9), (1, 1e-9), (2, 1e-9), (2, 2e-12)):
        bad = scores.copy()
        bad[0, 0, column] += shift
        with pytest.raises(DataError, match=r"no shares of one|not those of whole counts"):
            counts_behind(bad)
    with pytest.raises(DataError):
        counts_behind((scores + scores_of(*invented(9))) / 2)  # a mean of two runs


@pytest.mark.parametrize(
    "scores", [(0.6095693498571635, 0.31582937101109626, 0.1), (0.9, 0.5, 0.3)]
)
def test_a_head_whose_scores_are_nearly_those_of_many_words_is_refused(scores):
    """The closest fraction of such a share is almost, but not quite, the share."""
    with pytest.raises(DataError, match="its"):
        counts_behind(np.array([[scores]]))


def test_a_loaded_model_knows_its_corpora_and_nothing_else(file):
    model = load_model(f"head-scores:{file}#model=m,tuned=neg,run=11", TASK)
    assert isinstance(model, KnowsHeadCounts)
    assert model.attention_shape == (4, 6)
    assert (model.labels, model.capabilities) == ((), frozenset({"head_counts"}))
    tp, _, _ = invented(3, runs=11, gold=18_481)
    np.testing.assert_array_equal(model.head_counts("review").tp, tp[10])
    assert model.head_counts("review").gold == 18_481
    with pytest.raises(ModelError, match="no scores on 'novel'; there are story, review"):
        model.head_counts("novel")
    with pytest.raises(ModelError, match="no labels to predict"):
        model.predict([])


def test_fingerprints_tell_runs_and_files_apart(file, tmp_path):
    def print_of(path, run):
        return load_model(f"head-scores:{path}#model=m,tuned=neg,run={run}", TASK).fingerprint()

    other = tmp_path / "other.npz"
    np.savez(other, story_neg_m=scores_of(*invented(12, runs=2)))
    assert len({print_of(file, 1), print_of(file, 2), print_of(other, 1)}) == 3
    assert print_of(file, 1) == print_of(file, 1)


def test_a_family_has_the_runs_of_the_file_in_natural_order(file):
    source = f"head-scores:{file}#model=m,tuned=neg,run={{run}}"
    family = expand(source, random=["run"], name="neg")
    assert [dict(r.random) for r in family.replicates] == [{"run": str(k)} for k in range(1, 12)]
    assert family.replicates[10].source.endswith("run=11")
    assert all(r.condition == {} for r in family.replicates)


def test_models_may_be_captured_as_well(file):
    source = f"head-scores:{file}#tuned=neg,model={{model}},run={{run}}"
    family = expand(source, random=["run"], name="neg")
    pairs = [(r.condition["model"], r.random["run"]) for r in family.replicates]
    assert pairs[:1] + pairs[-2:] == [("m", "1"), ("other_m", "1"), ("other_m", "2")]
    assert len(pairs) == 13


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("tuned=neg,run=1", "does not say model="),
        ("model=m", "does not say tuned="),
        ("model=x,tuned=neg", r"is not there\. .* model=m,tuned=pretrained"),
        ("model=m,tuned=neg", r'has 11 runs: say run=1, or .* random = \["run"\]'),
        ("model=m,tuned=neg,run=12", "has 11 runs"),
        ("model=m,tuned=neg,run=0", "has 11 runs"),
        ("model=m,tuned=pretrained,run=1", "of a single model"),
        ("model=m,tuned=neg,seed=1", "no option 'seed'"),
    ],
)
def test_what_a_string_lacks_is_said(file, options, says):
    with pytest.raises(ModelError, match=says):
        load_model(f"head-scores:{file}#{options}", TASK)


def test_patterns_that_match_nothing_list_what_there_is(file):
    with pytest.raises(ModelError, match=r"Nothing matches .* model=m,tuned=neg"):
        expand(f"head-scores:{file}#model=m,tuned=pretrained,run={{run}}", random=["run"], name="p")


def test_arrays_of_other_shape_or_scores_are_refused_by_name(tmp_path):
    path = tmp_path / "odd.npz"
    scores = scores_of(*invented(0))
    np.savez(path, story_pretrained_m=scores, review_pretrained_m=scores[:, :3])
    with pytest.raises(ModelError, match="differ in shape"):
        load_model(f"head-scores:{path}#model=m,tuned=pretrained", TASK)
    np.savez(path, story_pretrained_m=scores * [1, 1, 0.99])
    with pytest.raises(UserError, match="story_pretrained_m"):
        load_model(f"head-scores:{path}#model=m,tuned=pretrained", TASK)
