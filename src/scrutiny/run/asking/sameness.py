"""Identity check: is this the model that the run queried before.

A model that states a fingerprint is known by it. Of another, what can be read is compared at every
start, and where that is not everything, some of what it answered before is asked again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.models.strings.adapters import without_limits
from scrutiny.run.asking.forms import FORMS, PREDICT, Form
from scrutiny.run.asking.stores import TaskStore

#: Prefix of the keys of these memos; a finished run needs them at its next start.
MEMOS: Final = ("fingerprint/", "witnesses", "again", "place/")
MOST: Final = 32  # queries that are stored and repeated

Ask = Callable[[Sequence[Any]], Sequence[Any | Failure]]


def memo_name(family: str, source: str, dataset: str) -> str:
    """Name of a replicate that is asked on a dataset, as used in memos."""
    return f"{family}/{redacted(without_limits(source))}/{dataset}"


def must_be_the_same(store: TaskStore, name: str, source: str, stated: str, *, keep: bool) -> None:
    """Raise if a replicate has changed since this run first queried it.

    Parameters
    ----------
    store
        Of the run.
    name
        Of the replicate on its dataset, from `memo_name`.
    source
        Its model string.
    stated
        Its fingerprint, or the digest of its inspected state.
    keep
        Whether to store the digest if there is none yet: the model is about to be queried.

    Raises
    ------
    ModelError
        If it has: half of the records would be another model's.
    """
    known, before = store.memo(f"fingerprint/{name}")
    if known and before != stated:
        raise ModelError(
            f"{source} has changed since this run began: its code, weights, tokenizer or "
            "configuration are not those of the records that are done. Put it back as it was and "
            "re-issue the same command, or choose another --out."
        )
    if keep and not known:
        store.set_memo(f"fingerprint/{name}", stated)


class Witnesses:
    """Queries that a model answered at the start of a run, repeated at a resume.

    Parameters
    ----------
    store
        Of the run.
    name
        Of the replicate on its dataset, from `memo_name`.
    source
        Its model string.
    form
        Of the questions.
    """

    def __init__(
        self, store: TaskStore, name: str, source: str, form: Form = FORMS[PREDICT]
    ) -> None:
        self._store = store
        self._name = name
        self._source = source
        self._form = form
        self._is_settled = False
        self._kept: list[tuple[Any, Any]] = []

    def ask_again(self, ask: Ask) -> int:
        """Repeat the stored queries, once per process; returns their number.

        Raises
        ------
        ModelError
            If the model answers differently now, and would answer so again.
        """
        if self._is_settled or self._kept:
            return 0
        form = self._form
        known, kept = self._store.memo(f"witnesses{form.key}/{self._name}")
        if not known:
            return 0
        self._is_settled = True
        questions = [form.asked(question) for question, _ in kept]
        before = [form.answered(answer) for _, answer in kept]
        now = ask(questions)
        changed = [n for n in range(len(kept)) if form.do_differ(before[n], now[n])]
        asked = len(kept)
        if changed:
            again = ask([questions[n] for n in changed])
            asked += len(changed)
            if not any(form.do_differ(now[n], a) for n, a in zip(changed, again, strict=True)):
                self._refuse(questions, before, now, changed)
        outcome = "does not repeat its own answers" if changed else "the same"
        key = f"again{form.key}/{self._name}"
        if self._store.memo(key) != (True, [len(kept), outcome]):
            self._store.set_memo(key, [len(kept), outcome])
        return asked

    def keep(self, questions: Sequence[Any], answers: Sequence[Any | Failure]) -> None:
        """Store some of the first queries with answers, until there are enough; no failures."""
        if self._is_settled:
            return
        good = [
            (self._form.question(question), self._form.answer(answer))
            for question, answer in zip(questions, answers, strict=True)
            if not isinstance(answer, Failure)
        ]
        if good:
            step = max(1, len(good) // (MOST - len(self._kept)))
            self._kept = [*self._kept, *good[::step]][:MOST]
            self._is_settled = len(self._kept) == MOST
            self._store.set_memo(f"witnesses{self._form.key}/{self._name}", self._kept)

    def _refuse(
        self,
        questions: Sequence[Any],
        before: Sequence[Any],
        now: Sequence[Any | Failure],
        changed: Sequence[int],
    ) -> None:
        first, form = changed[0], self._form
        raise ModelError(
            f"{self._source} has changed since this run began: of {len(questions)} questions that "
            f"it had answered and was asked again, it answers {len(changed)} differently. "
            f"{form.shown(questions[first])!r} was {form.in_short(before[first])} and is "
            f"{form.in_short(now[first])} now. Put the model back as it was and re-issue the same "
            "command, or choose another --out."
        )


def outcomes(store: TaskStore, name: str) -> "Iterator[Again]":
    """Outcome of the repeated queries of a replicate, for each kind of query."""
    for form in FORMS.values():
        known, value = store.memo(f"again{form.key}/{name}")
        if known:
            yield Again(*value)


@dataclass(frozen=True, slots=True)
class Again:
    """Outcome of repeated queries: their number, and whether the answers were the same."""

    asked: int
    outcome: str
