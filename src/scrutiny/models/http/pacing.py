"""Pacing: how many requests at a time, what budgets leave, and what a refusal means for the next.

An answer is looked at before it is read. Some statuses hold for every item and end the command;
the others fail one item, by a name that says whether the same request may succeed later.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import Final

from scrutiny.core.errors import ModelError, RunIncompleteError
from scrutiny.core.queries.remote import Spent
from scrutiny.models.http.endpoint import Endpoint
from scrutiny.models.http.posting import LARGEST, ServerAnswer
from scrutiny.models.http.reply_reading import BadReply, written

_FIRST: Final = 4  # requests at one time before any has come back
_MILLION: Final = 1e6


class RequestGate:
    """Requests at one time: more while all goes well, half as many when the endpoint is busy.

    It begins with a few and adds one for each answer; after the first refusal it adds one for a
    whole round. Requests that were on their way when it halved don't halve it again.
    """

    def __init__(self, most: int, per_minute: float | None) -> None:
        self._most = most
        self._spacing = 60.0 / per_minute if per_minute else 0.0
        self._limit = float(min(_FIRST, most))
        self._busy = 0
        self._not_before = 0.0
        self._next = 0.0
        self._halved = -1.0
        self._refused_since: float | None = None
        self._changed = asyncio.Condition()

    @property
    def limit(self) -> int:
        """Most requests at one time, now."""
        return int(self._limit)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[float]:
        """Context of one request: waits for a place and for its time; gives when it began."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._busy < self.limit)
            self._busy += 1
        try:
            now = monotonic()
            own = max(now, self._not_before, self._next)
            self._next = own + self._spacing
            while (wait := max(own, self._not_before) - monotonic()) > 0:
                await asyncio.sleep(wait)
            yield monotonic()
        finally:
            async with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def went_well(self) -> None:
        """Allow more at one time."""
        self._refused_since = None
        step = 1.0 if self._halved < 0 else 1.0 / self._limit
        self._limit = min(float(self._most), self._limit + step)

    def was_refused(self, began: float, *, wait: float = 0.0) -> float:
        """Allow half as many, and none before so many seconds have passed.

        Returns for how many seconds, with these, nothing but refusals has come.
        """
        now = monotonic()
        if self._refused_since is None:
            self._refused_since = began
        self._not_before = max(self._not_before, now + wait)
        if began >= self._halved:
            self._limit, self._halved = max(1.0, self._limit / 2), now
        return self._not_before - self._refused_since


class BudgetEndedError(RunIncompleteError):
    """A budget leaves no room for the next request; with a larger one the same command goes on."""


@dataclass(slots=True)
class RequestLedger:
    """Ledger of an endpoint: requests and tokens so far, and what its budgets leave.

    A request is entered before it is sent, at the most that it can cost: its tokens are at most
    its bytes until replies tell how many bytes a token has.
    """

    endpoint: Endpoint
    requests: int = 0
    again: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: list[float] = field(default_factory=list)
    _reserved: dict[int, int] = field(default_factory=dict)
    _bytes: int = 0

    def enter(self, size: int, writes: int) -> int:
        """Enter a request of so many bytes that asks for so many tokens; returns its number.

        Raises
        ------
        BudgetEndedError
            If it could exceed a budget.
        """
        e = self.endpoint
        counts = e.api != "own" or writes or self._bytes
        if self._bytes:  # half as many tokens a byte again as in the replies so far
            size = min(size, 1 + int(1.5 * size * (self.tokens_in / self._bytes)))
        wanted = size + writes if counts else 0
        held = sum(self._reserved.values()) + wanted
        tokens = self.tokens_in + self.tokens_out + held
        cost = self._cost(self.requests + 1) + held * max(e.price_in, e.price_out) / _MILLION
        for name, would_be, most in (
            ("most_requests", self.requests + 1, e.most_requests),
            ("most_tokens", tokens, e.most_tokens),
            ("most_cost", cost, e.most_cost),
        ):
            if most is not None and would_be > most:
                raise BudgetEndedError(self._ends(name, most))
        self.requests += 1
        self._reserved[self.requests] = wanted
        return self.requests

    def close(
        self, number: int, size: int, tokens: tuple[int, int], *, seconds: float | None
    ) -> None:
        """Enter the tokens that a reply counts, whatever else it holds, and how long it took.

        ``seconds`` is None where no reply came that could be read.
        """
        self._reserved.pop(number)
        self.seconds += [] if seconds is None else [seconds]
        read, wrote = tokens
        self.tokens_in += read
        self.tokens_out += wrote
        self._bytes += size if read else 0

    def spent(self) -> Spent:
        """What was spent so far."""
        e = self.endpoint
        is_priced = bool(e.price or e.price_in or e.price_out)
        cost = self._cost(self.requests) if is_priced else None
        return Spent(self.requests, self.again, self.tokens_in, self.tokens_out, cost)

    def _cost(self, requests: int) -> float:
        e = self.endpoint
        tokens = self.tokens_in * e.price_in + self.tokens_out * e.price_out
        return requests * e.price + tokens / _MILLION

    def _ends(self, name: str, most: float) -> str:
        done = self.spent()
        cost = "" if done.cost is None else f", {done.cost:.2f} in money"
        return (
            f"The budget {name}={most:g} of {self.endpoint.url[0]} leaves no room for the next "
            f"request. So far {done.requests:,} requests were sent, with "
            f"{done.tokens_in + done.tokens_out:,} tokens{cost}. All answers that came are kept: "
            f"re-issue the same command with a larger {name} to go on, or ask about fewer items "
            "(--limit)."
        )


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


def must_be_reply(answer: ServerAnswer, endpoint: Endpoint) -> None:
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


def not_as_expected(answer: ServerAnswer, error: BadReply, endpoint: Endpoint) -> NoReply:
    """Failure of an answer that cannot be read, with its beginning."""
    begins = _begins(answer, endpoint)
    said = f"The reply is not as expected: {error}. It begins {begins!r}"
    return NoReply("bad_reply", said)


def _begins(answer: ServerAnswer, endpoint: Endpoint) -> str:
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
