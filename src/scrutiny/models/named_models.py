"""Models that stand for a checkpoint: by a plain name, ``minilm``, or ``untrained:MODEL#seed=3``.

What was made here lies in the user's cache folder, in half precision; it runs in single precision
unless ``#dtype=`` says otherwise.

Of an untrained network, the architecture, configuration and tokenizer are those of the model whose
string stands behind; the weights are what transformers draws for it before training. Twenty of them
are a null: what this network says of these texts when it has learned nothing.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import ModelError, require_packages
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import Adapter, Matches, as_hf, checkpoint_source
from scrutiny.models.strings.model_families import match_names, natural_key
from scrutiny.models.strings.model_strings import PACKAGED, ModelSource, parse


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
    return as_hf(source, named_folder(source.target))


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
_UNTRAINED_VERSION: Final = "untrained@1"
_SEED: Final = "seed"
_KEPT: Final = {".json", ".txt", ".model"}
# what is true of the trained weights only
_OF_WEIGHTS: Final = {"model.safetensors.index.json", "competence.json", "training.json"}


def load_untrained(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Untrained network with the capabilities of the trained one.

    Its fingerprint is of the weights drawn, so another version of torch that draws others is
    another model.

    Raises
    ------
    ModelError
        If the model behind is no checkpoint, or cannot answer the task.
    """
    from scrutiny.models.hf import adapter as hf
    from scrutiny.models.hf.checkpoint import find_checkpoint

    stated = {name: value for name, value in source.options.items() if name != _SEED}
    trained = checkpoint_source(replace(parse(source.target), options=stated, text=source.text))
    seed = source.options.get(_SEED, "0")
    folder = Path(trained.target).expanduser()
    if not (folder / "config.json").is_file():  # a hub name is fetched as a whole
        folder = find_checkpoint(trained).folder
    with untrained_checkpoint(folder, seed, source=source) as fresh:
        return hf.load(replace(trained, target=str(fresh)), task, options)


@contextmanager
def untrained_checkpoint(trained: Path, seed: str, *, source: ModelSource) -> Iterator[Path]:
    """Folder of a checkpoint with random weights, temporarily for loading it.

    Parameters
    ----------
    trained
        Folder with the configuration and the tokenizer; its weights are not read.
    seed
        Any text; the same weights for the same text.
    source
        For messages.
    """
    with TemporaryDirectory(prefix="scrutiny-untrained-") as name:
        fresh = Path(name)
        _save(draw_network(trained, seed, source=source), fresh / "model.safetensors")
        for path in sorted(trained.iterdir()):
            if path.suffix in _KEPT and path.name not in _OF_WEIGHTS:
                shutil.copyfile(path, fresh / path.name)
        yield fresh


def draw_network(trained: Path, seed: str, *, source: ModelSource) -> Any:
    """Network of a checkpoint's architecture with transformers' own initialization, on the CPU.

    Torch's global generator is left as it was.

    Raises
    ------
    ModelError
        If the configuration does not say which network of transformers it is.
    MissingExtraError
        If torch or transformers are not installed.
    """
    require_packages("An untrained network", "hf", "torch", "transformers")
    import torch
    import transformers

    config = transformers.AutoConfig.from_pretrained(
        trained, local_files_only=True, trust_remote_code=False
    )
    # Class of transformers that the configuration names.
    names = config.architectures or []
    maker = getattr(transformers, names[0], None) if names else None
    if not (isinstance(maker, type) and issubclass(maker, transformers.PreTrainedModel)):
        said = f"names {names[0]!r}" if names else "names none"
        raise ModelError(
            f"{source.text!r}: an untrained network is made from the class under architectures in "
            f"config.json, which {said}. `save_pretrained` writes it."
        )
    generator = torch.default_generator
    state = generator.get_state()
    try:
        # not torch.manual_seed, which reaches the generators of the accelerators as well
        generator.manual_seed(int(digest(_UNTRAINED_VERSION, seed, size=7), 16))
        with torch.device("cpu"):
            return maker(config)
    finally:
        generator.set_state(state)


def _save(network: Any, path: Path) -> None:
    """Write the weights of a network; tied ones only once."""
    from safetensors.torch import save_file

    own: dict[int, tuple[str, Any]] = {}
    for name, weight in network.state_dict().items():
        own.setdefault(weight.data_ptr(), (name, weight.contiguous()))
    save_file(dict(own.values()), path, metadata={"format": "pt"})


UNTRAINED_ADAPTER: Final = Adapter(load_untrained, imports=("scrutiny.models.hf.transformer",))
