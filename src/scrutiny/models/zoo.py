"""The zoo: ``zoo:bert-4x128/seed-1/step-1000``.

They lie in a distribution of their own, scrutiny-zoo. The environment variable ``SCRUTINY_ZOO``
names another folder of the same layout: ``FAMILY/seed-S`` is a final checkpoint,
``FAMILY/seed-S/step-T`` one on the way to it. Where there are such, the final one is also the
last of them, by the step that the folder's ``index.json`` has. Their weights are stored in half
precision and run in single precision, unless ``#dtype=`` says otherwise.
"""

import os
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import ModelError
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import Adapter, as_hf
from scrutiny.models.strings.model_families import natural_key
from scrutiny.models.strings.model_strings import ModelSource

#: Environment variable with the folder of a family that is not installed.
VARIABLE: Final = "SCRUTINY_ZOO"
_DISTRIBUTION: Final = "scrutiny-zoo"
_PATTERNS: Final = ("*/seed-*/config.json", "*/seed-*/step-*/config.json")


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Checkpoint of the zoo, as transformers loads it.

    Raises
    ------
    ModelError
        If the zoo is not installed, has no such checkpoint, or cannot answer the task.
    """
    from scrutiny.models.hf import adapter as hf

    return hf.load(as_checkpoint(source), task, options)


def as_checkpoint(source: ModelSource) -> ModelSource:
    """The ``hf:`` source of a checkpoint of the zoo; a bare family name is its first seed.

    Raises
    ------
    ModelError
        If the zoo is not installed or has no such checkpoint; near names are in the message.
    """
    known = targets()
    finals = [name for name in known if name.startswith(f"{source.target}/seed-")]
    target = finals[0] if finals and source.target not in known else source.target
    if target not in known:
        near = get_close_matches(target, known, n=3, cutoff=0.6)
        said = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(known)}."
        raise ModelError(f"The zoo has no checkpoint {target!r}. {said}")
    folder = zoo_folder()
    return as_hf(source, folder / _last_steps(folder, known).get(target, target))


def targets() -> tuple[str, ...]:
    """Complete targets of all checkpoints of the zoo, in natural order.

    Raises
    ------
    ModelError
        If it is not installed, or empty.
    """
    folder = zoo_folder()
    configs = [path for pattern in _PATTERNS for path in folder.glob(pattern)]
    if not configs:
        raise ModelError(
            f"There are no checkpoints under {str(folder)!r}: they lie in FAMILY/seed-S and "
            "FAMILY/seed-S/step-T."
        )
    names = [path.parent.relative_to(folder).as_posix() for path in configs]
    return tuple(sorted({*names, *_last_steps(folder, names)}, key=natural_key))


def _last_steps(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """Final checkpoints by their name as a step, where there are steps on the way to them."""
    index = folder / "index.json"
    if not index.is_file():
        return {}
    families = parse_json(index.read_bytes())["families"].values()
    finals = (one for family in families for one in family["checkpoints"] if one["is_final"])
    return {
        f"{one['path']}/step-{one['step']}": one["path"]
        for one in finals
        if any(name.startswith(f"{one['path']}/step-") for name in names)
    }


def zoo_folder() -> Path:
    """Folder whose subfolders are the families of the zoo.

    Raises
    ------
    ModelError
        If neither the distribution is installed nor the variable names a folder.
    """
    named = os.environ.get(VARIABLE)
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise ModelError(f"{VARIABLE} names {named!r}, which is no folder.")
    else:
        try:
            module = import_module("scrutiny_zoo")
        except ImportError as error:
            raise ModelError(
                "The models of zoo: are in a distribution of their own, which is not installed: "
                f"pip install {_DISTRIBUTION} (in a clone of the repository: pip install "
                f"./packages/{_DISTRIBUTION}). Or name a folder of the same layout in the "
                f"environment variable {VARIABLE}."
            ) from error
        folder = Path(module.folder())
    return folder / "weights" if (folder / "weights").is_dir() else folder


ADAPTER: Final = Adapter(load, targets=targets, as_checkpoint=as_checkpoint)
