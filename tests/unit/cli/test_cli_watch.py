"""``scrutiny watch`` against a server on loopback: as before, changed, could not find out."""

import hashlib
import json
import math
import random
from pathlib import Path

import pytest
from chat_server import ChatServer, Served, said
from werkzeug import Response

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
ROWS = [{"id": f"i{n}", "text": f"text {n} .", "label": ("bad", "good")[n % 2]} for n in range(120)]


def drawn(*keys):
    """Number from 0 to 1 that belongs to these keys."""
    digest = hashlib.blake2b(repr(keys).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") / 2**64


class Chat:
    """A served model: what it says can be changed while it is served.

    Parameters
    ----------
    flips
        Share of the texts on which it answers the other label.
    shift
        Size of a change of its log-odds, as of a coarse quantization.
    noise
        Share of answers that are others by chance.
    """

    def __init__(self):
        self.flips, self.shift, self.noise = 0.0, 0.0, 0.0
        self.down = False
        self.name = "tiny-1"
        self._random = random.Random(3)

    def __call__(self, body, _):
        if self.down:
            return Response("no", status=500)
        text = body["messages"][-1]["content"]
        odds = 6 * (drawn(text) - 0.5) + self.shift * (4 * drawn("shift", text) - 2)
        is_other = (drawn("flip", text) < self.flips) != (self._random.random() < self.noise)
        p = 1 / (1 + math.exp(odds if is_other else -odds))
        logs = [{"token": t, "logprob": math.log(q)} for t, q in (("good", p), ("bad", 1 - p))]
        word = "good" if p > 0.5 else "bad"
        top = {"content": [{**logs[0], "top_logprobs": logs}]}
        return said(word, choice={"logprobs": top}, model=self.name)


@pytest.fixture
def chat():
    return Chat()


@pytest.fixture(scope="module")
def server():
    """One server for all tests, so that a baseline is of the same address."""
    started = ChatServer()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Folder of the data, and of the baselines, which are made once: each before a change."""
    return tmp_path_factory.mktemp("baselines")


@pytest.fixture
def watch(server, place, quick_retries, chat, tmp_path, capsys):
    """Function that watches the served chat; gives exit code, object or text, and stderr."""
    served = server.serves(Served(chat))
    url = f"{server.url}/v1"

    def run(*flags, options="", history="h.jsonl", text=False, rows=120):
        model = f"{url}#api=chat,labels=bad|good,attempts=1{options}"
        data, baseline = place / f"{rows}.jsonl", place / f"baseline-{rows}{options}"
        if not baseline.exists():
            data.write_text("".join(json.dumps(row) + "\n" for row in ROWS[:rows]))
            source = f"jsonl:{data}#task=text-classification"
            scrutiny.run("performance", model=model, data=source, out=baseline, cache=None)
        capsys.readouterr()
        before = len(served.bodies)
        arguments = ["watch", model, "--baseline", str(baseline)]
        arguments += ["--history", str(tmp_path / history), *flags]
        code = exit_code_of(group, arguments if text else [*arguments, "--json"])
        out, err = capsys.readouterr()
        run.sent = len(served.bodies) - before
        return code, out if text or code == 2 else json.loads(out), err

    return run


def test_an_unchanged_endpoint_is_as_before_day_after_day(watch, tmp_path):
    for day in range(3):
        code, found, err = watch()
        assert (code, found["state"]) == (0, "as before")
        assert 0.05 < found["would_find"] < 0.12
        assert found["says"] == "As before: 120 of 120 answers the same, noise floor 0.0 % (of 6)."
        assert ("Begins a history" in err) == (day == 0)
    assert watch.sent == found["requests"] == 126
    assert found["accuracy"] == found["accuracy_before"]
    lines = (tmp_path / "h.jsonl").read_text().splitlines()
    assert [json.loads(line)["state"] for line in lines] == ["as before"] * 3


def test_other_answers_are_a_change_and_stay_one(watch, chat):
    assert watch()[0] == 0
    chat.flips, chat.name = 0.15, "tiny-2"
    code, out, _ = watch(text=True)
    assert code == 1
    assert out.startswith("Changed since 20")
    assert "answers the same, noise floor 0.0 %" in out
    assert "would find" not in out
    assert "tiny-2; before: tiny-1" in out
    assert max(map(len, out.splitlines())) <= 80
    chat.flips = 0.0
    assert watch()[0] == 1  # until there is a new history


def test_a_change_at_once_is_one_since_the_baseline(watch, chat):
    assert watch(history="other.jsonl")[0] == 0  # made the baseline
    chat.flips = 0.15
    code, found, _ = watch()
    assert (code, found["says"][:27]) == (1, "Changed since the baseline:")
    assert found["came_again"] == found["told"] >= 7
    assert found["p_of_this_look"] == 0.5 ** found["told"]


def test_moved_probabilities_are_a_change_without_other_answers(watch, chat):
    assert watch(options=",by=logprobs")[1]["shift"] == 0
    chat.shift = 0.05
    code, found, _ = watch(options=",by=logprobs", history="answers.jsonl")
    assert code == 1
    assert "their probabilities have moved" in found["says"]
    assert found["requests"] <= 200
    chat.shift = 0.01
    assert watch("--answers-only", options=",by=logprobs", history="third.jsonl")[0] == 0


def test_a_noisy_endpoint_is_not_changed_and_finds_less(watch, chat):
    assert watch(history="quiet.jsonl")[1]["would_find"] < 0.12
    chat.noise = 0.1
    assert watch(history="noisy.jsonl")[1]["would_find"] > 0.2
    for _ in range(2):
        code, found, _ = watch()
        assert code in (0, 3)
    assert found["noise_of"] > 0


def test_a_look_of_few_requests_says_that_it_finds_nothing_alone(watch):
    code, out, _ = watch("--requests", "8", text=True)
    assert code == 0
    assert "would find      no change for sure in one such look" in out


def test_an_outage_is_no_change_and_found_out_soon(watch, chat):
    assert watch()[0] == 0
    chat.down = True
    code, found, _ = watch()
    assert code == 3
    assert found["says"] == (
        "Could not find out: the endpoint answered 0 of 32 (server_error: 32)."
    )
    chat.down = False
    assert watch()[0] == 0


def test_the_requests_are_never_more_than_allowed(watch, chat):
    assert watch(history="other.jsonl")[0] == 0
    chat.flips = 0.5
    for most in (2, 3, 17, 50):
        code, found, _ = watch("--requests", str(most), history=f"{most}.jsonl")
        assert watch.sent <= most
        assert found["requests"] == watch.sent
        assert code in (0, 1, 3)


def test_a_baseline_of_too_few_items_cannot_show_a_change(watch):
    code, found, _ = watch(rows=5)
    assert code == 3
    assert "too few of the baseline's 5 items are left" in found["says"]


def test_what_cannot_be_watched_is_said_in_a_paragraph(watch, tmp_path):
    assert watch()[0] == 0
    (tmp_path / "bad.jsonl").write_text('{"when": 1}\n')
    code, _, err = watch(history="bad.jsonl")
    assert (code, "Line 1 of the history" in err) == (2, True)
    line = json.loads((tmp_path / "h.jsonl").read_text())
    (tmp_path / "other.jsonl").write_text(json.dumps({**line, "baseline": "0" * 8}))
    code, _, err = watch(history="other.jsonl")
    assert (code, "is of the baseline 00000000" in " ".join(err.split())) == (2, True)
    code, _, err = watch("--data", "nothing")
    assert (code, "data with answers:" in " ".join(err.split())) == (2, True)


def test_a_run_of_two_models_is_no_baseline(tmp_path, capsys):
    out = tmp_path / "two"
    models = [f"--model=builtin:sentiment/seed-{seed}" for seed in (1, 2)]
    more = ["--data", "builtin:reviews", "--limit", "20", "--draws", "100", "--out", str(out)]
    assert exit_code_of(group, ["run", "performance", *models, *more, "--no-cache"]) == 0
    code = exit_code_of(group, ["watch", "builtin:sentiment", "--baseline", str(out)])
    assert code == 2
    assert "measured 2 models" in " ".join(capsys.readouterr().err.split())
    assert not Path(f"{out}-watch.jsonl").exists()
