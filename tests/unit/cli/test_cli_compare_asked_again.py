"""The noise floor of live models: asked again in other batches, another run, or a promise."""

import csv
import json
from pathlib import Path

import pytest

from scrutiny.cli import asked_sides as sides
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

#: Flips what ends in 3 whenever it is asked about it again; notes what it is asked, in order.
FICKLE = """
from pathlib import Path
class Model:
    labels = ("negative", "positive")
    is_batch_invariant = {exact}

    def __init__(self, version="1"):
        self.version = version

    def fingerprint(self):
        return self.version

    def predict(self, texts):
        return [self.answer(text) for text in texts]

    def answer(self, text):
        path = Path("asked-" + self.version)
        known = path.read_text().splitlines() if path.exists() else []
        path.write_text("\\n".join([*known, text]))
        is_turned = text in known and text.endswith("3")
        return self.labels[("good" in text.split()) != is_turned]
"""
TAGGER = """
class Model:
    labels = ("PER",)

    def predict(self, texts):
        return [[(0, 3, "PER")] if text.startswith("Ida") else [] for text in texts]
"""
ONE, OTHER = "python:./fickle.py:Model", "python:./fickle.py:Model#version=2"
DATA = ("--data", "csv:dev.csv#text=text,label=label,id=id")
QUICK = ("--display", "none", "--draws", "300", "--no-cache")


@pytest.fixture
def levels(tmp_path, monkeypatch, capsys):
    """The first object of each part that a comparison is printed as."""
    monkeypatch.chdir(tmp_path)
    Path("fickle.py").write_text(FICKLE.format(exact=False))
    Path("tagger.py").write_text(TAGGER)
    with Path("dev.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "label"])
        for k in range(40):
            text = f"a {'good' if k % 2 else 'bad'} film about case {k}"
            writer.writerow([f"i{k}", text, "positive" if k % 2 else "negative"])

    def printed(*arguments):
        capsys.readouterr()  # what went before
        code = exit_code_of(group, ["compare", *arguments, *QUICK, "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        rows = [json.loads(line) for line in out.splitlines()]
        return {one["part"]: one for one in reversed(rows) if "part" in one}

    return printed


def asked(version="1"):
    return Path(f"asked-{version}").read_text().splitlines()


def test_a_model_that_wavers_is_found_to(levels):
    found = levels(ONE, OTHER, *DATA)
    assert found["level"]["noise"] == {
        "how": "asked again",
        "share": 4 / 40,  # texts 3, 13, 23, 33
        "n_items": 40,
        "n_pairs": 1,
    }
    assert found["agreement"]["floor_of"] == "asked again"
    assert sorted(asked()[:40]) == sorted(asked()[40:])
    first, again = asked()[0], asked()[40]  # of the shortest, which are asked first
    assert (first[-1], again[-1]) == ("0", "8")  # the last one comes first, so batches differ
    assert len(asked("2")) == 40


def test_few_items_are_enough_to_ask_again(levels, monkeypatch):
    monkeypatch.setattr(sides, "MOST_ASKED", 7)
    assert levels(ONE, OTHER, *DATA)["level"]["noise"]["n_items"] == 7
    assert len(asked()) == 47


def test_whatever_is_measured_the_model_is_asked_again_about_the_items_as_they_are(levels):
    more = ("--measure", "robustness", "--with", "typos", "--out", "kept")
    noise = levels(ONE, OTHER, *DATA, *more)["level"]["noise"]
    assert (noise["how"], noise["n_items"]) == ("asked again", 40)
    again = json.loads(Path("kept", "again", "manifest.json").read_text())
    assert [one["diagnostic"] for one in again["measure"].values()] == ["performance@1"]


def test_a_promise_of_exact_answers_is_taken(levels):
    Path("fickle.py").write_text(FICKLE.format(exact=True))
    noise = levels(ONE, OTHER, *DATA)["level"]["noise"]
    assert (noise["how"], noise["share"], noise["n_items"]) == ("exact", 0.0, 40)
    assert len(asked()) == 40


def test_replicates_are_not_asked_again(levels):
    for seed in (1, 2):
        Path(f"fickle-{seed}.py").write_text(FICKLE.format(exact=False))
    noise = levels("python:./fickle-{seed}.py:Model", OTHER, *DATA)["level"]["noise"]
    assert noise["how"] == "replicates"
    assert len(asked()) == 80


def test_stored_answers_cannot_be_asked_again(levels):
    lines = ["id,label", *(f"i{k},{'positive' if k % 3 else 'negative'}" for k in range(40))]
    Path("stored.csv").write_text("\n".join(lines))
    stored = "predictions:stored.csv#labels=negative|positive"
    assert levels(stored, OTHER, *DATA)["level"]["noise"]["how"] == "unknown"
    kept = ("run", "performance", "--model", stored, *DATA, "--out", "kept", *QUICK)
    assert exit_code_of(group, list(kept)) == 0
    # that stored answers are the same twice says nothing of the model that gave them
    assert levels("kept", OTHER)["level"]["noise"]["how"] == "unknown"


def test_another_run_stands_for_asking_a_live_model_again(levels):
    kept = ("run", "performance", "--model", ONE, *DATA, "--out", "kept", *QUICK)
    assert exit_code_of(group, list(kept)) == 0
    found = levels(ONE, OTHER, *DATA, "--again", "kept")
    assert (found["level"]["noise"]["how"], found["level"]["noise"]["share"]) == (
        "another run",
        0.1,
    )
    assert found["agreement"]["floor_of"] == "another run"
    assert len(asked()) == 80  # for the run and for the comparison: nobody is asked a third time


def test_a_tagger_is_asked_again(levels):
    rows = [("Ida", "B-PER"), ("saw", "O"), ("", ""), ("Otto", "B-PER"), ("slept", "O"), ("", "")]
    Path("dev.conll").write_text("\n".join("\t".join(row).strip() for row in rows * 12))
    model = "python:./tagger.py:Model"
    noise = levels(model, model, "--data", "conll:dev.conll")["level"]["noise"]
    assert (noise["how"], noise["share"], noise["n_items"]) == ("asked again", 0.0, 24)


def test_no_text_of_the_data_is_shown_where_none_may_be(levels, capsys):
    Path("other.py").write_text(FICKLE.format(exact=True).replace(") != is", ") == is"))
    page, both = Path("page.html"), (ONE, "python:./other.py:Model#version=2", *DATA)
    for flags, is_there in (((), True), (("--no-texts",), False)):
        command = ("compare", *both, "--all", "--html", str(page), *flags, *QUICK)
        assert exit_code_of(group, list(command)) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert ("film about case" in page.read_text()) == is_there
        assert ("film about case" in out) == is_there
    assert "disagreement" in levels(*both)
    assert "disagreement" not in levels(*both, "--no-texts")
