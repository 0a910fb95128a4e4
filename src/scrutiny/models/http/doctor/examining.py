"""Examination of an endpoint: all checks in order, how many requests they take, and the last one.

The last asks whether two endpoints serve the same model: a sequential test, and the size of what it
found.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.facts import FREE_ANSWERS, WRITES
from scrutiny.core.model import LoadOptions
from scrutiny.core.randomness import generator
from scrutiny.models.http.doctor import answer_checks, member_checks
from scrutiny.models.http.doctor.asking import TELLING, Asker, DoctorFinding, Heard, distance, enter
from scrutiny.models.http.endpoint import Endpoint, read_endpoint
from scrutiny.models.http.http_model import HttpModel, load
from scrutiny.models.http.sending import Sender
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.stats.significance.combined_tests import ExchangeTest
from scrutiny.tasks.tasks import every_task

_ATTEMPTS: Final = 2


@dataclass(frozen=True, slots=True)
class ExaminationBudget:
    """Requests of an examination.

    Parameters
    ----------
    own, other
        Most that either endpoint gets, with those that are sent again.
    questions
        That both are asked.
    """

    own: int
    other: int = 0
    questions: int = 0

    @classmethod
    def of(cls, endpoint: Endpoint, *, most: int, has_other: bool) -> "ExaminationBudget":
        """Budget of at most so many requests."""
        if not has_other:
            return cls(most)
        first = 0 if endpoint.api == "own" else member_checks.REQUESTS
        left = most - planned(endpoint) - first
        questions = max(0, min(len(TELLING), left // REQUESTS))
        other = first + questions * REQUESTS // 2
        return cls(most - other, other, questions)


def planned(endpoint: Endpoint) -> int:
    """Requests of all checks of one endpoint, if none has to be sent again.

    Examples
    --------
    >>> planned(Endpoint(url="http://host/v1", api="chat"))
    79
    """
    every = answer_checks.REQUESTS + answer_checks.REQUESTS_OF_LENGTHS
    if endpoint.api == "own":
        return every
    every += (
        member_checks.REQUESTS + member_checks.REQUESTS_OF_FREE + member_checks.REQUESTS_OF_STOP
    )
    every += member_checks.REQUESTS_OF_LIMIT + member_checks.REQUESTS_OF_SEED
    is_chat = endpoint.api == "chat"
    return every + (member_checks.REQUESTS_OF_SYSTEM if is_chat else member_checks.REQUESTS_OF_ECHO)


def examined_model(source: ModelSource) -> HttpModel:
    """Endpoint to examine, as the model of the first task that its description fits.

    Raises
    ------
    ModelError
        If the string describes no endpoint.
    """
    if source.scheme not in ("http", "https"):
        raise ModelError(
            f"{source.text!r} is no endpoint. Give its URL (http://host/v1#api=chat,model=NAME) or "
            "a file that describes it (http:FILE.toml)."
        )
    endpoint = read_endpoint(source)
    has_labels = bool(endpoint.labels or endpoint.choices)
    kinds = (one for one in every_task() if one.gives_labels or one.facts.any_of(WRITES))
    tasks = sorted(
        (one for one in kinds if one.gives_labels == has_labels),
        key=lambda one: (FREE_ANSWERS.are_of(one.facts), len(one.fields)),  # any reply is one
    )
    first: ModelError | None = None
    for task in tasks:
        try:
            model = load(source, task, LoadOptions())
        except ModelError as error:
            first = first or error
        else:
            assert isinstance(model, HttpModel)
            return model
    raise first or ModelError(f"{source.text!r} fits no task.")


def asker_of(model: HttpModel, *, most_requests: int) -> Asker:
    """Asker of an endpoint, which gets one reply to each text and no more requests than this."""
    own = model.endpoint
    limits = {"samples": 1, "batch": 1, "attempts": min(own.attempts, _ATTEMPTS)}
    most = min(filter(None, (own.most_requests, most_requests)))
    endpoint = own.model_copy(update={**limits, "most_requests": most})
    return Asker(model.behind(endpoint), Sender(endpoint))


def examine(
    asker: Asker, other: Asker | None = None, *, questions: int = 0, level: float = 0.99
) -> Iterator[DoctorFinding]:
    """Findings of all checks, as they come; nothing but the first if no request brings a reply.

    Parameters
    ----------
    asker
        The endpoint.
    other
        Another one that may serve the same model.
    questions
        That both are asked at most.
    level
        One minus the chance that one check finds a fault that isn't there.

    Raises
    ------
    ModelError
        If an endpoint refuses every request.
    RunIncompleteError
        If a budget is spent; findings so far are given first.
    """
    found = list(answer_checks.check_answers(asker, level=level))
    yield from found
    if len(found) == 1:
        return
    if asker.api != "own":
        yield member_checks.check_log_probabilities(asker)
        if asker.api == "completions":
            yield member_checks.check_echo(asker)
        free = member_checks.FreeAnswers(asker)
        yield member_checks.check_stop(asker, free)
        yield member_checks.check_limit(asker, free)
        yield member_checks.check_seed(asker)
        if asker.api == "chat":
            yield member_checks.check_system(asker, free, level=level)
            yield answer_checks.check_template(asker, free)
    yield answer_checks.check_long_texts(asker)
    if other is not None:
        if other.api != "own":
            member_checks.check_log_probabilities(other)
        yield check_same_model(asker, other, questions=questions, level=level)


#: Requests of one question: each endpoint answers it twice.
REQUESTS: Final = 4
NAME: Final = "same model"
#: Mean difference of log-probabilities up to which it is arithmetic, and not other weights. Against
#: SmolLM2 in float32 there were seen .05 (bfloat16), .09 (llama.cpp; weights of 8 bits), .29 (6
#: bits), .56 (5), .81 (4), and with 3 bits 1.5.
_ARITHMETIC: Final = 0.2
_RELATED: Final = 1.2
_TIE: Final = 0.3  # tokens nearer than this are equally likely
_SCORES: Final = 0.02  # difference of probabilities of labels that is arithmetic
_AGREE: Final = 0.8  # share of equal likeliest tokens of one model
_LIKELY: Final = 10  # likeliest tokens that are compared
_Distribution = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Size:
    """How far two endpoints lie apart on one question, and whether their answers begin alike."""

    shift: float
    begins_alike: bool


def check_same_model(asker: Asker, other: Asker, *, questions: int, level: float) -> DoctorFinding:
    """Whether two endpoints answer alike; asks no longer than it takes to see a difference."""
    fewest = ExchangeTest.fewest_questions(level)
    if questions < fewest:
        says = (
            f"Too few requests: {fewest * REQUESTS} tell two models apart at this "
            "level. Raise --most-requests."
        )
        return DoctorFinding(NAME, "can't tell", says)
    by_logs = asker.gives_logs and other.gives_logs
    test, sizes, exact, failed = ExchangeTest(level), [], 0, 0
    rng = generator(0, "doctor", name="exchange@1", item=NAME)
    for text in TELLING[:questions]:
        order = rng.permutation(REQUESTS)
        found = _asked(text, (asker, other), [int(place) for place in order], by_logs=by_logs)
        if found is None:
            failed += 1
            continue
        exact += enter(test, found)
        sizes.append(_size(found))
        if test.differs:
            break
    numbers: dict[str, object] = {
        "questions": test.questions,
        "failed": failed,
        "p": test.p_value,
        "by": "log-probabilities" if by_logs else "scores" if asker.endpoint.scores else "texts",
        "shift": median(one.shift for one in sizes) if sizes else None,
        "alike": sum(one.begins_alike for one in sizes),
    }
    if not sizes:
        return DoctorFinding(NAME, "fault", "No question was answered by both.", numbers)
    if not test.differs:
        most = test.most_that_differ
        alike = (
            f"All answers are the same: at most {100 * most:.0f} % of such questions have others"
            if exact == test.questions
            else f"Answers differ between them no more than within each (p = {test.p_value:.2g})"
        )
        says = f"No difference on {test.questions} questions. {alike}."
        return DoctorFinding(NAME, "ok", says, numbers)
    return _graded(sizes, numbers)


def _graded(sizes: Sequence[_Size], numbers: Mapping[str, object]) -> DoctorFinding:
    """Finding about a difference that is beyond chance: by its size."""
    n = len(sizes)
    same, shift = sum(one.begins_alike for one in sizes), median(one.shift for one in sizes)
    seen = f"Told apart after {n} questions (p = {numbers['p']:.2g})"
    if numbers["by"] == "scores":
        is_small = shift <= _SCORES and same >= _AGREE * n
        what = "Same answers, other arithmetic." if is_small else "Another model."
        says = f"{what} {seen}: probabilities differ by {shift:.2g}, {same} of {n} labels agree."
        return DoctorFinding(NAME, "ok" if is_small else "fault", says, numbers)
    if numbers["by"] == "texts":
        if same < _AGREE * n:
            says = f"Another model. {seen}: {n - same} of {n} answers begin otherwise."
            return DoctorFinding(NAME, "fault", says, numbers)
        says = (
            f"{seen}, but {same} of {n} answers begin alike: another engine, precision or "
            "quantization, or a close relative. Log-probabilities would tell which."
        )
        return DoctorFinding(NAME, "can't tell", says, numbers)
    seen += f": log-probabilities differ by {shift:.2g}, {same} of {n} likeliest tokens agree."
    if shift <= _ARITHMETIC and same >= _AGREE * n:
        says = f"Same answers, other arithmetic: another engine or precision. {seen}"
        return DoctorFinding(NAME, "ok", f"{says} Don't mix their answers in one run.", numbers)
    if shift <= _RELATED and same >= _AGREE * n / 2:
        says = f"A coarsely quantized twin, or another version of the model. {seen}"
        return DoctorFinding(NAME, "fault", f"{says} Don't take one for the other.", numbers)
    return DoctorFinding(NAME, "fault", f"Another model. {seen}", numbers)


def _asked(
    text: str, askers: Sequence[Asker], order: Sequence[int], *, by_logs: bool
) -> list[Heard] | None:
    """Two answers of each endpoint, asked in this order; None if one is missing."""
    found: dict[int, Heard] = {}
    for place in order:
        asker = askers[place // 2]
        members = {"tokens": 1, **asker.logs()} if by_logs else {}
        (one,) = asker.ask([asker.said(text, **members)])
        if isinstance(one, Failure):
            return None
        found[place] = one
    return [found[place] for place in range(REQUESTS)]


def _size(found: Sequence[Heard]) -> _Size:
    """Size of the difference of one question."""
    if found[0].logs and found[2].logs:
        a, b = found[0].logs, found[2].logs
        # Mean difference of log-probabilities of tokens that are likely for one of both. A token
        # that the other doesn't list is at most as likely there as the last that it lists.
        likely = {t for x in (a, b) for t in sorted(x, key=lambda t: -x[t])[:_LIKELY]}
        ends = min(a.values()), min(b.values())
        apart = [abs(a.get(t, ends[0]) - b.get(t, ends[1])) for t in likely]
        return _Size(math.fsum(apart) / len(apart), _leads(a, b) and _leads(b, a))
    first = [(one.label or one.text).split()[:1] for one in (found[0], found[2])]
    return _Size(distance(found[0], found[2]), first[0] == first[1])


def _leads(one: _Distribution, other: _Distribution) -> bool:
    """Whether the likeliest token of one is the likeliest of the other, too, ties aside."""
    return other.get(max(one, key=lambda t: one[t]), -math.inf) >= max(other.values()) - _TIE
