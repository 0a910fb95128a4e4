"""``scrutiny doctor`` against a real server on loopback."""

import json
from threading import Lock

import pytest
from werkzeug import Response

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from simulated_endpoint import Simulated

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])


@pytest.fixture
def command(capsys):
    """Run a command; give its exit code, what it printed, and what it said on stderr."""

    def run(*arguments):
        code = exit_code_of(group, arguments)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def endpoint(serve):
    """Function that serves a simulated endpoint, and gives its string."""
    lock = Lock()

    def start(simulated):
        def answer(body, _):
            with lock:
                return Response(json.dumps(simulated.reply(body)))

        start.served = serve(answer)
        return f"{start.served.url}/v1#api=chat,labels=bad|good"

    return start


def test_a_sound_endpoint_is_told_in_one_line(endpoint, command):
    code, out, err = command("doctor", endpoint(Simulated()))
    assert code == 0
    assert out.startswith("No fault in 10 checks.\n79 requests were sent.\n\n")
    assert "Sends about 79 requests, and never more than 120." in err
    assert max(map(len, out.splitlines())) <= 80
    assert len(endpoint.served.bodies) == 79


def test_a_fault_is_exit_code_1(endpoint, command):
    code, out, _ = command("doctor", endpoint(Simulated(fault="stop")))
    assert code == 1
    assert out.startswith("1 of 10 checks found a fault: stop words.")
    assert "stop words        fault       An answer went on behind the stop word" in out


def test_two_copies_of_a_server_are_the_same(endpoint, command):
    own = endpoint(Simulated())
    code, out, _ = command("doctor", own, "--against", own, "--json")
    found = json.loads(out)
    assert (code, found["complete"], found["requests"]) == (0, True, 119)
    assert found["findings"][-1]["check"] == "same model"
    assert found["findings"][-1]["state"] == "ok"
    assert len(endpoint.served.bodies) == 119


def test_a_spent_budget_is_exit_code_3_with_what_was_found(endpoint, command):
    code, out, err = command("doctor", endpoint(Simulated()), "--most-requests", "40")
    assert code == 3
    assert out.startswith("No fault in 4 checks.")
    assert "The budget of 40 requests ended before all checks were done" in err
    assert len(endpoint.served.bodies) == 40


def test_an_endpoint_that_asks_for_a_long_wait_is_no_spent_budget(serve, command):
    served = serve(lambda *_: Response("busy", status=429, headers={"Retry-After": "86400"}))
    code, out, err = command("doctor", f"{served.url}/v1#api=chat,labels=bad|good")
    assert code == 3
    assert out.startswith("No check was made.")
    assert "Not all checks were done." in err
    assert "asks to wait until" in " ".join(err.split())
    assert "budget" not in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("builtin:sentiment",), "is no endpoint"),
        (("http://127.0.0.1:9/v1#api=chat,lables=a",), "there is no such option"),
        (("--against", "http://127.0.0.1:9/v1#api=chat"), "name it first"),
        (("http://127.0.0.1:9/v1#api=chat", "--level", "0.5"), "0.5 is not in the range"),
    ],
)
def test_bad_input_is_exit_code_2(arguments, says, command):
    code, out, err = command("doctor", *arguments)
    assert (code, out) == (2, "")
    assert says in " ".join(err.split())


def test_a_dead_endpoint_is_a_fault(command, quick_retries):
    code, out, _ = command("doctor", "http://127.0.0.1:9/v1#api=chat,labels=a|b")
    assert code == 1
    assert "No request brought a reply" in out


def test_an_interrupt_keeps_what_was_found(endpoint, command, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("scrutiny.models.http.doctor.member_checks.check_stop", interrupted)
    code, out, err = command("doctor", endpoint(Simulated()))
    assert code == 130
    assert "log-probabilities ok" in out
    assert "Interrupted before all checks were done." in err
