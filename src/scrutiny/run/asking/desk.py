"""Where a task gets answers and memos: SQLite in the driver, a pipe in a worker."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from scrutiny.run.progress import Progress, Silent
from scrutiny.store.answers import AnswerStore
from scrutiny.store.journal import Journal


class Desk(Protocol):
    """The driver, as a task sees it."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Known answers among these keys."""
        ...

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Keep answers; they are safe when the call returns."""
        ...

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is kept under a key, and the value."""
        ...

    def set_memo(self, key: str, value: Any) -> None:
        """Keep a JSON value for the life of the run."""
        ...


class LocalDesk:
    """The driver's own desk: the only place that opens SQLite."""

    def __init__(
        self, answers: AnswerStore, journal: Journal, progress: Progress | None = None
    ) -> None:
        self._answers = answers
        self._journal = journal
        self._progress = progress or Silent()

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Known answers among these keys."""
        return self._answers.get_many(keys)

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Keep answers; they are safe when the call returns."""
        self._answers.put_many(answers)
        self._progress.answered(len(answers))

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is kept under a key, and the value."""
        return self._journal.memo(key)

    def set_memo(self, key: str, value: Any) -> None:
        """Keep a JSON value for the life of the run."""
        self._journal.set_memo(key, value)


class RemoteDesk:
    """The driver's desk, seen from a worker: every request goes through one function.

    Parameters
    ----------
    request
        Sends the name of a method and its arguments to the driver, and waits for the answer.
    """

    def __init__(self, request: Callable[[str, tuple[Any, ...]], Any]) -> None:
        self._request = request

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Known answers among these keys."""
        return dict(self._request("get_many", (keys,)))

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Keep answers; they are safe when the call returns."""
        self._request("put_many", (answers,))

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is kept under a key, and the value."""
        known, value = self._request("memo", (key,))
        return bool(known), value

    def set_memo(self, key: str, value: Any) -> None:
        """Keep a JSON value for the life of the run."""
        self._request("set_memo", (key, value))


class NoAnswers:
    """An answer store that forgets: ``--no-cache``."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """No answers."""
        return {}

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Keep nothing."""


class ForgetfulDesk(NoAnswers):
    """A desk without files: what is asked is asked again, what is made lives as long as it does."""

    def __init__(self) -> None:
        self._memos: dict[str, Any] = {}

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is kept under a key, and the value."""
        return key in self._memos, self._memos.get(key)

    def set_memo(self, key: str, value: Any) -> None:
        """Keep a JSON value."""
        self._memos[key] = value


def ask(desk: Desk, method: str, arguments: tuple[Any, ...]) -> Any:
    """Answer of a desk to a request that came through a pipe."""
    return getattr(desk, method)(*arguments)
