"""Result of a search."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from scrutiny.perturb.search.goal import Answer, Judged
from scrutiny.perturb.search.state import State

Ended = Literal["done", "budget", "time"]


class Mark(NamedTuple):
    """An improvement during a search: the number of texts asked so far, and the score."""

    n_asked: int
    score: float
    is_reached: bool


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a search.

    Parameters
    ----------
    item
        Identity of the item.
    status, reason
        ``ok``; ``skipped`` with the goal's reason (``already_wrong``), or ``out_of_time``;
        ``failed`` if the base was not answered or something raised an error.
    is_success
        Whether the goal was reached.
    state, answer, score
        The text that it ended with, what the model says there, and how good that is: the base
        itself if nothing better was found. Nothing where there was no search.
    base_answer
        What the model says about the base.
    n_asked
        Distinct texts that the model saw for this search, the base among them.
    n_considered
        Judgments, repeated texts among them.
    n_tried
        Judgments of changed texts that could be a result: none where there was no candidate.
    n_failed
        Texts that the model did not answer.
    n_gradients
        Gradients computed; they are no texts asked about.
    refused
        Candidates vetoed, by reason.
    trace
        Each time that it got better: success against the budget is read off this.
    reached
        The best texts at which the goal is reached, the best first, as many as were wanted.
    ended
        ``done``; ``budget`` or ``time`` where these cut it short.
    """

    item: str
    status: str
    reason: str | None = None
    is_success: bool = False
    state: State | None = None
    answer: Answer | None = None
    score: float = float("-inf")
    base_answer: Answer | None = None
    n_asked: int = 0
    n_considered: int = 0
    n_tried: int = 0
    n_failed: int = 0
    n_gradients: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    trace: tuple[Mark, ...] = ()
    reached: tuple[Judged, ...] = ()
    ended: Ended = "done"

    def asked_to_success(self) -> int | None:
        """Number of texts asked until the goal is first reached, or `None`.

        Examples
        --------
        >>> Found("1", "ok", trace=(Mark(1, 0.1, False), Mark(7, 0.6, True))).asked_to_success()
        7
        """
        return next((mark.n_asked for mark in self.trace if mark.is_reached), None)
