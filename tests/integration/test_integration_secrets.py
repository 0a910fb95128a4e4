"""A key that is given to a model is written nowhere: run, page, cache, words."""

import os
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

KEY = "sk-very-secret-123"
MODEL = """
class Model:
    labels = ("n", "p")
    def __init__(self, api_key, wrong=""):
        self.api_key = api_key
        if wrong:
            raise SystemExit(0)
    def predict(self, texts):
        return ["p" if "good" in text and self.api_key.startswith("sk-") else "n" for text in texts]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    Path("keyed_model.py").write_text(MODEL)
    lines = [f"a {'good' if n % 2 else 'bad'} film {n},{'np'[n % 2]}" for n in range(40)]
    Path("x.csv").write_text("\n".join(["text,label", *lines]) + "\n")
    return tmp_path


def arguments(model: str, *more: str) -> list[str]:
    command = ["run", "performance", "--model", model, "--data", "csv:x.csv", "--out", "out"]
    return [*command, "--html", "page.html", *more]


@pytest.mark.parametrize("option", [f"api_key={KEY}", "api_key=env:KEY_OF_THIS_TEST"])
def test_a_key_is_written_nowhere(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], option: str
) -> None:
    monkeypatch.setenv("KEY_OF_THIS_TEST", KEY)
    words = arguments(f"python:./keyed_model.py:Model#{option}")
    monkeypatch.setattr("sys.argv", ["scrutiny", *words])
    assert exit_code_of(group, words) == 0
    said = capfd.readouterr()
    assert KEY not in said.out + said.err
    places = [path for path in here.rglob("*") if path.is_file()]
    assert len(places) > 8
    assert [path.name for path in places if KEY.encode() in path.read_bytes()] == []
    shown = "api_key=***" if KEY in option else option
    assert shown in Path("out/manifest.json").read_text()
    assert shown in Path("page.html").read_text()


def test_another_key_of_the_same_model_goes_on_with_the_run(here: Path) -> None:
    for key in (KEY, "sk-another"):
        assert exit_code_of(group, arguments(f"python:./keyed_model.py:Model#api_key={key}")) == 0
    assert [p.name for p in Path().glob("runs/*")] == []


@pytest.mark.parametrize("option", [f"api_key={KEY},wrong=1", f"api_key={KEY},unknown=1"])
def test_an_error_does_not_say_the_key(
    here: Path, capfd: pytest.CaptureFixture[str], option: str
) -> None:
    assert exit_code_of(group, arguments(f"python:./keyed_model.py:Model#{option}")) == 2
    said = capfd.readouterr().err
    assert KEY not in said
    assert "api_key=***" in said


def test_absolute_paths_stay_out_of_the_manifest_where_they_can(here: Path) -> None:
    model = f"python:{here}/keyed_model.py:Model#api_key={KEY}"
    words = ["run", "performance", "--model", model, "--data", f"csv:{here}/x.csv"]
    assert exit_code_of(group, [*words, "--out", f"{here}/out"]) == 0
    import json

    manifest = json.loads(Path("out/manifest.json").read_text())
    sources = [
        manifest["plan"]["data"][0]["source"],
        *(one["source"] for one in manifest["models"].values()),
        *(one["source"] for one in manifest["data"].values()),
    ]
    assert all(source.partition(":")[2].startswith("<run>/../") for source in sources)
    assert os.sep + "keyed_model" in sources[1]
