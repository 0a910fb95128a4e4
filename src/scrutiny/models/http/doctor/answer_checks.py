"""Checks of answers: do they come, can they be read, do they stay, and did whole texts arrive.

Long texts are to reach the model as a whole, and turns of a chat as its template marks them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import scipy

from scrutiny.core.diagnostic import Failure
from scrutiny.core.task import Prediction
from scrutiny.models.http.doctor.asking import (
    CODES,
    LENGTHS,
    SHORT,
    TEXTS,
    Asker,
    DoctorFinding,
    Heard,
    State,
    long_text,
    replies_of,
)
from scrutiny.models.http.doctor.member_checks import FreeAnswers
from scrutiny.stats.significance import binomial

#: Requests of these checks: each text twice.
REQUESTS: Final = 2 * len(TEXTS)
_NOISE: Final = 0.02  # share of answers that may change, as other texts share a batch
_UNREAD: Final = 0.1  # share of answers that may be unreadable
_PERCENTILES: Final = (50, 90, 99)
_Found = Sequence[Heard | Failure]


def check_answers(asker: Asker, *, level: float) -> Iterator[DoctorFinding]:
    """Findings about answers; the first alone if none came."""
    bodies = [asker.about(text) for text in TEXTS]
    first = asker.ask(bodies)
    if not replies_of(first):
        reason = next(one.message for one in first if isinstance(one, Failure))
        yield DoctorFinding("answers", "fault", f"No request brought a reply. {reason}")
        return
    again = asker.ask(bodies)
    seconds = list(asker.sender.ledger.seconds)
    yield _readable(asker, first)
    yield _stays(asker, first, again, level=level)
    # How long requests took, and how many tokens came in a second.
    heard = replies_of([*first, *again])
    took = [float(value) for value in np.percentile(seconds, _PERCENTILES)]
    written = sum(one.tokens_out for one in heard)
    numbers = {f"p{p}": value for p, value in zip(_PERCENTILES, took, strict=True)}
    says = "A request took {:.2f} s (median), {:.2f} s (90 %), {:.2f} s (99 %)".format(*took)
    if written:
        numbers["tokens_per_second"] = written / sum(seconds)
        says += f", {numbers['tokens_per_second']:.0f} tokens a second each"
    yield DoctorFinding("speed", "ok", f"{says}, of {len(seconds)} requests.", numbers)


def _readable(asker: Asker, found: _Found) -> DoctorFinding:
    """Whether answers can be read."""
    read = [one if isinstance(one, Failure) else asker.read(one) for one in found]
    failures = [one for one in read if isinstance(one, Failure)]
    numbers = {"asked": len(read), "read": len(read) - len(failures)}
    what = "answers are texts" if asker.model.writes_texts else "answers name a label"
    says = f"{numbers['read']} of {numbers['asked']} {what}."
    answers = {one.answer for one in read if isinstance(one, Prediction) and one.answer}
    state: State = "ok"
    if failures:
        named = Counter(one.reason for one in failures).most_common()
        says += f" {', '.join(f'{reason}: {count}' for reason, count in named)}."
        says += (
            f" {failures[0].message.rstrip('.')}. Change template=, read=, labels= or max_tokens=."
        )
        state = "fault" if len(failures) > _UNREAD * len(read) else "ok"
    elif len(answers) == 1 and not asker.model.writes_texts:
        state = "can't tell"
        says += f" All are {answers.pop()!r}, of good and of bad texts: look at the template."
    return DoctorFinding("answers", state, says, numbers)


def _stays(asker: Asker, first: _Found, again: _Found, *, level: float) -> DoctorFinding:
    """Whether answers stay as they are when asked again."""
    pairs = [
        (_answer(asker, one), _answer(asker, other))
        for one, other in zip(first, again, strict=True)
        if isinstance(one, Heard) and isinstance(other, Heard)
    ]
    n, changed = len(pairs), sum(one != other for one, other in pairs)
    if not n:
        return DoctorFinding("noise floor", "can't tell", "No text was answered twice.")
    ends = scipy.stats.binomtest(changed, n).proportion_ci(level, method="exact")
    numbers = {"asked": n, "changed": changed, "low": float(ends.low), "high": float(ends.high)}
    says = (
        f"{changed} of {n} answers changed when asked again "
        f"({100 * ends.low:.0f} to {100 * ends.high:.0f} %)."
    )
    if asker.endpoint.temperature > 0:
        return DoctorFinding(
            "noise floor", "ok", f"{says} It draws them: temperature is set.", numbers
        )
    if float(binomial.sf(changed - 1, n, _NOISE)) <= 1 - level:
        says += " Temperature 0 is not honored, or it is far from deterministic: measure the "
        return DoctorFinding("noise floor", "fault", f"{says}noise floor with `repeats`.", numbers)
    state: State = "can't tell" if changed else "ok"
    return DoctorFinding("noise floor", state, f"{says} This is its noise floor.", numbers)


def _answer(asker: Asker, heard: Heard) -> object:
    """Answer of a reply: its label or text, or where none can be read all that was written."""
    read = asker.read(heard)
    answer = None if isinstance(read, Failure) else read.answer or read.scores
    return heard.text if answer is None else answer


#: First and last code of each text: as they are, another first, another last.
_VARIANTS: Final = ((CODES[0], CODES[0]), (CODES[1], CODES[0]), (CODES[0], CODES[1]))
REQUESTS_OF_LENGTHS: Final = len(LENGTHS) * len(_VARIANTS)
_ENDS: Final = ("beginning", "end")
_GROWTH: Final = 0.7  # of the tokens that a longer text should have
_SAME: Final = 8  # tokens by which texts that differ in one number may differ
_TOKENS: Final = 16
_SPECIAL: Final = re.compile(
    r"<\|[\w ]{2,30}\|>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>"
    r"|#{2,} ?(?:Human|Assistant|Instruction|Response|User)\b"
)
_ROLE: Final = re.compile(r"(?m)^\s*(?:user|human|assistant|system)\s*(?::.*)?$", re.IGNORECASE)


def check_long_texts(asker: Asker) -> DoctorFinding:
    """Whether long texts arrive as a whole, or are refused; cutting them in silence is a fault."""
    name = "long texts"
    arrived: list[tuple[int, list[Heard | Failure]]] = []
    refusal = ""
    for words in LENGTHS:
        texts = [long_text(words, first=first, last=last) for first, last in _VARIANTS]
        bodies = [asker.told(text, tokens=_TOKENS) for text in texts]
        row = asker.ask(bodies[:1])  # alone: where it is refused, the others would be
        if isinstance(row[0], Heard):
            row += asker.ask(bodies[1:])
        refusal = next((one.message for one in row if isinstance(one, Failure)), "")
        if refusal:
            break
        arrived.append((words, row))
    if not arrived:
        return DoctorFinding(name, "can't tell", f"None was answered: {refusal}")
    tokens = [one.tokens_in for _, (one, *_) in arrived if isinstance(one, Heard)]
    numbers = {"words": [words for words, _ in arrived], "tokens": tokens}
    (fewest, _), (most, _) = arrived[0], arrived[-1]
    if mixed := _mixed_up(arrived):
        return DoctorFinding(name, "fault", mixed, numbers)
    if tokens[0] and tokens[-1] < _GROWTH * tokens[0] * most / fewest:
        says = (
            f"{most:,} words count as {tokens[-1]:,} tokens, {fewest:,} as {tokens[0]:,}: long "
            "texts are cut without a word. Shorten them yourself, or raise its limit."
        )
        return DoctorFinding(name, "fault", says, numbers)
    unseen = [(words, _ENDS[i]) for words, row in arrived for i in (0, 1) if not _is_seen(row, i)]
    if unseen and asker.gives_numbers:
        words, end = unseen[0]
        says = (
            f"The {end} of a text of {words:,} words has no influence on the answer: long texts "
            "are cut without a word. Shorten them yourself, or raise its limit."
        )
        return DoctorFinding(name, "fault", says, numbers)
    if unseen:
        words, end = unseen[0]
        says = f"Its answer does not tell whether it saw the {end} of a text of {words:,} words."
        return DoctorFinding(name, "can't tell", says, numbers)
    rest = f" Longer ones bring no reply, which is no silent cut: {refusal}" if refusal else ""
    return DoctorFinding(name, "ok", f"Both ends of {most:,} words reach the model.{rest}", numbers)


def _mixed_up(arrived: Sequence[tuple[int, _Found]]) -> str:
    """What is wrong if texts that differ in one number count as very different ones; else empty.

    A server that cuts texts counts those of one length alike, so this is not a cut.
    """
    for words, row in arrived:
        told = sorted(one.tokens_in for one in row if isinstance(one, Heard))
        if told[0] and told[-1] - told[0] > max(_SAME, (1 - _GROWTH) * told[-1]):
            return (
                f"Texts of {words:,} words that differ in one number count as {told[0]:,} and "
                f"{told[-1]:,} tokens: replies may belong to other requests, as from a cache or a "
                "proxy that mixes them up. Ask the server directly, without it."
            )
    return ""


def _is_seen(row: Sequence[Heard | Failure], end: int) -> bool:
    """Whether another code at this end of a text changed anything in the reply."""
    plain, other = (
        (one.text, one.label, one.scores, dict(one.logs)) if isinstance(one, Heard) else None
        for one in (row[0], row[1 + end])
    )
    return plain != other


def check_template(asker: Asker, free: FreeAnswers) -> DoctorFinding:
    """Whether answers look as if the turns of a chat had been marked as the model knows them."""
    name = "chat template"
    special = [match[0] for text in asker.texts if (match := _SPECIAL.search(text))]
    roles = [match[0].strip() for text in asker.texts if (match := _ROLE.search(text))]
    numbers = {"answers": len(asker.texts), "special": len(special), "roles": len(roles)}
    advice = "The server's chat template is not the model's, or it is not applied: fix it there."
    if special:
        says = f"Marks of turns stand in {len(special)} answers ({special[0]!r}). {advice}"
        return DoctorFinding(name, "fault", says, numbers)
    if len(roles) > 1:
        says = f"{len(roles)} answers go on as another speaker ({roles[0]!r}). {advice}"
        return DoctorFinding(name, "fault", says, numbers)
    ends = [free.pairs[text][0].end for text in SHORT if text in free.pairs]
    if ends and all(end == "length" for end in ends):
        says = (
            f"Answers of one word don't end by themselves: a talkative model, or {advice.lower()}"
        )
        return DoctorFinding(name, "can't tell", says, numbers)
    says = f"No marks of turns in {len(asker.texts)} answers, which end by themselves."
    return DoctorFinding(name, "ok", says, numbers)
