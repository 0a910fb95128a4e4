"""A/A certificates as they are printed, and what an undecided comparison comes to."""

import io
import json
import tarfile
from contextlib import redirect_stdout
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

PACKED = Path(__file__).parents[2] / "fixtures" / "logs"
QUICK = ("--draws", "300", "--margin", "0.05")


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Two inspect logs: twelve items in two epochs."""
    folder = tmp_path_factory.mktemp("logs")
    with tarfile.open(PACKED / "inspect.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return [str(folder / f"{version}-eval") for version in ("v1", "v2")]


@pytest.fixture
def command(capsys):
    """Exit code, stdout on one line, and stderr on one line."""

    def run(*arguments):
        code = exit_code_of(group, list(arguments))
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return run


def test_an_undecided_comparison_says_how_far_it_can_be_trusted(logs, command):
    code, out, _ = command("compare", *logs, *QUICK)
    assert code == 4
    verdict = out.index("UNDECIDED a loss of 5 points is neither shown nor excluded.")
    alarms = out.index("alls an unchanged system worse in at most ")
    decide = out.index("a loss of 5 points can't be excluded; ")
    assert verdict < alarms < decide < out.index(" noise floor ")
    assert "of 1,000 runs; finds " in out
    assert " in 80 of 100 (the repeats leave open " in out
    assert " would, if nothing has changed." in out


@pytest.fixture(scope="module", params=["undecided", "pass", "fail"])
def judged(request, logs, tmp_path_factory):
    """What undecided is stated to come to; code, stdout and JUnit of the comparison."""
    path = tmp_path_factory.mktemp("judged") / "compare.xml"
    words = ["compare", *logs, *QUICK, "--undecided", request.param, "--junit", str(path)]
    with redirect_stdout(io.StringIO()) as out:
        code = exit_code_of(group, words)
    return request.param, code, " ".join(out.getvalue().split()), fromstring(path.read_text())


def test_what_undecided_comes_to_is_stated(logs, command, judged):
    stated, found, out, _ = judged
    code = {"undecided": 4, "pass": 0, "fail": 1}[stated]
    assert found == code
    assert (f"{stated.upper()} as --undecided {stated} says" in out) == (stated != "undecided")
    found, out, _ = command("compare", *logs, *QUICK, "--undecided", stated, "--json")
    assert found == code
    assert f'"gate":"{stated}"' in out.replace('": ', '":')


def test_a_shown_loss_fails_whatever_undecided_comes_to(logs, command):
    worse = (logs[0], logs[1], "--draws", "300", "--margin", "0", "--undecided", "pass")
    code, out, _ = command("compare", *worse)
    assert (code == 1) == ("FAIL a loss of more than" in out)


def test_undecided_needs_a_margin(logs, command):
    code, _, err = command("compare", *logs, "--undecided", "pass")
    assert code == 2
    assert "say which loss, as in --margin 0.02" in err


def test_junit_has_a_test_for_each_judged_score(judged):
    stated, *_, suites = judged
    (test,) = suites.iter("testcase")
    assert test.get("name") == "accuracy (match) on stories: loss of more than 5 points"
    assert test.get("classname") == "mockllm/model against mockllm/model"
    (found,) = test
    assert found.tag == {"undecided": "skipped", "pass": "system-out", "fail": "failure"}[stated]
    said = found.text or found.get("message")
    assert said.startswith("undecided: No difference is shown: ")
    assert "alls an unchanged system worse in at most " in said
    (suite,) = suites
    counts = {name: int(suite.get(name)) for name in ("tests", "failures", "skipped")}
    assert counts == {
        "tests": 1, "failures": int(stated == "fail"), "skipped": int(stated == "undecided")
    }  # fmt: skip


def test_junit_needs_a_margin(logs, command, tmp_path):
    code, _, err = command("compare", *logs, "--junit", str(tmp_path / "compare.xml"))
    assert code == 2
    assert "--junit writes what a margin decides" in err
    assert not [*tmp_path.iterdir()]


def test_junit_names_the_slices_that_fail(tmp_path, command):
    with tarfile.open(PACKED / "lm_eval.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    both = [str(tmp_path / "scripted" / f"acme__{name}") for name in ("v1", "v2")]
    path = tmp_path / "compare.xml"
    code, *_ = command("compare", *both, *QUICK, "--junit", str(path))
    assert code == 1
    first, second = fromstring(path.read_text()).iter("testcase")
    (failure,) = first
    assert failure.get("type") == "regression"
    assert "A loss of 60.0 points is shown on inputs with a negation." in failure.get("message")
    assert second[0].tag == "skipped"


def test_programs_read_the_certificate(logs, capsys):
    exit_code_of(group, ["compare", *logs, *QUICK, "--json"])
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (level,) = [one for one in objects if one.get("part") == "level"]
    (own,) = level["certificates"]
    assert own["alarms"] / own["pairs"] <= own["at_most"] <= 0.02
    assert own["is_known"]
    assert level["needed"]["flips"] > 0
    exit_code_of(group, ["compare", *logs, "--draws", "300", "--json"])
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert not any("certificates" in one or "gate" in one for one in objects)


def test_a_page_and_python_say_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pair = "builtin:sentiment/seed-1", "builtin:sentiment/seed-2"
    found = scrutiny.compare(*pair, data="builtin:reviews", margin=0.02)
    assert "unchanged system worse in at most " in found.certificate
    page = found.report(tmp_path / "page.html")
    assert found.certificate.split(";")[0][:60] in page.replace("\N{NO-BREAK SPACE}", " ")
    assert found.certificate.split(";")[0][:60] in " ".join(found.report().split())
    assert scrutiny.compare(found.first, found.second).certificate == ""
