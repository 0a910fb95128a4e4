"""Checks of members of a request: log-probabilities, stop words, limits, seeds, system prompts."""

import math
import re
from typing import Final

from scrutiny.models.http.doctor.asking import (
    LONG,
    MARK,
    SHORT,
    SYSTEM,
    Asker,
    DoctorFinding,
    Heard,
    State,
    enter,
    replies_of,
    was_refused,
)
from scrutiny.models.http.reply_reading import BadReply, at
from scrutiny.stats.significance.combined_tests import ExchangeTest

_ASKED: Final = (*SHORT, *LONG[:1])
REQUESTS: Final = len(_ASKED)
REQUESTS_OF_ECHO: Final = 1
_ROUNDED: Final = 0.01  # by which a sum of probabilities may exceed one


def check_log_probabilities(asker: Asker) -> DoctorFinding:
    """Whether log-probabilities come and make sense; notes on the asker that they do."""
    name, needs = "log-probabilities", asker.endpoint.by == "logprobs"
    lacking: State = "fault" if needs else "not offered"
    advice = "by=logprobs can't work" if needs else "by=logprobs would not work; read texts instead"
    found = asker.ask([asker.said(text, tokens=1, **asker.logs()) for text in _ASKED])
    heard = replies_of(found)
    if not heard and was_refused(found):
        return DoctorFinding(name, lacking, f"Requests for them are refused: {advice}.")
    if not heard:
        return DoctorFinding(name, "can't tell", "No request for them brought a reply.")
    logs = [one.logs for one in heard if one.logs]
    numbers = {"asked": len(found), "given": len(logs), "tokens": max(map(len, logs), default=0)}
    if not logs:
        says = f"It ignores the request for them without saying so: {advice}."
        return DoctorFinding(name, lacking, says, numbers)
    # What is wrong with the log-probabilities of some answers; empty if nothing is.
    every = [tuple(one.values()) for one in logs]
    if not all(math.isfinite(value) for one in every for value in one):
        wrong = "some are no numbers"
    elif any(value > _ROUNDED for one in every for value in one):
        wrong = "some are above 0"
    elif any(math.fsum(map(math.exp, one)) > 1 + _ROUNDED for one in every):
        wrong = "their probabilities sum to more than 1"
    elif all(len(set(one)) == 1 for one in every) and len({one[0] for one in every}) == 1:
        wrong = "all are the same number"
    elif all(len(one) > 1 and len(set(one)) == 1 for one in every):
        wrong = "all tokens are equally likely"
    elif len(logs) > 1 and all(one == logs[0] for one in logs):
        wrong = "they are the same for each question"
    else:
        wrong = ""
    if wrong or len(logs) < len(heard):
        wrong = wrong or f"only {len(logs)} of {len(heard)} replies hold them"
        return DoctorFinding(
            name, "fault", f"They can't be true: {wrong}. Use none of them.", numbers
        )
    asker.gives_logs = True
    return DoctorFinding(name, "ok", f"Given for up to {numbers['tokens']} first tokens.", numbers)


def check_echo(asker: Asker) -> DoctorFinding:
    """Whether log-probabilities of the prompt come, which perplexities need."""
    (found,) = asker.ask([asker.said(SHORT[0], tokens=1, echo=True, **asker.logs())])
    for heard in replies_of([found]):
        try:
            told = at(heard.data, "choices.0.logprobs.token_logprobs")
        except BadReply:
            told = []
        is_told = isinstance(told, list) and len(told) > 2
        if heard.text.startswith(SHORT[0]) and is_told:
            return DoctorFinding("echo", "ok", "It gives log-probabilities of the prompt.")
    says = "No log-probabilities of the prompt: no perplexities of given texts from it."
    return DoctorFinding("echo", "not offered", says)


REQUESTS_OF_FREE: Final = 2 * len(SHORT + LONG)
REQUESTS_OF_STOP = REQUESTS_OF_LIMIT = len(LONG)
_OF_SEED: Final = LONG[:2]
REQUESTS_OF_SEED: Final = 3 * len(_OF_SEED)
REQUESTS_OF_SYSTEM: Final = REQUESTS_OF_FREE
_WORD: Final = re.compile(r"\w{3,}")
_FEW: Final = 4  # tokens
_SEED: Final = 7
_WITHOUT: Final = "Put its words into the template."


class FreeAnswers:
    """Answers to plain questions, each asked twice: what changed requests are compared with."""

    def __init__(self, asker: Asker) -> None:
        questions = (*SHORT, *LONG)
        found = asker.ask([asker.told(text) for text in questions * 2])
        self.pairs: dict[str, tuple[Heard, Heard]] = {
            text: (one, other)
            for text, one, other in zip(
                questions, found[: len(questions)], found[len(questions) :], strict=True
            )
            if isinstance(one, Heard) and isinstance(other, Heard)
        }

    def of(self, question: str) -> str:
        """First answer to a question; empty if there is none."""
        return self.pairs[question][0].text if question in self.pairs else ""


def check_stop(asker: Asker, free: FreeAnswers) -> DoctorFinding:
    """Whether an answer ends before a stop word."""
    name = "stop words"
    words = {text: word for text in LONG if (word := _later_word(free.of(text)))}
    found = asker.ask([asker.said(text, stop=[word]) for text, word in words.items()])
    heard = [
        (one.text, word)
        for one, word in zip(found, words.values(), strict=True)
        if isinstance(one, Heard)
    ]
    if not heard:
        return DoctorFinding(name, "can't tell", "No answer was long enough to be stopped.")
    past = [word for text, word in heard if text.rstrip().partition(word)[2]]
    if past:
        says = f"An answer went on behind the stop word {past[0]!r}. Cut answers yourself (read=)."
        return DoctorFinding(name, "fault", says, {"asked": len(heard), "ignored": len(past)})
    return DoctorFinding(name, "ok", f"{len(heard)} of {len(heard)} answers ended there.")


def _later_word(text: str) -> str:
    """A word of an answer that does not stand at its beginning."""
    words: list[str] = _WORD.findall(text)
    return next((word for word in words[3:] if word not in words[:3]), "")


def check_limit(asker: Asker, free: FreeAnswers) -> DoctorFinding:
    """Whether an answer holds no more tokens than it may."""
    name = "max_tokens"
    asked = [text for text in LONG if len(free.of(text).split()) > 2 * _FEW]
    heard = replies_of(asker.ask([asker.said(text, tokens=_FEW) for text in asked]))
    if not heard:
        return DoctorFinding(name, "can't tell", "No answer was long enough to be cut.")
    longer = [one for one in heard if one.tokens_out > _FEW or len(one.text.split()) > 2 * _FEW]
    if longer:
        most = max(max(one.tokens_out, len(one.text.split())) for one in longer)
        says = f"An answer limited to {_FEW} tokens had {most}: you may pay for more than you ask."
        return DoctorFinding(name, "fault", says, {"asked": len(heard), "ignored": len(longer)})
    silent = (
        "" if all(one.end == "length" for one in heard) else " It doesn't say that it cut them."
    )
    return DoctorFinding(
        name, "ok", f"{len(heard)} of {len(heard)} answers were cut there.{silent}"
    )


def check_seed(asker: Asker) -> DoctorFinding:
    """Whether the same seed gives the same answer at temperature 1, and another one another."""
    name, needs = "seed", asker.endpoint.seed is not None
    seeds = (_SEED, _SEED, _SEED + 1)
    bodies = [asker.said(text, temperature=1, seed=seed) for text in _OF_SEED for seed in seeds]
    found = asker.ask(bodies)
    rows = [found[i : i + 3] for i in range(0, len(found), 3)]
    texts = [
        [one.text for one in replies_of(row)]
        for row in rows
        if all(isinstance(one, Heard) for one in row)
    ]
    if not texts and not was_refused(found):
        return DoctorFinding(name, "can't tell", "No request with a seed brought a reply.")
    if not texts:
        says = "Requests with a seed were refused: samples can't be drawn again."
        return DoctorFinding(name, "fault" if needs else "not offered", says)
    same = sum(first == again for first, again, _ in texts)
    others = sum(first != other for first, _, other in texts)
    numbers = {"asked": len(texts), "same": same, "others": others}
    if same < len(texts):
        says = f"Only {same} of {len(texts)} answers came again with the same seed: samples differ."
        return DoctorFinding(name, "fault" if needs else "not offered", says, numbers)
    if not others:
        says = "Other seeds changed nothing: temperature may be ignored, or answers are certain."
        return DoctorFinding(name, "can't tell", says, numbers)
    return DoctorFinding(
        name, "ok", "The same seed gives the same answer, another one another.", numbers
    )


def check_system(asker: Asker, free: FreeAnswers, *, level: float) -> DoctorFinding:
    """Whether a system prompt changes the answers."""
    name = "system prompt"
    questions = list(free.pairs)
    found = asker.ask([asker.told(text, system=SYSTEM) for text in questions * 2])
    test, unchanged, marked, asked = ExchangeTest(level), 0, 0, 0
    for place, pair in enumerate(free.pairs.values()):
        after = replies_of([found[place], found[place + len(questions)]])
        if len(after) < len(pair):
            continue
        asked += 1
        enter(test, [*pair, *after])
        unchanged += {one.text for one in after} <= {one.text for one in pair}
        marked += any(MARK in one.text.casefold() for one in after)
    numbers = {"asked": asked, "unchanged": unchanged, "marked": marked, "p": test.p_value}
    if not asked and not was_refused(found):
        return DoctorFinding(name, "can't tell", "No request with one brought a reply.", numbers)
    if not asked:
        says = f"Requests with one were refused. {_WITHOUT}"
        return DoctorFinding(
            name, "fault" if asker.endpoint.system else "not offered", says, numbers
        )
    if test.differs or marked > asked / 2:
        did = f"{marked} of {asked} answers obey one, and {asked - unchanged} change with it"
        return DoctorFinding(name, "ok", f"{did}.", numbers)
    if unchanged >= max(1, asked - 1) and not marked:
        says = f"It is ignored: {unchanged} of {asked} answers stayed as they were. {_WITHOUT}"
        return DoctorFinding(name, "fault", says, numbers)
    says = f"{asked - unchanged} of {asked} answers change with one: too few to rule out chance."
    return DoctorFinding(name, "can't tell", says, numbers)
