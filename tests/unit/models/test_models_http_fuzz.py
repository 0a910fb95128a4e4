"""Replies changed at random, through all the code that reads them, without a network.

Each is read, or fails by name; none raises anything else, and what was read can be kept.
"""

import json
import os
import random
from collections import Counter

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import read_or_fail
from scrutiny.models.http.doctor.asking import Heard, distance
from scrutiny.models.http.reply_reading import BadReply, parsed, tokens_told
from scrutiny.models.strings.model_loading import load_model
from scrutiny.store.stored_forms import decode_replies, encode_replies

#: Documents in the suite; a long run sets more (10^5 gave no other error).
DOCUMENTS = int(os.environ.get("SCRUTINY_TEST_FUZZ", "6000"))
TOPS = [{"token": "good", "logprob": -0.4}, {"token": "bad", "logprob": -1.2}]
PLACE = {"token": "good", "logprob": -0.4, "bytes": [103], "top_logprobs": TOPS}
USAGE = {"prompt_tokens": 20, "completion_tokens": 1, "total_tokens": 21}
CHAT = {
    "choices": [
        {
            "message": {"role": "assistant", "content": "good", "refusal": None},
            "logprobs": {"content": [PLACE]},
            "finish_reason": "length",
        }
    ],
    "usage": USAGE,
    "model": "m",
    "system_fingerprint": "f",
}
COMPLETION = {
    "choices": [
        {
            "text": " good",
            "logprobs": {
                "tokens": [" good"],
                "token_logprobs": [-0.4],
                "top_logprobs": [{" good": -0.4, " bad": -1.2}],
            },
            "finish_reason": "stop",
        }
    ],
    "usage": USAGE,
}
OWN = "url = 'http://h/o'\nlabels = ['bad', 'good']\nbody = { t = '{text}' }\n"
#: A valid reply, and the description of the endpoint that gives it.
ENDPOINTS = {
    "chat": (CHAT, "url = 'http://h/v1'\napi = 'chat'\nlabels = ['bad', 'good']\n"),
    "chat by first tokens": (
        CHAT,
        "url = 'http://h/v1'\napi = 'chat'\nlabels = ['bad', 'good']\nby = 'logprobs'\n",
    ),
    "completions": (
        COMPLETION,
        "url = 'http://h/v1'\napi = 'completions'\nlabels = ['bad', 'good']\nby = 'logprobs'\n",
    ),
    "json": (
        {**CHAT, "choices": [{"message": {"content": '{"label": "good"}'}}]},
        "url = 'http://h/v1'\napi = 'chat'\nlabels = ['bad', 'good']\nread = 'json:label'\n",
    ),
    "label and scores": (
        {"c": "good", "p": [0.25, 0.75], "usage": USAGE},
        f"{OWN}label = 'c'\nscores = 'p'\n",
    ),
    "a list of scores": (
        [[{"label": "good", "score": 0.75}, {"label": "bad", "score": 0.25}]],
        f"{OWN}scores = '0'\n",
    ),
    "first tokens": (
        {"message": {"content": "good"}, "logprobs": [PLACE], "eval_count": 1},
        f"{OWN}text = 'message.content'\nby = 'logprobs'\nlogprobs = 'logprobs.0'\n",
    ),
    "a batch": (
        {"out": [{"c": "good", "p": {"good": 0.75, "bad": 0.25}}]},
        f"{OWN}items = 'out'\nlabel = 'c'\nscores = 'p'\n",
    ),
}
ODD = [
    *(None, True, False, 0, -1, 1, 2.5, 1e308, -1e308, 1000, float("nan"), float("inf")),
    *(-float("inf"), 10**20, 10**400, -(10**400), "", "good", "bad", "01", "\ud800", "\x1b[2J"),
    *("x" * 5_000, "0", [], {}, [[]], [{}], {"label": "good"}, {"0": 1}, [1, 2], ["good"]),
    *({"good": 0.5, "bad": 0.5}, [None], {"token": None, "logprob": None}, {"error": "no"}),
]


def places(value, path=()):
    """Paths of all parts of JSON."""
    yield path
    if isinstance(value, (dict, list)):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, name))


def changed(value, chance):
    """Copy of JSON with one part replaced, wrapped, taken out, doubled or renamed."""
    value = json.loads(json.dumps(value))
    path = chance.choice(list(places(value)))
    if not path:
        return chance.choice([*ODD, [value], {"data": value}])
    held = value
    for step in path[:-1]:
        held = held[step]
    last, part = path[-1], held[path[-1]]
    kind = chance.randrange(6)
    if kind <= 2:
        held[last] = chance.choice(ODD)
    elif kind == 3:
        held[last] = chance.choice([[part], {"0": part}, {"text": part}, str(part)[:99]])
    elif kind == 4:
        del held[last]
    elif isinstance(held, list):
        held.insert(chance.randrange(len(held) + 1), chance.choice([part, *ODD]))
    else:
        held[str(chance.choice(["usage", "error", "logprobs", "token", last, "0"]))] = part
    return value


def document(value, chance):
    """Bytes of a reply: changed JSON, which is cut or has bytes of its own now and then."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        value = changed(value, chance)
    raw = json.dumps(value, ensure_ascii=chance.random() < 0.8).encode("utf-8", "surrogatepass")
    kind = chance.randrange(20)
    if kind == 0:
        raw = raw[: chance.randrange(len(raw) + 1)]
    elif kind == 1:
        raw = b"".join((raw[: len(raw) // 2], chance.randbytes(3), raw[len(raw) // 2 :]))
    elif kind == 2:
        raw = chance.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x00")) + raw
    elif kind == 3:
        raw = raw.decode("utf-8", "replace").encode(chance.choice(("utf-16", "utf-32", "utf-8")))
    elif kind == 4 and chance.random() < 0.2:
        raw = b'{"choices":' * 3_000 + raw
    return raw


def read(model, raw, make):
    """What comes of a reply, as when it is sent: counted, read, kept, and read again from there."""
    try:
        data = parsed(raw)
        tokens_told(data)
        replies = tuple(model.interface.replies(data, count=1))
    except BadReply:
        return "bad_reply"
    kept = decode_replies(encode_replies(replies))
    (answer,) = read_or_fail(model, make("a film"), [kept])
    heard = Heard(**kept[0].plain())
    assert distance(heard, heard) in (0.0, pytest.approx(0.0))
    if isinstance(answer, Failure):
        return answer.reason
    assert isinstance(answer, Prediction)
    assert answer.answer in ("bad", "good")
    assert answer.scores is None or sum(answer.scores) == pytest.approx(1)
    return "answered"


def test_no_reply_raises(quick_retries, classification, make, tmp_path):
    chance = random.Random(7)
    found = Counter()
    for name, (valid, described) in ENDPOINTS.items():
        file = tmp_path / f"{len(found)}-{name.replace(' ', '-')}.toml"
        file.write_text(described)
        model = load_model(f"http:{file}", classification)
        assert read(model, json.dumps(valid).encode(), make) == "answered"
        for _ in range(DOCUMENTS // len(ENDPOINTS)):
            found[read(model, document(valid, chance), make)] += 1
    assert {"answered", "bad_reply", "unparsed", "no_logprobs", "empty"} <= set(found)
    assert found["bad_reply"] > DOCUMENTS / 10
    assert found["answered"] > DOCUMENTS / 10
