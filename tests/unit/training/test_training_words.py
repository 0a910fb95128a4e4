"""Linear and recurrent classifiers over words: families, what a seed decides, what is written."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from word_texts import write_rows

from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.models.strings.model_families import expand
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter
from scrutiny.training.finetuning.training_data import load_parts
from scrutiny.training.words.linear import LinearRecipe, drawn_rows
from scrutiny.training.words.trainers import train_words

TASK = "text-classification"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("words") / "rows.tsv")


@pytest.fixture(scope="module")
def linear(data, tmp_path_factory):
    pytest.importorskip("sklearn")
    out = tmp_path_factory.mktemp("linear")
    return out, train_words(data, out, recipe=LinearRecipe())


def loaded(scheme, out):
    replicates = expand(f"{scheme}:{out}/seed-{{seed}}", name="models").replicates
    return [load_model(one.source, load_task(TASK)) for one in replicates]


def ask(model, *texts):
    examples = [Example(id=str(i), fields={"text": t}) for i, t in enumerate(texts)]
    return [answer.scores for answer in model.predict(examples)]


def test_a_linear_family_knows_its_words(linear):
    out, members = linear
    models = loaded("linear", out)
    assert [one.record["seed"] for one in members] == [1, 2, 3]
    assert all(one.record["dev_score"] == 1.0 for one in members)
    for model in models:
        check_adapter(model)
        good, bad = ask(model, "the acting was lovely", "the acting was dull")
        assert good[1] > 0.6
        assert bad[1] < 0.4
    assert len({model.fingerprint() for model in models}) == 3


def test_weights_are_those_of_scikit_learn_on_the_rows_of_the_seed(linear, data):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    from scrutiny.models.words.word_model import Vocabulary

    out, _ = linear
    recipe = LinearRecipe()
    parts = load_parts(data, recipe.rows(), task=TASK)
    chosen = [parts.train[i] for i in drawn_rows(recipe, len(parts.train), seed=2)]
    bag = CountVectorizer(analyzer=Vocabulary.cut).fit([e.text for e in chosen])
    model = LogisticRegression(max_iter=5000, tol=1e-8)
    model.fit(bag.transform([e.text for e in chosen]), [e.gold for e in chosen])
    texts = ["the film was good", "bad", "tired and fine", "nothing of this is known"]
    expected = model.predict_proba(bag.transform(texts))
    assert np.abs(np.array(ask(loaded("linear", out)[1], *texts)) - expected).max() < 1e-3


def test_what_is_there_is_left_and_something_else_is_refused(linear, data):
    out, members = linear
    before = (out / "seed-1" / "weights.npz").stat().st_mtime_ns
    again = train_words(data, out, recipe=LinearRecipe())
    assert [one.record for one in again] == [one.record for one in members]
    assert (out / "seed-1" / "weights.npz").stat().st_mtime_ns == before
    with pytest.raises(PlanError, match="holds something else"):
        train_words(data, out, recipe=LinearRecipe(strength=0.1))


def test_the_same_seed_gives_the_same_bytes(linear, data, tmp_path):
    out, _ = linear
    train_words(data, tmp_path, recipe=LinearRecipe(), seeds=[2])
    for name in ("weights.npz", "vocabulary.json", "config.json", "training_hashes.npy"):
        assert (tmp_path / "seed-2" / name).read_bytes() == (out / "seed-2" / name).read_bytes()


def test_training_text_is_known(linear):
    from scrutiny.data.hashes import WITH_MARKS, training_hashes

    out, members = linear
    hashes = loaded("linear", out)[0].training_hashes()
    assert len(hashes) - 1 == members[0].record["data"]["train"]["n"]
    seen = training_hashes(["the film was good ."]).tolist()
    unseen = training_hashes(["something else"]).tolist()
    assert set(unseen) & set(hashes.tolist()) == {WITH_MARKS}
    assert len(seen) == 2


def test_pairs_of_words_and_subsamples(data, tmp_path):
    pytest.importorskip("sklearn")
    recipe = LinearRecipe(has_pairs=True, draw="subsample", share=0.5)
    train_words(data, tmp_path, recipe=recipe, seeds=[0])
    (model,) = loaded("linear", tmp_path)
    assert "gradients" not in model.capabilities
    words = json.loads((tmp_path / "seed-0" / "vocabulary.json").read_text())
    assert "was good" in words or "was dull" in words
    rows = drawn_rows(recipe, 100, seed=0)
    assert len(set(rows)) == len(rows) == 50
    assert len(set(drawn_rows(LinearRecipe(), 100, seed=0))) < 75  # about 63 of 100 are drawn


def test_three_labels(tmp_path):
    pytest.importorskip("sklearn")
    data = write_rows(tmp_path / "three.tsv", labels=("neg", "pos", "size"))
    train_words(data, tmp_path / "out", recipe=LinearRecipe(), seeds=[1])
    (model,) = loaded("linear", tmp_path / "out")
    assert model.labels == ("neg", "pos", "size")
    answers = ask(model, "it was weak", "it was fine", "it was short")
    assert [scores.index(max(scores)) for scores in answers] == [0, 1, 2]


def test_data_without_common_words_is_refused(tmp_path):
    pytest.importorskip("sklearn")
    (tmp_path / "odd.tsv").write_text("sentence\tlabel\none\ta\ntwo\tb\nthree\ta\nfour\tb\n")
    data = f"tsv:{tmp_path / 'odd.tsv'}#text=sentence,label=label"
    with pytest.raises(DataError, match="occurs in 2 texts"):
        train_words(data, tmp_path / "out", recipe=LinearRecipe(dev_share=0), seeds=[1])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"draw": "jackknife"}, "draw is one of"),
        ({"share": 1.0}, "share must lie"),
        ({"strength": 0}, "strength must be above 0"),
        ({"least": 0}, "least must be at least 1"),
        ({"limit": 0}, "limit must be at least 1"),
    ],
)
def test_recipes_that_do_not_read(given, message):
    with pytest.raises(PlanError, match=message):
        LinearRecipe(**given)


def test_seeds_that_do_not_read(data, tmp_path):
    for seeds in ([], [1, 1], [-1]):
        with pytest.raises(PlanError, match="different whole numbers"):
            train_words(data, tmp_path, recipe=LinearRecipe(), seeds=seeds)


def test_a_recurrent_family_knows_its_words(data, tmp_path):
    pytest.importorskip("torch")
    from scrutiny.models.words.recurrent_classifier import RecurrentArchitecture
    from scrutiny.training.words.network_recipes import RecurrentRecipe

    architecture = RecurrentArchitecture(cell="gru", embedding=12, hidden=12)
    recipe = RecurrentRecipe(architecture, epochs=3, lr=4e-2, batch=16, least=1)
    found = train_words(data, tmp_path, recipe=recipe, seeds=[1, 2])
    models = loaded("recurrent", tmp_path)
    assert len({model.fingerprint() for model in models}) == 2
    for model, member in zip(models, found, strict=True):
        check_adapter(model)
        good, bad = ask(model, "the story was lovely", "the story was dull")
        assert good[1] > bad[1] + 0.3
        record = member.record
        assert record["dev_score"] == max(one["dev"] for one in record["epochs"])
        assert record["epochs"][record["chosen_epoch"] - 1]["dev"] == record["dev_score"]
    train_words(data, tmp_path / "again", recipe=recipe, seeds=[1])
    weights = "seed-1/model.safetensors"
    assert (tmp_path / "again" / weights).read_bytes() == (tmp_path / weights).read_bytes()


def test_the_commands(data, tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("torch")
    from scrutiny.cli.verbs.train import linear as linear_command
    from scrutiny.cli.verbs.train import recurrent as recurrent_command

    out = str(tmp_path / "linear")
    found = CliRunner().invoke(linear_command, ["--data", data, "--out", out, "--seeds", "1,2"])
    assert found.exit_code == 0, found.output
    assert f"model: linear:{out}/seed-{{seed}}" in found.output
    arguments = ["--data", data, "--seeds", "3", "--epochs", "1", "--one-way", "--json"]
    sizes = ["--embedding", "4", "--hidden", "4", "--out", str(tmp_path / "gru"), "--cell", "gru"]
    found = CliRunner().invoke(recurrent_command, arguments + sizes)
    record = json.loads(found.stdout)
    assert record["recipe"]["architecture"]["is_bidirectional"] is False
    assert (tmp_path / "gru" / "seed-3" / "model.safetensors").is_file()
    found = CliRunner().invoke(linear_command, ["--data", data, "--out", out, "--seeds", "a"])
    assert isinstance(found.exception, PlanError)
