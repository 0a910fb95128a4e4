"""The faults, and the rules by which it is decided whether a tool noticed one: declared here alone.

A tool *notices* a fault if what it prints names it (one of the fault's phrases, which its output on
the healthy endpoint lacks). It *shows a hint* if it says anything else than on the healthy endpoint
that a reader could ask about: a score that is lower by three points or more, another exit code, or
the phrases of another fault. Otherwise it is *silent*. On the healthy endpoint, phrases of any
fault are a false alarm, and so is an exit code that calls the endpoint or the model faulty.
"""

import re
from dataclasses import dataclass

#: Points of a score from which a difference is a hint.
HINT = 0.03
NOTICES, SHOWS, SILENT = "notices", "hint", "silent"
QUIET, FALSE_ALARM = "quiet", "false alarm"
NOT_RUN = "not run"


@dataclass(frozen=True)
class Fault:
    """A fault: what is planted, where, and the phrases of any tool that name it."""

    name: str
    planted: str
    phrases: tuple[str, ...] = ()
    cases: str = "cases"  # or "thrice", "exchanged": files of cases
    reads: str = "text"  # or "logprobs", where a tool can


FAULTS = (
    Fault("", "nothing: the control"),
    Fault(
        "parse failures",
        "2 of 10 answers are wrapped in prose, 1 of 10 is a refusal",
        (
            r"\bunparse[dr]\b",
            r"\bunread(able)?\b",
            r"\bunpars(e?able)\b",
            r"\brefus(ed|als?)\b",
            r"could not be (read|parsed)",
            r"can'?t be (read|parsed)",
            r"name no label",
            r"invalid (answer|format)",
            r"\bno answer\b",
        ),
    ),
    Fault(
        "cache mix-ups",
        "1 of 4 requests gets the answer that belongs to another text",
        (
            r"belong to other requests",
            r"(answer|reply|response)s? (of|to) (an)?other (text|request|prompt)s?",
            r"mix(ed|es)?[- ]?up",
            r"(stale|wrong) (cache|cached)",
        ),
    ),
    Fault(
        "dead log-probabilities",
        "the log-probabilities are the same for all tokens and requests",
        (
            r"log-?prob\w*\W[^.|]{0,80}(can't be true|the same|constant|identical|equal)",
            r"(same|constant|identical|equal) (log-?)?prob",
        ),
        reads="logprobs",
    ),
    Fault(
        "repeats counted as items",
        "each case stands three times in the file, under ids of its own",
        (
            r"\b[1-9][\d,]* (of [\d,]+ )?(items|rows|cases|tests|texts) (repeat|duplicate|occur)",
            r"duplicates? +[1-9]",
            r"duplicated? (items|rows|cases|tests|inputs)",
        ),
        cases="thrice",
    ),
    Fault(
        "truncated prompts",
        "the server reads the last 2,000 characters of a text, and says nothing",
        (r"cut without a word", r"truncat(ed|ion|es|ing)", r"has no influence on the answer"),
    ),
    Fault(
        "swapped labels",
        "the two label words are exchanged in the data",
        (r"labels? (may be|are|look|seem) (swapped|exchanged|inverted|flipped)",),
        cases="exchanged",
    ),
    Fault(
        "silent model change",
        "after 72 requests, another model answers under the same name",
        (
            r"● noise floor",
            r"another model",
            r"(model|endpoint) (has )?changed",
            r"\bchanged since\b",
            r"[1-9]\d* of \d+ answers changed when asked again",
        ),
    ),
)


@dataclass(frozen=True)
class Printed:
    """What one command printed: the command as typed, its exit code, its output, its score."""

    command: str
    code: int
    text: str
    score: float | None = None

    @property
    def flat(self):
        """Output in one line, without the marks of tables and breaks."""
        return " ".join(re.sub(r"[│┃|]", " ", self.text).split())


def named(fault, printed, healthy=None):
    """First phrase of a fault in an output that the healthy output of the command lacks."""
    for phrase in fault.phrases:
        if healthy is not None and re.search(phrase, healthy.flat, re.IGNORECASE):
            continue
        if found := re.search(phrase, printed.flat, re.IGNORECASE):
            return found[0]
    return ""


def graded(fault, printed, healthy):
    """State of one command on a fault, and why: what it said or how it differs."""
    if phrase := named(fault, printed, healthy):
        return NOTICES, f"“{phrase}”"
    if printed.score is not None and healthy.score is not None:
        if abs(printed.score - healthy.score) >= HINT:
            return SHOWS, f"score {healthy.score:.3f} → {printed.score:.3f}"
    elif (printed.score is None) != (healthy.score is None):
        return SHOWS, "no score"
    if printed.code != healthy.code:
        return SHOWS, f"exit code {healthy.code} → {printed.code}"
    for other in FAULTS:
        if other is not fault and (phrase := named(other, printed, healthy)):
            return SHOWS, f"“{phrase}”, which names another fault"
    return SILENT, ""


def control(printed, *, faulty_codes=()):
    """State of one command on the healthy endpoint."""
    for fault in FAULTS:
        if phrase := named(fault, printed):
            return FALSE_ALARM, f"“{phrase}”"
    if printed.code in faulty_codes:
        return FALSE_ALARM, f"exit code {printed.code}"
    return QUIET, ""
