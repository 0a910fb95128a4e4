"""What classifiers over words have in common, whatever they are made of."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from scrutiny.core.task import Task
from scrutiny.models.answers.inputs import require_task
from scrutiny.models.strings.lineage import HASHES
from scrutiny.models.strings.source import TRAINING, ModelSource

#: Option with the seed of fresh weights in place of those in the folder.
UNTRAINED: Final = "untrained"
_TASK: Final = "text-classification"


class WordParts(Protocol):
    """A classifier's weights, words and labels."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in the order of the scores."""
        ...

    def digest(self) -> str:
        """Digest of all that can change an answer."""
        ...


class WordModel:
    """A classifier of single texts that was trained here: its name, labels and fingerprint."""

    is_batch_invariant = False

    def __init__(
        self, parts: WordParts, source: str, *, offers: Iterable[str], folder: Path | None
    ) -> None:
        self.source = source
        self.task = _TASK
        self.labels = parts.labels
        self.capabilities = frozenset({"predict", *offers})
        if folder is not None:
            self.capabilities |= {"training_hashes"}
            self.training_hashes = _hashes_in(folder)
        self._fingerprint = parts.digest()

    def fingerprint(self) -> str:
        """Digest of the weights, the words and the labels."""
        return self._fingerprint


def require_words(source: ModelSource, task: Task, *, options: tuple[str, ...] = ()) -> Path:
    """Folder that a model string names, its options and the task checked.

    Parameters
    ----------
    source
        The model string.
    task
        What the model will be asked.
    options
        That it may have beside labels and the training text.

    Raises
    ------
    ModelError
        For another task, or an option that there is not.
    """
    source.refuse_unknown_options(("labels", *options, TRAINING))
    require_task(task, (_TASK,), source=source.text)
    return Path(source.target).expanduser()


def with_hashes(folder: Path) -> Path | None:
    """The folder if hashes of the training text lie in it."""
    return folder if (folder / HASHES).is_file() else None


def trained_folder(source: ModelSource) -> Path | None:
    """Folder of a model's weights and record, or nothing if its weights are fresh ones."""
    return None if UNTRAINED in source.options else Path(source.target).expanduser()


def _hashes_in(folder: Path) -> Callable[[], Any]:
    return lambda: np.load(folder / HASHES, allow_pickle=False)
