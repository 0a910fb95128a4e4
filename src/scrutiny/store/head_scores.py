"""Files of published scores of attention heads (``.npz``).

Arrays are named ``CORPUS_TUNED_MODEL`` (``story_neg_bert_base``); CORPUS and TUNED have no
underscore. An array is ``(layer, head, 3)`` or, of several runs, ``(run, layer, head, 3)``; the
last axis is precision, recall, F1. No object in a file is ever unpickled.
"""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import DataError

_WHAT: Final = "an .npz file with arrays CORPUS_TUNED_MODEL of precision, recall and F1 by head"
_DAMAGED: Final = (
    OSError,
    ValueError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
)


class ScoreKey(NamedTuple):
    """Key of an array of scores: whose scores, on which data."""

    corpus: str
    tuned: str
    model: str

    @property
    def name(self) -> str:
        """Name of the array."""
        return "_".join(self)


def score_keys(path: Path) -> tuple[ScoreKey, ...]:
    """Keys of the arrays in a file, in file order.

    Raises
    ------
    DataError
        If the file cannot be read, or an array has another name.
    """
    with _opened(path) as archive:
        names = list(archive.files)
    for name in names:
        if name.count("_") < 2 or "" in name.split("_", 2):
            raise DataError(f"{path}: the array {name!r} is not named CORPUS_TUNED_MODEL.")
    if not names:
        raise DataError(f"{path} is empty: it has to be {_WHAT}.")
    return tuple(ScoreKey(*name.split("_", 2)) for name in names)


def read_scores(path: Path, key: ScoreKey) -> NDArray[np.float64]:
    """Scores in one array: ``(layer, head, 3)``, or ``(run, layer, head, 3)`` of several runs.

    Raises
    ------
    DataError
        If there is none, or it holds anything but shares of this shape.
    """
    with _opened(path) as archive:
        if key.name not in archive.files:
            raise DataError(f"{path} has no array {key.name!r}: {', '.join(archive.files)}.")
        found = archive[key.name]
    if found.dtype.kind != "f" or found.ndim not in (3, 4) or found.shape[-1] != 3:
        raise DataError(
            f"{path}: {key.name} is {found.dtype} of shape {found.shape}; it has to be floats "
            "(layer, head, 3) or (run, layer, head, 3)."
        )
    scores: NDArray[np.float64] = found.astype(np.float64)
    if not found.size or not ((scores >= 0) & (scores <= 1)).all():  # NaN is in no range
        raise DataError(f"{path}: {key.name} holds scores outside 0 to 1, or none.")
    return scores


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open archive of a file; pickled objects inside are refused."""
    try:
        with path.open("rb") as handle:
            archive = np.load(handle, allow_pickle=False)
            if not hasattr(archive, "files"):
                raise ValueError("it is a single array")
            with archive:
                yield archive
    except _DAMAGED as error:
        raise DataError(f"{path} cannot be read: {error}; it has to be {_WHAT}.") from error
