"""The same command again: with other limits, after an outage, and where all is done."""

import json

import pytest
from chat_server import said
from werkzeug import Response

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.errors import PlanError, RunIncompleteError
from scrutiny.models.strings.adapters import without_limits
from scrutiny.store.run_folder import RunFolder

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
ROWS = [{"id": f"i{n}", "text": f"text {n} .", "label": ("bad", "good")[n % 2]} for n in range(40)]
ASKED = "#api=chat,labels=bad|good"


@pytest.fixture
def data(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return f"jsonl:{file}#task=text-classification"


@pytest.fixture
def run(data, tmp_path):
    """Function that runs in one folder, with one cache."""

    def issued(model, diagnostic="performance", **more):
        kept = {"cache": tmp_path / "answers.sqlite", **more}
        return scrutiny.run(diagnostic, model=model, data=data, out=tmp_path / "r", **kept)

    return issued


def right(served):
    return lambda body, _: said(("bad", "good")[number_in(served, body) % 2])


def number_in(served, body):
    return int(served.text_of(body).split()[1])


def out_for(served, share, failure=lambda: Response("starting", status=503)):
    """Answer of a server that is out for some of the texts; all of them are asked at last."""
    answer = right(served)
    return lambda body, tries: (
        failure() if number_in(served, body) % share == 0 else answer(body, tries)
    )


@pytest.mark.parametrize(
    "more",
    [
        "most_requests=400",
        "most_tokens=90000",
        "attempts=2,concurrency=3",
        "timeout=20,price=0.01,most_cost=9",
        "api_key=env:OWN_KEY,per_minute=90000",
    ],
)
def test_other_limits_are_the_same_plan(serve, run, monkeypatch, more):
    monkeypatch.setenv("OWN_KEY", "sk-very-secret")
    served = serve(None)
    served.answer = right(served)
    with pytest.raises(RunIncompleteError, match="re-issue the same command with a larger"):
        run(f"{served.url}/v1{ASKED},most_requests=25")
    found = run(f"{served.url}/v1{ASKED},{more}")
    assert found.estimate("accuracy").value == 1.0
    assert len(served.bodies) == 40
    assert set(served.asked().values()) == {1}


def test_what_is_asked_is_another_plan(serve, run):
    served = serve(None)
    served.answer = right(served)
    run(f"{served.url}/v1{ASKED}")
    for more in ("max_tokens=3", "temperature=1", "model=other", "read=last"):
        with pytest.raises(PlanError, match="another plan"):
            run(f"{served.url}/v1{ASKED},{more}")


def test_options_of_other_models_all_count():
    assert without_limits("hf:./m#timeout=3") == "hf:./m#timeout=3"
    assert without_limits("http:own.toml") == "http:own.toml"
    assert without_limits("http://h/v1#api=chat, attempts = 3") == "http://h/v1#api=chat"
    assert without_limits("no such thing#a=b") == "no such thing#a=b"


@pytest.mark.parametrize(
    "failure",
    [
        lambda: Response("starting", status=503),
        lambda: Response("broken", status=500),
        lambda: Response('{"choices": ['),
    ],
)
def test_an_outage_is_mended_by_the_same_command(serve, run, tmp_path, failure):
    served = serve(None)
    served.answer = out_for(served, 4, failure)
    model = f"{served.url}/v1{ASKED},attempts=1"
    assert run(model).estimate("accuracy").counts.failed == 10
    assert len(served.bodies) == 40
    served.answer = out_for(served, 8, failure)
    assert run(model).estimate("accuracy").counts.failed == 5
    assert len(served.bodies) == 50
    served.answer = right(served)
    found = run(model).estimate("accuracy")
    assert (found.counts.failed, found.counts.n, found.value) == (0, 40, 1.0)
    assert len(served.bodies) == 55
    again = run(model).estimate("accuracy")
    assert again.value == 1.0
    assert len(served.bodies) == 55
    assert RunFolder(tmp_path / "r").manifest["sent"]["requests"] == 55


def test_a_mended_run_is_as_one_that_met_no_outage(serve, run, data, tmp_path):
    served = serve(None)
    served.answer = out_for(served, 3)
    model = f"{served.url}/v1{ASKED},attempts=1"
    run(model, "repeats")
    served.answer = right(served)
    run(model, "repeats")
    whole = tmp_path / "other.sqlite"
    scrutiny.run("repeats", model=model, data=data, out=tmp_path / "whole", cache=whole)
    for name in ("records", "outputs", "estimates"):
        mended, other = (RunFolder(tmp_path / one).table(name) for one in ("r", "whole"))
        assert mended.equals(other)


def test_what_will_not_mend_is_not_asked_again(serve, run):
    served = serve(None)
    served.answer = out_for(served, 4, lambda: Response("too long", status=400))
    for _ in range(2):
        found = run(f"{served.url}/v1{ASKED}").estimate("accuracy")
        assert found.counts.failed == 10
        assert len(served.bodies) == 40


def test_without_a_cache_no_text_is_paid_for_again(serve, data, tmp_path):
    """Replies are in no cache: a shard that is done again would ask all of its texts."""
    served = serve(None)
    served.answer = out_for(served, 4)
    for _ in range(2):
        model = f"{served.url}/v1{ASKED},attempts=1"
        scrutiny.run("performance", model=model, data=data, out=tmp_path / "r")
        assert len(served.bodies) == 40


def test_a_command_says_what_it_sent(serve, data, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    served = serve(None)
    served.answer = out_for(served, 4)
    asked = ["run", "performance", "--model", f"{served.url}/v1{ASKED},attempts=1"]
    asked += ["--data", data, "--out", str(tmp_path / "r")]
    said_of = []
    for _ in range(3):
        assert exit_code_of(group, asked) == 0
        said_of.append(capsys.readouterr().err)
        served.answer = right(served)
    assert "Sent for this run: 40 requests" in said_of[0]
    assert "10 answers are missing because no reply came, and asked for again." in said_of[1]
    assert "Sent for this run: 50 requests" in said_of[1]
    assert "This command sent nothing. Sent for this run before: 50 requests" in said_of[2]
