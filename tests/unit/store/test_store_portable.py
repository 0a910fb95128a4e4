"""A manifest that is handed on says nothing of the folders that it was made in."""

from pathlib import Path

import pytest

from scrutiny.store.run_folder import RunFolder
from scrutiny.store.sealed_manifests import located, portable


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("csv:{base}/data/x.csv#text=a", "csv:<run>/../../data/x.csv#text=a"),
        ("hf:{base}/runs/seed-{{seed}}", "hf:<run>/../seed-{{seed}}"),
        ("python:{base}/m.py:Model#size=3", "python:<run>/../../m.py:Model#size=3"),
        ("untrained:hf:{base}/m", "untrained:hf:<run>/../../m"),
        ("{base}/data/x.csv:12", "<run>/../../data/x.csv:12"),
        ("csv:data/x.csv", "csv:data/x.csv"),
        ("csv:./x.csv", "csv:./x.csv"),
        ("object:rows", "object:rows"),
        ("builtin:reviews", "builtin:reviews"),
        ("csv:/elsewhere/x.csv", "csv:/elsewhere/x.csv"),
    ],
)
def test_paths_are_written_from_the_run_on_and_found_again(
    tmp_path: Path, source: str, written: str
) -> None:
    run = tmp_path / "runs" / "one"
    source, written = (text.format(base=tmp_path) for text in (source, written))
    found = portable({"data": {"x": {"source": source}}}, run)["data"]["x"]["source"]
    assert found == written
    assert located(found, run) == source


def test_paths_below_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    found = portable({"source": "hf:/home/someone/models/a#x=1"}, tmp_path)
    assert found == {"source": "hf:~/models/a#x=1"}


def test_names_are_left_alone(tmp_path: Path) -> None:
    name = f"csv:{tmp_path}/x.csv"
    kept = {"plan": {"data": [{"name": name, "source": name}]}, "labels": {f"m on {name}": "note"}}
    found = portable(kept, tmp_path / "run")
    assert found["plan"]["data"][0] == {"name": name, "source": "csv:<run>/../x.csv"}
    assert list(found["labels"]) == [f"m on {name}"]


def test_what_is_written_has_neither_secrets_nor_folders(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    source = f"python:{tmp_path}/m.py:M#api_key=sk-1"
    folder.write_manifest({"models": {"m": {"source": source}}, "command": f"run {source}"})
    text = (folder.path / "manifest.json").read_text()
    assert "sk-1" not in text
    assert folder.manifest["models"]["m"]["source"] == "python:<run>/../m.py:M#api_key=***"
