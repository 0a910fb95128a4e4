"""Limits of an endpoint: how many requests at one time and in a minute, and what may be spent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from scrutiny.core.errors import RunIncompleteError
from scrutiny.core.queries.remote import Spent
from scrutiny.models.http.endpoint import Endpoint

_FIRST: Final = 4  # requests at one time before any has come back
_MILLION: Final = 1e6


class Gate:
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
class Ledger:
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
        wanted = self._most_tokens(size) + writes if counts else 0
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

    def _most_tokens(self, size: int) -> int:
        """Most tokens that so many bytes have: half as many again as those of the replies."""
        return size if not self._bytes else min(size, 1 + int(1.5 * size * self._per_byte()))

    def _per_byte(self) -> float:
        return self.tokens_in / self._bytes

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
