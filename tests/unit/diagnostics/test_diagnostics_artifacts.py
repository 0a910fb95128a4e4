"""Artifacts: baselines that see a part, words that go with a label, and the AFLite filter."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from design_inputs import inputs_of
from toy_runs import estimate, run

from scrutiny.core.answers.choices import Option
from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import DataError, MissingExtraError, PlanError, UserError
from scrutiny.core.example import Example
from scrutiny.core.model import PlainModel
from scrutiny.core.task import Prediction
from scrutiny.data.hashes import training_hashes
from scrutiny.diagnostics.artifacts import artifacts
from scrutiny.diagnostics.artifacts.aflite import (
    PUBLISHED,
    Filtering,
    aflite,
    fitted_linear,
    out_of_fold,
)
from scrutiny.diagnostics.artifacts.artifacts import Artifacts, ArtifactsParams
from scrutiny.diagnostics.artifacts.filtering import Aflite, AfliteParams
from scrutiny.diagnostics.artifacts.label_words import label_words
from scrutiny.diagnostics.artifacts.partial_input import fit_part, shown_parts
from scrutiny.diagnostics.artifacts.without_reading import FILTERED, PART, TOO_FAR
from scrutiny.report.load import load_view
from scrutiny.tasks.tasks import load_task


def planted(n, rng):
    """Two circles, and a feature that is the label itself on three items of four, noise elsewhere.

    After Le Bras et al. (2020), section 4.
    """
    labels = np.arange(n) % 2
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + labels + rng.normal(0, 0.15, n)
    has = rng.permutation(np.arange(n) < 0.75 * n)
    told = np.where(has, 2 * labels - 1, 0) + rng.normal(0, 0.25, n)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle), told], labels, has


def test_the_filter_takes_out_what_a_linear_feature_tells():
    rng = np.random.default_rng(2)
    features, labels, has = planted(1000, rng)
    made = aflite(features, labels, Filtering(400, 32, 100, 50), rng=rng)
    assert made.sizes == (50,) * 12
    assert made.kept.sum() == 400
    assert 0.91 <= has[made.removed].mean() <= 0.97
    assert 0.42 <= has[made.kept].mean() <= 0.48

    def accuracy(rows):
        return out_of_fold(features[rows], labels[rows], folds=5, rng=rng).mean()

    assert 0.86 <= accuracy(np.ones(1000, dtype=bool)) <= 0.90
    assert 0.66 <= accuracy(made.kept) <= 0.72
    assert accuracy(rng.permutation(1000) < 400) > 0.84  # as many at random
    assert made.predictability[made.removed].min() >= 0.75
    assert set(made.round[made.removed]) == set(range(1, 13))


def test_nothing_reaches_a_predictability_above_1_and_ties_go_by_order():
    rng = np.random.default_rng(0)
    features, labels, _ = planted(200, rng)
    made = aflite(features, labels, Filtering(100, 8, 50, 20, tau=1.01), rng=rng)
    assert (made.sizes, made.kept.all()) == ((), True)
    told = np.c_[2.0 * labels - 1]  # every item held out has predictability 1
    made = aflite(told, labels, Filtering(195, 64, 20, 20), rng=rng)
    assert np.flatnonzero(made.removed).tolist() == [0, 1, 2, 3, 4]  # and not below the target


def test_what_a_feature_model_was_tuned_on_is_in_no_part_of_it():
    rng = np.random.default_rng(1)
    features, labels, _ = planted(300, rng)
    tuned = np.arange(300) < 50
    features[tuned] = np.nan  # would fail if it were fitted to
    made = aflite(features, labels, Filtering(100, 8, 60, 30), rng=rng, tuned=tuned)
    assert (made.round[tuned] == -1).all()
    assert not (made.kept | made.removed)[tuned].any()
    assert np.isnan(made.predictability[tuned]).all()


def test_published_sizes_have_their_names_and_small_data_is_refused():
    assert (PUBLISHED["winogrande"].train_size, PUBLISHED["winogrande"].slice_size) == (10_000, 500)
    assert AfliteParams(variant="winogrande", tau=0.8).sizes(50).tau == 0.8
    assert Filtering.in_proportion(43_972).target_size == 12_282
    rng = np.random.default_rng(0)
    with pytest.raises(DataError, match="none is held out"):
        aflite(np.zeros((5, 1)), np.arange(5) % 2, Filtering(2, 2, 5, 1), rng=rng)
    with pytest.raises(DataError, match="one label"):
        aflite(np.zeros((5, 1)), np.zeros(5), Filtering(2, 2, 2, 1), rng=rng)
    with pytest.raises(DataError, match="one row for each label"):
        aflite(np.zeros((4, 1)), np.zeros(5), Filtering(2, 2, 2, 1), rng=rng)
    with pytest.raises(DataError, match="nothing to remove"):
        aflite(np.zeros((5, 1)), np.arange(5) % 2, Filtering(5, 2, 2, 1), rng=rng)
    with pytest.raises(DataError, match="give two"):
        out_of_fold(np.zeros((1, 1)), np.zeros(1), folds=5, rng=rng)
    assert out_of_fold(np.c_[[1.0, 1, -1]], np.array([1, 1, 0]), folds=5, rng=rng)[:2].all()
    with pytest.raises(PlanError, match="in proportion, winogrande"):
        AfliteParams(variant="other")


def test_the_fit_is_scikit_learns():
    from sklearn.linear_model import LogisticRegression

    features, labels, _ = planted(100, np.random.default_rng(0))
    own = fitted_linear(features, labels).coef_
    assert np.allclose(own, LogisticRegression(max_iter=1000).fit(features, labels).coef_)


def pairs(n, *, share=0.8, seed=0):
    """Pairs whose second text tells the label in a share of them; the first never does."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        label = ("yes", "no")[i % 2]
        word = label if rng.random() < share else ("yes", "no")[rng.integers(2)]
        first = " ".join(rng.choice(list("abcdefgh"), 4))
        told = {"yes": "someone", "no": "nobody"}[word]
        rows.append(
            {
                "text": first,
                "text_pair": f"{told} {' '.join(rng.choice(list('klm'), 3))}",
                "label": label,
            }
        )
    return rows


class Reader:
    labels = ("no", "yes")

    def predict(self, texts):
        return [[0.8, 0.2] if "nobody" in pair[1] else [0.3, 0.7] for pair in texts]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "run"
    return run("artifacts", Reader(), pairs(400), out, task="text-pair-classification")


def test_a_part_that_tells_is_found_and_one_that_does_not_is_not(folder):
    told = estimate(folder, "told", shown="text_pair")
    chance = estimate(folder, "told", role="control", shown="text_pair")
    assert told.value == pytest.approx(0.9, abs=0.05)
    assert chance.value == pytest.approx(0.5, abs=0.1)
    beyond = estimate(folder, "beyond(told)", shown="text_pair")
    assert beyond.value == pytest.approx(told.value - chance.value)
    assert estimate(folder, "beyond(told)", shown="text").low < 0
    by_part = {f.claim.risk.what: f.verdict for f in folder.findings()}
    assert by_part["text_pair alone"] == "hurts"
    assert by_part["text alone"] != "hurts"


def test_the_models_answers_are_split_by_what_the_part_tells(folder):
    # the model follows the word as the baseline does: right where it tells, wrong elsewhere
    assert estimate(folder, "mean(right_told)", shown="text_pair").value == 1
    assert estimate(folder, "mean(right_not_told)", shown="text_pair").value == 0


def test_the_page_says_what_each_part_tells_and_which_words(folder):
    view = load_view(folder.path)
    parts, words = PART.make(view).charts
    assert [row[0] for row in parts.table.rows] == ["text", "text_pair", "lengths"]
    assert {row[:3] for row in words.table.rows[:2]} == {
        ("nobody", "text_pair", "no"),
        ("someone", "text_pair", "yes"),
    }
    assert FILTERED.make(view) is None


def test_copies_of_a_text_do_not_answer_for_one_another():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(100)]  # each twice, with one label that no other text tells
    examples = [
        Example(str(i), {"text": "x", "text_pair": f"{words[i // 2]}"}, ("no", "yes")[i // 2 % 2])
        for i in range(200)
    ]
    found = fit_part("text_pair", examples, rng=rng)
    assert found.right.mean() < 0.65


def test_a_training_set_is_fitted_to_where_there_is_one():
    told = [
        Example(str(i), {"a": "t", "b": ("n", "y")[i % 2]}, ("no", "yes")[i % 2]) for i in range(20)
    ]
    other = [
        Example(str(i), {"a": "x", "b": ("y", "n")[i % 2]}, ("no", "yes")[i % 2]) for i in range(20)
    ]
    found = fit_part("b", other, rng=np.random.default_rng(0), training=told)
    assert found.right.mean() == 0
    one_label = [Example(str(i), {"a": "x", "b": f"{i}"}, "yes") for i in range(4)]
    assert fit_part("b", one_label, rng=np.random.default_rng(0)).right.all()


def test_copies_in_the_training_set_do_not_answer():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice([f"w{i}" for i in range(300)], 6)) for _ in range(400)]
    made = [Example(str(i), {"a": t}, rng.choice(["no", "yes"])) for i, t in enumerate(texts)]
    asked = made[100:]  # labels are random, and 200 of these 300 are in training
    found = fit_part("a", asked, rng=rng, training=made[:300])
    alone = fit_part("a", asked, rng=np.random.default_rng(0), training=made[:100])
    assert found.right.mean() < 0.6
    assert (found.right == alone.right).all()


def test_options_are_chosen_by_how_they_look_beside_the_others():
    rng = np.random.default_rng(3)
    examples = []
    for i in range(120):
        gold = int(rng.integers(3))
        texts = [" ".join(rng.choice(list("abcdef"), 6 if o == gold else 2)) for o in range(3)]
        fields = {"text": "q", **{f"option_{o + 1}": text for o, text in enumerate(texts)}}
        examples.append(Example(str(i), fields, Option(gold)))
    task = load_task("multiple-choice")
    assert shown_parts(task, ("text", "option_1")) == ("options",)
    assert shown_parts(task, ("text", "question"))[1] == "question and options"
    found = fit_part("options", examples, rng=rng)
    assert found.right.mean() > 0.95
    assert found.shuffled.mean() == pytest.approx(1 / 3, abs=0.15)


def test_words_of_labels_are_tested_exactly_and_as_published():
    from scipy.stats import fisher_exact

    texts = ["nobody"] * 6 + ["someone"] * 10 + ["nobody"] * 1
    labels = ["no"] * 6 + ["yes"] * 5 + ["no"] * 5 + ["yes"]
    found = {(one.word, one.label): one for one in label_words({"b": texts}, labels)}
    nobody = found["nobody", "no"]
    p = fisher_exact([[6, 1], [5, 5]], alternative="greater").pvalue
    assert nobody.p == pytest.approx(min(1, 4 * p))  # two words and two labels; the smallest
    assert nobody.z == pytest.approx((6 / 7 - 11 / 17) / np.sqrt(11 / 17 * 6 / 17 / 7))
    smooth = np.array([[106, 101], [105, 105]])
    expected = np.log(106 * smooth.sum() / (smooth[0].sum() * smooth[:, 0].sum()))
    assert nobody.pmi == pytest.approx(expected)
    published = label_words({"b": texts}, labels, expected="uniform")
    own = next(one for one in published if (one.word, one.label) == ("nobody", "no"))
    assert own.z == pytest.approx((6 / 7 - 0.5) / np.sqrt(0.25 / 7))


def test_shuffled_labels_have_no_words_and_odd_input_is_said():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdefghij"), 5)) for _ in range(300)]
    false = [
        min(one.p for one in label_words({"t": texts}, list(rng.permutation(["1", "2"] * 150))))
        for _ in range(20)
    ]
    assert sum(p <= 0.05 for p in false) <= 3
    assert label_words({"t": ["a"] * 9}, ["1"] * 9) == []
    with pytest.raises(DataError, match="t has 1 texts"):
        label_words({"t": ["a"]}, [])
    with pytest.raises(DataError, match="'shares' or 'uniform'"):
        label_words({"t": []}, [], expected="other")


def test_aflite_leaves_what_its_features_do_not_tell(tmp_path):
    rows = pairs(300, share=0.75, seed=4)
    for i, row in enumerate(rows):
        row["tuned"] = "yes" if i < 30 else "no"
    sizes = {"train_size": 60, "slice_size": 40, "target_size": 30, "n_partitions": 16}
    made = run(
        "aflite",
        Reader(),
        rows,
        tmp_path / "run",
        task="text-pair-classification",
        source="object:x#group=tuned",
        tuned_on="tuned",
        **sizes,
    )
    removed = estimate(made, "share(removed)")
    assert removed.value > 0.4
    assert (removed.counts.n, removed.counts.skipped) == (270, 30)
    assert estimate(made, "mean(linear_kept)").value < estimate(made, "mean(linear_random)").value
    assert estimate(made, "mean(right_kept)").value < estimate(made, "mean(right)").value
    (finding,) = made.findings()
    under, drawn = (estimate(made, "under", role=role) for role in ("measured", "control"))
    assert drawn.value < 0 < under.low
    assert finding.verdict == "supported"
    assert TOO_FAR in FILTERED.make(load_view(made.path)).charts[0].caption
    with pytest.raises(UserError, match="no group 'other'"):
        run(
            "aflite",
            Reader(),
            rows,
            tmp_path / "b",
            task="text-pair-classification",
            tuned_on="other",
        )


class Encoder(PlainModel):
    """Vectors that tell the label of the second text; it was trained on the first ten items."""

    capabilities = frozenset({"predict", "representations"})
    labels = ("no", "yes")
    n_layers = 3
    source = "toy:encoder"

    def __init__(self, seen):
        self.seen = seen

    def training_hashes(self):
        return training_hashes(self.seen)

    def representations(self, passages, *, poolings, layers):
        assert (poolings, layers) == (("mean",), (3,))
        told = np.array([["nobody" in p.pair, len(p.text)] for p in passages], dtype=np.float32)
        return told[:, None, None]


def test_vectors_of_a_model_leave_out_what_it_was_trained_on():
    rows = pairs(120, share=0.9, seed=5)
    examples = [
        Example(
            str(i), {"text": r["text"] + str(i), "text_pair": f"{r['text_pair']} {i}"}, r["label"]
        )
        for i, r in enumerate(rows)
    ]
    seen = [text for e in examples[:10] for text in e.fields.values()]
    seen += [examples[50].fields["text"]]  # one text of two is not the item

    class Given:
        model, task, training = Encoder(seen), load_task("text-pair-classification"), ()

        def predict(self, examples):
            return [Prediction("yes") for _ in examples]

        def rng(self, *names):
            return np.random.default_rng(0)

    sizes = {"train_size": 30, "slice_size": 20, "target_size": 20, "n_partitions": 8}
    params = AfliteParams(features="model", **sizes)
    cell, batch = Cell("m", None, "x"), Batch(tuple(examples))
    made = list(Aflite().measure(params, cell, batch, Given()))
    made = [row for row in made if row.role == "measured"]
    assert [row.status for row in made] == ["skipped"] * 10 + ["ok"] * 110
    removed = [row.values[0] for row in made[10:]]
    assert sum(removed) > 60
    none = Batch(tuple(replace(e, gold=None) for e in examples))
    with pytest.raises(DataError, match="none of the 120 items has a gold label"):
        list(Aflite().measure(params, cell, none, Given()))
    odd = Batch(tuple(replace(e, attributes={"a_t": "Yes"}) for e in examples))
    with pytest.raises(PlanError, match="says 'Yes' of an item"):
        list(Aflite().measure(replace(params, tuned_on="t"), cell, odd, Given()))
    with pytest.raises(PlanError, match="needs vectors, which m lacks"):
        Aflite().design(params, inputs_of(Given.task))


def test_a_part_that_is_not_there_and_one_text_are_told(tmp_path):
    rows = pairs(20)
    with pytest.raises(UserError, match=r"no part called 'premise'.*text, text_pair, lengths"):
        run(
            "artifacts",
            Reader(),
            rows,
            tmp_path / "a",
            task="text-pair-classification",
            shown=["premise"],
        )
    texts = [{"text": "a " * (1 + 9 * (i % 2)), "label": ("no", "yes")[i % 2]} for i in range(60)]

    class Short:
        labels = ("no", "yes")

        def predict(self, texts):
            return [[0.9, 0.1] for _ in texts]

    made = run("artifacts.one-text", Short(), texts, tmp_path / "c")
    # copies are in one fold: of two texts, each is alone in its own, and never learned
    assert estimate(made, "told", shown="lengths").value == 0


def test_without_the_extra_an_audit_goes_on_and_a_plan_does_not(monkeypatch):
    monkeypatch.setattr(artifacts, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    task = load_task("text-pair-classification")
    audited = inputs_of(task, is_audit=True, fields=("text", "text_pair"))
    (said,) = Artifacts().design(ArtifactsParams(), audited).left_out
    assert 'pip install "scrutiny[clusters]"' in said
    planned = inputs_of(task, fields=("text", "text_pair"))
    for one, params in ((Artifacts(), ArtifactsParams()), (Aflite(), AfliteParams())):
        with pytest.raises(MissingExtraError, match=r"scrutiny\[clusters\]"):
            one.design(params, planned)
    example = Example("1", {"text": "a", "text_pair": "b"}, "yes")
    cell, batch = Cell("m", None, "x"), Batch((example,))
    (row, _), *_ = [list(Artifacts().measure(ArtifactsParams(), cell, batch, Nothing()))[:2]]
    assert row.status == "skipped"


class Nothing:
    training = ()
    task = load_task("text-pair-classification")
