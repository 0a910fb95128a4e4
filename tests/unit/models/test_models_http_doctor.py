"""Doctor: each planted fault is found, and no other; a sound endpoint has none."""

import re

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError, RunIncompleteError
from scrutiny.models.http.doctor.asking import LENGTHS, DoctorFinding, long_text, verdict
from scrutiny.models.http.doctor.examining import (
    ExaminationBudget,
    examine,
    examined_model,
    planned,
)
from scrutiny.models.strings.model_strings import parse
from simulated_endpoint import URL, Completing, Simulated, asker


def examined(one, other=None, *, url=URL, questions=9, level=0.99, most=None):
    askers = [asker(simulated, url, most=most) for simulated in (one, other) if simulated]
    found = {f.check: f for f in examine(*askers, questions=questions, level=level)}
    return found, sum(a.sender.ledger.requests for a in askers)


def faults(found):
    return [name for name, one in found.items() if one.state == "fault"]


def test_a_sound_endpoint_has_no_fault():
    found, sent = examined(Simulated())
    assert {name: one.state for name, one in found.items()} == dict.fromkeys(
        [
            *("answers", "noise floor", "speed", "log-probabilities", "stop words"),
            *("max_tokens", "seed", "system prompt", "chat template", "long texts"),
        ],
        "ok",
    )
    assert sent == planned(examined_model(parse(URL)).endpoint) == 79
    assert found["speed"].numbers["p50"] == 0.25
    assert found["answers"].numbers == {"asked": 15, "read": 15}


@pytest.mark.parametrize(
    ("fault", "check", "says"),
    [
        ("dead logs", "log-probabilities", "sum to more than 1"),
        ("stop", "stop words", "went on behind the stop word"),
        ("system", "system prompt", "It is ignored: 6 of 6 answers stayed as they were"),
        ("truncation", "long texts", "1,350 words count as 31. tokens"),
        ("truncation-told", "long texts", "count as 300 tokens"),
        ("template", "chat template", r"'<\|im_end\|>'"),
        ("temperature", "noise floor", "Temperature 0 is not honored"),
        ("limit", "max_tokens", "limited to 4 tokens had 64"),
    ],
)
def test_planted_faults_are_found(fault, check, says):
    found, _ = examined(Simulated(fault=fault))
    assert check in faults(found)
    assert re.search(says, found[check].says)


def test_a_number_cut_from_the_beginning_is_seen_in_log_probabilities():
    class Uncounted(Simulated):
        def reply(self, body):
            return {**super().reply(body), "usage": {}}

    found, _ = examined(Uncounted(fault="truncation", noise=0.0))
    assert faults(found) == ["long texts"]
    assert "The beginning of a text of 450 words has no influence" in found["long texts"].says


def test_replies_of_other_requests_are_told_from_a_cut_by_their_tokens():
    class MixedUp(Simulated):
        def reply(self, body):
            told = super().reply(body)
            if "last code is 2956" in body["messages"][-1]["content"]:
                told["usage"]["prompt_tokens"] = 14
            return told

    found, _ = examined(MixedUp())
    assert faults(found) == ["long texts"]
    says = "Texts of 150 words that differ in one number count as 14 and .* belong to other"
    assert re.search(says, found["long texts"].says)


def test_what_is_not_offered_is_a_fault_only_where_it_is_needed():
    found, _ = examined(Simulated(fault="no logs"))
    assert found["log-probabilities"].state == "not offered"
    assert "ignores the request for them without saying so" in found["log-probabilities"].says
    assert not faults(found)
    found, _ = examined(Simulated(fault="no logs"), url=f"{URL},by=logprobs")
    assert "log-probabilities" in faults(found)
    found, _ = examined(Simulated(fault="seed"))
    assert found["seed"].state == "not offered"
    found, _ = examined(Simulated(fault="seed"), url=f"{URL},seed=1")
    assert faults(found) == ["seed"]


@pytest.mark.parametrize(
    ("fault", "state"),
    [
        ("", "ok"),
        ("echo", "not offered"),  # ignored: what comes is the answer alone
        ("text alone", "not offered"),  # the prompt comes back without its log-probabilities
        ("no logs", "not offered"),
    ],
)
def test_completions_are_asked_for_log_probabilities_of_the_prompt(fault, state):
    found, _ = examined(Completing(fault=fault), url=URL.replace("api=chat", "api=completions"))
    assert found["echo"].state == state
    assert ("no perplexities of given texts" in found["echo"].says) == (state != "ok")
    assert not faults(found)
    assert "system prompt" not in found
    assert "echo" not in examined(Simulated())[0]


def test_two_copies_are_not_told_apart():
    found, sent = examined(Simulated(seed=1), Simulated(seed=2))
    assert found["same model"].state == "ok"
    assert "No difference on 9 questions" in found["same model"].says
    assert not faults(found)
    assert sent == 79 + 4 + 36


def test_exact_copies_are_told_with_a_limit():
    found, _ = examined(Simulated(noise=0.0), Simulated(noise=0.0))
    assert "at most 40 % of such questions" in found["same model"].says


@pytest.mark.parametrize(
    ("other", "state", "says"),
    [
        (Simulated("two"), "fault", "Another model"),
        (Simulated(grid=1.5), "fault", "A coarsely quantized twin"),
        (Simulated(engine=0.08), "ok", "Same answers, other arithmetic"),
    ],
)
def test_others_are_told_apart_by_log_probabilities(other, state, says):
    found, sent = examined(Simulated(), other)
    assert found["same model"].state == state
    assert found["same model"].says.startswith(says)
    assert found["same model"].numbers["questions"] < 9
    assert sent < 79 + 4 + 36


@pytest.mark.parametrize(
    ("other", "state"), [(Simulated("two", fault="no logs"), "fault"), (Simulated(), "ok")]
)
def test_texts_tell_where_no_log_probabilities_do(other, state):
    found, _ = examined(Simulated(fault="no logs"), other)
    assert found["same model"].state == state
    assert found["same model"].numbers["by"] == "texts"


def test_too_few_questions_say_so():
    found, _ = examined(Simulated(), Simulated("two"), questions=4)
    assert found["same model"].state == "can't tell"
    assert "20 tell two models apart" in found["same model"].says


def test_nothing_is_asked_where_nothing_comes():
    class Broken(Simulated):
        def reply(self, body):
            return {"error": {"message": "loading"}}

    found, sent = examined(Broken())
    assert list(found) == faults(found) == ["answers"]
    assert "loading" in found["answers"].says
    assert sent == 15


def test_unreadable_answers_are_a_fault():
    class Chatty(Simulated):
        def reply(self, body):
            reply = super().reply(body)
            reply["choices"][0]["message"]["content"] = "Well, let me think."
            return reply

    found, _ = examined(Chatty())
    assert "answers" in faults(found)
    assert "0 of 15 answers name a label. unparsed: 15." in found["answers"].says


def test_a_budget_ends_an_examination_with_what_was_found():
    came = []
    with pytest.raises(RunIncompleteError):
        came.extend(examine(asker(Simulated(), most=40)))
    assert [one.check for one in came] == ["answers", "noise floor", "speed", "log-probabilities"]


def test_budgets_leave_room_for_both():
    endpoint = examined_model(parse(URL)).endpoint
    assert ExaminationBudget.of(endpoint, most=120, has_other=False) == ExaminationBudget(120)
    budget = ExaminationBudget.of(endpoint, most=120, has_other=True)
    assert (budget.own + budget.other, budget.questions) == (120, 9)
    assert ExaminationBudget.of(endpoint, most=10, has_other=True).questions == 0


def test_an_endpoint_of_your_own_is_asked_about_texts_alone(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        'url = "http://simulated/classify"\nlabels = ["bad", "good"]\nlabel = "label"\n'
        'scores = "scores"\nbody = { text = "{text}" }'
    )

    class Classifier(Simulated):
        def reply(self, body):
            share = float(self.logits(body["text"])[0] / 40 + 0.5)
            return {"label": "good" if share > 0.5 else "bad", "scores": [1 - share, share]}

    found, sent = examined(Classifier(), Classifier("two"), url=f"http:{file}")
    assert list(found) == ["answers", "noise floor", "speed", "long texts", "same model"]
    assert faults(found) == ["same model"]
    assert sent == 30 + 9 + 20


def test_other_models_are_refused():
    with pytest.raises(ModelError, match="is no endpoint"):
        examined_model(parse("builtin:sentiment"))


def test_verdicts_are_one_line():
    found = [DoctorFinding("seed", "ok", ""), DoctorFinding("long texts", "can't tell", "")]
    assert verdict(found) == "No fault in 2 checks. Can't tell: long texts."


def test_long_texts_differ_at_their_ends_alone():
    one, other = (long_text(LENGTHS[0], first=code, last="7") for code in "12")
    assert one.replace("code is 1.", "code is 2.") == other


class Refusing(Simulated):
    """Endpoint whose requests fail for a reason where a member or a long text says so."""

    def __init__(self, refuses, reason="bad_request"):
        super().__init__()
        self._refuses, self._reason = refuses, reason

    def reply(self, body):
        if self._refuses(body):
            return Failure(self._reason, "Status 400: not here")
        return super().reply(body)


def has_system(body):
    return len(body["messages"]) > 1


@pytest.mark.parametrize(
    ("refuses", "check"),
    [
        (lambda body: "logprobs" in body, "log-probabilities"),
        (lambda body: "seed" in body, "seed"),
        (has_system, "system prompt"),
    ],
)
def test_what_is_refused_is_not_offered_and_what_fails_says_nothing(refuses, check):
    assert examined(Refusing(refuses))[0][check].state == "not offered"
    assert examined(Refusing(refuses, "timed_out"))[0][check].state == "can't tell"


def test_refused_long_texts_are_no_silent_cut():
    found, sent = examined(Refusing(lambda body: len(str(body)) > 5000))
    assert found["long texts"].state == "ok"
    assert found["long texts"].says == (
        "Both ends of 450 words reach the model. Longer ones bring no reply, which is no silent "
        "cut: Status 400: not here"
    )
    assert sent == 77  # the variants of a refused text are not asked
    found, _ = examined(Refusing(lambda body: len(str(body)) > 700))
    assert found["long texts"].state == "can't tell"
