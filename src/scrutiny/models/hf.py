"""Checkpoints of transformers: ``hf:./folder``, ``hf:org/name@revision``.

Options behind the ``#`` or as ``-M key=value``: ``dtype`` (float32, float16, bfloat16, or auto:
as the checkpoint has it), ``labels`` (names in the order of the outputs, with bars between them),
``attention`` (sdpa, eager, ...), ``max_length`` (tokens of one text).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from scrutiny.core.canonical import canonical_json, digest
from scrutiny.core.errors import MissingExtraError, ModelError
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Task
from scrutiny.models.bio import labels_of_tags
from scrutiny.models.hf_batching import start_budget
from scrutiny.models.hf_checkpoint import Checkpoint, find_checkpoint
from scrutiny.models.hf_forward import Forward
from scrutiny.models.hf_models import HfClassifier, HfTagger, Loaded
from scrutiny.models.inputs import base_name, is_tagging, require_task
from scrutiny.models.source import TRAINING, ModelSource

_VERSION: Final = "hf@1"
_OPTIONS: Final = ("dtype", "labels", "attention", "max_length", TRAINING)
_DTYPES: Final = ("auto", "float32", "float16", "bfloat16")
_HEADS: Final = {
    "text-classification": "ForSequenceClassification",
    "text-pair-classification": "ForSequenceClassification",
    "token-tagging": "ForTokenClassification",
}
_NO_LIMIT: Final = 10**6  # tokenizers that know no limit say 10**30


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Classifier or tagger of a checkpoint.

    Raises
    ------
    ModelError
        If there is no checkpoint, if its weights are pickles, if it lacks the head that the task
        needs, or if an option does not read.
    MissingExtraError
        If torch or transformers are not installed.
    """
    source.refuse_unknown_options(_OPTIONS)
    require_task(task, tuple(_HEADS), source=source.text)
    checkpoint = find_checkpoint(source)
    _refuse_other_heads(checkpoint, task, source)
    network = _load_network(checkpoint, task, source, device=_device(options.device, source))
    tokenizer = _load_tokenizer(checkpoint, source)
    loaded = _loaded(checkpoint, network, tokenizer, source, task=task, batch=options.batch)
    return HfTagger(loaded) if is_tagging(task) else HfClassifier(loaded)


def _loaded(
    checkpoint: Checkpoint,
    network: Any,
    tokenizer: Any,
    source: ModelSource,
    *,
    task: Task,
    batch: int | str,
) -> Loaded:
    """All parts of a model put together, with its fingerprint."""
    limit = _limit(tokenizer, network.config, source)
    names = _names(network.config, source, task)
    budget = start_budget(batch, network.device.type)
    if tokenizer.pad_token_id is None:
        budget.texts = 1  # without a padding token, texts cannot share a batch
    pads = {
        "input_ids": tokenizer.pad_token_id or 0,
        "token_type_ids": tokenizer.pad_token_type_id,
        "attention_mask": 0,
    }
    identity = {
        "attention": network.config._attn_implementation,
        "device": network.device.type,
        "dtype": str(network.dtype),
        "limit": limit,
        "names": names,
        "task": base_name(task),
    }
    return Loaded(
        source=source.text,
        task=task.name,
        tokenizer=tokenizer,
        forward=Forward(network, pads=pads, side=tokenizer.padding_side, budget=budget),
        limit=limit,
        names=names,
        fingerprint=digest(_VERSION, checkpoint.fingerprint(), canonical_json(identity)),
    )


def _refuse_other_heads(checkpoint: Checkpoint, task: Task, source: ModelSource) -> None:
    """Raise if the configuration says that the head is for something else."""
    config = checkpoint.config
    wanted = _HEADS[base_name(task)]
    stated = config.get("architectures") or []
    if any("For" in name for name in stated) and not any(n.endswith(wanted) for n in stated):
        raise ModelError(
            f"{source.text!r} is a {stated[0]}; the task {base_name(task)} needs a model "
            f"…{wanted}. Fine-tune one, or name another checkpoint."
        )
    kind = config.get("problem_type")
    if kind in {"regression", "multi_label_classification"}:
        raise ModelError(
            f"{source.text!r} was trained for {kind.replace('_', ' ')}; scrutiny's classification "
            "tasks have exactly one label for each text."
        )


def _load_network(checkpoint: Checkpoint, task: Task, source: ModelSource, *, device: Any) -> Any:
    """Network in evaluation mode on its device; every one of its weights is from the file."""
    import transformers
    from safetensors import SafetensorError

    maker = getattr(transformers, f"AutoModel{_HEADS[base_name(task)]}")
    dtype = source.options.get("dtype", "auto")
    if dtype not in _DTYPES:
        raise ModelError(f"{source.text!r}: dtype is one of {', '.join(_DTYPES)}, not {dtype!r}.")
    attention = source.options.get("attention")
    more = {"attn_implementation": attention} if attention else {}
    with quiet():
        try:
            network, report = maker.from_pretrained(
                checkpoint.folder,
                dtype=dtype,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
                **more,
            )
        except (SafetensorError, OSError, ValueError, RuntimeError, ImportError) as error:
            raise ModelError(f"{source.text!r} does not load: {error}") from error
    _refuse_missing(report, source, _HEADS[base_name(task)])
    return network.to(device).eval()


def _refuse_missing(report: Any, source: ModelSource, head: str) -> None:
    """Raise if weights were not in the file: they would be random numbers."""
    missing = sorted(report["missing_keys"]) + sorted(str(k) for k in report["mismatched_keys"])
    if missing:
        shown = ", ".join(missing[:4]) + (", …" if len(missing) > 4 else "")
        raise ModelError(
            f"{source.text!r} lacks weights that a model {head} needs ({shown}); they would be "
            "random numbers, and so would its answers. This is an encoder without the head, or "
            "one with another head: fine-tune it for the task first."
        )


def _load_tokenizer(checkpoint: Checkpoint, source: ModelSource) -> Any:
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


def _device(wanted: str, source: ModelSource) -> Any:
    """Torch device; "auto" is the first CUDA device where there is one."""
    try:
        import torch
        import transformers  # noqa: F401 - the message is the same for both
    except ImportError as error:
        raise MissingExtraError("A Hugging Face model", "hf") from error
    if wanted == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(
            f"{source.text!r} cannot be put on the device {wanted!r}: "
            f"{str(error).partition(chr(10))[0]} Allowed: auto, cpu, cuda:0, …"
        ) from error
    return device


def _limit(tokenizer: Any, config: Any, source: ModelSource) -> int | None:
    """Most tokens of one text: as told, or what tokenizer and network take."""
    stated = source.options.get("max_length")
    limits = [tokenizer.model_max_length] if tokenizer.model_max_length < _NO_LIMIT else []
    positions = getattr(config, "max_position_embeddings", None)
    if positions and positions > 0:
        # RoBERTa counts positions from behind the padding index
        is_shifted = "roberta" in config.model_type or config.model_type == "camembert"
        limits.append(positions - (config.pad_token_id + 1 if is_shifted else 0))
    most = min(limits, default=None)
    if stated is None:
        return most
    if not stated.isdecimal() or int(stated) < 3 or (most is not None and int(stated) > most):
        raise ModelError(
            f"{source.text!r}: max_length is a number of tokens from 3 to {most or '…'}, "
            f"not {stated!r}."
        )
    return int(stated)


def _names(config: Any, source: ModelSource, task: Task) -> tuple[str, ...]:
    """Names of the outputs: as told, or the configuration's; LABEL_0 is the index 0."""
    stated = source.labels()
    count = config.num_labels
    if count < 2:
        raise ModelError(f"{source.text!r} has one output: it is a regression, not a classifier.")
    if stated and len(stated) != count:
        raise ModelError(
            f"{source.text!r} has {count} outputs, but {len(stated)} labels were given."
        )
    own = tuple(str(config.id2label[i]).strip() for i in range(count))
    if not stated and len(set(own)) < count:
        raise ModelError(f"{source.text!r}: id2label in config.json names a label twice: {own}.")
    names = stated or tuple(n.removeprefix("LABEL_") for n in own)
    if is_tagging(task) and ("O" not in names or not labels_of_tags(names)):
        raise ModelError(
            f"{source.text!r}: its outputs are no tags: {', '.join(names[:12])}. Give them in "
            "order: #labels=O|B-PER|I-PER."
        )
    return names


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' progress bars and load report off the terminal for a while."""
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
