"""Checkpoints of transformers: where they lie, what identifies them, and their network loaded."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json, digest, parse_json
from scrutiny.core.errors import ModelError, require_packages
from scrutiny.models.strings.model_families import natural_key
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.store.files import hash_file

_LOCAL: Final = ("./", "../", "/", "~")
_WANTED: Final = ["*.safetensors", "*.json", "*.txt", "*.model"]
_VOCABULARIES: Final = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
    "spm.model",
    "tokenizer.model",
)
_TOKENIZER_FILES: Final = (
    *_VOCABULARIES,
    "merges.txt",
    "added_tokens.json",
    "special_tokens_map.json",
    "tokenizer_config.json",
)
# not "transformers_version": some tokenizers are read differently by what saved them
_NOTES: Final = ("_name_or_path",)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder with a configuration, safetensors weights and a tokenizer."""

    folder: Path
    config: dict[str, Any]

    def weight_files(self) -> list[Path]:
        """Safetensors files that are loaded, by name."""
        index = self.folder / "model.safetensors.index.json"
        if (self.folder / "model.safetensors").is_file() or not index.is_file():
            return [self.folder / "model.safetensors"]
        shards = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
        return [self.folder / name for name in sorted(set(shards))]

    def fingerprint(self) -> str:
        """Digest of weights, configuration and tokenizer; of contents, not of places."""
        config = {k: v for k, v in self.config.items() if k not in _NOTES}
        files = [self.folder / name for name in _TOKENIZER_FILES]
        parts = [f"{p.name}:{hash_file(p)}" for p in files if p.is_file()]
        weights = [hash_file(path) for path in self.weight_files()]
        return digest(canonical_json(config), *parts, "weights", *weights)


def find_checkpoint(source: ModelSource) -> Checkpoint:
    """Checkpoint of a folder, or of a hub name with an optional ``@revision``.

    Raises
    ------
    ModelError
        If there is none, or if it is one that scrutiny does not load.
    """
    folder_must_be_there(source)
    path = Path(source.target).expanduser()
    return _open_folder(path if path.is_dir() else _download(source), source)


def folder_must_be_there(source: ModelSource) -> None:
    """Refuse a checkpoint of transformers that is written as a folder but does not exist.

    Raises
    ------
    ModelError
        With the folders that are there.
    """
    path = Path(source.target).expanduser()
    is_place = source.target.startswith(_LOCAL) or source.target.count("/") > 1
    if is_place and not path.is_dir():
        parent = path.parent
        while not parent.is_dir() and parent != parent.parent:
            parent = parent.parent
        names = sorted((p.name for p in parent.iterdir() if p.is_dir()), key=natural_key)
        near = get_close_matches(path.name, names, n=3, cutoff=0.5)
        listed = ", ".join(near or names[:12]) or "none"
        what = "Near names" if near else "Folders"
        raise ModelError(
            f"{source.text!r}: there is no such folder. {what} in {str(parent)!r}: {listed}."
        )


def _open_folder(folder: Path, source: ModelSource) -> Checkpoint:
    """Checkpoint of a folder, with its required files checked.

    Raises
    ------
    ModelError
        If the configuration or the weights are missing, are pickles, or need code of their own.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise ModelError(f"{source.text!r}: {_no_config(folder)}")
    try:
        config = parse_json(path.read_bytes())
    except ValueError as error:
        raise ModelError(f"{source.text!r}: {path.name} cannot be read: {error}.") from error
    if not isinstance(config, dict):
        raise ModelError(f"{source.text!r}: {path.name} holds no object of settings.")
    if "auto_map" in config:
        raise ModelError(
            f"{source.text!r} needs Python code of its own (auto_map in config.json), which "
            "scrutiny does not run. Wrap the model yourself and name it as python:module:object."
        )
    checkpoint = Checkpoint(folder, config)
    if not any((folder / name).is_file() for name in _VOCABULARIES):
        raise ModelError(
            f"{source.text!r}: there is no tokenizer in {str(folder)!r}; "
            "`tokenizer.save_pretrained` writes one beside the weights."
        )
    missing = [p.name for p in checkpoint.weight_files() if not p.is_file()]
    if missing:
        raise ModelError(f"{source.text!r}: {_no_weights(folder, missing)}")
    return checkpoint


def _download(source: ModelSource) -> Path:
    """Folder of a hub repository in the local cache, fetched unless HF_HUB_OFFLINE is set."""
    require_packages("A Hugging Face model", "hf", "huggingface_hub")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    name, _, revision = source.target.partition("@")
    try:
        folder = snapshot_download(
            name, revision=revision or None, allow_patterns=_WANTED, ignore_patterns=["*/*"]
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, HFValidationError, OSError) as error:
        first = str(error).strip().partition("\n")[0]
        raise ModelError(
            f"{source.text!r} is neither a folder here nor a model that can be fetched: {first} "
            f"A folder is written with ./ in front: hf:./{name}."
        ) from error
    return Path(folder)


def _no_config(folder: Path) -> str:
    """Message for a folder without a configuration."""
    inside = sorted(p.parent.name for p in folder.glob("*/config.json"))
    if (folder / "adapter_config.json").is_file():
        return (
            "this is a PEFT adapter without its base model. Merge them (merge_and_unload, then "
            "save_pretrained) and name the merged folder."
        )
    hint = f" There is one in: {', '.join(inside[:12])}." if inside else ""
    return (
        f"{str(folder)!r} has no config.json, so it is no checkpoint of transformers.{hint} "
        "`model.save_pretrained` and `tokenizer.save_pretrained` write what is needed."
    )


def _no_weights(folder: Path, missing: list[str]) -> str:
    """Message for a folder without safetensors weights."""
    pickles = sorted(p.name for p in folder.glob("*.bin"))
    if pickles:
        return (
            f"its weights are a pickle ({pickles[0]}), which scrutiny never loads: unpickling "
            "runs whatever code is in it. Convert it where you trust it: load the model with "
            "transformers and call save_pretrained, which writes model.safetensors."
        )
    return f"{', '.join(missing)} is missing from {str(folder)!r}."


def require_torch() -> None:
    """Raise unless torch and transformers are installed."""
    require_packages("A Hugging Face model", "hf", "torch", "transformers")


def torch_device(wanted: str, *, of: str) -> Any:
    """Device for a network of transformers; "auto" is the first CUDA device if there is one.

    Parameters
    ----------
    wanted
        "auto", "cpu", "cuda:0", …
    of
        What is to be put there, for the message.

    Raises
    ------
    ModelError
        If this machine, or this build of torch, has no such device.
    MissingExtraError
        If torch is not installed.
    """
    require_packages("A Hugging Face model", "hf", "torch")
    import torch

    if wanted == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, ValueError, OverflowError) as error:
        count = torch.cuda.device_count()
        there = ", ".join(["cpu", *(f"cuda:{i}" for i in range(count))])
        said = str(error).partition(chr(10))[0].rstrip(".")
        raise ModelError(
            f"{of} cannot be put on the device {wanted!r}: {said}. This machine has {there}; "
            "--device auto takes what there is."
        ) from error
    return device


_DTYPES: Final = ("auto", "float32", "float16", "bfloat16")


def load_network(
    folder: Path, maker: str, source: ModelSource, *, dtype: Any, **more: Any
) -> tuple[Any, list[str]]:
    """Network in evaluation mode, and the names of its weights that are not in the file.

    Parameters
    ----------
    folder
        Where it lies.
    maker
        Name of a class of transformers.
    source
        For messages, and the option ``attention``.
    dtype, more
        As `from_pretrained` takes them.

    Raises
    ------
    ModelError
        If it does not load.
    """
    import transformers
    from safetensors import SafetensorError

    if attention := source.options.get("attention"):
        more["attn_implementation"] = attention
    with quiet():
        try:
            network, report = getattr(transformers, maker).from_pretrained(
                folder,
                dtype=dtype,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
                **more,
            )
        except (SafetensorError, OSError, ValueError, RuntimeError, ImportError) as error:
            raise ModelError(f"{source.text!r} does not load: {error}") from error
    missing = sorted(report["missing_keys"]) + sorted(str(k[0]) for k in report["mismatched_keys"])
    return network.eval(), missing


def stated_dtype(source: ModelSource) -> str:
    """Option ``dtype``, checked; default "auto".

    Raises
    ------
    ModelError
        If there is no such type.
    """
    dtype = source.options.get("dtype", "auto")
    if dtype not in _DTYPES:
        raise ModelError(f"{source.text!r}: dtype is one of {', '.join(_DTYPES)}, not {dtype!r}.")
    return dtype


def refuse_missing(missing: Sequence[str], source: ModelSource, *, head: str) -> None:
    """Raise if weights were not in the file, because they would be random."""
    if missing:
        shown = ", ".join(missing[:4]) + (", …" if len(missing) > 4 else "")
        raise ModelError(
            f"{source.text!r} lacks weights that a model {head} needs ({shown}); they would be "
            "random numbers, and so would its answers. This is an encoder without the head, or "
            "one with another head: fine-tune it for the task first."
        )


def load_tokenizer(checkpoint: Checkpoint, source: ModelSource) -> Any:
    """Fast tokenizer of a checkpoint."""
    from transformers import AutoTokenizer

    with quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(
                checkpoint.folder, local_files_only=True, trust_remote_code=False
            )
        except (OSError, ValueError, TypeError, ImportError, KeyError) as error:
            raise ModelError(
                f"{source.text!r}: no tokenizer can be loaded from {str(checkpoint.folder)!r}: "
                f"{error} `tokenizer.save_pretrained` writes one beside the weights."
            ) from error
    if not tokenizer.is_fast:
        raise ModelError(
            f"{source.text!r} has a slow tokenizer without offsets. Save it with a tokenizer.json."
        )
    return tokenizer


def find_device(wanted: str, source: ModelSource) -> Any:
    """Torch device; "auto" is the first CUDA device if there is one."""
    require_torch()
    return torch_device(wanted, of=repr(source.text))


@contextmanager
def quiet() -> Iterator[None]:
    """Hide transformers' progress bars and load report temporarily."""
    from transformers.utils import logging

    had_bars = logging.is_progress_bar_enabled()
    level = logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if had_bars:
            logging.enable_progress_bar()
