"""A chat endpoint that exists in this process alone, with faults that can be planted."""

import hashlib
import json
from functools import lru_cache

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.models.http.doctor.asking import Asker
from scrutiny.models.http.doctor.examining import examined_model
from scrutiny.models.http.interfaces import most_written
from scrutiny.models.http.pacing import RequestLedger
from scrutiny.models.http.reply_reading import BadReply, tokens_told
from scrutiny.models.strings.model_strings import parse

WORDS = (
    "the river ran past seven quiet houses while birds sang over green hills and children played "
    "near old walls under warm evening light with small boats drifting slowly home again"
).split()
URL = "http://simulated/v1#api=chat,labels=bad|good"


@lru_cache(maxsize=1 << 15)
def normals(*keys):
    """Standard normal numbers that belong to these keys, one for each word."""
    found = stream(*keys).standard_normal(len(WORDS))
    found.setflags(write=False)
    return found


def stream(*keys):
    digest = hashlib.blake2b(repr(keys).encode(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


class Simulated:
    """Model and server: logits by a hash of what it reads, and arithmetic that is never the same.

    Parameters
    ----------
    weights
        Name of the model.
    grid
        Step to which its logits are rounded, as a coarse quantization does.
    engine
        Size of differences that always come back, as those of another engine.
    fault
        One that is planted, or none.
    """

    def __init__(self, weights="one", *, grid=0.0, engine=0.0, fault="", noise=1e-3, seed=0):
        self.weights, self.grid, self.engine, self.fault = weights, grid, engine, fault
        self.noise = noise
        self.rng = np.random.default_rng(seed)

    def logits(self, *context):
        found = 2.5 * normals(self.weights, *context)
        if self.engine:
            found = found + self.engine * normals("engine", *context)
        if self.grid:
            found = np.round(found / self.grid) * self.grid
        return found + self.noise * self.rng.standard_normal(len(WORDS))

    def reply(self, body):
        """JSON of the reply to a body."""
        system = [m["content"] for m in body["messages"] if m["role"] == "system"]
        text = body["messages"][-1]["content"]
        system = [] if self.fault == "system" else system
        read = text[-1500:] if self.fault == "truncation" else text
        tokens_in = len(" ".join([*system, read]).split()) + 9
        if self.fault == "truncation-told":
            read, tokens_in = text, min(tokens_in, 300)
        drawn = self.rng
        if "seed" in body and self.fault != "seed":
            drawn = np.random.default_rng(body["seed"])
        temperature = 1.0 if self.fault == "temperature" else body["temperature"]
        most = body["max_tokens"] if self.fault != "limit" else 64
        first, words = None, []
        if "Answer with one of these" in read:
            good = stream(self.weights, read).random() + (temperature > 0) * (drawn.random() - 0.5)
            words, limit = ["good" if good > 0.5 else "bad"], 1
            first = self.logits(read, 0)
        else:
            limit = 1 if "one word" in read or "a number." in read else 30
            limit = 64 if self.fault == "limit" else limit
            for place in range(min(limit, most)):
                own = self.logits(*system, read, place)
                first = own if first is None else first
                own = own / temperature + drawn.gumbel(size=own.size) if temperature else own
                words.append(WORDS[int(own.argmax())])
        if system and any("zebra" in one for one in system):
            words, limit = ["zebra"], 1
            first = self.logits("zebra", read)
        end = "length" if len(words) < limit else "stop"
        said = " ".join(words)
        if self.fault != "stop":
            for one in body.get("stop", ()):
                said = said.partition(one)[0]
        if self.fault == "template":
            said, end = f"{said}<|im_end|>\n<|im_start|>user\nAnd what else?", "length"
        return {
            "choices": [
                {
                    "message": {"role": "assistant", "content": said},
                    "finish_reason": end,
                    "logprobs": self.logs(first) if body.get("logprobs") else None,
                }
            ],
            "usage": {"prompt_tokens": tokens_in, "completion_tokens": len(words)},
            "model": self.weights,
        }

    def logs(self, logits):
        """Log-probabilities of the likely first tokens."""
        if self.fault == "no logs":
            return None
        logs = logits - np.log(np.exp(logits).sum())
        if self.fault == "dead logs":
            logs = np.zeros_like(logs)
        order = np.argsort(-logs)[:20]
        top = [{"token": WORDS[i], "logprob": float(logs[i])} for i in order]
        return {"content": [{**top[0], "top_logprobs": top}]}


class Completing(Simulated):
    """The same model behind completions: it goes on behind a prompt, and gives it back if asked."""

    def reply(self, body):
        """JSON of the reply to a body."""
        prompt = body["prompt"]
        asked = {**body, "messages": [{"role": "user", "content": prompt.removesuffix("\n")}]}
        told = super().reply(asked)
        (chosen,) = told["choices"]
        said, logs = chosen["message"]["content"], chosen["logprobs"]
        is_echoed = body.get("echo", False) and self.fault != "echo"
        before = prompt.split() if is_echoed and self.fault != "text alone" else []
        choice = {
            "text": f"{prompt if is_echoed else ''}{said}",
            "finish_reason": chosen["finish_reason"],
            "logprobs": None,
        }
        if logs is not None:
            top = {one["token"]: one["logprob"] for one in logs["content"][0]["top_logprobs"]}
            choice["logprobs"] = {
                "token_logprobs": [*[None][: len(before)], *[-3.0] * (len(before) - 1), -1.0],
                "top_logprobs": [*[None] * len(before), top],
            }
        return {**told, "choices": [choice]}


class InProcess:
    """Stands in for the sender: the same interfaces, no requests."""

    def __init__(self, endpoint, simulated, *, most=None):
        self.endpoint = endpoint.model_copy(update={"most_requests": most})
        self.ledger = RequestLedger(self.endpoint)
        self._simulated = simulated

    def arriving(self, interface, examples, *, draw):
        for place, example in enumerate(examples):
            body = json.loads(json.dumps(interface.body([example], draw=draw)))
            number = self.ledger.enter(10, most_written(body))
            reply = self._simulated.reply(body)
            try:
                found = [] if isinstance(reply, Failure) else interface.replies(reply, count=1)
                came = tuple(found) or reply
            except BadReply as error:
                found, came = [], Failure("bad_reply", str(error))
            seconds = 0.25 if found else None
            self.ledger.close(number, 10, tokens_told(reply), seconds=seconds)
            yield place, came


def asker(simulated, url=URL, *, most=None):
    """Asker of a simulated endpoint."""
    model = examined_model(parse(url))
    return Asker(model, InProcess(model.endpoint, simulated, most=most))
