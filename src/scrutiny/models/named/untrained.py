"""Untrained networks: ``untrained:MODEL#seed=3``.

The architecture, configuration and tokenizer are those of the model whose string stands behind;
the weights are what transformers draws for it before training. Twenty of them are a null: what
this network says of these texts when it has learned nothing.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from scrutiny.core.boundary.canonical import digest
from scrutiny.core.errors import ModelError, require_packages
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import Adapter, checkpoint_source
from scrutiny.models.strings.source import ModelSource, parse

_VERSION: Final = "untrained@1"
_SEED: Final = "seed"
_KEPT: Final = {".json", ".txt", ".model"}
# what is true of the trained weights only
_OF_WEIGHTS: Final = {"model.safetensors.index.json", "competence.json", "training.json"}


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Untrained network with the capabilities of the trained one.

    Its fingerprint is of the weights drawn, so another version of torch that draws others is
    another model.

    Raises
    ------
    ModelError
        If the model behind is no checkpoint, or cannot answer the task.
    """
    from scrutiny.models.hf import adapter as hf

    stated = {name: value for name, value in source.options.items() if name != _SEED}
    trained = checkpoint_source(replace(parse(source.target), options=stated, text=source.text))
    seed = source.options.get(_SEED, "0")
    with untrained_checkpoint(_folder(trained), seed, source=source) as fresh:
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
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(trained, local_files_only=True, trust_remote_code=False)
    maker = _network_class(config, source)
    generator = torch.default_generator
    state = generator.get_state()
    try:
        # not torch.manual_seed, which reaches the generators of the accelerators as well
        generator.manual_seed(int(digest(_VERSION, seed, size=7), 16))
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


def _network_class(config: Any, source: ModelSource) -> Any:
    """Class of transformers that a configuration names."""
    import transformers

    names = config.architectures or []
    maker = getattr(transformers, names[0], None) if names else None
    if not (isinstance(maker, type) and issubclass(maker, transformers.PreTrainedModel)):
        said = f"names {names[0]!r}" if names else "names none"
        raise ModelError(
            f"{source.text!r}: an untrained network is made from the class under architectures in "
            f"config.json, which {said}. `save_pretrained` writes it."
        )
    return maker


def _folder(trained: ModelSource) -> Path:
    """Folder of the configuration and tokenizer; a hub name is fetched as a whole."""
    from scrutiny.models.hf.checkpoint import find_checkpoint

    path = Path(trained.target).expanduser()
    return path if (path / "config.json").is_file() else find_checkpoint(trained).folder


ADAPTER: Final = Adapter(load, imports=("scrutiny.models.hf.model",))
