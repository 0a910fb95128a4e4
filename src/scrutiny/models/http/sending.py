"""Requests on one loop: sent within limits, sent again where that may help, given as they come."""

import asyncio
import json
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final, NamedTuple

from scrutiny.core.boundary.secrets import hide
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError, RunIncompleteError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.queries.remote import Replies, Reply
from scrutiny.models.http.endpoint import Endpoint
from scrutiny.models.http.interfaces import Interface, most_written
from scrutiny.models.http.pacing import (
    NoReply,
    RequestGate,
    RequestLedger,
    must_be_reply,
    not_as_expected,
)
from scrutiny.models.http.posting import ACCEPTED, RedirectError, ServerAnswer, posted
from scrutiny.models.http.reply_reading import BadReply, parsed, tokens_told, written

_LOG: Final = logging.getLogger("scrutiny")
_TOLD_WAIT_S: Final = 10.0
_LONGEST_BUSY_S: Final = 600.0
_FIRST_WAIT_S, _MOST_WAIT_S, _WAIT_JITTER_S = 0.5, 30.0, 1.0
_LOOKS_UP_S: Final = 0.5
_TRUSTED: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
Arrived = tuple[int, Replies | Failure]


class Sender:
    """Sends requests to one endpoint; shared by all models behind it."""

    def __init__(self, endpoint: Endpoint) -> None:
        require_packages("A model behind a URL", "http", "httpx2", "stamina")
        self.endpoint = endpoint
        self.ledger = RequestLedger(endpoint)
        self._gate = RequestGate(endpoint.concurrency, endpoint.per_minute)
        self._addresses = endpoint.addresses()
        self._headers = endpoint.sent_headers()
        self._secrets = endpoint.secrets()
        self._turn = 0
        self._told_until = 0.0
        self._redirected: dict[str, str] = {}
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
            If a budget is spent, or the endpoint is busy for too long; what came before is given
            first.
        """
        arrived: SimpleQueue[Arrived | BaseException | None] = SimpleQueue()
        work = asyncio.run_coroutine_threadsafe(
            self._ask_all(interface, examples, draw, arrived), _loop()
        )
        end: BaseException | None = None
        try:
            while (one := _next_of(arrived)) is not None:
                if isinstance(one, BaseException):
                    end = end or one
                else:
                    yield one
        finally:
            work.cancel()
        if end is not None:
            raise end

    def redirects(self) -> Mapping[str, str]:
        """Addresses that have redirected, each with the one that answered, without secrets."""
        clear = self.endpoint.without_secrets
        return {clear(address): clear(at) for address, at in dict(self._redirected).items()}

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

        asked = interface.body(examples, draw=draw)
        request = _Request(json.dumps(asked).encode(), most_written(asked), len(examples))
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
                return await self._once(interface, request)
        raise AssertionError  # stamina gives the last error

    async def _once(self, interface: Interface, request: "_Request") -> list[Reply]:
        """Replies to one request, sent once; the tokens of every reply are counted."""
        size = len(request.body)
        async with self._gate.place() as began:
            number = self.ledger.enter(size, request.writes)
            tokens, took = (0, 0), None
            try:
                answer = self._redacted(await self._post(request.body))
                if not answer.is_whole:
                    must_be_reply(answer, self.endpoint)
                try:
                    data = parsed(answer.raw, answer.charset)
                    tokens = tokens_told(data)
                except BadReply as error:
                    must_be_reply(answer, self.endpoint)
                    raise not_as_expected(answer, error, self.endpoint) from error
                must_be_reply(answer, self.endpoint)
                try:
                    found = interface.replies(data, count=request.texts)
                except BadReply as error:
                    raise not_as_expected(answer, error, self.endpoint) from error
                took = monotonic() - began
            except NoReply as error:
                self._tell_wait(error.wait or 0.0)
                if error.reason in ("rate_limited", "timed_out"):
                    refused_s = self._gate.was_refused(began, wait=error.wait or 0.0)
                    if error.reason == "rate_limited" and refused_s > _LONGEST_BUSY_S:
                        told = self.endpoint.without_secrets(self.endpoint.url[0])
                        raise RunIncompleteError(
                            f"{told} has taken no request for {refused_s / 60:.0f} minutes: "
                            f"{error}. All answers that came are kept: re-issue the same command "
                            "when it is less busy."
                        ) from error
                raise
            finally:
                self.ledger.close(number, size, tokens, seconds=took)
            self._gate.went_well()
            return found

    def _redacted(self, answer: ServerAnswer) -> ServerAnswer:
        """ServerAnswer in which no secret of the endpoint stands, before anything of it is read."""
        text = answer.raw.decode("latin-1")
        hidden = hide(text, self._secrets)
        if hidden != text:
            answer = replace(answer, raw=hidden.encode("latin-1"))
        read = written(answer.raw, answer.charset)  # in two bytes a letter, or with accents
        hidden = hide(read, self._secrets)
        if hidden != read:
            answer = replace(answer, raw=hidden.encode("utf-8", "replace"), charset="utf-8")
        return answer

    async def _post(self, body: bytes) -> ServerAnswer:
        """ServerAnswer of one of the addresses to a request."""
        import httpx2

        client = self._opened()
        address = self._addresses[self._turn % len(self._addresses)]
        self._turn += 1
        try:
            async with asyncio.timeout(self.endpoint.timeout):
                answer = await posted(client, address, body)
        except RedirectError as error:
            raise ModelError(self.endpoint.without_secrets(str(error))) from None
        except BadReply as error:
            raise NoReply("bad_reply", f"The reply is not as expected: {error}.") from error
        except (TimeoutError, httpx2.TimeoutException) as error:
            said = f"No reply within timeout={self.endpoint.timeout:g} seconds."
            raise NoReply("timed_out", said) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
            raise NoReply("unreachable", f"{address}: {error or type(error).__name__}") from error
        if answer.address not in (address, self._redirected.get(address)):
            self._redirected[address] = answer.address
            said = self.endpoint.without_secrets(f"{address} is answered at {answer.address}")
            _LOG.warning("%s, to which it redirects.", said)
        return answer

    def _tell_wait(self, wait: float) -> None:
        """Tell of a wait that is borne, once for all requests that it holds up."""
        now = monotonic()
        if wait >= _TOLD_WAIT_S and now > self._told_until:
            self._told_until = now + wait
            told = self.endpoint.without_secrets(self.endpoint.url[0])
            _LOG.warning("%s asks to wait %.0f s (Retry-After).", told, wait)

    def _opened(self) -> Any:
        """HTTP client, opened on the loop by the first request."""
        if self._client is None:
            import httpx2

            e = self.endpoint
            packed = {"Content-Type": "application/json", "Accept-Encoding": ACCEPTED}
            try:
                self._client = httpx2.AsyncClient(
                    headers={**packed, **self._headers},
                    timeout=e.timeout,
                    limits=httpx2.Limits(max_connections=e.concurrency),
                    proxy=e.proxy or None,
                    verify=_trusting(e.certificates)
                    if e.certificates
                    else _usual(*map(os.environ.get, _TRUSTED)),
                    follow_redirects=False,
                )
            except (ValueError, ImportError, httpx2.InvalidURL) as error:
                raise ModelError(
                    f"The proxy cannot be used: {e.without_secrets(str(error))}. It stands in "
                    "proxy=, or in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY of the environment."
                ) from error
        return self._client


class _Request(NamedTuple):
    """Request: its body, the most tokens that it asks for, and the number of its texts."""

    body: bytes
    writes: int
    texts: int


def _next_of(arrived: "SimpleQueue[Any]") -> Any:
    """Next entry of the queue; waits in steps, so that Ctrl-C answers whichever thread gets it."""
    while True:
        with suppress(Empty):
            return arrived.get(timeout=_LOOKS_UP_S)


def _wait_after(error: Exception) -> bool | float:
    """Whether, or after how many seconds, a request is sent again."""
    if not isinstance(error, NoReply) or not error.may_mend:
        return False
    return True if error.wait is None else error.wait


@lru_cache(maxsize=4)  # reading all authorities takes as long as many requests
def _usual(*named: str | None) -> Any:
    """Context that trusts what these variables of the environment name, or all authorities."""
    import httpx2

    return httpx2.create_ssl_context()


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
