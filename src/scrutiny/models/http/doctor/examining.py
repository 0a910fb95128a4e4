"""Examination of an endpoint: all checks in order, and how many requests they take."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scrutiny.core.answers.texts import TEXT
from scrutiny.core.errors import ModelError
from scrutiny.core.model import LoadOptions
from scrutiny.models.http.doctor import answer_checks, member_checks, same_model
from scrutiny.models.http.doctor.asking import TELLING, Asker, DoctorFinding
from scrutiny.models.http.endpoint import Endpoint, read_endpoint
from scrutiny.models.http.http_model import HttpModel, load
from scrutiny.models.http.sending import Sender
from scrutiny.models.strings.model_strings import ModelSource
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
        questions = max(0, min(len(TELLING), left // same_model.REQUESTS))
        other = first + questions * same_model.REQUESTS // 2
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
    kinds = (one for one in every_task() if one.gives_labels or one.answer_type is TEXT)
    tasks = sorted(
        (one for one in kinds if one.gives_labels == has_labels), key=lambda one: len(one.fields)
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
        yield same_model.check_same_model(asker, other, questions=questions, level=level)
