"""A chat on loopback that notes what it is asked; its fixtures are those of all unit tests."""

import json
import threading
from collections import Counter

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from scrutiny.models.http import sending


def said(text, *, end="stop", **more):
    """Reply of a chat."""
    message = {"role": "assistant", "content": text, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": end, **more.pop("choice", {})}
    usage = {"prompt_tokens": 20, "completion_tokens": 2}
    return Response(
        json.dumps({"choices": [choice], "usage": usage, "model": "tiny-1", **more}),
        content_type="application/json",
    )


class Served:
    """What a server was asked: bodies in order, and how many at one time."""

    def __init__(self, answer):
        self.answer = answer
        self.bodies = []
        self.headers = []
        self._times = Counter()
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()

    def __call__(self, request):
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            body = json.loads(request.data)
            self.bodies.append(body)
            self._times[json.dumps(body, sort_keys=True)] += 1
            self.headers.append(dict(request.headers))
        try:
            return self.answer(body, self.tries(body))
        finally:
            with self._lock:
                self.at_once -= 1

    def text_of(self, body):
        """What the user says in a chat."""
        return body["messages"][-1]["content"]

    def tries(self, body):
        """How often this was asked so far."""
        with self._lock:
            return self._times[json.dumps(body, sort_keys=True)]

    def asked(self):
        """How often each text was asked."""
        return Counter(map(self.text_of, self.bodies))


@pytest.fixture
def quick_retries(monkeypatch):
    """Retries wait for hundredths of seconds, and each test has senders of its own."""
    monkeypatch.setattr(sending, "_FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(sending, "_MOST_WAIT_S", 0.05)
    monkeypatch.setattr(sending, "_WAIT_JITTER_S", 0.01)
    monkeypatch.setattr(sending, "_senders", {})
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve(quick_retries):
    """Function that serves a chat with a function of the body and how often it was asked."""
    server = HTTPServer(host="localhost", threaded=True)
    server.start()

    def start(answer, path="/v1/chat/completions"):
        served = Served(answer)
        server.clear()
        server.expect_request(path, method="POST").respond_with_handler(served)
        served.url = server.url_for("").rstrip("/")
        return served

    yield start
    server.stop()
