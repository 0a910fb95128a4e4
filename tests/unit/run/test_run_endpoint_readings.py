"""Every documented way of reading an endpoint, whole: from a command to its accuracy.

The replies have the shapes that OpenAI, vLLM, llama.cpp, TGI and Ollama give.
"""

import json
import math

import pytest
from chat_server import said
from werkzeug import Response

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.store.run_folder import RunFolder

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
LABELS = ("bad", "good")
#: The last two are answered with the other label.
ROWS = [{"id": f"i{n}", "text": f"text {n} .", "label": LABELS[n % 2]} for n in range(10)]


@pytest.fixture
def data(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return f"jsonl:{file}#task=text-classification"


def label_of(text):
    number = int(text.split("text ")[1].split()[0])
    return LABELS[(number + (number >= 8)) % 2]


def replied(value):
    return Response(json.dumps(value), content_type="application/json")


def logs_of(text, *, token="token", space=""):
    """Likely first tokens: the label with .7, the other with .2, another word with .1."""
    label = label_of(text)
    other = LABELS[label == LABELS[0]]
    shares = {space + label: 0.7, space + other: 0.2, "the": 0.1}
    return [{token: name, "logprob": math.log(share), "id": 7} for name, share in shares.items()]


def chosen(text, **more):
    tops = logs_of(text)
    return {**tops[0], "bytes": [103], "top_logprobs": tops, **more}


def openai_chat(text):
    return replied(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "system_fingerprint": None,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": label_of(text), "refusal": None},
                    "logprobs": {"content": [chosen(text)], "refusal": None},
                    "finish_reason": "length",
                }
            ],
            "usage": {
                "prompt_tokens": 20,
                "completion_tokens": 1,
                "total_tokens": 21,
                "prompt_tokens_details": {"cached_tokens": 0},
            },
        }
    )


def vllm_chat(text):
    """Its unlikely tokens have -9999."""
    own = chosen(text)
    own["top_logprobs"].append({"token": "x", "logprob": -9999.0, "bytes": [120]})
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": label_of(text), "tool_calls": []},
        "logprobs": {"content": [own]},
        "finish_reason": "length",
        "stop_reason": None,
    }
    usage = {"prompt_tokens": 20, "total_tokens": 21, "completion_tokens": 1}
    return replied({"choices": [choice], "usage": usage, "prompt_logprobs": None, "model": "m"})


def openai_completions(text):
    """Legacy completions of OpenAI, and those of vLLM."""
    tops = {one["token"]: one["logprob"] for one in logs_of(text, space=" ")}
    first = next(iter(tops))
    logs = {
        "tokens": [first],
        "token_logprobs": [tops[first]],
        "top_logprobs": [tops],
        "text_offset": [20],
    }
    choice = {"text": first, "index": 0, "logprobs": logs, "finish_reason": "length"}
    return replied({"object": "text_completion", "choices": [choice], "model": "m"})


def llama_cpp_completions(text):
    """Its completions give the log-probabilities of a chat; the list has lost its blanks."""
    choice = {
        "text": f" {label_of(text)}",
        "index": 0,
        "logprobs": {"content": [chosen(text, token=f" {label_of(text)}")]},
        "finish_reason": "length",
    }
    return replied({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 1}})


def llama_cpp(text):
    """The completion of its own."""
    return replied(
        {
            "index": 0,
            "content": label_of(text),
            "tokens": [],
            "stop": True,
            "stop_type": "limit",
            "tokens_predicted": 1,
            "tokens_evaluated": 20,
            "completion_probabilities": [chosen(text)],
        }
    )


def tgi(text):
    tops = logs_of(text, token="text")
    details = {
        "finish_reason": "length",
        "generated_tokens": 1,
        "seed": None,
        "prefill": [],
        "tokens": [{**tops[0], "special": False}],
        "top_tokens": [[{**one, "special": False} for one in tops]],
    }
    return replied({"generated_text": label_of(text), "details": details})


def ollama(text):
    return replied(
        {
            "model": "m",
            "created_at": "2026-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": label_of(text)},
            "logprobs": [chosen(text)],
            "done": True,
            "done_reason": "length",
            "prompt_eval_count": 20,
            "eval_count": 1,
        }
    )


def in_body(*names):
    """Function that gives the text of a body, which stands at these members."""

    def text(body):
        for name in names:
            body = body[name]
        return body

    return text


CHAT, WRITTEN = in_body("messages", -1, "content"), in_body("prompt")
#: Name: path, where a body holds its text, the reply, and the description of the endpoint.
WAYS = {
    "by=text": ("/v1/chat/completions", CHAT, openai_chat, "api=chat"),
    "by=logprobs, OpenAI": ("/v1/chat/completions", CHAT, openai_chat, "api=chat,by=logprobs"),
    "by=logprobs, vLLM": ("/v1/chat/completions", CHAT, vllm_chat, "api=chat,by=logprobs"),
    "completions": (
        "/v1/completions",
        WRITTEN,
        openai_completions,
        "api=completions,by=logprobs",
    ),
    "completions of llama.cpp": (
        "/v1/completions",
        WRITTEN,
        llama_cpp_completions,
        "api=completions,by=logprobs",
    ),
}
OWN = {
    "llama.cpp": (
        llama_cpp,
        WRITTEN,
        'body = { prompt = "{text} Answer:", n_predict = 1, n_probs = 20 }\n'
        'text = "content"\nby = "logprobs"\nlogprobs = "completion_probabilities.0"',
    ),
    "TGI": (
        tgi,
        in_body("inputs"),
        'by = "logprobs"\nlogprobs = "details.top_tokens.0"\n[body]\ninputs = "{text}"\n'
        "parameters = { max_new_tokens = 1, details = true, top_n_tokens = 5 }",
    ),
    "Ollama": (
        ollama,
        CHAT,
        'by = "logprobs"\nlogprobs = "logprobs.0"\ntext = "message.content"\n'
        '[body]\nmodel = "m"\nstream = false\nlogprobs = true\ntop_logprobs = 20\n'
        'messages = [{ role = "user", content = "{text}" }]',
    ),
    "Ollama, texts": (
        ollama,
        CHAT,
        'text = "message.content"\n'
        '[body]\nmodel = "m"\nmessages = [{ role = "user", content = "{text}" }]',
    ),
    "scores alone, a list": (
        lambda text: replied({"p": [[0.75, 0.25], [0.25, 0.75]][label_of(text) == "good"]}),
        in_body("t"),
        'body = { t = "{text}" }\nscores = "p"',
    ),
    "scores alone, a table": (
        lambda text: replied(
            {"p": {label_of(text): 0.75, "bad good".replace(label_of(text), "").strip(): 0.25}}
        ),
        in_body("t"),
        'body = { t = "{text}" }\nscores = "p"',
    ),
    "scores alone, by label": (
        lambda text: replied(
            [[{"label": one, "score": 0.25 + (one == label_of(text)) / 2} for one in LABELS]]
        ),
        in_body("t"),
        'body = { t = "{text}" }\nscores = "0"',
    ),
    "a label alone": (
        lambda text: replied({"class": label_of(text)}),
        in_body("t"),
        'body = { t = "{text}" }\nlabel = "class"',
    ),
    "label and scores": (
        lambda text: replied({"c": label_of(text), "p": [0.5, 0.5]}),
        in_body("t"),
        'body = { t = "{text}" }\nlabel = "c"\nscores = "p"',
    ),
}


def accuracy(model, data, out):
    """Accuracy of a whole command, and the probability of each answer's label."""
    asked = ["run", "performance", "--model", model, "--data", data, "--out", str(out)]
    assert exit_code_of(group, asked) == 0
    folder = RunFolder(out)
    rows = folder.table("outputs").to_pylist()
    assert len(rows) == 10
    found = scrutiny.load(out).estimate("accuracy")
    assert (found.counts.n, found.counts.failed) == (10, 0)
    return found.value, {round(max(row["scores"]), 4) for row in rows if row["scores"]}


@pytest.mark.parametrize("name", WAYS)
def test_an_openai_compatible_endpoint_is_read(serve, data, tmp_path, name):
    path, text_of, reply, options = WAYS[name]
    served = serve(lambda body, _: reply(text_of(body)), path=path)
    model = f"{served.url}/v1#{options},model=m,labels=bad|good"
    value, shares = accuracy(model, data, tmp_path / "r")
    assert value == 0.8
    if "by=logprobs" in options:
        assert shares == {0.7778}
        assert all(body["max_tokens"] == 1 for body in served.bodies)


@pytest.mark.parametrize("name", OWN)
def test_an_endpoint_of_ones_own_is_read(serve, data, tmp_path, name):
    reply, text_of, described = OWN[name]
    served = serve(lambda body, _: reply(text_of(body)), path="/own")
    file = tmp_path / "own.toml"
    file.write_text(f'url = "{served.url}/own"\nlabels = ["bad", "good"]\n{described}\n')
    value, shares = accuracy(f"http:{file}", data, tmp_path / "r")
    assert value == 0.8
    if "logprobs" in described and "by =" in described:
        assert shares == {0.7778}
    elif "scores =" in described:
        assert len(shares) == 1


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("start", "{}, I think."),
        ("only", "**{}**"),
        ("last", "Neither awful nor fine: {}"),
        ("after:Answer:", "bad or good? Answer: {}"),
        ("json:label", 'Here it is: {{"label": "{}"}}'),
    ],
)
def test_each_way_of_reading_a_text(serve, data, tmp_path, read, written):
    served = serve(lambda body, _: said(written.format(label_of(served.text_of(body)))))
    model = f"{served.url}/v1#api=chat,labels=bad|good,read={read}"
    assert accuracy(model, data, tmp_path / "r")[0] == 0.8


def test_samples_are_read(serve, data, tmp_path):
    served = serve(
        lambda body, _: said(label_of(served.text_of(body)) if body["seed"] % 3 else "good")
    )
    model = f"{served.url}/v1#api=chat,labels=bad|good,samples=3,seed=0,temperature=1"
    value, shares = accuracy(model, data, tmp_path / "r")
    assert value == 0.8
    assert shares == {1.0, 0.6667}


def test_the_confidence_of_first_tokens_is_measured(serve, data, tmp_path):
    served = serve(lambda body, _: openai_chat(served.text_of(body)))
    found = scrutiny.run(
        "calibration",
        model=f"{served.url}/v1#api=chat,labels=bad|good,by=logprobs",
        data=data,
        out=tmp_path / "r",
        cache=tmp_path / "answers.sqlite",
    )
    assert found.estimate("calibration_error(15)").value == pytest.approx(0.8 - 0.7 / 0.9)
