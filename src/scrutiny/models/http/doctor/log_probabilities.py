"""Checks of log-probabilities: do they come, can they be true, do they come of the prompt."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from scrutiny.models.http.doctor.asking import Asker, replies_of, was_refused
from scrutiny.models.http.doctor.finding import Finding, State
from scrutiny.models.http.doctor.questions import LONG, SHORT
from scrutiny.models.http.reading import BadReply, at

_ASKED: Final = (*SHORT, *LONG[:1])
REQUESTS: Final = len(_ASKED)
REQUESTS_OF_ECHO: Final = 1
_ROUNDED: Final = 0.01  # by which a sum of probabilities may exceed one


def check_log_probabilities(asker: Asker) -> Finding:
    """Whether log-probabilities come and make sense; notes on the asker that they do."""
    name, needs = "log-probabilities", asker.endpoint.by == "logprobs"
    lacking: State = "fault" if needs else "not offered"
    advice = "by=logprobs can't work" if needs else "by=logprobs would not work; read texts instead"
    found = asker.ask([asker.said(text, tokens=1, **asker.logs()) for text in _ASKED])
    heard = replies_of(found)
    if not heard and was_refused(found):
        return Finding(name, lacking, f"Requests for them are refused: {advice}.")
    if not heard:
        return Finding(name, "can't tell", "No request for them brought a reply.")
    logs = [one.logs for one in heard if one.logs]
    numbers = {"asked": len(found), "given": len(logs), "tokens": max(map(len, logs), default=0)}
    if not logs:
        says = f"It ignores the request for them without saying so: {advice}."
        return Finding(name, lacking, says, numbers)
    wrong = _wrong_with(logs)
    if wrong or len(logs) < len(heard):
        wrong = wrong or f"only {len(logs)} of {len(heard)} replies hold them"
        return Finding(name, "fault", f"They can't be true: {wrong}. Use none of them.", numbers)
    asker.gives_logs = True
    return Finding(name, "ok", f"Given for up to {numbers['tokens']} first tokens.", numbers)


def _wrong_with(logs: Sequence[Mapping[str, float]]) -> str:
    """What is wrong with the log-probabilities of some answers; empty if nothing is."""
    every = [tuple(one.values()) for one in logs]
    if not all(math.isfinite(value) for one in every for value in one):
        return "some are no numbers"
    if any(value > _ROUNDED for one in every for value in one):
        return "some are above 0"
    if any(math.fsum(map(math.exp, one)) > 1 + _ROUNDED for one in every):
        return "their probabilities sum to more than 1"
    if all(len(set(one)) == 1 for one in every) and len({one[0] for one in every}) == 1:
        return "all are the same number"
    if all(len(one) > 1 and len(set(one)) == 1 for one in every):
        return "all tokens are equally likely"
    if len(logs) > 1 and all(one == logs[0] for one in logs):
        return "they are the same for each question"
    return ""


def check_echo(asker: Asker) -> Finding:
    """Whether log-probabilities of the prompt come, which perplexities need."""
    (found,) = asker.ask([asker.said(SHORT[0], tokens=1, echo=True, **asker.logs())])
    for heard in replies_of([found]):
        try:
            told = at(heard.data, "choices.0.logprobs.token_logprobs")
        except BadReply:
            told = []
        is_told = isinstance(told, list) and len(told) > 2
        if heard.text.startswith(SHORT[0]) and is_told:
            return Finding("echo", "ok", "It gives log-probabilities of the prompt.")
    says = "No log-probabilities of the prompt: no perplexities of given texts from it."
    return Finding("echo", "not offered", says)
