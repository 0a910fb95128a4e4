"""Checks of answers: do they come and can they be read, do they stay, how long do they take."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import scipy

from scrutiny.core.diagnostic import Failure
from scrutiny.core.task import Prediction
from scrutiny.models.http.doctor.asking import Asker, Heard, replies_of
from scrutiny.models.http.doctor.finding import Finding, State
from scrutiny.models.http.doctor.questions import TEXTS
from scrutiny.stats.significance import binomial

#: Requests of these checks: each text twice.
REQUESTS: Final = 2 * len(TEXTS)
_NOISE: Final = 0.02  # share of answers that may change, as other texts share a batch
_UNREAD: Final = 0.1  # share of answers that may be unreadable
_PERCENTILES: Final = (50, 90, 99)
_Found = Sequence[Heard | Failure]


def check_answers(asker: Asker, *, level: float) -> Iterator[Finding]:
    """Findings about answers; the first alone if none came."""
    bodies = [asker.about(text) for text in TEXTS]
    first = asker.ask(bodies)
    if not replies_of(first):
        reason = next(one.message for one in first if isinstance(one, Failure))
        yield Finding("answers", "fault", f"No request brought a reply. {reason}")
        return
    again = asker.ask(bodies)
    seconds = list(asker.sender.ledger.seconds)
    yield _readable(asker, first)
    yield _stays(asker, first, again, level=level)
    yield _speed(replies_of([*first, *again]), seconds)


def _readable(asker: Asker, found: _Found) -> Finding:
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
    return Finding("answers", state, says, numbers)


def _stays(asker: Asker, first: _Found, again: _Found, *, level: float) -> Finding:
    """Whether answers stay as they are when asked again."""
    pairs = [
        (_answer(asker, one), _answer(asker, other))
        for one, other in zip(first, again, strict=True)
        if isinstance(one, Heard) and isinstance(other, Heard)
    ]
    n, changed = len(pairs), sum(one != other for one, other in pairs)
    if not n:
        return Finding("noise floor", "can't tell", "No text was answered twice.")
    ends = scipy.stats.binomtest(changed, n).proportion_ci(level, method="exact")
    numbers = {"asked": n, "changed": changed, "low": float(ends.low), "high": float(ends.high)}
    says = (
        f"{changed} of {n} answers changed when asked again "
        f"({100 * ends.low:.0f} to {100 * ends.high:.0f} %)."
    )
    if asker.endpoint.temperature > 0:
        return Finding("noise floor", "ok", f"{says} It draws them: temperature is set.", numbers)
    if float(binomial.sf(changed - 1, n, _NOISE)) <= 1 - level:
        says += " Temperature 0 is not honored, or it is far from deterministic: measure the "
        return Finding("noise floor", "fault", f"{says}noise floor with `repeats`.", numbers)
    state: State = "can't tell" if changed else "ok"
    return Finding("noise floor", state, f"{says} This is its noise floor.", numbers)


def _answer(asker: Asker, heard: Heard) -> object:
    """Answer of a reply: its label or text, or where none can be read all that was written."""
    read = asker.read(heard)
    answer = None if isinstance(read, Failure) else read.answer or read.scores
    return heard.text if answer is None else answer


def _speed(heard: Sequence[Heard], seconds: Sequence[float]) -> Finding:
    """How long requests took, and how many tokens came in a second."""
    took = [float(value) for value in np.percentile(seconds, _PERCENTILES)]
    written = sum(one.tokens_out for one in heard)
    numbers = {f"p{p}": value for p, value in zip(_PERCENTILES, took, strict=True)}
    says = "A request took {:.2f} s (median), {:.2f} s (90 %), {:.2f} s (99 %)".format(*took)
    if written:
        numbers["tokens_per_second"] = written / sum(seconds)
        says += f", {numbers['tokens_per_second']:.0f} tokens a second each"
    return Finding("speed", "ok", f"{says}, of {len(seconds)} requests.", numbers)
