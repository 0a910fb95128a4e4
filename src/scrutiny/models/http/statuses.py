"""Statuses: what an answer that is no reply means: asked again, asked later, or never.

An answer is looked at before it is read. Some statuses hold for every item and end the command;
the others fail one item, by a name that says whether the same request may succeed later.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from scrutiny.core.errors import ModelError, RunIncompleteError
from scrutiny.models.http.endpoint import Endpoint
from scrutiny.models.http.posting import LARGEST, Answer
from scrutiny.models.http.reading import BadReply, written

#: Statuses of requests that no other item would mend.
_HOPELESS: Final = {401: "key", 403: "key", 404: "address or the name of the model", 405: "address"}
_BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_WAIT_S: Final = 120.0
_TELLABLE_S: Final = 3.0e8  # beyond ten years, a date says nothing
_SHOWN: Final = 300  # letters of what an endpoint says
_READ: Final = 2**14  # bytes that are looked at for them


class NoReply(Exception):
    """A request that brought no reply.

    Parameters
    ----------
    reason
        Code of the failure: ``rate_limited``, ``server_error``, ``timed_out``, ``unreachable``,
        ``bad_reply``, ``too_large`` or ``bad_request``.
    wait
        Seconds that the endpoint asks for before the next request.
    may_mend
        Whether the same request may succeed later.
    """

    def __init__(
        self, reason: str, message: str, *, wait: float | None = None, may_mend: bool = True
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.wait = wait
        self.may_mend = may_mend


def must_be_reply(answer: Answer, endpoint: Endpoint) -> None:
    """Raise unless an answer may be a reply: by its status, and by its size.

    Raises
    ------
    NoReply
        If this request has none.
    ModelError
        If no request can succeed.
    RunIncompleteError
        If the endpoint asks to be left alone for longer than can be waited.
    """
    if answer.status < 400:
        if not answer.is_whole:
            said = f"The reply is larger than {LARGEST / 2**20:.0f} MB, and was not read on"
            raise NoReply("too_large", said, may_mend=False)
        return
    said = (
        f"Status {answer.status}: {' '.join(_begins(answer, endpoint).split()) or 'nothing more'}"
    )
    address = endpoint.without_secrets(answer.address)
    if answer.status in _HOPELESS:
        raise ModelError(
            f"{address} refuses every request. {said} Look at the {_HOPELESS[answer.status]}, then "
            "re-issue the same command."
        )
    is_busy, may_mend = answer.status in (429, 503, 529), answer.status in _BUSY
    wait = _asked_to_wait(answer.headers.get("retry-after")) if may_mend else None
    if (wait or 0.0) > _LONGEST_WAIT_S:
        raise RunIncompleteError(
            f"{address} takes no more requests: it asks to wait {_until(wait or 0.0)} "
            f"(Retry-After). {said}. All answers that came are kept: re-issue the same command "
            "then."
        )
    raise NoReply(
        "rate_limited" if is_busy else "server_error" if answer.status >= 500 else "bad_request",
        said,
        wait=wait,
        may_mend=may_mend,
    )


def not_as_expected(answer: Answer, error: BadReply, endpoint: Endpoint) -> NoReply:
    """Failure of an answer that cannot be read, with its beginning."""
    begins = _begins(answer, endpoint)
    said = f"The reply is not as expected: {error}. It begins {begins!r}"
    return NoReply("bad_reply", said)


def _begins(answer: Answer, endpoint: Endpoint) -> str:
    """Beginning of what an endpoint says; a secret is left out before it could be cut in two."""
    text = endpoint.without_secrets(written(answer.raw[:_READ], answer.charset))
    return text[:_SHOWN]


def _until(wait: float) -> str:
    """Until when so many seconds are, in words."""
    if wait > _TELLABLE_S:
        return "longer than it can be waited for"
    return f"until {datetime.now(UTC) + timedelta(seconds=wait):%Y-%m-%d %H:%M} UTC"


def _asked_to_wait(stated: str | None) -> float | None:
    """Seconds of a header ``Retry-After``, which states seconds or a date."""
    if stated is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(stated))
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, (parsedate_to_datetime(stated) - datetime.now(UTC)).total_seconds())
    return None
