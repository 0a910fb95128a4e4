"""Answer stores of tasks: answers and memos, in SQLite in the driver, by pipe in a worker."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from scrutiny.run.progress import Progress, Silent
from scrutiny.store.answers import AnswerStore
from scrutiny.store.journal import Journal


class TaskStore(Protocol):
    """Protocol of an answer store: answers of models, and memos of the run."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Stored answers, for those keys that have one."""

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Store these answers; they are safe when the call returns."""

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is stored under a key, and the value."""

    def set_memo(self, key: str, value: Any) -> None:
        """Store a JSON value for the life of the run."""


class LocalStore:
    """Answer store of the driver: the only place that opens SQLite."""

    def __init__(
        self, answers: AnswerStore, journal: Journal, progress: Progress | None = None
    ) -> None:
        self._answers = answers
        self._journal = journal
        self._progress = progress or Silent()

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Stored answers, for those keys that have one."""
        return self._answers.get_many(keys)

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Store these answers; they are safe when the call returns."""
        self._answers.put_many(answers)
        self._progress.answered(len(answers))

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is stored under a key, and the value."""
        return self._journal.memo(key)

    def set_memo(self, key: str, value: Any) -> None:
        """Store a JSON value for the life of the run."""
        self._journal.set_memo(key, value)


class RemoteStore:
    """Answer store of the driver, seen from a worker: every request goes through one function.

    Parameters
    ----------
    request
        Sends the name of a method and its arguments to the driver, and waits for the answer.
    """

    def __init__(self, request: Callable[[str, tuple[Any, ...]], Any]) -> None:
        self._request = request

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Stored answers, for those keys that have one."""
        return dict(self._request("get_many", (keys,)))

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Store these answers; they are safe when the call returns."""
        self._request("put_many", (answers,))

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is stored under a key, and the value."""
        known, value = self._request("memo", (key,))
        return bool(known), value

    def set_memo(self, key: str, value: Any) -> None:
        """Store a JSON value for the life of the run."""
        self._request("set_memo", (key, value))


class NoAnswers:
    """Answer store that keeps no answers: ``--no-cache``."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """No answers."""
        return {}

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Ignore these answers."""


class ForgetfulStore(NoAnswers):
    """Answer store without files: answers are not kept, memos only in memory."""

    def __init__(self) -> None:
        self._memos: dict[str, Any] = {}

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is stored under a key, and the value."""
        return key in self._memos, self._memos.get(key)

    def set_memo(self, key: str, value: Any) -> None:
        """Store a JSON value in memory."""
        self._memos[key] = value


def ask(store: TaskStore, method: str, arguments: tuple[Any, ...]) -> Any:
    """Reply of a store to a request that came through a pipe."""
    return getattr(store, method)(*arguments)
