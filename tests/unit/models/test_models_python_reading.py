"""What can be read of an object: its code, its arrays, estimators whole."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from scrutiny.models.python.object_digest import read_object
from scrutiny.testing import FlakyClassifier

CODE = """
import numpy as np

WEIGHTS = np.arange(4.0)
THRESHOLD = {threshold}

def helper(text):
    return len(text) > THRESHOLD  {comment}

class Model:
    labels = ("negative", "positive")
    def __init__(self, scale=1.0):
        self.own = WEIGHTS * scale
        self.calls = 0
    def predict(self, texts):
        self.calls += 1
        return [self.labels[helper(text)] for text in texts]

def function(texts):
    return [float(WEIGHTS @ WEIGHTS > len(t)) for t in texts]

def closed(scale):
    own = WEIGHTS * scale
    return lambda texts: [own.sum() for _ in texts]
"""
PRINTS = """
import sys; sys.path.insert(0, sys.argv[1])
import user_model
from scrutiny.models.python.object_digest import read_object
value = eval(sys.argv[2], vars(user_model))
print(read_object(value).digest)
"""


def digest_in_a_process(folder: Path, expression: str, **more: object) -> str:
    text = CODE.format(**{"threshold": 3, "comment": "", **more})
    (folder / "user_model.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-B", "-c", PRINTS, str(folder), expression],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_same_object_reads_the_same_in_two_processes(tmp_path: Path) -> None:
    one = digest_in_a_process(tmp_path, "Model()")
    assert digest_in_a_process(tmp_path, "Model()", comment="# said in passing") == one
    changed = {
        digest_in_a_process(tmp_path, "Model(2.0)"),
        digest_in_a_process(tmp_path, "Model()", threshold=4),
        digest_in_a_process(tmp_path, "function"),
    }
    assert one not in changed
    assert len(changed) == 3


class Weighted:
    def __init__(self, *weights: float) -> None:
        self.parts = {"layer": [np.array(weights)]}
        self.notes: list[object] = []

    def predict(self, texts):
        self.notes.append(texts)
        return ["a"] * len(texts)


def test_arrays_are_read_wherever_they_lie() -> None:
    assert read_object(Weighted(1, 2)) == read_object(Weighted(1, 2))
    assert read_object(Weighted(1, 2)).digest != read_object(Weighted(1, 3)).digest
    assert not read_object(Weighted(1, 2)).is_whole


def test_notes_that_an_object_takes_while_it_answers_change_nothing() -> None:
    model = Weighted(1)
    before = read_object(model)
    model.predict(["a", "b"])
    assert read_object(model) == before
    flaky = FlakyClassifier({"i3"})
    before = read_object(flaky)
    flaky.calls.append([object()])
    assert read_object(flaky).digest == before.digest


def _made(scale):
    own = np.arange(3.0) * scale
    return lambda texts: [own.sum() for _ in texts]


SCALE = np.arange(2.0)


def _global(texts):
    return [SCALE.sum() for _ in texts]


@pytest.mark.parametrize("make", [_made, lambda s: partial(_global, s * np.ones(2))])
def test_closures_and_arguments_are_read(make) -> None:
    assert read_object(make(1)).digest == read_object(make(1)).digest
    assert read_object(make(1)).digest != read_object(make(2)).digest


def test_arrays_that_functions_refer_to_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_object(_global).digest
    monkeypatch.setitem(_global.__globals__, "SCALE", np.ones(2))
    assert read_object(_global).digest != before


def test_an_object_that_refers_to_itself_is_read() -> None:
    model = Weighted(1)
    model.parts["self"] = [model]
    assert read_object(model).digest


def test_objects_that_cannot_be_pickled_are_read() -> None:
    model = Weighted(1)
    model.notes = [Path(__file__).open(), (n for n in range(3))]
    assert read_object(model).digest == read_object(Weighted(1)).digest
    model.notes[0].close()


@pytest.mark.parametrize("kind", ["linear", "forest"])
def test_estimators_are_read_whole(kind: str) -> None:
    pytest.importorskip("sklearn")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    def fitted(extra: str = "", **params: object):
        made = (
            LogisticRegression(**params)
            if kind == "linear"
            else RandomForestClassifier(n_estimators=3, random_state=0, **params)
        )
        texts = ["good film", "bad film", "fine thing", "poor thing " + extra]
        return make_pipeline(TfidfVectorizer(), made).fit(texts, [1, 0, 1, 0])

    one = read_object(fitted())
    assert one == read_object(fitted())
    assert one.is_whole
    assert read_object(fitted("indeed")).digest != one.digest
    other = {"C": 2.0} if kind == "linear" else {"max_depth": 1}
    assert read_object(fitted(**other)).digest != one.digest


def test_tensors_are_read() -> None:
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(2, 2)
    before = read_object(layer).digest
    assert read_object(layer).digest == before
    with torch.no_grad():
        layer.bias += 1
    assert read_object(layer).digest != before
    assert read_object(layer.to(torch.bfloat16)).digest
