"""A chat on loopback that notes what it is asked; its fixtures are those of all unit tests."""

import asyncio
import json
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
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

    def __call__(self, sent, headers):
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            body = json.loads(sent)
            self.bodies.append(body)
            self._times[json.dumps(body, sort_keys=True)] += 1
            self.headers.append({name.title(): value for name, value in headers.items()})
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


class _Handler(BaseHTTPRequestHandler):
    """Gives what was posted to what is served; keeps a connection, as real endpoints do."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        reply = self.server.reply(self.path.partition("?")[0], sent, self.headers)
        self.send_response_only(reply.status_code)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.is_streamed:  # without a length: it ends with the connection
            self.send_header("Connection", "close")
        elif "Content-Length" not in reply.headers:
            self.send_header("Content-Length", str(len(reply.get_data())))
        self.end_headers()
        for part in reply.response:
            self.wfile.write(part)
        self.wfile.flush()


class ChatServer(ThreadingHTTPServer):
    """A server on loopback that serves one chat at a time, on a port of its own."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("localhost", 0), _Handler)
        self.url = f"http://localhost:{self.server_port}"
        self._path = self._served = None
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def serves(self, served, path="/v1/chat/completions"):
        """Serve this from now on, at a path."""
        self._path, self._served = path, served
        served.url = self.url
        return served

    def reply(self, path, sent, headers):
        """Reply to what was posted; status 500 for other paths, and where the chat fails."""
        if path != self._path:
            return Response(f"nothing is served at {path}", status=500)
        try:
            return self._served(sent, headers)
        except Exception as error:
            return Response(repr(error), status=500)

    def handle_error(self, *_):
        """Say nothing of connections that the other side has closed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*_)

    def stop(self):
        """Stop, and free the port."""
        self.shutdown()
        self.server_close()


@pytest.fixture
def quick_retries(monkeypatch):
    """Retries wait for hundredths of seconds, and each test has senders of its own."""
    opened, clients = sending.Sender._opened, {}

    def noted(sender):
        clients[sender] = opened(sender)
        return clients[sender]

    monkeypatch.setattr(sending.Sender, "_opened", noted)
    monkeypatch.setattr(sending, "_FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(sending, "_MOST_WAIT_S", 0.05)
    monkeypatch.setattr(sending, "_WAIT_JITTER_S", 0.01)
    monkeypatch.setattr(sending, "_senders", {})
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield
    for client in clients.values():  # the loop that has its connections lives on
        asyncio.run_coroutine_threadsafe(client.aclose(), sending._loop()).result(9)


@pytest.fixture
def serve(quick_retries):
    """Function that serves a chat with a function of the body and how often it was asked."""
    server = ChatServer()

    def start(answer, path="/v1/chat/completions"):
        return server.serves(Served(answer), path)

    yield start
    server.stop()
