"""What a bad server does: every reply is read or fails by name, and nothing goes elsewhere."""

import json
import signal
import threading
import time
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic

import pytest
from chat_server import said
from werkzeug import Response

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError, RunIncompleteError
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.http import sending
from scrutiny.models.http.doctor.examining import asker_of, examine, examined_model
from scrutiny.models.http.endpoint import read_endpoint
from scrutiny.models.http.pacing import RequestGate
from scrutiny.models.http.posting import LARGEST
from scrutiny.models.strings.model_loading import load_model
from scrutiny.models.strings.model_strings import parse

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
DEEP = "[" * 100_000 + "]" * 100_000
DIGITS = "9" * 400


def asked(served, task, examples, **options):
    given = {"api": "chat", "labels": "bad|good", "attempts": "1", **options}
    stated = ",".join(f"{name}={value}" for name, value in given.items())
    model = load_model(f"{served.url}/v1#{stated}", task)
    return model, predict_or_fail(model, examples)


def plain(text):
    return lambda *_: Response(text, content_type="application/json")


def choice(content='"good"', logprobs="null", usage="{}"):
    return (
        f'{{"choices": [{{"message": {{"content": {content}}}, "logprobs": {logprobs}}}], '
        f'"usage": {usage}}}'
    )


def top(value):
    return f'{{"content": [{{"token": "good", "logprob": -1, "top_logprobs": {value}}}]}}'


BAD = {
    "deep": (DEEP, "bad_reply"),
    "deep inside": (choice(content=DEEP), "bad_reply"),
    "tokens of 20 digits": (choice(usage='{"prompt_tokens": 99999999999999999999}'), "bad_reply"),
    "tokens of 400 digits": (choice(usage=f'{{"prompt_tokens": {DIGITS}}}'), "bad_reply"),
    "tokens below none": (choice(usage='{"completion_tokens": -3}'), "bad_reply"),
    "tokens in words": (choice(usage='{"completion_tokens": "two"}'), "bad_reply"),
    "infinite tokens": (choice(usage='{"completion_tokens": Infinity}'), "bad_reply"),
    "a number": ("7", "bad_reply"),
    "a list for a table": ("[1, 2]", "bad_reply"),
    "a text for a table": ('"choices"', "bad_reply"),
    "choices of numbers": ('{"choices": [1]}', "bad_reply"),
    "choices as a table": ('{"choices": {"0": 1}}', "bad_reply"),
    "a message that is a list": ('{"choices": [{"message": ["good"]}]}', "bad_reply"),
    "content as a table": (choice(content='{"text": "good"}'), "bad_reply"),
    "content as a number": (choice(content="3"), "bad_reply"),
    "parts of numbers": (choice(content="[1, 2]"), "bad_reply"),
    "half a surrogate pair": (choice(content='"good \\ud800"'), "no_unicode"),
    "not closed": ('{"choices": [', "bad_reply"),
    "a page": ("<html>busy</html>", "bad_reply"),
}
BAD_LOGS = {
    "above 0": (top('[{"token": "good", "logprob": 1000}]'), "no_logprobs"),
    "no number": (top('[{"token": "good", "logprob": NaN}]'), "no_logprobs"),
    "400 digits": (top(f'[{{"token": "good", "logprob": {DIGITS}}}]'), "bad_reply"),
    "in words": (top('[{"token": "good", "logprob": "likely"}]'), "bad_reply"),
    "true": (top('[{"token": "good", "logprob": true}]'), "bad_reply"),
    "a token that is a list": (top('[{"token": ["good"], "logprob": -1}]'), "bad_reply"),
    "tokens of texts": (top('["good", "bad"]'), "bad_reply"),
    "a text": (top('"good"'), "bad_reply"),
    "a table where a list is": ('{"top_logprobs": {"good": -1}}', "bad_reply"),
    "content as a table": ('{"content": {"token": "good"}}', "bad_reply"),
    "a list": ("[-1, -2]", "bad_reply"),
    "empty": ('{"content": []}', "no_logprobs"),
    "none": ("null", "no_logprobs"),
    "null": (top('[{"token": "good", "logprob": null}]'), "no_logprobs"),
}


def reasons(cases, served, task, make, **options):
    """Reason of each case, whose reply is that to the text of its number."""
    texts = [text for text, _ in cases.values()]
    served.answer = lambda body, _: plain(texts[number_in(served, body)])()
    _, answers = asked(served, task, make(*(f"text {n} ." for n in range(len(cases)))), **options)
    assert all(isinstance(one, Failure) and len(one.message) < 2_000 for one in answers)
    return {name: one.reason for name, one in zip(cases, answers, strict=True)}


def test_a_reply_of_the_wrong_shape_fails_by_name(serve, classification, make):
    found = reasons(BAD, serve(None), classification, make)
    assert found == {name: reason for name, (_, reason) in BAD.items()}


def test_log_probabilities_of_the_wrong_shape_fail_by_name(serve, classification, make):
    cases = {name: (choice(logprobs=logs), reason) for name, (logs, reason) in BAD_LOGS.items()}
    found = reasons(cases, serve(None), classification, make, by="logprobs")
    assert found == {name: reason for name, (_, reason) in BAD_LOGS.items()}


BAD_SCORES = {
    '"01"': "bad_reply",
    "[Infinity, -Infinity]": "unparsed",
    "[NaN, 1]": "unparsed",
    "[1e308, 1e308]": "unparsed",
    f"[{DIGITS}, 0]": "bad_reply",
    "[true, false]": "bad_reply",
    '["0.5", "0.5"]': "bad_reply",
    "[0.2, 0.3, 0.5]": "unparsed",
    "[-1, 2]": "unparsed",
    "[]": "unparsed",
    "null": "bad_reply",
    "0.5": "bad_reply",
    '{"bad": 1}': "bad_reply",
    '{"bad": [1], "good": 0}': "bad_reply",
    '[{"label": "bad", "score": 1}, 7]': "bad_reply",
    '[{"label": [], "score": 1}]': "bad_reply",
}


def test_scores_that_are_none_fail_by_name(serve, classification, make, tmp_path):
    served = serve(None, path="/own")
    scores = list(BAD_SCORES)
    served.answer = lambda body, _: plain(f'{{"s": {scores[int(body["t"])]}}}')()
    file = tmp_path / "own.toml"
    file.write_text(
        f'url = "{served.url}/own"\nlabels = ["bad", "good"]\nbody = {{ t = "{{text}}" }}\n'
        'scores = "s"\nattempts = 1\n'
    )
    model = load_model(f"http:{file}", classification)
    answers = predict_or_fail(model, make(*map(str, range(len(scores)))))
    found = {name: one.reason for name, one in zip(scores, answers, strict=True)}
    assert found == BAD_SCORES


def test_a_byte_order_mark_is_no_fault(serve, classification, make):
    served = serve(lambda *_: Response(b"\xef\xbb\xbf" + choice().encode()))
    _, (answer,) = asked(served, classification, make("a film"))
    assert answer.answer == "good"


@pytest.mark.parametrize("name", ["deep", "tokens of 400 digits", "a list for a table"])
def test_a_doctor_survives_bad_replies(serve, name):
    served = serve(plain(BAD[name][0]))
    model = examined_model(parse(f"{served.url}/v1#api=chat,labels=bad|good,attempts=1"))
    (finding,) = examine(asker_of(model, most_requests=40))
    assert finding.state == "fault"
    assert "No request brought a reply" in finding.says


@pytest.mark.parametrize("value", ["1000", "NaN", "-1e308", "1e308"])
def test_a_doctor_reads_odd_log_probabilities(serve, value):
    logs = top(f'[{{"token": "good", "logprob": {value}}}, {{"token": "bad", "logprob": -1}}]')
    served = serve(plain(choice(logprobs=logs)))
    model = examined_model(parse(f"{served.url}/v1#api=chat,labels=bad|good,attempts=1"))
    askers = [asker_of(model, most_requests=100) for _ in range(2)]
    found = {one.check: one for one in examine(askers[0], askers[1], questions=2)}
    assert found["log-probabilities"].state == "fault"
    assert found["same model"].state != "fault"


# ---- size


def test_a_reply_that_unpacks_to_too_much_is_not_read_on(serve, classification, make):
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packing.compress(bytes(2**20)) for _ in range(64)) + packing.flush()
    assert len(bomb) < 2**17
    served = serve(lambda *_: Response(bomb, headers={"Content-Encoding": "gzip"}))
    _, (answer,) = asked(served, classification, make("a film"), attempts=3)
    assert answer.reason == "too_large"
    assert "8 MB" in answer.message
    assert len(served.bodies) == 1
    assert served.headers[0]["Accept-Encoding"] == "gzip"


def test_an_endless_reply_is_not_read_on(serve, classification, make):
    sent = []

    def endless():
        while True:
            sent.append(2**16)
            yield b" " * 2**16

    _, (answer,) = asked(serve(lambda *_: Response(endless())), classification, make("a film"))
    assert answer.reason == "too_large"
    assert sum(sent) < 8 * LARGEST


def test_packed_replies_are_read(serve, classification, make):
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packing.compress(choice().encode()) + packing.flush()
    served = serve(lambda *_: Response(packed, headers={"Content-Encoding": "gzip"}))
    assert asked(served, classification, make("a film"))[1][0].answer == "good"


def test_what_cannot_be_unpacked_fails_by_name(serve, classification, make):
    stated = ("gzip", "br", "gzip, gzip", "deflate")
    served = serve(None)
    served.answer = lambda body, _: Response(
        choice(), headers={"Content-Encoding": stated[number_in(served, body)]}
    )
    _, answers = asked(served, classification, make(*(f"text {n} ." for n in range(4))))
    assert [one.reason for one in answers] == ["bad_reply"] * 4
    assert all("packed" in one.message for one in answers)


def test_a_large_refusal_is_told_by_its_status(serve, classification, make):
    served = serve(lambda *_: Response("x" * (LARGEST + 9), status=400))
    _, (answer,) = asked(served, classification, make("a film"))
    assert answer.reason == "bad_request"
    assert len(answer.message) < 400


def test_a_key_is_left_out_before_it_could_be_cut_in_two(serve, classification, make, monkeypatch):
    """The endpoint repeats the key where the message ends, as an error and as a reply."""
    monkeypatch.setenv("OWN_KEY", "sk-very-secret-and-long")
    served = serve(None)
    served.answer = lambda body, _: Response(
        "x" * number_in(served, body) + "sk-very-secret-and-long",
        status=400 if number_in(served, body) % 2 else 200,
    )
    texts = make(*(f"text {n} ." for n in range(270, 302)))
    _, answers = asked(served, classification, texts, api_key="env:OWN_KEY")
    assert {one.reason for one in answers} == {"bad_request", "bad_reply"}
    assert not any("sk-" in one.message for one in answers)


def number_in(served, body):
    return int(served.text_of(body).split()[1])


# ---- redirects


def redirecting(status, location):
    """Answer that redirects; its header is written as it is."""

    def answer(*_):
        response = Response(status=status)
        response.autocorrect_location_header = False
        response.get_wsgi_headers = lambda _: response.headers
        response.headers["Location"] = location
        response.headers["Content-Length"] = "0"
        return response

    return answer


def test_no_text_and_no_key_goes_to_another_server(serve, classification, make, tmp_path):
    """``localhost`` and ``127.0.0.1`` are two hosts, though they are one machine here."""
    served = serve(None)
    other = served.url.replace("localhost", "127.0.0.1")
    file = tmp_path / "own.toml"
    file.write_text(
        f'url = "{served.url}/v1"\napi = "chat"\nlabels = ["bad", "good"]\nconcurrency = 1\n'
        '[headers]\nX-Api-Key = "env:OWN_KEY"\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OWN_KEY", "sk-very-secret")
        model = load_model(f"http:{file}", classification)
        for status in (301, 302, 303, 307, 308):
            served.answer = redirecting(status, f"{other}/v1/chat/completions")
            with pytest.raises(ModelError, match=rf"redirects \(status {status}\)") as no:
                predict_or_fail(model, make("a film", "another"))
            assert f"to '{other}/v1/chat/completions'. That is another server" in str(no.value)
            assert "If you trust that address, write it" in str(no.value)
    assert [headers["Host"].partition(":")[0] for headers in served.headers] == ["localhost"] * 5


def test_a_request_is_never_sent_again_without_its_text(serve, classification, make):
    for status in (301, 302, 303):
        served = serve(redirecting(status, "/v1/chat/completions"))
        with pytest.raises(ModelError, match="sent there again without its text"):
            asked(served, classification, make("a film"))
        assert len(served.bodies) == 1


def test_the_same_request_may_go_to_another_place_of_the_server(
    serve, classification, make, monkeypatch
):
    told = []
    monkeypatch.setattr(sending._LOG, "warning", lambda said, *rest: told.append(said % rest))
    served = serve(
        lambda body, tries: (
            said("good") if tries > 1 else Response(status=307, headers={"Location": "?v=2"})
        )
    )
    _, (answer,) = asked(served, classification, make("a film"))
    assert answer.answer == "good"
    assert len(served.bodies) == 2
    assert served.bodies[0] == served.bodies[1]
    own = f"{served.url}/v1/chat/completions"
    assert told == [f"{own} is answered at {own}?v=2, to which it redirects."]


def test_redirects_that_lead_nowhere(serve, classification, make):
    cases = {
        "?again": "redirects 6 times in a row",
        "http://[::1": "which is no address",
        "http://host:port/": "which is no address",
        "file:///etc/passwd": "another server",
        "": "without saying where to",
    }
    for location, says in cases.items():
        served = serve(redirecting(308, location))
        with pytest.raises(ModelError, match=says):
            asked(served, classification, make("a film"))
        assert len(served.bodies) <= 6


# ---- waits


def test_a_wait_that_is_too_long_ends_the_command(serve, classification, make):
    """A daily quota: what came is given, and the message says when to come back."""
    day = format_datetime(datetime.now(UTC) + timedelta(days=2), usegmt=True)
    cases = {"86400": True, "3600": True, day: True, "inf": False, "1e300": False}
    for stated, is_dated in cases.items():
        served = serve(busy(stated, lambda body, _: "two" in str(body)))
        source = f"{served.url}/v1#api=chat,labels=bad|good,concurrency=1"
        model, came = load_model(source, classification), []
        with pytest.raises(RunIncompleteError, match="takes no more requests") as no:
            came.extend(model.replies(make("one", "two", "three")))
        assert len(came) == 1
        assert len(served.bodies) == 2
        assert ("UTC" in str(no.value)) == is_dated
        assert "re-issue the same command then" in str(no.value)


def busy(stated, when):
    """Answer that asks to wait so long, when that holds of a body and how often it was asked."""

    def answer(body, tries):
        headers = {"Retry-After": stated}
        return Response("busy", status=429, headers=headers) if when(body, tries) else said("good")

    return answer


def test_short_and_senseless_waits_delay_nothing(serve, classification, make):
    for stated in ("0", "-5", "nan", "soon", "0.02", "Thu, 01 Jan 1970 00:00:00 GMT"):
        served = serve(busy(stated, lambda _, tries: tries == 1))
        _, (answer,) = asked(served, classification, make("a film"), attempts=3)
        assert answer.answer == "good"


def test_an_endpoint_that_is_always_busy_ends_the_command(serve, classification, make, monkeypatch):
    """Each wait is short; together they would be hours. A reply between begins anew."""
    monkeypatch.setattr(sending, "_LONGEST_BUSY_S", 0.05)
    served = serve(busy("0.1", lambda *_: True))
    with pytest.raises(RunIncompleteError, match="has taken no request for 0 minutes: Status 429"):
        asked(served, classification, make("a film"), attempts=3)
    assert len(served.bodies) == 1
    gate = RequestGate(4, None)
    assert gate.was_refused(monotonic(), wait=60.0) < 61
    assert gate.was_refused(monotonic(), wait=120.0) > 100
    gate.went_well()
    assert gate.was_refused(monotonic() + 100, wait=0.0) < 30


def test_a_wait_can_be_interrupted(serve, classification, make, monkeypatch):
    """A wait that is borne is told, and Ctrl-C ends it."""
    served, told = serve(busy("100", lambda *_: True)), []
    monkeypatch.setattr(sending._LOG, "warning", lambda said, *rest: told.append(said % rest))

    def interrupt():
        while not served.bodies:
            time.sleep(0.01)
        time.sleep(0.2)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        asked(served, classification, make("a film"), attempts=3)
    assert told == [f"{served.url}/v1 asks to wait 100 s (Retry-After)."]


# ---- budgets


def test_tokens_of_replies_that_cannot_be_read_are_counted(serve, classification, make):
    usage = {"prompt_tokens": 900, "completion_tokens": 100}
    served = serve(plain(json.dumps({"usage": usage})))
    model = load_model(
        f"{served.url}/v1#api=chat,labels=bad|good,most_tokens=3000,attempts=1,concurrency=1",
        classification,
    )
    with pytest.raises(RunIncompleteError, match=r"with [23],000 tokens"):
        list(model.replies(make(*map(str, range(60)))))
    assert len(served.bodies) <= 3
    assert model.spent().tokens_in == 900 * len(served.bodies)


@pytest.mark.parametrize(
    "extra",
    [
        "max_tokens = 4000",
        "max_completion_tokens = 4000",
        "n = 250",
        "best_of = 300",
        "options = { max_tokens = 4000 }",
    ],
)
def test_what_is_really_asked_for_is_reserved(quick_retries, classification, make, tmp_path, extra):
    file = tmp_path / "own.toml"
    file.write_text(
        'url = "http://127.0.0.1:9/v1"\napi = "chat"\nlabels = ["bad", "good"]\n'
        f"most_tokens = 3000\nextra = {{ {extra} }}\n"
    )
    model = load_model(f"http:{file}", classification)
    with pytest.raises(RunIncompleteError, match="leaves no room for the next request"):
        list(model.replies(make("a film")))
    assert model.spent().requests == 0


# ---- descriptions


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://127.0.0.1:abc/v1", "port is no number from 1 to 65535"),
        ("http://127.0.0.1:99999/v1", "port is no number from 1 to 65535"),
        ("http://127.0.0.1:0/v1", "port is no number from 1 to 65535"),
        ("http://[::1", "its host cannot be read"),
        ("http://user:pa/ss@127.0.0.1/v1", "%2F for /"),
        ("http:///v1", "names no host"),
        ("http://:80/v1", "names no host"),
        ("http://h\x00st/v1", "control character"),
    ],
)
def test_addresses_that_are_none(url, says):
    with pytest.raises(ModelError, match="no URL") as no:
        read_endpoint(parse(f"{url}#api=chat,labels=bad|good"))
    assert says in str(no.value)
    assert "pa/ss" not in str(no.value).partition("url.0")[2]


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("per_minute=1e-300", "per_minute"),
        ("per_minute=nan", "per_minute"),
        ("timeout=inf", "timeout"),
        ("timeout=1e300", "timeout"),
        ("temperature=nan", "temperature"),
        ("most_cost=inf", "most_cost: it should be a finite number"),
        ("attempts=99", "attempts: it should be at most 20"),
        ("samples=1.5", "samples: it should be a whole number"),
        ("proxy=foo", "begins with http:// or https:// or socks5://"),
        ("proxy=http://h:x", "port is no number"),
    ],
)
def test_options_that_cannot_be_meant(option, says):
    with pytest.raises(ModelError, match="http://h/v1") as no:
        read_endpoint(parse(f"http://h/v1#api=chat,labels=bad|good,{option}"))
    assert says in str(no.value)


@pytest.mark.parametrize("written", ["extra = { t = 2020-01-01 }", "extra = { t = nan }"])
def test_members_that_json_cannot_hold(tmp_path, written):
    file = tmp_path / "own.toml"
    file.write_text(f'url = "http://h/v1"\napi = "chat"\nlabels = ["bad", "good"]\n{written}\n')
    with pytest.raises(ModelError, match="sent as JSON, which cannot hold this"):
        read_endpoint(parse(f"http:{file}"))


def test_a_description_that_is_too_deep(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(f"url = 'http://h/v1'\nbody = {'[' * 10_000}")
    with pytest.raises(ModelError, match="values within values, too deep to read"):
        read_endpoint(parse(f"http:{file}"))


@pytest.mark.parametrize("host", ["a..b", "a" * 70])
def test_a_host_that_has_no_name(quick_retries, classification, make, host):
    model = load_model(f"http://{host}/v1#api=chat,labels=bad|good,attempts=1", classification)
    (answer,) = predict_or_fail(model, make("a film"))
    assert answer.reason == "unreachable"


@pytest.mark.parametrize("key", ["sk-ключ", "sk-1\nX: y", "sk-\u201cquoted\u201d"])
def test_a_key_that_no_header_can_hold_is_told_without_it(
    quick_retries, classification, make, monkeypatch, key
):
    monkeypatch.setenv("OWN_KEY", key)
    model = load_model(
        "http://127.0.0.1:9/v1#api=chat,labels=bad|good,api_key=env:OWN_KEY", classification
    )
    with pytest.raises(ModelError, match="The header Authorization cannot be sent") as no:
        predict_or_fail(model, make("a film"))
    assert key not in str(no.value)
    assert "sk-" not in str(no.value)


def test_a_proxy_of_the_environment_that_is_none(quick_retries, classification, make, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "foo://bar")
    monkeypatch.setattr(sending, "_senders", {})
    model = load_model("http://127.0.0.1:9/v1#api=chat,labels=bad|good", classification)
    with pytest.raises(ModelError, match="The proxy cannot be used"):
        predict_or_fail(model, make("a film"))
