"""Free answers of every kind of model: what is asked, what comes back, and how it ended."""

import json
from textwrap import dedent

import pytest
from chat_server import said

from scrutiny.core.answers.responses import Response
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.http.interfaces import lacks_places
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
TASK = load_task("generation")
BEFORE = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
]


def items(*prompts):
    return [TASK.parse({"prompt": p, "id": str(n)}, source="") for n, p in enumerate(prompts)]


def conversation(text):
    return [*BEFORE, {"role": "user", "content": text}]


def outcomes(model, examples):
    return [one.answer.outcome for one in predict_or_fail(model, examples)]


def replies(body, tries):
    text = body["messages"][-1]["content"]
    return {
        "fine": said("It is fine."),
        "long": said("It is", end="length"),
        "filtered": said("", end="content_filter"),
        "flag": said(None, message={"refusal": "No."}),
        "declines": said("I'm sorry, but I can't help with that."),
        "empty": said(""),
    }[text]


def test_every_reply_of_an_endpoint_is_an_answer(serve):
    served = serve(replies)
    model = load_model(f"{served.url}/v1#api=chat,model=m", TASK)
    names = ["fine", "long", "filtered", "flag", "declines", "empty"]
    assert outcomes(model, items(*names)) == [
        *("answered", "cut off", "refused", "refused", "refused", "empty")
    ]


def test_a_conversation_is_sent_whole(serve):
    served = serve(replies)
    model = load_model(f"{served.url}/v1#api=chat,model=m,system=Be kind.", TASK)
    predict_or_fail(model, items("fine", conversation("fine")))
    sent = sorted((body["messages"] for body in served.bodies), key=len)
    user = {"role": "user", "content": "fine"}
    assert sent == [[{"role": "system", "content": "Be kind."}, user], [*BEFORE, user]]


def test_who_is_given_one_text_is_asked_no_conversation(serve):
    def completed(body, tries):
        return said("", choice={"text": f"{body['prompt']}!"})

    served = serve(completed, path="/v1/completions")
    model = load_model(f"{served.url}/v1#api=completions,model=m", TASK)
    (one,) = predict_or_fail(model, items("fine"))
    assert one.answer == "fine!"
    with pytest.raises(ModelError, match="is a conversation of several messages"):
        predict_or_fail(model, items(conversation("fine")))


def test_a_body_of_ones_own_has_a_place_for_messages(serve, tmp_path):
    assert lacks_places({"chat": "{messages}"}, ("prompt",), batch=1) == ""
    served = serve(lambda body, tries: said(body["chat"][-1]["content"].upper()), path="/own")
    described = [
        f'url = "{served.url}/own"', 'api = "own"', 'text = "choices.0.message.content"',
        "[body]", 'chat = "{messages}"',
    ]  # fmt: skip
    (tmp_path / "own.toml").write_text("\n".join(described))
    model = load_model(f"http:{tmp_path / 'own.toml'}", TASK)
    (one,) = predict_or_fail(model, items(conversation("fine")))
    assert one.answer == "FINE"
    assert served.bodies == [{"chat": conversation("fine")}]


def test_objects_of_users_are_given_texts_or_messages(tmp_path):
    code = """
        def answer(asked):
            return [one if isinstance(one, str) else one[-1]["content"] + str(len(one))
                    for one in asked]
        def ends(asked):
            return [{"text": one, "end": "length"} for one in asked]
        def nothing(asked):
            return [None for _ in asked]
    """
    (tmp_path / "m.py").write_text(dedent(code))
    model = load_model(f"python:{tmp_path}/m.py:answer", TASK)
    found = predict_or_fail(model, items("a", conversation("b")))
    assert [one.answer for one in found] == ["a", "b4"]
    model = load_model(f"python:{tmp_path}/m.py:ends", TASK)
    assert outcomes(model, items("a")) == ["cut off"]
    model = load_model(f"python:{tmp_path}/m.py:nothing", TASK)
    (one,) = predict_or_fail(model, items("a"))
    assert isinstance(one, Failure)
    assert "an answer is a string" in one.message


def test_stored_answers_say_how_they_ended(tmp_path):
    rows = [
        {"id": "0", "answer": "Fine."},
        {"id": "1", "answer": {"text": "Fi", "end": "length"}},
        {"id": "2", "answer": ""},
        {"id": "3", "answer": {"text": "Fi", "end": "tired"}},
        {"id": "4", "answer": None},
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)))
    model = load_model(f"predictions:{tmp_path / 'p.jsonl'}", TASK)
    *good, odd, missing = predict_or_fail(model, items(*"abcde"))
    assert [one.answer.outcome for one in good] == ["answered", "cut off", "empty"]
    assert {odd.reason, missing.reason} == {"bad_answer"}
    assert isinstance(good[0].answer, Response)


def test_translators_do_not_answer_prompts():
    with pytest.raises(ModelError, match="gives written texts, and that has free answers"):
        load_model("translate:en-pt", TASK)
