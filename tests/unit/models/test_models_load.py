import pytest

from scrutiny.core.errors import ConformanceError, ModelError, UnknownNameError
from scrutiny.core.model import LoadOptions, Model, capabilities_of
from scrutiny.core.task import Prediction
from scrutiny.models.strings import model_loading as load_module
from scrutiny.models.strings.adapters import Adapter, adapter, known_targets
from scrutiny.models.strings.model_loading import load_model
from scrutiny.run.planning.loading import LoadedModels

MODEL = """
class Echo:
    labels = ("neg", "pos")
    def predict(self, texts):
        return ["pos" if "good" in t else "neg" for t in texts]

def make(seed):
    return Echo()
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "echo_model.py"
    path.write_text(MODEL)
    return path


def test_a_model_of_a_python_file(file, classification, make):
    model = load_model(f"python:{file}:Echo", classification)
    assert isinstance(model, Model)
    assert [p.answer for p in model.predict(make("good", "bad"))] == ["pos", "neg"]


def test_options_reach_the_adapter_and_the_string_wins(file, classification):
    options = LoadOptions(options={"seed": "1", "labels": "a|b"})
    assert load_model(f"python:{file}:make", classification, options).labels == ("a", "b")
    stated = load_model(f"python:{file}:make#labels=c|d", classification, options)
    assert stated.labels == ("c", "d")


def test_an_adapter_that_returns_no_model(monkeypatch, classification):
    monkeypatch.setattr(load_module, "adapter", lambda _: Adapter(lambda *_: object()))
    with pytest.raises(ConformanceError, match="returned a object"):
        load_model("hf:./x", classification)


class Plain:
    """All that any model has, and no base class."""

    source, task, labels, is_batch_invariant = "x", "text-classification", ("a", "b"), True
    capabilities = frozenset({"predict"})
    n_samples = 7

    def fingerprint(self):
        return "plain-of-this-test"

    def predict(self, examples):
        return [Prediction("a") for _ in examples]


def test_an_adapter_that_returns_an_object_with_the_members(monkeypatch, classification, make):
    monkeypatch.setattr(load_module, "adapter", lambda _: Adapter(lambda *_: Plain()))
    model = load_model("builtin:x", classification)
    assert isinstance(model, Model)
    assert (model.n_samples, model.fingerprint()) == (7, "plain-of-this-test")
    assert model.predict(make("x")) == [Prediction("a")]
    assert model.batches(make("x")) is None


def test_an_object_that_is_handed_over_with_the_members(classification):
    model = LoadedModels(given={"m": Plain()}).get("m", "", classification)[0]
    assert isinstance(model, Model)
    assert model.n_samples == 7
    assert capabilities_of(model, classification) == {"predict", "samples"}


def test_unknown_scheme(classification):
    with pytest.raises(UnknownNameError, match="'predictions'"):
        load_model("prediction:file.jsonl", classification)


def test_a_string_without_scheme(classification):
    with pytest.raises(ModelError, match=r"hf:\./my-model"):
        load_model("bert-base-uncased", classification)


def test_the_builtin_adapter_says_what_it_knows():
    families = {"sentiment": 5, "spam": 3, "spam-v2": 3}
    expected = [f"{name}/seed-{i}" for name, n in families.items() for i in range(1, n + 1)]
    assert known_targets("builtin") == tuple(expected)
    assert known_targets("python") == ()


def test_unknown_adapter():
    with pytest.raises(UnknownNameError):
        adapter("none")
