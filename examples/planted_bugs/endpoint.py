"""A mock OpenAI-compatible server on loopback: an honest small spam filter, and planted faults."""

import hashlib
import json
import math
import re
import threading
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from examples.planted_bugs.cases import HEAD, LABELS, QUESTION

from scrutiny.models.builtin.builtin_network import BuiltinNetwork

#: Characters of a text that a cutting server keeps, the last ones, as several servers do.
KEPT = 2000
#: Requests after which another model answers: half of the cases.
HALF = 72
#: Words that the mock says where nobody asks about a message.
WORDS = (
    "the river ran past seven quiet houses while birds sang over green hills and children played "
    "near old walls under warm evening light with small boats drifting slowly home again"
).split()
PROSE = (
    "Hard to say. Some would take this for a message of a friend and others for an "
    "advertisement; weighing everything I lean towards {}."
)
REFUSAL = "I'm sorry, but I can't help with that."
OTHER_MESSAGES = ("See you at seven then.", "WINNER! Call 09061701461 now to claim your prize")


def number_of(*keys):
    """A number of 64 bits that belongs to these keys, in any process."""
    return int.from_bytes(hashlib.blake2b(repr(keys).encode(), digest_size=8).digest(), "little")


@lru_cache(maxsize=4)
def network(replicate):
    return BuiltinNetwork("spam", replicate)


@lru_cache(maxsize=1 << 16)
def share_of_spam(text, model):
    """Probability of spam of a text: of that of its messages which looks most like it.

    The other model is another network that reads four words of each message.
    """
    lines = [line for line in text.split("\n") if line.strip()] or [""]
    if model == "other":
        lines = [" ".join(line.split()[:4]) for line in lines]
    replicate = 2 if model == "other" else 1
    return float(network(replicate).predict_proba(lines)[:, 1].max())


class Mock:
    """What the server answers, by the fault that is planted (a name of `FAULTS`, or none).

    Everything depends on the request alone, but for the model change, which counts requests.
    """

    def __init__(self, fault=""):
        self.fault = fault
        self.count = 0
        self.lock = threading.Lock()

    def reply(self, body, *, is_chat):
        """JSON of the reply to a body."""
        with self.lock:
            self.count += 1
            count = self.count
        if is_chat:
            said = [m["content"] for m in body["messages"] if m["role"] == "user"][-1]
            system = " ".join(m["content"] for m in body["messages"] if m["role"] == "system")
            said = said if isinstance(said, str) else "".join(part["text"] for part in said)
        else:
            said, system = body["prompt"], ""
            said = said if isinstance(said, str) else said[0]
        if self.fault == "truncated prompts":
            said = said[-KEPT:]
        if self.fault == "cache mix-ups" and number_of("cache", said) % 4 == 0:
            said = self.mixed_up(said)
        model = "other" if self.fault == "silent model change" and count > HALF else "one"
        words, odds = self.words(said, system, model, body)
        most = body.get("max_tokens") or body.get("max_completion_tokens") or 64
        end = "stop" if len(words) <= most else "length"
        text = " ".join(words[:most])
        for stop in body.get("stop") or ():
            text = text.partition(stop)[0]
        choice = {"index": 0, "finish_reason": end, "logprobs": None}
        if body.get("logprobs"):
            choice["logprobs"] = self.logprobs(odds, is_chat=is_chat)
        if is_chat:
            choice["message"] = {"role": "assistant", "content": text}
        else:
            choice["text"] = text
            if body.get("echo"):
                choice["logprobs"] = self.echoed(said, model, choice["logprobs"])
        tokens = len(f"{system} {said}".split()) + 9
        written = len(text.split())
        return {
            "id": f"chatcmpl-{count}",
            "object": "chat.completion" if is_chat else "text_completion",
            "created": 1_760_000_000 + count,
            "model": body.get("model", "mock"),
            "choices": [choice],
            "usage": {
                "prompt_tokens": tokens,
                "completion_tokens": written,
                "total_tokens": tokens + written,
            },
        }

    def mixed_up(self, said):
        """Another request of the same kind, whose answer a cache gives in place of this one's."""
        if said.endswith(QUESTION.strip()):
            return f"{HEAD}{OTHER_MESSAGES[number_of('which', said) % 2]}{QUESTION}"
        return "What is the weather like?"

    def words(self, said, system, model, body):
        """Words of the answer, and the log-probabilities of likely first ones."""
        if "zebra" in system:
            return ["zebra"], spread({"zebra": 3.0}, said)
        if said.rstrip().endswith(QUESTION.strip()):
            text = said.rstrip().removesuffix(QUESTION.strip()).strip().removeprefix(HEAD)
            return self.label(text, model)
        rng = np.random.default_rng(number_of(said, model))
        logits = rng.normal(0, 2.5, len(WORDS))
        first = dict(zip(WORDS, logits.tolist(), strict=True))
        if body.get("temperature") and body.get("seed") is not None:
            rng = np.random.default_rng(number_of(said, model, body["seed"]))
        is_short = "one word" in said or "a number." in said or "two numbers" in said
        rest = [] if is_short else [WORDS[i] for i in rng.integers(0, len(WORDS), 29)]
        return [max(first, key=first.get), *rest], spread(first, said)

    def label(self, text, model):
        """Answer about a message: a label, unless the fault says otherwise."""
        share = min(max(share_of_spam(text, model), 1e-6), 1 - 1e-6)
        answer = LABELS[share > 0.5]
        odds = spread({"ham": math.log1p(-share), "spam": math.log(share)}, text)
        kind = number_of("parse", text) % 10
        if self.fault == "parse failures" and kind < 2:
            return PROSE.format(answer).split(), odds
        if self.fault == "parse failures" and kind == 2:
            return REFUSAL.split(), odds
        return [answer], odds

    def logprobs(self, odds, *, is_chat):
        """Log-probabilities of the first token, as each interface has them."""
        if self.fault == "dead log-probabilities":
            odds = dict.fromkeys(odds, -0.6931)
        likely = dict(sorted(odds.items(), key=lambda pair: -pair[1])[:20])
        first = next(iter(likely))
        if not is_chat:
            return {"tokens": [first], "token_logprobs": [likely[first]], "top_logprobs": [likely]}
        top = [{"token": t, "logprob": v, "bytes": list(t.encode())} for t, v in likely.items()]
        return {"content": [{**top[0], "top_logprobs": top}]}

    def echoed(self, said, model, own):
        """Log-probabilities of the words of a prompt, and of the one that was written behind it.

        The last word of a prompt that answers the question about a message has its probability.
        """
        words = said.split()
        likely = [{word: -3.0} for word in words]
        asked = said.rstrip().removesuffix(words[-1]).rstrip()
        if asked.endswith(QUESTION.strip()):
            _, odds = self.words(asked, "", model, {})
            likely[-1] = self.logprobs(odds, is_chat=False)["top_logprobs"][0]
        first = [{} if place == 0 else one for place, one in enumerate(likely)]
        told = [one.get(word, -20.0) for word, one in zip(words, likely, strict=True)]
        return {
            "tokens": [*words, *own["tokens"]],
            "token_logprobs": [None, *told[1:], *own["token_logprobs"]],
            "top_logprobs": [*first, *own["top_logprobs"]],
        }


def spread(logits, text):
    """Log-probabilities of tokens, with a little left for others, which depends on the text."""
    others = {w: -9.0 - number_of(w, text) % 1000 / 500 for w in WORDS[:8] if w not in logits}
    every = {**others, **logits}
    total = math.log(math.fsum(map(math.exp, every.values())))
    return {token: value - total for token, value in every.items()}


class Serving:
    """A mock that is served while the ``with`` block runs; ``url`` ends with ``/v1``."""

    def __init__(self, fault=""):
        self.mock = Mock(fault)

    def __enter__(self):
        mock = self.mock

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                is_chat = bool(re.search(r"chat/completions/?$", self.path))
                self.answer(mock.reply(body, is_chat=is_chat))

            def do_GET(self):
                self.answer({"object": "list", "data": [{"id": "mock", "object": "model"}]})

            def answer(self, reply):
                data = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Connection", "close")  # nobody is left with an open one
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *words):
                del words

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        return self

    def __exit__(self, *raised):
        self.server.shutdown()
        self.server.server_close()
