"""Replies of a chat, and a server that notes what it is asked."""

import json
import threading
from collections import Counter

from werkzeug import Response


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
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()

    def __call__(self, request):
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            body = json.loads(request.data)
            self.bodies.append(body)
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
            return sum(one == body for one in self.bodies)

    def asked(self):
        """How often each text was asked."""
        return Counter(map(self.text_of, self.bodies))
