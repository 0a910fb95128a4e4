"""Parts of a checkpoint of transformers: network, tokenizer, device, limits."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import ModelError, require_packages
from scrutiny.models.hf.checkpoint import Checkpoint
from scrutiny.models.strings.source import ModelSource


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
_NO_LIMIT: Final = 10**6  # tokenizers that know no limit say 10**30


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


def find_limit(tokenizer: Any, config: Any, source: ModelSource) -> int | None:
    """Largest number of tokens of a text: given, or the limit of tokenizer and network."""
    limits = [tokenizer.model_max_length] if tokenizer.model_max_length < _NO_LIMIT else []
    positions = getattr(config, "max_position_embeddings", None)
    if positions and positions > 0:
        # RoBERTa counts positions from behind the padding index
        is_shifted = "roberta" in config.model_type or config.model_type == "camembert"
        limits.append(positions - (config.pad_token_id + 1 if is_shifted else 0))
    return source.max_length(limits)


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
