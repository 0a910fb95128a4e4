"""``scrutiny audit --wordings`` on planted endpoints, and what it says where there is no prompt."""

import json

import pytest
from chat_server import said

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
N = 60
OWN = """
[[wording]]
name = "polite"
before = "Please. "
[[wording]]
name = "loud"
before = "NOW! "
[[wording]]
name = "tab"
before = "\\t"
is_edit = true
"""


@pytest.fixture
def command(capsys):
    """Run a command; give its exit code, what it printed, and what it said on stderr."""

    def run(*arguments):
        code = exit_code_of(group, [str(one) for one in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def audited(serve, command, tmp_path):
    """Function that audits an endpoint that is wrong on some items in the wording "loud"."""
    data, wordings = tmp_path / "dev.csv", tmp_path / "own.toml"
    rows = [f"number {n},{('bad', 'good')[n % 2]}" for n in range(N)]
    data.write_text("\n".join(["text,label", *rows]))
    wordings.write_text(OWN)

    def run(lost, *more):
        def answer(body, _):
            text = body["messages"][-1]["content"]
            number = int(text.split("number ")[1].split()[0])
            is_wrong = number % 10 == 0 or (text.startswith("NOW") and number < lost)
            return said(("bad", "good")[(number + is_wrong) % 2])

        served = serve(answer)
        source = f"{served.url}/v1#api=chat,labels=bad|good"
        stated = ["--model", source, "--data", f"csv:{data}#text=text,label=label"]
        out = tmp_path / f"run-{lost}"
        found = command(
            *("audit", *stated, "--only", "performance", "--wordings", wordings, *more),
            *("--out", out, "--display", "none"),
        )
        return *found, out

    return run


def test_a_planted_wording_is_found_and_stands_on_the_page(audited):
    code, out, _, folder = audited(24)
    assert code == 0
    assert "● wording: loud" in out
    assert "● wording: polite" not in out
    page = (folder / "report.html").read_text()
    for shown in (page, " ".join(out.split())):
        assert "The worst of 3 wordings (loud) lies" in shown
        assert "more than chance: the worst of 3 equal ones lies" in shown
        assert "Asked again in its own words, 0.0" in shown.replace("\N{NO-BREAK SPACE}", " ")
        assert "Largest share: " in shown
    before_paths = out.partition("\nthe rest: ")[0]
    assert max(map(len, before_paths.splitlines())) <= 80
    assert "variance budget of the score" in page
    stated = json.loads((folder / "manifest.json").read_text())
    assert "NOW! " in json.dumps(stated)


def test_wordings_that_are_equal_are_not_accused(audited):
    code, out, _, folder = audited(0)
    assert code == 0
    assert "●" not in out
    assert "no more than chance explains" in (folder / "report.html").read_text()


@pytest.mark.parametrize("more", [["--only", "performance"], ["--only", "wordings"], []])
def test_a_model_without_a_prompt_is_told_so(command, tmp_path, more):
    source = ["--model", "builtin:spam", "--data", "builtin:messages", "--limit", "20"]
    code, out, err = command("audit", *source, "--wordings", "builtin", *more)
    assert (code, out) == (2, "")
    assert err.startswith("Wordings ask in other words what a prompt asks")
    assert "\n\n" not in err


def test_a_plan_that_measures_says_its_wordings_itself(command, write, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[models.m]\nsource = "builtin:spam"\n[data.d]\nsource = "builtin:messages"\n'
        '[[measure]]\nid = "p"\ndiagnostic = "performance@1"\n'
    )
    code, _, err = command("audit", plan, "--wordings", "builtin")
    assert code == 2
    assert "--wordings would be passed" in " ".join(err.split())
