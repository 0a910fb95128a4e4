"""Requests: failures by name, retries, limits, budgets, secrets."""

import json
import os
import re
import time
from pathlib import Path

import certifi
import pytest
from chat_server import said
from werkzeug import Response

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError, RunIncompleteError
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.http import sending
from scrutiny.models.http.endpoint import read_endpoint
from scrutiny.models.strings.model_loading import load_model
from scrutiny.models.strings.model_strings import parse

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])


def asked(url, task, examples, **options):
    given = {"api": "chat", "labels": "bad|good", "concurrency": "8", **options}
    stated = ",".join(f"{name}={value}" for name, value in given.items())
    model = load_model(f"{url}#{stated}", task)
    return model, predict_or_fail(model, examples)


def later(seconds, response):
    time.sleep(seconds)
    return response


def reasons(answers):
    return [one.reason if isinstance(one, Failure) else one.answer for one in answers]


def test_every_text_is_answered_in_order(serve, classification, make):
    served = serve(lambda body, _: said("good" if "fine" in str(body) else "bad"))
    examples = make(*(f"{'fine' if i % 3 else 'poor'} {i}" for i in range(40)))
    model, answers = asked(served.url + "/v1", classification, examples)
    assert [one.answer for one in answers] == ["good" if i % 3 else "bad" for i in range(40)]
    assert len(served.bodies) == model.spent().requests == 40
    assert model.spent().tokens_in == 800
    assert model.spent().tokens_out == 80
    assert model.spent().cost is None
    assert served.bodies[0]["temperature"] == 0
    assert "Answer with one of these and nothing else: bad, good." in str(served.bodies[0])


@pytest.mark.parametrize(
    ("reply", "reason", "sent"),
    [
        (lambda: Response("no", status=500), "server_error", 3),
        (lambda: Response("no", status=429, headers={"Retry-After": "0"}), "rate_limited", 3),
        (lambda: Response('{"choices": [{"mess'), "bad_reply", 3),
        (lambda: Response("{}"), "bad_reply", 3),
        (lambda: Response('{"error": {"message": "overloaded"}}'), "bad_reply", 3),
        (lambda: Response("too long", status=400), "bad_request", 1),
        (lambda: said(""), "empty", 1),
        (lambda: said(None), "empty", 1),
        (lambda: said("", message={"refusal": "no"}), "refused", 1),
        (lambda: said("", end="content_filter"), "refused", 1),
        (lambda: said("I'm sorry, but I can't judge that."), "refused", 1),
        (lambda: said("Let me think about it", end="length"), "cut_off", 1),
        (lambda: said("It depends."), "unparsed", 1),
        (lambda: said("good or bad"), "unparsed", 1),
    ],
)
def test_what_goes_wrong_is_told_by_name(serve, classification, make, reply, reason, sent):
    served = serve(lambda *_: reply())
    _, answers = asked(served.url + "/v1", classification, make("a film"), attempts=3)
    assert reasons(answers) == [reason]
    assert answers[0].message
    assert len(served.bodies) == sent


def test_what_goes_wrong_once_is_asked_again(serve, classification, make):
    """One request in ten fails in one of seven ways, and all that may mend does."""
    wrong = [
        lambda: Response("no", status=500),
        lambda: Response("no", status=429, headers={"Retry-After": "0.05"}),
        lambda: later(0.6, said("good")),
        lambda: Response('{"choices": [{"mess'),
        lambda: said(""),
        lambda: said("I cannot help with that."),
        lambda: said("Hmm, let me", end="length"),
    ]

    def answer(body, tries):
        number = int(served.text_of(body).split()[1])
        return wrong[number // 10 % 7]() if number % 10 == 0 and tries == 1 else said("good")

    served = serve(answer)
    examples = make(*(f"text {i} ." for i in range(140)))
    model, answers = asked(served.url + "/v1", classification, examples, timeout=0.3)
    found = reasons(answers)
    assert len(found) == 140
    for name in ("empty", "refused", "cut_off"):
        assert found.count(name) == 2
    assert found.count("good") == 134
    assert model.spent().again == 8
    assert model.spent().requests == 148


def test_a_dead_endpoint_is_told_for_each_text(quick_retries, classification, make):
    _, answers = asked("http://127.0.0.1:9/v1", classification, make("a"), attempts=2)
    assert reasons(answers) == ["unreachable"]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_no_item_would_mend_ends_the_command(serve, classification, make, status):
    served = serve(lambda *_: Response("who are you", status=status))
    with pytest.raises(ModelError, match=f"refuses every request. Status {status}: who are you"):
        asked(served.url + "/v1", classification, make(*"abcdefgh"), concurrency=2)
    assert len(served.bodies) <= 2


def test_limits_hold(serve, classification, make):
    served = serve(lambda *_: later(0.01, said("good")))
    asked(served.url + "/v1", classification, make(*map(str, range(60))), concurrency=3)
    assert served.most_at_once <= 3


def test_busy_endpoints_are_asked_less_at_one_time(serve, classification, make):
    """A server that takes three at one time gets nearly all answers through."""

    def answer(*_):
        return later(0.02, said("good") if served.at_once <= 3 else Response("busy", status=429))

    served = serve(answer)
    model, answers = asked(
        served.url + "/v1", classification, make(*map(str, range(80))), concurrency=32, attempts=12
    )
    assert reasons(answers) == ["good"] * 80
    assert model.spent().again <= 60


@pytest.mark.parametrize(
    ("budget", "most"),
    [("most_requests=25", 25), ("most_tokens=900", 45), ("most_cost=0.5,price=0.02", 25)],
)
def test_budgets_stop_before_they_are_exceeded(serve, classification, make, budget, most):
    served = serve(lambda *_: said("good"))
    name, _, rest = budget.partition("=")
    value, _, more = rest.partition(",")
    options = {name: value, **dict(part.split("=") for part in more.split(",") if part)}
    model = load_model(
        f"{served.url}/v1#api=chat,labels=bad|good,"
        + ",".join(f"{name}={value}" for name, value in options.items()),
        classification,
    )
    came = []
    with pytest.raises(RunIncompleteError, match="leaves no room for the next request"):
        came.extend(model.replies(make(*(f"text {i}" for i in range(100)))))
    assert 0 < len(came) == len(served.bodies) <= most
    spent = model.spent()
    assert "tokens" not in budget or spent.tokens_in + spent.tokens_out <= 900
    assert "cost" not in budget or spent.cost <= 0.5


def test_a_budget_of_requests_is_used_up(serve, classification, make):
    served = serve(lambda *_: said("good"))
    model = load_model(f"{served.url}/v1#api=chat,labels=bad|good,most_requests=30", classification)
    came = []
    with pytest.raises(RunIncompleteError):
        came.extend(model.replies(make(*map(str, range(100)))))
    assert len(came) == len(served.bodies) == 30


def test_secrets_are_sent_and_never_told(serve, classification, make, monkeypatch, tmp_path):
    monkeypatch.setenv("OWN_KEY", "sk-very-secret")
    served = serve(lambda *_: Response("your key sk-very-secret is odd", status=400))
    _, answers = asked(served.url + "/v1", classification, make("a"), api_key="env:OWN_KEY")
    assert served.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in answers[0].message
    assert "your key *** is odd" in answers[0].message


@pytest.mark.parametrize(
    ("body", "header"),
    [
        (r'{"error": "your key sk\u002dvery\u002Dsecret is odd"}', "application/json"),
        ("your key sk-very-secret is odd".encode("utf-16"), "text/plain; charset=utf-16"),
    ],
)
def test_secrets_that_are_written_otherwise_are_not_told(
    serve, classification, make, monkeypatch, body, header
):
    monkeypatch.setenv("OWN_KEY", "sk-very-secret")
    served = serve(lambda *_: Response(body, status=400, headers={"Content-Type": header}))
    _, answers = asked(served.url + "/v1", classification, make("a"), api_key="env:OWN_KEY")
    assert "your key *** is odd" in answers[0].message


@pytest.mark.parametrize(
    ("written", "secret"),
    [
        ('api_key = "sk-very-secret"', "api_key"),
        ('[headers]\nAuthorization = "Bearer sk-very-secret"', "Authorization"),
        ('api_key = "env:OWN_KEY"', ""),
        ('[headers]\nAuthorization = "Bearer env:OWN_KEY"\nX-Team = "us"', ""),
    ],
)
def test_a_key_in_a_file_that_others_can_read_is_refused(tmp_path, written, secret):
    file = tmp_path / "own.toml"
    file.write_text(f'url = "http://x/v1"\napi = "chat"\nlabels = ["bad", "good"]\n{written}\n')
    for mode in (0o644, 0o640, 0o604):
        file.chmod(mode)
        if not secret:
            assert read_endpoint(parse(f"http:{file}")).api == "chat"
            continue
        words = rf"the secret {secret} stands in .*mode {mode:o}"
        with pytest.raises(ModelError, match=words) as no:
            read_endpoint(parse(f"http:{file}"))
        assert "chmod 600" in str(no.value)
        assert f'{secret} = "env:MY_KEY"' in str(no.value)
        assert "sk-very" not in str(no.value)
    file.chmod(0o600)
    assert read_endpoint(parse(f"http:{file}")).labels == ("bad", "good")


def test_samples_are_shares(serve, classification, make):
    served = serve(lambda body, _: said("good" if body["seed"] % 4 else "bad"))
    model, answers = asked(
        served.url + "/v1", classification, make("a"), samples=4, temperature=1, seed=0
    )
    assert answers == [Prediction("good", (0.25, 0.75), "good")]
    assert model.n_samples == 4
    assert sorted(body["seed"] for body in served.bodies) == [0, 1, 2, 3]


def test_another_draw_takes_other_seeds(serve, classification, make):
    served = serve(lambda *_: said("good"))
    model = load_model(f"{served.url}/v1#api=chat,labels=bad|good,samples=2,seed=5", classification)
    assert len(dict(model.replies(make("a"), draw=1))[0]) == 2
    assert sorted(body["seed"] for body in served.bodies) == [7, 8]


def test_first_tokens_are_probabilities(serve, classification, make):
    top = [{"token": " good", "logprob": -0.5}, {"token": "Bad", "logprob": -1.5}]
    top += [{"token": "x", "logprob": -3.0}]
    logs = {"logprobs": {"content": [{"token": " good", "logprob": -0.5, "top_logprobs": top}]}}
    served = serve(lambda *_: said("good", choice=logs))
    _, answers = asked(served.url + "/v1", classification, make("a"), by="logprobs")
    assert answers[0].scores == pytest.approx((0.2689414, 0.7310586))
    assert served.bodies[0]["logprobs"] is True
    assert served.bodies[0]["max_tokens"] == 1


def test_missing_log_probabilities_are_told(serve, classification, make):
    served = serve(lambda *_: said("good"))
    _, answers = asked(served.url + "/v1", classification, make("a"), by="logprobs")
    assert reasons(answers) == ["no_logprobs"]


def test_several_urls_are_used_in_turn(serve, classification, make, tmp_path):
    served = serve(lambda *_: said("good"))
    other = served.url.replace("localhost", "127.0.0.1")
    file = tmp_path / "own.toml"
    file.write_text(
        f'url = ["{served.url}/v1", "{other}/v1"]\napi = "chat"\nlabels = ["bad", "good"]'
    )
    model = load_model(f"http:{file}", classification)
    model.predict(make(*"abcdef"))
    assert len({headers["Host"] for headers in served.headers}) == 2


def test_an_endpoint_of_your_own(serve, classification, make, tmp_path):
    def answer(body, _):
        rows = [
            {
                "class": "good",
                "p": [{"label": "good", "score": 0.9}, {"label": "bad", "score": 0.1}],
            }
            for _ in body["rows"]
        ]
        return Response(json.dumps({"out": rows}))

    served = serve(answer, path="/classify")
    file = tmp_path / "own.toml"
    file.write_text(
        f"""
        url = "{served.url}/classify"
        labels = ["bad", "good"]
        body = {{ rows = "{{texts}}", lang = "en" }}
        batch = 4
        items = "out"
        label = "class"
        scores = "p"
        [headers]
        X-Team = "nlp"
        """
    )
    answers = load_model(f"http:{file}", classification).predict(make(*"abcdefghij"))
    assert answers == [Prediction("good", (0.1, 0.9))] * 10
    assert sorted(len(body["rows"]) for body in served.bodies) == [2, 4, 4]
    assert served.headers[0]["X-Team"] == "nlp"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("{ x = 'no place' }", "its body has no place for {text}, so what is asked would not"),
        ("{ x = ['{other}', 1] }", "no place for {text}"),
        ("{ x = 'so {texts}' }", "must be a whole value"),
        ("{ x = '{text}' }\nbatch = 4", "batch=4 puts several texts into one request"),
    ],
)
def test_a_body_without_a_place_for_the_texts_is_refused(tmp_path, classification, body, says):
    file = tmp_path / "own.toml"
    file.write_text(f"url = 'http://h/o'\nlabels = ['bad', 'good']\nlabel = 'l'\nbody = {body}\n")
    with pytest.raises(ModelError, match=re.escape(says)):
        load_model(f"http:{file}", classification)


def test_completions_go_on_behind_the_text(serve, classification, make):
    def answer(body, _):
        logs = {"top_logprobs": [{" good": -0.2, " bad": -2.0}]}
        choice = {"text": " good", "finish_reason": "length", "logprobs": logs}
        return Response(json.dumps({"choices": [choice]}))

    served = serve(answer, path="/v1/completions")
    _, answers = asked(
        served.url + "/v1", classification, make("A film."), api="completions", max_tokens=1
    )
    assert answers == [Prediction("good", said=" good")]
    assert served.bodies[0]["prompt"].startswith("A film.")


def test_authorities_are_read_once_and_are_those_that_the_environment_names(monkeypatch, tmp_path):
    first, _, _ = Path(certifi.where()).read_text().partition("-----END CERTIFICATE-----")
    (tmp_path / "own.pem").write_text(f"{first}-----END CERTIFICATE-----\n")

    def trusted():
        context = sending._usual(*map(os.environ.get, sending._TRUSTED))
        return context, context.cert_store_stats()["x509_ca"]

    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    usual, _ = trusted()
    assert trusted()[0] is usual
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
    named, one = trusted()
    assert (one, named is usual) == (1, False)
