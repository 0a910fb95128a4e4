import sys
from pathlib import Path

import numpy as np
import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import LoadOptions
from scrutiny.models.answers.checked import AnswerError, predict_or_fail
from scrutiny.models.strings.model_loading import load_model
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.tasks.classification import TextClassification

CODE = """
import numpy as np

CALLS = []

def probabilities(texts):
    CALLS.append(texts)
    return np.array([[0.9, 0.1] if "bad" in t else [0.2, 0.8] for t in texts])

def words_as_labels(texts):
    return ["bad" if "bad" in t else "good" for t in texts]

def mappings(texts):
    return [{"good": 1.0} for _ in texts]

def pairs(pairs):
    return ["same" if a == b else "other" for a, b in pairs]

def scalar(texts):
    return [0.7 for _ in texts]

def short(texts):
    return ["good"]

def make(seed, threshold="1"):
    def predict(texts):
        return [f"{seed}-{threshold}" for _ in texts]
    return predict

class Fingerprinted:
    classes_ = np.array([0, 1])
    is_batch_invariant = True
    def __init__(self, name="a"):
        self.name = name
    def fingerprint(self):
        return self.name
    def predict_proba(self, texts):
        return [[1.0, 0.0]] * len(texts)

class Nothing:
    pass

instance = Fingerprinted()
number = 3

def bio(texts):
    return [["B-PER", "O"] for _ in texts]

def found(texts):
    return [[(0, 3, "PER"), {"start": 4, "end": 8, "entity_group": "LOC"}] for _ in texts]

def first_word(rows):
    return [["B-PER"] + ["O"] * (len(row) - 1) for row in rows]

def one_text(texts):
    return "g" * len(texts)

def without_order(texts):
    return {"good", "bad"}

def by_text(texts):
    return {text: "good" for text in texts}

def complex_numbers(texts):
    return np.full((len(texts), 2), 0.5 + 1j)

def endless(texts):
    while True:
        yield "good"

class OneWord:
    labels = "good"
    def predict(self, texts):
        return ["good" for _ in texts]

class Twice(OneWord):
    labels = ("b", "a", "a")

class OneNumber(OneWord):
    labels = 2

class Once(OneWord):
    labels = (label for label in ("bad", "good"))

class StandIn:
    labels = ("bad", "good")
    def __getattr__(self, name):
        return lambda *_: name
    def predict_proba(self, texts):
        return [[0.0, 1.0] for _ in texts]

class Trap(OneWord):
    labels = ("bad", "good")
    @property
    def is_batch_invariant(self):
        raise RuntimeError("not yet")
"""


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "models_of_a_user.py"
    path.write_text(CODE)
    return f"python:{path}"


def labels_of(model, examples):
    return [p.answer for p in predict_or_fail(model, examples)]


def test_probabilities_with_stated_labels(target, classification, make):
    model = load_model(f"{target}:probabilities#labels=bad|good", classification)
    assert labels_of(model, make("so bad", "fine")) == ["bad", "good"]
    assert predict_or_fail(model, make("bad"))[0].scores == (0.9, 0.1)


def test_probabilities_without_labels(target, classification, make):
    model = load_model(f"{target}:probabilities", classification)
    with pytest.raises(ModelError, match="#labels=negative"):
        model.predict(make("bad"))


def test_probabilities_of_too_many_labels(target, classification, make):
    model = load_model(f"{target}:probabilities#labels=a|b|c", classification)
    with pytest.raises(
        ModelError, match=r"shape \(2, 2\) for 2 examples; the shape must be \(2, 3\)"
    ):
        model.predict(make("x", "y"))
    (failure,) = predict_or_fail(model, make("x"))
    assert "shape (1, 2) for 1 examples" in failure.message


def test_labels(target, classification, make):
    model = load_model(f"{target}:words_as_labels", classification)
    assert model.labels == ()
    assert labels_of(model, make("bad", "fine")) == ["bad", "good"]


def test_mappings_may_leave_labels_out(target, classification, make):
    model = load_model(f"{target}:mappings#labels=bad|good", classification)
    assert model.predict(make("x"))[0].scores == (0.0, 1.0)
    with pytest.raises(AnswerError, match="not among its labels"):
        load_model(f"{target}:mappings#labels=a|b", classification).predict(make("x"))


def test_pairs_come_as_tuples(target, pairs):
    model = load_model(f"{target}:pairs", pairs)
    examples = [
        Example("0", {"text": "a", "text_pair": "a"}),
        Example("1", {"text": "a", "text_pair": "b"}),
    ]
    assert labels_of(model, examples) == ["same", "other"]


def test_one_number_a_text_is_refused(target, classification, make):
    model = load_model(f"{target}:scalar#labels=a|b", classification)
    with pytest.raises(AnswerError, match=r"returned 0\.7 for an example"):
        model.predict(make("x"))


def test_too_few_answers(target, classification, make):
    model = load_model(f"{target}:short", classification)
    with pytest.raises(ModelError, match="1 answers to 4 examples"):
        predict_or_fail(model, make(*"wxyz"))


def test_factories_are_given_the_options(target, classification, make):
    model = load_model(f"{target}:make#seed=7", classification)
    assert labels_of(model, make("x")) == ["7-1"]
    model = load_model(f"{target}:make#seed=7,threshold=2", classification)
    assert labels_of(model, make("x")) == ["7-2"]


def test_unknown_options(target, classification):
    with pytest.raises(ModelError, match="takes no option 'seed'"):
        load_model(f"{target}:words_as_labels#seed=7", classification)
    with pytest.raises(ModelError, match="cannot be made from the options"):
        load_model(f"{target}:Fingerprinted#nam=x", classification)


def test_classes_and_instances(target, classification, make):
    for name in ("Fingerprinted", "instance"):
        model = load_model(f"{target}:{name}", classification)
        assert model.labels == ("0", "1")
        assert labels_of(model, make("x", "y")) == ["0", "0"]
        assert model.is_batch_invariant


def test_fingerprints(target, classification):
    def of(name):
        return load_model(f"{target}:{name}", classification).fingerprint()

    assert of("words_as_labels") is None
    assert of("instance") == of("instance")
    assert len({of("instance"), of("Fingerprinted#name=b"), of("instance#labels=a|b")}) == 3


def test_a_number_of_texts_for_each_call(target, classification, make):
    model = load_model(f"{target}:probabilities#labels=a|b", classification, LoadOptions(batch=2))
    model.predict(make(*"abcde"))
    module = sys.modules[model._object.__module__]
    assert [len(call) for call in module.CALLS] == [2, 2, 1]


def test_objects_that_cannot_be_asked(target, classification):
    with pytest.raises(ModelError, match="is a int"):
        load_model(f"{target}:number", classification)
    with pytest.raises(ModelError, match="is a Nothing"):
        load_model(f"{target}:Nothing", classification)


def test_a_scikit_learn_pipeline(tmp_path, classification, make):
    (tmp_path / "pipeline_of_a_user.py").write_text(
        "from sklearn.feature_extraction.text import CountVectorizer\n"
        "from sklearn.naive_bayes import MultinomialNB\n"
        "from sklearn.pipeline import make_pipeline\n"
        "model = make_pipeline(CountVectorizer(), MultinomialNB())\n"
        "model.fit(['good fine', 'bad awful'], ['pos', 'neg'])\n"
    )
    model = load_model(f"python:{tmp_path}/pipeline_of_a_user.py:model", classification)
    assert model.labels == ("neg", "pos")
    assert labels_of(model, make("good", "awful")) == ["pos", "neg"]


def test_taggers_return_tags_or_spans(target, tagging, make):
    examples = make("Ada left")
    person = Span("text", 0, 3, "PER")
    assert load_model(f"{target}:bio", tagging).predict(examples)[0].answer == (person,)
    spans = load_model(f"{target}:found", tagging).predict(examples)[0].answer
    assert spans == (person, Span("text", 4, 8, "LOC"))


def test_taggers_of_words_get_the_tokens_of_the_data(target, tagging):
    example = Example("0", {"text": "New York ok"}, tokens={"text": ((0, 8), (9, 11))})
    model = load_model(f"{target}:first_word#input=words", tagging)
    assert model.predict([example])[0].answer == (Span("text", 0, 8, "PER"),)


def test_the_wrong_number_of_tags(target, tagging, make):
    model = load_model(f"{target}:bio", tagging)
    right, wrong = predict_or_fail(model, make("Ada left", "Ada left home"))
    assert right.answer == (Span("text", 0, 3, "PER"),)
    assert wrong.reason == "bad_answer"
    assert "item '1': 2 tags were given to a text of 3 tokens" in wrong.message
    assert "#input=words" in wrong.message
    words = load_model(f"{target}:bio#input=words", tagging)
    (told,) = predict_or_fail(words, make("Ada left home"))
    assert "return a tag for each of them" in told.message


def test_input_is_text_or_words(target, tagging):
    with pytest.raises(ModelError, match="input= is text or words"):
        load_model(f"{target}:bio#input=tokens", tagging)


@pytest.mark.parametrize("name", ["model.joblib", "./model.pkl", "model.pickle:clf"])
def test_pickles_are_never_loaded(name, classification):
    with pytest.raises(ModelError, match="pickle, which scrutiny never loads"):
        load_model(f"python:{name}", classification)


def test_modules_of_the_working_folder(tmp_path, monkeypatch, classification, make):
    (tmp_path / "module_in_cwd.py").write_text(
        "def predict(texts):\n    return ['x'] * len(texts)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    model = load_model("python:module_in_cwd:predict", classification)
    assert labels_of(model, make("a")) == ["x"]


def test_a_module_that_is_not_there(classification):
    with pytest.raises(ModelError, match="there is no module 'no_such_module'"):
        load_model("python:no_such_module:predict", classification)


def test_a_module_that_needs_another(tmp_path, monkeypatch, classification):
    (tmp_path / "needs_another.py").write_text("import not_installed_anywhere\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModelError, match="needs not_installed_anywhere"):
        load_model("python:needs_another:predict", classification)


def test_an_object_that_is_not_there(target, classification):
    with pytest.raises(ModelError, match="Did you mean 'mappings'"):
        load_model(f"{target}:maping", classification)


def test_a_file_that_is_not_there(tmp_path, classification):
    (tmp_path / "there.py").write_text("")
    with pytest.raises(ModelError, match=r"Python files there: there\.py"):
        load_model(f"python:{tmp_path}/their.py:x", classification)


def test_a_file_that_raises_is_named_with_its_line(tmp_path, classification):
    path = tmp_path / "raises_on_import.py"
    path.write_text("1 / 0\n")
    for _ in range(2):  # a failed import leaves nothing behind
        with pytest.raises(ModelError, match=r"ZeroDivisionError at .*\.py:1: division") as found:
            load_model(f"python:{path}:x", classification)
        assert isinstance(found.value.__cause__, ZeroDivisionError)


def test_a_string_without_an_object(classification):
    with pytest.raises(ModelError, match="must name a module and an object"):
        load_model("python:module", classification)


def test_numpy_scalars_are_labels(make):
    from scrutiny.models.answers.returned_labels import from_answers

    found = from_answers(np.array([1, 0]), ("0", "1"), count=2, source="s")
    assert [p.answer for p in found] == ["1", "0"]
    found = from_answers(np.array([[0.5, 0.5]]), ("0", "1"), count=1, source="s")
    assert found[0].scores == (0.5, 0.5)


def test_an_object_that_is_a_model_itself_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "from scrutiny.testing import KeywordClassifier\nmodel = KeywordClassifier()\n"
    (tmp_path / "ready_made.py").write_text(lines, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    model = load_model("python:ready_made:model", TextClassification())
    assert model.source == "testing:KeywordClassifier"
    assert model.predict([Example("1", {"text": "good"})])[0].answer == "positive"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("one_text", "returned one str for all that it was asked"),
        ("without_order", "returned one set for all that it was asked"),
        ("by_text", "returned one dict for all that it was asked"),
        ("complex_numbers", "complex numbers, which are no probabilities"),
        ("endless", "gave 5 or more answers to 4 examples"),
    ],
)
def test_answers_that_are_no_list_of_answers(target, classification, make, name, message):
    model = load_model(f"{target}:{name}#labels=bad|good", classification)
    with pytest.raises(ModelError, match=message):
        predict_or_fail(model, make(*"abcd"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("OneWord", "its labels is a str"),
        ("OneNumber", "its labels is a int"),
        ("Once", "its labels is a generator"),
        ("Twice", "its label 'a' occurs twice among 3 labels"),
    ],
)
def test_labels_that_are_no_list_of_names(target, classification, name, message):
    with pytest.raises(ModelError, match=message):
        load_model(f"{target}:{name}", classification)


def test_a_stand_in_that_has_every_attribute_is_asked_like_any_object(target, classification, make):
    model = load_model(f"{target}:StandIn", classification)
    assert labels_of(model, make("a")) == ["good"]


def test_an_attribute_that_raises_is_an_error_of_the_model(target, classification):
    source = f"{target}:Trap"
    with pytest.raises(ModelError, match=r"RuntimeError: not yet \(at models_of_a_user.py:\d+\)"):
        LoadedModels().get("m", source, classification)[0]


@pytest.mark.parametrize(
    ("stated", "known"), [("20", 20), ("0", None), ("None", None), ("len", None)]
)
def test_samples_that_an_object_states(tmp_path, classification, stated, known):
    path = tmp_path / "sampling_model.py"
    path.write_text(f"def ask(texts):\n    return ['x'] * len(texts)\nask.n_samples = {stated}\n")
    model = load_model(f"python:{path}:ask#labels=x|y", classification)
    assert model.n_samples == known
    assert (model.is_batch_invariant, model.fingerprint()) == (False, None)
