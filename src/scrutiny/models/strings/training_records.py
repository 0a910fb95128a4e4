"""Records of a checkpoint's training: kind of replicate, base, training text, and competence."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.model import Model, ModelAround, around
from scrutiny.models.strings.adapters import adapter, checkpoint_of
from scrutiny.models.strings.model_strings import UNTRAINED, parse

#: File beside the weights; its key ``replicates_of`` is read here.
TRAINING_FILE: Final = "training.json"
REPLICATES_KEY: Final = "replicates_of"
#: File with the hashes of all training sentences: beside the weights, or once for a family.
HASHES: Final = "training_hashes.npy"
PRE_TRAINING: Final = "pre-training"
FINE_TUNING: Final = "fine-tuning"
FROM_NOTHING: Final = "training"
TRAINING_SAMPLE: Final = "training-sample"
INITIALIZATION: Final = "initialization"


def replicates_of(text: str) -> str | None:
    """What differs between this model and the other replicates of its recipe.

    ``pre-training``: everything from the first weight on. ``fine-tuning``: they share one
    pre-trained network, so their spread says nothing of how far another one would differ.
    ``initialization``: nothing was trained. Of small classifiers, ``training``: everything from the
    first weight on; ``training-sample``: the rows that were drawn. Nothing where no record says it.

    Parameters
    ----------
    text
        A complete model string.

    Raises
    ------
    ModelError
        If the model is not there, or its ``training.json`` cannot be read.
    """
    if parse(text).scheme == UNTRAINED:
        return INITIALIZATION
    stated = _training_record(text).get(REPLICATES_KEY)
    return str(stated) if stated is not None else None


def trained_from(text: str) -> str | None:
    """Model string of the base that a checkpoint was fine-tuned from, where its record says it.

    Raises
    ------
    ModelError
        As `replicates_of` does.
    """
    base = _training_record(text).get("base")
    return str(base["source"]) if isinstance(base, dict) and "source" in base else None


def _training_record(text: str) -> dict[str, Any]:
    """``training.json`` of a checkpoint; empty without one."""
    folder = None if parse(text).scheme == UNTRAINED else checkpoint_folder(text)
    path = None if folder is None else folder / TRAINING_FILE
    if path is None or not path.is_file():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise ModelError(f"{str(path)!r} cannot be read: {error}.") from error


def checkpoint_folder(text: str) -> Path | None:
    """Folder with the weights of a complete model string, or `None`.

    Raises
    ------
    ModelError
        If the string's adapter knows checkpoints, but not this one.
    """
    parsed = parse(text)
    checkpoint = checkpoint_of(parsed)
    folder = (
        adapter(parsed.scheme).folder_of(parsed)
        if checkpoint is None
        else Path(checkpoint.target).expanduser()
    )
    return folder if folder is not None and folder.is_dir() else None


def with_training_hashes(model: Model, folder: Path) -> Model:
    """Return the model with its training text known, if its training stored hashes.

    It is the same object; the file is read when it is first asked for.
    """
    path = find_training_hashes(folder)
    if path is not None:
        vars(model)["training_hashes"] = cache(lambda: _load_hashes(path))
    return model


def find_training_hashes(folder: Path) -> Path | None:
    """Lineage of a checkpoint: the file with the hashes of its training text, or `None`.

    It is looked for in the checkpoint's folder, in those of its run and of its family, and in that
    of all families, if the checkpoint says that it was trained here.
    """
    if not (folder / TRAINING_FILE).is_file():
        return None
    places = [folder, *folder.absolute().parents[:3]]
    return next((place / HASHES for place in places if (place / HASHES).is_file()), None)


class ModelWithTrainingText(ModelAround):
    """A model, and the hashes of the letters of every sentence that it was trained on.

    All else is the model's own; hashes are made when they are first asked for.
    """

    capabilities: frozenset[str]

    def __init__(self, model: Model, make_hashes: Callable[[], Any]) -> None:
        super().__init__(model)
        self.capabilities = model.capabilities | {"training_hashes"}
        self._make_hashes = make_hashes  # as it is: what it is made of may be read
        self._hashes: Any = None

    def training_hashes(self) -> Any:
        """Sorted ``uint64`` hashes of the letters of every training sentence."""
        if self._hashes is None:
            self._hashes = self._make_hashes()
        return self._hashes


def with_training_text(model: Model, make_hashes: Callable[[], Any]) -> Model:
    """Return the model with its training text known, as hashes of its letters.

    Parameters
    ----------
    model
        Any model.
    make_hashes
        Gives the sorted ``uint64`` hashes; called at most once, and only if they are asked for.
    """
    return around(ModelWithTrainingText, model)(model, make_hashes)


def _load_hashes(path: Path) -> Any:
    """Sorted ``uint64`` hashes."""
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ModelError(f"{str(path)!r} cannot be read: {error}") from error


#: Gates that a claim about what a language model prefers or associates presupposes.
LANGUAGE_GATES: Final = ("fivegram", "agreement")
#: File beside the weights.
COMPETENCE_FILE: Final = "competence.json"


@dataclass(frozen=True, slots=True)
class TrainingGoal:
    """Goal of the training of several families, for those who contrast them.

    Parameters
    ----------
    name
        What was to be shown: "larger above smaller".
    of, beside
        Family that it is about, and those that a contrast with it presupposes it for.
    is_reached
        Whether it was.
    found
        What was measured, in words.
    """

    name: str
    of: str
    beside: tuple[str, ...]
    is_reached: bool
    found: str

    def is_for(self, one: str, other: str) -> bool:
        """Whether a contrast of two families presupposes it.

        Examples
        --------
        >>> goal = TrainingGoal("larger above smaller", "large", ("small",), False, "-.01")
        >>> goal.is_for("small", "large"), goal.is_for("small", "student")
        (True, False)
        """
        return (self.of == one and other in self.beside) or (
            self.of == other and one in self.beside
        )

    @classmethod
    def all_in(cls, record: Mapping[str, Any]) -> tuple["TrainingGoal", ...]:
        """Goals that a competence record states."""
        stated = record.get("goals", ())
        return tuple(cls(**{**goal, "beside": tuple(goal["beside"])}) for goal in stated)


def read_competence(folder: Path) -> Mapping[str, Any] | None:
    """Competence record of a checkpoint folder, or `None` if it has none.

    Raises
    ------
    ModelError
        If the file cannot be read, or has no ``gates`` of true and false, or odd ``goals``.
    """
    path = folder / COMPETENCE_FILE
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        gates = record["gates"]
        passes = [*gates.values(), *(goal.is_reached for goal in TrainingGoal.all_in(record))]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{str(path)!r} is no competence record: {error!r}.") from error
    if not all(isinstance(passed, bool) for passed in passes):
        raise ModelError(f"{str(path)!r}: gates and goals are true or false, one for each name.")
    return dict(record)
