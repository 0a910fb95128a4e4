"""Models by a plain name: ``minilm``, ``smollm2``, ``minilm-mlm``."""

from dataclasses import replace
from pathlib import Path

from scrutiny.core.errors import ModelError
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Task
from scrutiny.models.packaged import PACKAGED
from scrutiny.models.source import ModelSource


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Model of a name, as transformers loads its checkpoint.

    Raises
    ------
    ModelError
        If its package is not installed, or cannot answer the task.
    """
    from scrutiny.models import hf

    return hf.load(as_checkpoint(source), task, options)


def as_checkpoint(source: ModelSource) -> ModelSource:
    """The ``hf:`` source of a named model.

    Raises
    ------
    ModelError
        If it is not installed, with the command that does it.
    """
    return replace(source, scheme="hf", target=str(named_folder(source.target)))


def named_folder(name: str) -> Path:
    """Checkpoint folder of a named model.

    Raises
    ------
    ModelError
        If it is not installed, with the command that does it.
    """
    packaged = PACKAGED.get(name)
    if packaged is None:
        raise ModelError(f"There is no model named {name!r}. There are: {', '.join(PACKAGED)}.")
    folder = packaged.place()
    if folder is None:
        raise ModelError(
            f"{name} ({packaged.says}) is not installed: scrutiny models add {name}, "
            f"or {packaged.command()}"
        )
    return folder
