import pytest

from scrutiny.core.errors import ConformanceError, ModelError, UnknownNameError
from scrutiny.core.model import LoadOptions, Model
from scrutiny.models.strings import load as load_module
from scrutiny.models.strings.adapters import Adapter, adapter, known_targets
from scrutiny.models.strings.load import load_model

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
    assert [p.label for p in model.predict(make("good", "bad"))] == ["pos", "neg"]


def test_options_reach_the_adapter_and_the_string_wins(file, classification):
    options = LoadOptions(options={"seed": "1", "labels": "a|b"})
    assert load_model(f"python:{file}:make", classification, options).labels == ("a", "b")
    stated = load_model(f"python:{file}:make#labels=c|d", classification, options)
    assert stated.labels == ("c", "d")


def test_an_adapter_that_returns_no_model(monkeypatch, classification):
    monkeypatch.setattr(load_module, "adapter", lambda _: Adapter(lambda *_: object()))
    with pytest.raises(ConformanceError, match="returned a object"):
        load_model("hf:./x", classification)


def test_unknown_scheme(classification):
    with pytest.raises(UnknownNameError, match="'predictions'"):
        load_model("prediction:file.jsonl", classification)


def test_a_string_without_scheme(classification):
    with pytest.raises(ModelError, match=r"hf:\./my-model"):
        load_model("bert-base-uncased", classification)


def test_the_builtin_adapter_says_what_it_knows():
    assert known_targets("builtin") == tuple(f"sentiment/seed-{i}" for i in range(1, 6))
    assert known_targets("python") == ()


def test_unknown_adapter():
    with pytest.raises(UnknownNameError):
        adapter("none")
