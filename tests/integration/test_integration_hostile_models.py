"""Whatever a model does to its process, the command ends with its results or with one sentence."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from warm_command import WarmCommand

#: Exit code and output of a command.
Asked = Callable[..., tuple[int, str, str]]

MODELS = """
import os, sys

def answers(texts):
    return ["p" if "good" in text else "n" for text in texts]

class Model:
    labels = ("n", "p")
    def predict(self, texts):
        return answers(texts)

class Odd(BaseException):
    pass

class Raises(Model):
    def predict(self, texts):
        raise Odd("odd")

class Unmade(Model):
    def __init__(self):
        raise Odd("odd")

class Unnamed(Model):
    def fingerprint(self):
        raise RuntimeError("no digest")

class Moves(Model):
    def __init__(self):
        os.makedirs("elsewhere", exist_ok=True)
        os.chdir("elsewhere")
        open("weights", "w").close()
    def predict(self, texts):
        open("weights").close()
        return answers(texts)

class Forks(Model):
    def predict(self, texts):
        if os.fork() == 0:
            sys.exit(0)
        return answers(texts)

class RunsOn(Model):
    def predict(self, texts):
        os.fork()
        return answers(texts)

class Prints(Model):
    def predict(self, texts):
        print("a line of its own")
        os.write(1, b"and one from below\\n")
        return answers(texts)

class Closes(Model):
    def predict(self, texts):
        sys.stdout.close()
        sys.stderr.close()
        os.close(1)
        return answers(texts)

class Replaces(Model):
    def __init__(self):
        import builtins
        self.ours = builtins.open
        builtins.open = lambda *_, **__: 1 / 0
    def predict(self, texts):
        assert open is not self.ours
        return answers(texts)

class ClosesAll(Model):
    def predict(self, texts):
        os.closerange(3, 64)
        return answers(texts)

class Interrupting(Exception):
    def __str__(self):
        raise KeyboardInterrupt

class RaisesInterrupting(Model):
    def predict(self, texts):
        raise Interrupting

class Takes(Model):
    def predict(self, texts):
        sys.stdout = sys.stderr = None
        return answers(texts)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    Path("models.py").write_text(MODELS)
    lines = [f"a {'good' if n % 2 else 'bad'} film {n},{'np'[n % 2]}" for n in range(40)]
    Path("x.csv").write_text("\n".join(["text,label", *lines]) + "\n")
    return tmp_path


@pytest.fixture
def done_of(warm: WarmCommand) -> Asked:
    """Function of the words of a command, which runs in a process of its own."""

    def ask(*words: str) -> tuple[int, str, str]:
        done = warm.run(*words)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, " ".join(done.stderr.split())

    return ask


def asked(name: str) -> list[str]:
    data, model = "csv:x.csv", f"python:./models.py:{name}"
    return ["run", "performance", "--model", model, "--data", data, "--out", "out", "--json"]


@pytest.mark.parametrize(
    "name", ["Moves", "Forks", "RunsOn", "Prints", "Closes", "Takes", "Replaces"]
)
def test_results_are_those_of_a_well_behaved_model(here: Path, done_of: Asked, name: str) -> None:
    code, out, err = done_of(*asked(name))
    assert code == 0, err
    rows = [json.loads(line) for line in out.splitlines()]
    values = [row["value"] for row in rows if row.get("metric") == "accuracy@1"]
    assert values
    assert set(values) == {1.0}
    assert (here / "out" / "findings.json").is_file()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ClosesAll", "has closed files that it had not opened: those that answers"),
        ("RaisesInterrupting", "the first error: Interrupting: its message cannot be had"),
        ("Raises", "has answered none of the 40 texts it was asked; the first error: Odd: odd"),
        ("Unmade", "Unmade cannot be used: it raised Odd: odd (at models.py:"),
        ("Unnamed", "Unnamed cannot be used: it raised RuntimeError: no digest (at models.py:"),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_it_raises_is_said_in_one_sentence(done_of: Asked, name: str, words: str) -> None:
    code, out, err = done_of(*asked(name))
    assert (code, out) == (2, "")
    assert words in err


PLAN = """
[data.x]
source = "csv:x.csv"
[models.m]
source = "python:./models.py:Prints"
[[measure]]
id = "level"
diagnostic = "performance"
"""


@pytest.mark.parametrize(
    "words",
    [
        "check plan.toml --json",
        "compare python:./models.py:Prints python:./models.py:Model --data csv:x.csv --json",
        "audit --model python:./models.py:Prints --data csv:x.csv --only performance --json",
    ],
)
def test_what_it_prints_is_in_no_results(here: Path, done_of: Asked, words: str) -> None:
    (here / "plan.toml").write_text(PLAN)
    models = (here / "models.py").read_text()
    (here / "models.py").write_text('print("imported")\n' + models)
    code, out, err = done_of(*words.split())
    assert code == 0, err
    assert all(isinstance(json.loads(line), dict) for line in out.splitlines())
    assert out
    assert "imported" in err
