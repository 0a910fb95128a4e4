"""A server on loopback that answers as endpoints do, and misbehaves when told to."""

import time

import pytest
from chat_server import Served
from pytest_httpserver import HTTPServer

from scrutiny.models.http import sending


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Retries wait for hundredths of seconds, and each test has senders of its own."""
    monkeypatch.setattr(sending, "_FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(sending, "_MOST_WAIT_S", 0.05)
    monkeypatch.setattr(sending, "_WAIT_JITTER_S", 0.01)
    monkeypatch.setattr(sending, "_senders", {})
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve():
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


@pytest.fixture
def slow():
    """Function that waits before it answers."""

    def wait(seconds, response):
        time.sleep(seconds)
        return response

    return wait
