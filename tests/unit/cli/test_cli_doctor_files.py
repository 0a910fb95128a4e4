"""``scrutiny doctor`` of files of results and of runs."""

import json
import tarfile
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

PACKED = Path(__file__).parents[2] / "fixtures" / "logs"


@pytest.fixture
def command(capsys):
    """Run a command; give its exit code, what it printed, and what it said on stderr."""

    def run(*arguments):
        code = exit_code_of(group, [*map(str, arguments)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for name in ("lm_eval", "inspect"):
        with tarfile.open(PACKED / f"{name}.tar.xz") as archive:
            archive.extractall(folder / name, filter="data")
    return folder


def states(command, given):
    """State of each check of a file."""
    code, out, _ = command("doctor", given, "--json")
    assert code == 0
    return {one["check"]: one["state"] for one in json.loads(out)["supports"]}


def test_a_log_of_choices_has_all_but_repeats(logs, command):
    found = states(command, logs / "lm_eval" / "scripted" / "acme__v1")
    assert {name for name, state in found.items() if state == "missing"} == {"repeats"}
    assert found["probabilities"] == "partly"  # of choices, not of generated answers
    code, out, _ = command("doctor", logs / "lm_eval" / "scripted" / "acme__v1")
    assert code == 0
    assert "is a log of lm-eval." in " ".join(out.split())
    assert "give that with --again" in " ".join(out.split())
    assert max(map(len, out.replace(str(logs), "").splitlines())) <= 80


def test_epochs_are_repeats(logs, command):
    code, out, _ = command("doctor", logs / "inspect" / "v1-eval")
    assert code == 0
    assert "repeats        there    2 of each item: a noise floor" in out
    assert "--epochs 2" not in out
    assert "--epochs 2" in command("doctor", logs / "inspect" / "v1-json")[1]


def test_a_table_and_the_run_that_it_becomes_support_the_same(command, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(
        "id,score,topic\n" + "".join(f"{n},{n % 2},{'ab'[n > 29]}\n" for n in range(60))
    )
    found = states(command, path)
    assert {name for name, state in found.items() if state == "there"} == {
        "items", "identities", "scores", "groups",
    }  # fmt: skip
    command("import", "table", path, "-o", tmp_path / "run")
    assert states(command, tmp_path / "run") == found
    code, out, _ = command("doctor", tmp_path / "run")
    assert (code, "is a run folder, imported from table." in " ".join(out.split())) == (0, True)


def test_few_items_missing_scores_and_rows_without_ids(command, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("score\n1\ntimeout\n0\nx,y\n")
    code, out, _ = command("doctor", path)
    assert code == 0
    assert "items          partly   3 of scores; 1 model: scores" in out
    assert "identities     partly   rows pair by their number" in out
    assert "scores         partly   score (right or wrong); 1 of 3 are missing" in out
    assert "unread rows    partly   1 of scores; the first, scores.csv:5:" in out
    assert "add a column of ids or texts: items pair in any order" in " ".join(out.split())


def test_what_cannot_be_read_is_one_paragraph_and_exit_code_2(command, tmp_path):
    code, _, err = command("doctor", tmp_path / "nothing.csv")
    assert (code, "There is no" in err) == (2, True)
    odd = tmp_path / "notes.txt"
    odd.write_text("hello")
    code, out, err = command("doctor", odd)
    assert (code, out) == (2, "")
    assert "is neither a run folder nor results that are known" in " ".join(err.split())
    empty = tmp_path / "answers.csv"
    empty.write_text("id,answer\n1,Paris\n")
    code, _, err = command("doctor", empty)
    assert (code, "has no column of scores" in " ".join(err.split())) == (2, True)
    code, _, err = command("doctor", odd, "--against", "http://localhost:1/v1")
    assert (code, "--against is of two endpoints" in err) == (2, True)
