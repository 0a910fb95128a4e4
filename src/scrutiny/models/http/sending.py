"""Requests on one loop: sent within limits, sent again where that may help, given as they come."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from queue import SimpleQueue
from time import monotonic
from typing import Any, Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.queries.remote import Replies, Reply
from scrutiny.models.http.endpoint import Endpoint
from scrutiny.models.http.interfaces import BadReply, Interface
from scrutiny.models.http.limits import Gate, Ledger

#: Statuses of requests that no other item would mend.
_HOPELESS: Final = {401: "key", 403: "key", 404: "address or the name of the model", 405: "address"}
_BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_WAIT_S: Final = 120.0
_FIRST_WAIT_S, _MOST_WAIT_S, _WAIT_JITTER_S = 0.5, 30.0, 1.0
_SHOWN: Final = 300  # letters of what an endpoint says
Arrived = tuple[int, Replies | Failure]


class NoReply(Exception):
    """A request that brought no reply.

    Parameters
    ----------
    reason
        Code of the failure: ``rate_limited``, ``server_error``, ``timed_out``, ``unreachable``,
        ``bad_reply`` or ``bad_request``.
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


class Sender:
    """Sends requests to one endpoint; shared by all models behind it."""

    def __init__(self, endpoint: Endpoint) -> None:
        require_packages("A model behind a URL", "http", "httpx2", "stamina")
        self.endpoint = endpoint
        self.ledger = Ledger(endpoint)
        self._gate = Gate(endpoint.concurrency, endpoint.per_minute)
        self._addresses = endpoint.addresses()
        self._headers = endpoint.sent_headers()
        self._turn = 0
        self._client: Any = None

    def arriving(
        self, interface: Interface, examples: Sequence[Example], *, draw: int
    ) -> Iterator[Arrived]:
        """Index and replies of each example, as they come.

        Raises
        ------
        ModelError
            If no request can succeed.
        RunIncompleteError
            If a budget is spent; what came before is given first.
        """
        arrived: SimpleQueue[Arrived | BaseException | None] = SimpleQueue()
        work = asyncio.run_coroutine_threadsafe(
            self._ask_all(interface, examples, draw, arrived), _loop()
        )
        end: BaseException | None = None
        try:
            while (one := arrived.get()) is not None:
                if isinstance(one, BaseException):
                    end = end or one
                else:
                    yield one
        finally:
            work.cancel()
        if end is not None:
            raise end

    async def _ask_all(
        self,
        interface: Interface,
        examples: Sequence[Example],
        draw: int,
        arrived: "SimpleQueue[Arrived | BaseException | None]",
    ) -> None:
        """Ask about all examples; several at one time, as many as the limits allow."""
        size = self.endpoint.batch
        waiting = iter(
            [range(i, min(i + size, len(examples))) for i in range(0, len(examples), size)]
        )
        stopped = False

        async def work() -> None:
            nonlocal stopped
            for places in waiting:
                try:
                    found = await self._ask(interface, [examples[i] for i in places], draw)
                except Exception as error:  # also a bug of ours must end the command, not hang it
                    stopped = True
                    arrived.put(error)
                else:
                    for place, one in zip(places, found, strict=True):
                        arrived.put((place, one))
                if stopped:
                    return

        try:
            await asyncio.gather(*(work() for _ in range(self.endpoint.concurrency)))
        finally:
            arrived.put(None)

    async def _ask(
        self, interface: Interface, examples: list[Example], draw: int
    ) -> list[Replies | Failure]:
        """Replies to the examples of one request: all samples of each."""
        samples = self.endpoint.samples
        draws = range(draw * samples, (draw + 1) * samples)
        try:
            found = [await self._send(interface, examples, one) for one in draws]
        except NoReply as error:
            message = self.endpoint.without_secrets(str(error))
            return [Failure(error.reason, message)] * len(examples)
        return [tuple(own) for own in zip(*found, strict=True)]

    async def _send(self, interface: Interface, examples: list[Example], draw: int) -> list[Reply]:
        """Replies to one request, which is sent again where that may help."""
        import stamina

        body = json.dumps(interface.body(examples, draw=draw)).encode()
        tried = 0
        async for attempt in stamina.retry_context(
            on=_wait_after,
            attempts=self.endpoint.attempts,
            timeout=None,
            wait_initial=_FIRST_WAIT_S,
            wait_max=_MOST_WAIT_S,
            wait_jitter=_WAIT_JITTER_S,
        ):
            with attempt:
                self.ledger.again += tried > 0
                tried += 1
                return await self._once(interface, body, len(examples))
        raise AssertionError  # stamina gives the last error

    async def _once(self, interface: Interface, body: bytes, count: int) -> list[Reply]:
        """Replies to one request, sent once."""
        async with self._gate.place() as began:
            number = self.ledger.enter(len(body), count)
            found: list[Reply] = []
            try:
                status, headers, text = await self._post(body)
                self._look_at(status, headers, text)
                try:
                    found = interface.replies(json.loads(text), count=count)
                except (BadReply, ValueError, AttributeError, TypeError) as error:
                    said = f"The reply is not as expected: {error}. It begins {text[:_SHOWN]!r}"
                    raise NoReply("bad_reply", said) from error
            except NoReply as error:
                if error.reason in ("rate_limited", "timed_out"):
                    self._gate.was_refused(began, wait=error.wait or 0.0)
                raise
            finally:
                took = monotonic() - began
                self.ledger.close(number, len(body), found, seconds=took)
            self._gate.went_well()
            return found

    async def _post(self, body: bytes) -> tuple[int, Any, str]:
        """Status, headers and text of the reply to a request."""
        import httpx2

        client = self._opened()
        address = self._addresses[self._turn % len(self._addresses)]
        self._turn += 1
        try:
            async with asyncio.timeout(self.endpoint.timeout):
                reply = await client.post(address, content=body)
                return reply.status_code, reply.headers, reply.text
        except (TimeoutError, httpx2.TimeoutException) as error:
            said = f"No reply within timeout={self.endpoint.timeout:g} seconds."
            raise NoReply("timed_out", said) from error
        except httpx2.HTTPError as error:
            raise NoReply("unreachable", f"{address}: {error or type(error).__name__}") from error

    def _look_at(self, status: int, headers: Any, text: str) -> None:
        """Raise for a status that says of no reply."""
        if status < 400:
            return
        said = f"Status {status}: {' '.join(text.split())[:_SHOWN] or 'nothing more'}"
        if status in _HOPELESS:
            raise ModelError(
                f"{self._addresses[0]} refuses every request. {self.endpoint.without_secrets(said)}"
                f" Look at the {_HOPELESS[status]}, then re-issue the same command."
            )
        wait = _asked_to_wait(headers.get("retry-after"))
        is_busy = status in (429, 503, 529)
        raise NoReply(
            "rate_limited" if is_busy else "server_error" if status >= 500 else "bad_request",
            said,
            wait=wait,
            may_mend=status in _BUSY and (wait or 0.0) <= _LONGEST_WAIT_S,
        )

    def _opened(self) -> Any:
        """HTTP client, opened on the loop by the first request."""
        if self._client is None:
            import httpx2

            e = self.endpoint
            self._client = httpx2.AsyncClient(
                headers={"Content-Type": "application/json", **self._headers},
                timeout=e.timeout,
                limits=httpx2.Limits(max_connections=e.concurrency),
                proxy=e.proxy or None,
                verify=_trusting(e.certificates) if e.certificates else True,
                follow_redirects=True,
            )
        return self._client


def _wait_after(error: Exception) -> bool | float:
    """Whether, or after how many seconds, a request is sent again."""
    if not isinstance(error, NoReply) or not error.may_mend:
        return False
    return True if error.wait is None else error.wait


def _asked_to_wait(stated: str | None) -> float | None:
    """Seconds of a header ``Retry-After``, which states seconds or a date."""
    if stated is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(stated))
    with suppress(ValueError, TypeError):
        return max(0.0, (parsedate_to_datetime(stated) - datetime.now(UTC)).total_seconds())
    return None


def _trusting(certificates: str) -> Any:
    """Context that trusts the certificates of a file."""
    import ssl

    try:
        return ssl.create_default_context(cafile=certificates)
    except (OSError, ssl.SSLError) as error:
        raise ModelError(f"certificates={certificates!r} cannot be read: {error}.") from error


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """Loop of all requests of this process, in a thread of its own."""
    import stamina.instrumentation

    stamina.instrumentation.set_on_retry_hooks([])  # each failure that stays is told by name
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="scrutiny-http", daemon=True).start()
    return loop


_senders: dict[str, Sender] = {}


def sender_of(endpoint: Endpoint) -> Sender:
    """Sender of an endpoint, the same for all models behind it, as are limits and budgets."""
    key = endpoint.model_dump_json()
    if key not in _senders:
        _senders[key] = Sender(endpoint)
    return _senders[key]
