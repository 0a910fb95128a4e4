"""Models by a plain name: ``minilm``, ``smollm2``, ``minilm-mlm/seed-2``.

What was made here lies in the user's cache folder, in half precision; it runs in single precision
unless ``#dtype=`` says otherwise.
"""

from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from scrutiny.core.errors import ModelError
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import Adapter, Matches
from scrutiny.models.strings.matching import match_names, natural_key
from scrutiny.models.strings.packaged import PACKAGED
from scrutiny.models.strings.source import ModelSource


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Model of a name, as transformers loads its checkpoint.

    Raises
    ------
    ModelError
        If it is not there yet, or cannot answer the task.
    """
    from scrutiny.models.hf import adapter as hf

    return hf.load(as_checkpoint(source), task, options)


def as_checkpoint(source: ModelSource) -> ModelSource:
    """The ``hf:`` source of a named model; a bare family is its first seed.

    Raises
    ------
    ModelError
        If it is not there yet, with the command that gets it.
    """
    options = {"dtype": "float32", **source.options}
    return replace(source, scheme="hf", target=str(named_folder(source.target)), options=options)


def targets() -> tuple[str, ...]:
    """Complete targets of the named models that exist, in natural order."""
    found = []
    for name, packaged in PACKAGED.items():
        folder = packaged.folder()
        if folder is None:
            continue
        seeds = folder.glob("seed-*/config.json") if packaged.is_family else ()
        found += [f"{name}/{path.parent.name}" for path in seeds] or [name]
    return tuple(sorted(found, key=natural_key))


def named_folder(target: str) -> Path:
    """Checkpoint folder of a named model, ``minilm`` or ``minilm-mlm/seed-2``.

    Raises
    ------
    ModelError
        If it is not there yet, with the command that gets it.
    """
    name, slash, seed = target.partition("/")
    folder = _family_folder(target)
    members = [t for t in targets() if t.startswith(f"{name}/")]
    if members and not slash:
        return folder / members[0].partition("/")[2]
    if slash and target not in members:
        there = ", ".join(members) or f"{name} alone, without replicates"
        raise ModelError(f"There is no {target!r}. There is: {there}.")
    return folder / seed


def _family_folder(target: str) -> Path:
    """Folder of the model, or of the family of models, that a target names.

    Raises
    ------
    ModelError
        If there is no such name, or if it is not there yet, with the command that gets it.
    """
    name = target.partition("/")[0]
    packaged = PACKAGED.get(name)
    if packaged is None:
        near = get_close_matches(name, PACKAGED, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ModelError(f"No model is named {name!r}.{hint} There are: {', '.join(PACKAGED)}.")
    folder = packaged.folder()
    if folder is None:
        raise ModelError(f"{name} ({packaged.says}) is {packaged.state()}")
    return folder


def _matches(source: ModelSource) -> Matches:
    """Replicates of a named family that match a pattern, and which named models there are."""
    _family_folder(source.target)
    known = targets()
    return match_names(source.target, known), f"There are: {', '.join(known)}."


ADAPTER: Final = Adapter(load, targets=targets, matches=_matches, as_checkpoint=as_checkpoint)
