"""Models behind an endpoint: replies come one by one, are kept as they came, and are read later."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of an endpoint to one request.

    Parameters
    ----------
    text
        What the model wrote.
    end
        Why it stopped, in the endpoint's words (``stop``, ``length``); empty if not told.
    refusal
        What the endpoint says of a refusal; empty if it has not refused.
    label, scores
        Class and probabilities, of endpoints that classify.
    logs
        Log-probability of each likely first token, where they were asked for and came.
    tokens_in, tokens_out
        Tokens that it counts; 0 if it counts none.
    served
        Model and version that say they answered.
    """

    text: str = ""
    end: str = ""
    refusal: str = ""
    label: str | None = None
    scores: tuple[float, ...] | None = None
    logs: Mapping[str, float] = field(default_factory=dict)
    tokens_in: int = 0
    tokens_out: int = 0
    served: str = ""

    def plain(self) -> dict[str, object]:
        """Members that say something."""
        every = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: value for name, value in every if value not in ("", None, 0, {})}


#: Reasons of requests that brought no reply: asked again, one may come.
NO_REPLY: Final = (
    *("rate_limited", "server_error", "timed_out", "unreachable", "bad_reply"),
    *("bad_request", "too_large"),
)
#: Those that may mend by themselves: a command that is issued again asks these once more.
MAY_MEND: Final = frozenset(NO_REPLY) - {"bad_request", "too_large"}
#: Those of a server that is not there, or busy: nothing is wrong with what it is asked.
NO_ANSWER: Final = MAY_MEND - {"bad_reply"}
#: Replies to one example: one for each sample.
Replies = tuple[Reply, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """Amounts spent on an endpoint: requests, tokens, money.

    Parameters
    ----------
    requests
        Requests that were sent; ``again`` of them because the one before had failed.
    tokens_in, tokens_out
        Tokens of all replies.
    cost
        Money, where prices are known; None where they are not.
    """

    requests: int = 0
    again: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    def since(self, before: "Spent") -> "Spent":
        """Amounts spent after another moment."""
        return Spent(
            self.requests - before.requests,
            self.again - before.again,
            self.tokens_in - before.tokens_in,
            self.tokens_out - before.tokens_out,
            None if self.cost is None else self.cost - (before.cost or 0.0),
        )

    def plus(self, other: "Spent") -> "Spent":
        """Sum of two amounts."""
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Spent(
            self.requests + other.requests,
            self.again + other.again,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(costs) if costs else None,
        )


class RemoteModel(Model):
    """Base class of models behind an endpoint.

    They are asked in the driver, whatever the number of workers, so that limits and budgets hold
    for the whole run. `replies` gives what came as it comes, and `read` makes an answer of it.
    """

    #: Most requests that are sent at one time.
    at_once: int = 1
    #: Whether its user says which version it is, so that replies are kept for later commands.
    is_versioned: bool = False

    @abstractmethod
    def asked_of(self) -> str:
        """Digest of all that can change a reply; how it is read is no part of it."""

    @abstractmethod
    def replies(
        self, examples: Sequence[Example], *, draw: int = 0
    ) -> Iterator[tuple[int, Replies | Failure]]:
        """Index and replies of each example, in the order in which they come.

        Parameters
        ----------
        examples
            What is asked; each makes one request for every sample.
        draw
            How often the same was asked before: where the model takes a seed it gets another.

        Raises
        ------
        ModelError
            If no request can succeed: a wrong address, key or name of a model.
        RunIncompleteError
            If the next request would exceed a budget; what came before is given first.
        """

    @abstractmethod
    def read(self, example: Example, replies: Replies) -> Prediction | Failure:
        """Answer that replies hold, or the name of what is wrong with them."""

    @abstractmethod
    def spent(self) -> Spent:
        """Requests, tokens and money that this process has spent on the endpoint."""

    def redirects(self) -> Mapping[str, str]:
        """Addresses that have redirected, each with the one that answered; no secrets in them."""
        return {}
