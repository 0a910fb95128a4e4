"""The upgrade check as it is typed: a page, shared invariances, a model beside a run."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

#: Two versions: the second minds typing errors in "bread", and is wrong where "not" stands.
MODELS = """
class Model:
    labels = ("negative", "positive")
    is_batch_invariant = True

    def __init__(self, version="1"):
        self.version = version

    def fingerprint(self):
        return self.version

    def predict(self, texts):
        return [self.labels[self.is_good(text.rstrip(".").split())] for text in texts]

    def is_good(self, words):
        good = ("fresh" in words) != ("not" in words)
        if self.version == "2" and ("bread" not in words or "not" in words):
            return False
        return good
"""
DATA = ("--data", "csv:dev.csv#text=text,label=label,id=id")
QUICK = ("--display", "none", "--draws", "400")


@pytest.fixture
def command(capsys):
    """Exit code, stdout and stderr of a command."""

    def run(*arguments):
        code = exit_code_of(group, list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run


def write_files():
    """Two versions of a model and 400 sentences, of which 40 are negated."""
    Path("models.py").write_text(MODELS)
    with Path("dev.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "label"])
        for k in range(400):
            word = "fresh" if k % 2 else "stale"
            is_negated = k % 20 in (0, 11)
            label = "positive" if (k % 2 == 1) != is_negated else "negative"
            writer.writerow(
                [f"i{k}", f"The bread {k} was {'not ' if is_negated else ''}{word}.", label]
            )


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Folder with both."""
    monkeypatch.chdir(tmp_path)
    write_files()
    return tmp_path


def model(version):
    return f"python:models.py:Model#version={version}"


def flat(text):
    return " ".join(text.split())


def test_the_page_stands_beside_the_lines(place, command):
    plain = command("compare", model(1), model(2), *DATA, *QUICK, "--margin", "0.02")
    paged = command(
        "compare", model(1), model(2), *DATA, *QUICK, "--margin", "0.02", "--html", "page.html"
    )
    assert plain[0] == paged[0] == 1
    assert paged[1] == plain[1] + "page: page.html\n"
    page = Path("page.html").read_text()
    assert "Worse on inputs with a negation" in page
    assert "FAIL  a loss of more than 2 points is shown." in page


def test_a_planted_loss_of_an_invariance_fails_the_check(place, command):
    asked = ("--invariances", "typo", "--invariance-margin", "0.1", "--limit", "120")
    code, out, _ = command("compare", model(1), model(2), *DATA, *QUICK, *asked, "--margin", "0.5")
    assert code == 1
    assert "PASS  a loss of 50 points or more is ruled out." in out  # by accuracy alone it passes
    assert "FAIL  a loss of invariances of more than 10 points is shown." in out
    assert "lost: " in out
    assert "(reported, not judged)" in flat(out)
    assert all(len(line) <= 80 for line in out.splitlines())
    assert Path("runs", "compare-shared-1", "manifest.json").is_file()


def test_a_model_against_itself_passes_whatever_is_asked(place, command):
    code, out, _ = command(
        *("compare", model(1), model(1), *DATA, *QUICK, "--margin", "0.08", "--limit", "120"),
        *("--invariances", "typo", "--out", "kept", "--html", "page.html"),
    )
    assert code == 0
    assert out.startswith("\N{WHITE CIRCLE} No difference is shown")
    assert "PASS  a loss of invariances of 8 points or more is ruled out." in out
    assert Path("kept", "shared", "manifest.json").is_file()
    assert (
        "a loss of invariances of 8 points or more is ruled out." in Path("page.html").read_text()
    )


def test_without_a_margin_nothing_is_judged(place, command):
    code, out, _ = command(
        *("compare", model(1), model(2), *DATA, *QUICK, "--invariances", "typo", "--limit", "60")
    )
    assert code == 0
    assert "a loss of invariances of more than 2 points is shown." in flat(out)


def test_objects_of_shared_invariances(place, command):
    _, out, _ = command(
        *("compare", model(1), model(2), *DATA, *QUICK, "--limit", "60", "--json"),
        *("--invariances", "typo"),
    )
    found = [json.loads(line) for line in out.splitlines()]
    kept = [one for one in found if one.get("part") == "invariance"]
    assert [one["is_judged"] for one in kept] == [True, False]
    assert kept[0]["ceiling"]["value"] == 1.0
    assert kept[0]["random"]["role"] == "control"
    assert kept[0]["finding"]["verdict"] == "not supported"
    assert found[-1]["part"] == "outcome"


# --- a model beside a run -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Run of the first version, as it was measured last year."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder := tmp_path_factory.mktemp("measured"))
        write_files()
        given = ("--model", model(1), *DATA, *QUICK, "--limit", "300", "--no-cache")
        assert exit_code_of(group, ["run", "performance", *given, "--out", "v1"]) == 0
    return folder / "v1"


@pytest.fixture
def kept(place, measured):
    """The same run, to do with as one likes."""
    shutil.copytree(measured, place / "v1")
    return "v1"


def test_a_model_is_asked_what_the_run_asked(kept, command):
    code, out, _ = command("compare", kept, model(2), *QUICK, "--margin", "0.02")
    assert code == 1
    assert out.startswith("\N{BLACK CIRCLE} The second is worse by ")
    assert "\nWorse on inputs with a negation by " in out
    assert "of 300" in out
    assert "its adapter promises exact answers" in flat(out)  # so its manifest says
    back = command("compare", model(2), kept, *QUICK)
    assert "Better on inputs with a negation by " in flat(back[1])
    assert "its adapter promises exact answers" in flat(back[1])  # the first is live now


def test_a_model_beside_its_own_run_says_nothing(kept, command):
    code, out, _ = command("compare", kept, model(1), *QUICK, "--margin", "0.02", "--again", kept)
    assert code == 0
    assert out.startswith("\N{WHITE CIRCLE} No difference is shown: ")
    assert "on 300 items of" in flat(out)
    assert "0.0 % of items flip between two runs of the first" in flat(out)


def test_a_run_can_be_run_of_another_model(kept, command):
    code, _, _ = command("run", kept, "--model", model(2), *QUICK, "--out", "v2")
    assert code == 0
    apart = command("compare", kept, model(2), *QUICK)[1]
    assert command("compare", kept, "v2", *QUICK)[1].splitlines()[0] == apart.splitlines()[0]
    code, _, err = command("run", kept, "--model", model(2), "-P", "a=1", "--out", "v3")
    assert (code, "Leave out -P" in flat(err)) == (2, True)


def test_data_that_moved_is_asked_for(kept, command):
    Path("dev.csv").rename("moved.csv")
    code, _, err = command("compare", kept, model(2), *QUICK)
    assert code == 2
    assert "If it has moved, say where it lies now with --data." in flat(err)
    there = ("--data", "csv:moved.csv#text=text,label=label,id=id")
    assert command("compare", kept, model(2), *QUICK, *there)[0] == 0


def test_what_cannot_be_asked_is_refused_in_one_paragraph(kept, command):
    code, _, err = command("compare", kept, model(2), "--invariances", "typo", *QUICK)
    assert code == 2
    assert "'v1' only has stored answers and cannot be asked about changed texts" in flat(err)
    code, _, err = command("compare", model(1), model(2), *DATA, "--invariances", ",", *QUICK)
    assert code == 2
    assert "names no change" in flat(err)
    code, _, err = command("compare", model(1), model(2), *DATA, "--invariances", "synonim", *QUICK)
    assert (code, "synonim" in err, Path("runs").exists()) == (2, True, False)
    asked = (*DATA, "--representations", *QUICK)
    code, _, err = command("compare", model(1), model(2), *asked)
    assert (code, "needs a model with representations" in flat(err)) == (2, True)
    code, _, err = command("compare", model(1), "dev.csv", *QUICK)
    assert (code, "'dev.csv' is none: give two models" in flat(err)) == (2, True)
    log = Path("samples_task_2026-01-01T00-00-00.jsonl")
    log.write_text('{"doc_id": 0, "doc": {}, "target": "a", "filtered_resps": ["a"], "acc": 1}\n')
    code, _, err = command("compare", model(1), str(log), *QUICK)
    assert code == 2
    assert "is a log of another tool, whose questions cannot be asked again" in flat(err)


def test_a_lost_invariance_leads_where_nothing_else_changed(place, command):
    # the second is as right as the first on every text, and minds typing errors
    text = Path("models.py").read_text().replace(' or "not" in words)', ")")
    Path("models.py").write_text(text)
    code, out, _ = command(
        *("compare", model(1), model(2), *DATA, *QUICK, "--invariances", "typo"),
        *("--limit", "120", "--margin", "0.2", "--html", "page.html"),
    )
    assert code == 1
    assert out.startswith(
        "\N{BLACK CIRCLE} Less stable under typo changes: of those that keep the first's answer,"
    )
    assert "(could be 1.000;" in " ".join(out.split())
    assert "Less stable under typo changes" in Path("page.html").read_text()
    assert all(len(line) <= 80 for line in out.splitlines())


def test_models_that_read_one_file_are_told_apart(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    rows = [(f"i{k}", f"text {k}", "yes" if k % 2 else "no") for k in range(40)]
    data = "".join(f"{','.join(row)}\n" for row in [("id", "text", "label"), *rows])
    Path("data.csv").write_text(data)
    worse = [(name, gold, "no" if k < 20 else gold) for k, (name, _, gold) in enumerate(rows)]
    read = [("id", "v1", "v2"), *worse]
    Path("stored.csv").write_text("".join(f"{','.join(row)}\n" for row in read))
    both = [f"predictions:stored.csv#label={name}" for name in ("v1", "v2")]
    code, out, _ = command("compare", *both, "--data", "csv:data.csv#id=id", *QUICK)
    assert code == 0
    assert "predictions:stored.csv#label=v2 is worse by 25.0 points" in out
    assert f"{both[1]} against {both[0]}" in " ".join(out.split())
    code, out, _ = command("compare", both[0], both[0], "--data", "csv:data.csv#id=id", *QUICK)
    assert code == 0
    assert "predictions:stored.csv against predictions:stored.csv" in " ".join(out.split())
