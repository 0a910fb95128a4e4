"""Store that tasks reach: answers and memos, in SQLite in the driver, by request in a worker."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from scrutiny.core.progress import Progress
from scrutiny.store.answers import AnswerCache
from scrutiny.store.journal import Journal


@dataclass(frozen=True, slots=True)
class TaskStore:
    """Answers of models and memos of the run, as a task reaches them.

    Parameters
    ----------
    get_many
        Gives the stored answers, for those keys that have one.
    put_many
        Stores answers; they are safe when the call returns.
    memo
        Says whether a value is stored under a key, and the value.
    set_memo
        Stores a JSON value for the life of the run.
    """

    get_many: Callable[[Sequence[bytes]], dict[bytes, bytes]]
    put_many: Callable[[Mapping[bytes, bytes]], None]
    memo: Callable[[str], tuple[bool, Any]]
    set_memo: Callable[[str, Any], None]

    @classmethod
    def through(cls, request: Callable[..., Any]) -> "TaskStore":
        """Store of the driver, seen from a worker: ``request`` gets a method and its arguments."""
        return cls(*(partial(request, field.name) for field in fields(cls)))

    def reply(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Reply to a request of a store that is seen `through` one."""
        return getattr(self, method)(*arguments)


def local_store(answers: AnswerCache | None, journal: Journal, progress: Progress) -> TaskStore:
    """Store of the driver: the only place that opens SQLite; no answers without a cache."""

    def put_many(found: Mapping[bytes, bytes]) -> None:
        if answers is not None:
            answers.put_many(found)
        progress.answered(len(found))

    get_many = _no_answers if answers is None else answers.get_many
    return TaskStore(get_many, put_many, journal.memo, journal.set_memo)


def forgetful_store() -> TaskStore:
    """Store without files: answers are not kept, memos only in memory."""
    memos: dict[str, Any] = {}
    return TaskStore(
        _no_answers, lambda _: None, lambda key: (key in memos, memos.get(key)), memos.__setitem__
    )


def _no_answers(_: Sequence[bytes]) -> dict[bytes, bytes]:
    """No stored answers: those of a run without a cache."""
    return {}
